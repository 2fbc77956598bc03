//! Points at a place in a text file: file, line, the line itself, a caret below.

use std::fmt;
use std::ops::Range;

use unicode_width::UnicodeWidthStr;

use super::escape::escape_untrusted_within;

/// Columns of the quoted line that are shown.
const QUOTED_COLUMNS_MAX: usize = 200;

/// A place in a text: one-based line and column (in characters), and the quoted line with carets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceSpan {
    line: usize,
    column: usize,
    quoted: String,
    before: usize,
    carets: usize,
}

impl SourceSpan {
    /// The place of the bytes `span` of `text`; a span over several lines is shown to the end of its first.
    #[must_use]
    pub fn new(text: &str, span: Range<usize>) -> Self {
        let start = floor_char_boundary(text, span.start);
        let line_start =
            text.get(..start).and_then(|head| head.rfind('\n')).map_or(0, |at| at.saturating_add(1));
        let rest = text.get(line_start..).unwrap_or_default();
        let line_text = rest.split('\n').next().unwrap_or_default().trim_end_matches('\r');
        let line_end = line_start.saturating_add(line_text.len());
        let end = floor_char_boundary(text, span.end).clamp(start, line_end.max(start));
        let head = text.get(line_start..start).unwrap_or_default();
        let marked = text.get(start..end).unwrap_or_default();
        let shown = |piece: &str| escape_untrusted_within(piece, QUOTED_COLUMNS_MAX);
        Self {
            line: text.get(..start).unwrap_or_default().matches('\n').count().saturating_add(1),
            column: head.chars().count().saturating_add(1),
            quoted: shown(line_text),
            before: shown(head).width(),
            carets: shown(marked).width().max(1),
        }
    }

    /// One-based line.
    #[must_use]
    pub const fn line(&self) -> usize {
        self.line
    }

    /// One-based column, in characters.
    #[must_use]
    pub const fn column(&self) -> usize {
        self.column
    }
}

/// The quoted line with its number and the carets below; no line feed at the end.
impl fmt::Display for SourceSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.line.to_string();
        let margin = " ".repeat(number.len());
        writeln!(f, " {margin} |")?;
        writeln!(f, " {number} | {}", self.quoted)?;
        write!(f, " {margin} | {}{}", " ".repeat(self.before), "^".repeat(self.carets))
    }
}

/// The last character boundary at or before `at`.
fn floor_char_boundary(text: &str, at: usize) -> usize {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at = at.saturating_sub(1);
    }
    at
}

/// Splits `message; hint: what to do` (the form of all error texts here) into the two.
#[must_use]
pub fn split_hint(text: &str) -> (&str, Option<&str>) {
    const MARKS: [&str; 2] = ["; hint: ", "\nhint: "];
    // The hint is the program's own and comes last, so the last mark counts.
    let split = MARKS.iter().filter_map(|mark| text.rfind(mark).map(|at| (at, mark.len()))).max();
    match split {
        Some((at, len)) => (text.get(..at).unwrap_or(text), text.get(at.saturating_add(len)..)),
        None => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_at_the_word() {
        let text = "a = 1\nprofil = \"x\"\n";
        let place = SourceSpan::new(text, 6..12);
        assert_eq!((place.line(), place.column()), (2, 1));
        assert_eq!(place.to_string(), "   |\n 2 | profil = \"x\"\n   | ^^^^^^");
    }

    #[test]
    fn wide_and_escaped_characters_keep_the_caret_in_place() {
        let text = "\"日\u{202e}\" = z";
        let at = text.find('z').unwrap();
        let shown = SourceSpan::new(text, at..at + 1).to_string();
        let lines: Vec<&str> = shown.lines().collect();
        assert_eq!(lines[1], " 1 | \"日\\u{202e}\" = z");
        assert_eq!(lines[2].find('^').unwrap(), 5 + "\"".len() + 2 + "\\u{202e}\" = ".len());
    }

    #[test]
    fn a_span_outside_the_text_is_its_end() {
        let place = SourceSpan::new("ab\r\ncd", 99..100);
        assert_eq!((place.line(), place.column()), (2, 3));
        let place = SourceSpan::new("", 0..0);
        assert_eq!((place.line(), place.column()), (1, 1));
    }

    #[test]
    fn hints_split_off() {
        assert_eq!(split_hint("no; hint: do"), ("no", Some("do")));
        assert_eq!(split_hint("no\n |\nhint: do"), ("no\n |", Some("do")));
        assert_eq!(split_hint("no"), ("no", None));
    }
}
