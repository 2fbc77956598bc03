//! The form of a text in which copies of code are recognised.

use std::ops::Range;

/// A text without what a copy may change at no cost: blank runs, indentation, line ends, comment lines, and
/// the numbers and marks that a listing or a patch puts before a line.
#[derive(Debug)]
pub(super) struct Normal {
    pub(super) text: String,
    /// Where each kept line begins here, and its range in the original, in order.
    lines: Vec<(usize, Range<usize>)>,
}

impl Normal {
    pub(super) fn of(original: &str) -> Self {
        let mut normal = Self { text: String::with_capacity(original.len()), lines: Vec::new() };
        let mut in_comment = false;
        let mut at = 0;
        for line in original.split_inclusive('\n') {
            let range = at..at + line.len();
            at = range.end;
            let body = unlisted(line.trim());
            let commented = in_comment;
            in_comment = opens_comment(body, commented);
            if !commented && !is_comment(body) {
                normal.push(body, range);
            }
        }
        normal
    }

    fn push(&mut self, body: &str, range: Range<usize>) {
        let start = self.text.len();
        for word in body.split_ascii_whitespace() {
            if !self.text.is_empty() {
                self.text.push(' ');
            }
            self.text.push_str(word);
        }
        if self.text.len() > start {
            self.lines.push((start, range));
        }
    }

    /// The lines of the original that a range of this text comes from.
    pub(super) fn original(&self, range: &Range<usize>) -> Range<usize> {
        let line = |offset: usize| {
            let after = self.lines.partition_point(|(start, _)| *start <= offset);
            self.lines.get(after.saturating_sub(1)).map_or(0..0, |(_, range)| range.clone())
        };
        line(range.start).start..line(range.end.saturating_sub(1)).end
    }
}

/// A line without the number that `cat -n` and its kin put before it, or the mark of an added line.
fn unlisted(line: &str) -> &str {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = rest.len() < line.len();
    let rest = rest.strip_prefix('\u{2192}').or_else(|| rest.strip_prefix('\t')).filter(|_| numbered);
    let line = rest.unwrap_or(line);
    line.strip_prefix('+').unwrap_or(line).trim_start()
}

/// Whether the line is nothing but a comment in one of the usual languages.
fn is_comment(line: &str) -> bool {
    let hashed =
        line.strip_prefix('#').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '#', '!']));
    hashed
        || line.starts_with("//")
        || line.starts_with("/*")
        || line.starts_with("<!--")
        || line.starts_with("-- ")
        || line == "*"
        || line.starts_with("* ")
        || line.starts_with("*/")
}

/// Whether the next line still belongs to a block comment.
fn opens_comment(line: &str, inside: bool) -> bool {
    (inside || line.starts_with("/*")) && !line.contains("*/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layout_comments_and_listing_marks_do_not_count() {
        let plain = Normal::of("import os\nfor a in b:\n    run(a)\n");
        for other in [
            "import os\r\n\r\n  for a in b:\n\trun(a)",
            "# why\nimport os\n/* long\n story */\nfor a in b:\n  // note\n  run(a)",
            "    1\u{2192}import os\n    2\u{2192}for a in b:\n    3\u{2192}    run(a)",
            "+import os\n+for a in b:\n+    run(a)",
        ] {
            assert_eq!(Normal::of(other).text, plain.text, "{other}");
        }
        assert_ne!(Normal::of("#include <a.h>").text, "", "a directive is no comment");
    }

    #[test]
    fn a_range_leads_back_to_its_lines() {
        let text = "# one\nalpha beta\n\n  gamma\n";
        let normal = Normal::of(text);
        let at = normal.text.find("gamma").unwrap();
        assert_eq!(text.get(normal.original(&(at..at + 5))), Some("  gamma\n"));
    }
}
