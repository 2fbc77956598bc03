//! Breaks text at spaces to a number of columns.

use unicode_width::UnicodeWidthStr;

/// Lines of `text`, each at most `columns` wide where its words allow: a longer word stays whole, so that a
/// path or a command can still be copied. Line feeds in the text are kept as breaks; at least one line.
#[must_use]
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.split('\n') {
        let mut line = String::new();
        for word in paragraph.split(' ') {
            let fits = line.width().saturating_add(1).saturating_add(word.width()) <= columns;
            if !line.is_empty() && !fits {
                lines.push(std::mem::take(&mut line));
            } else if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breaks_at_spaces() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
    }

    #[test]
    fn a_long_word_stays_whole() {
        assert_eq!(wrap("see /a/very/long/path now", 10), ["see", "/a/very/long/path", "now"]);
    }

    #[test]
    fn no_text_is_one_empty_line() {
        assert_eq!(wrap("", 10), [""]);
    }
}
