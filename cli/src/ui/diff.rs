//! Unified diffs of what a command is about to write.

use similar::{ChangeTag, TextDiff};

use super::escape::{escape_file_line, escape_untrusted_within};
use super::style::Style;

/// Unchanged lines around a change.
const CONTEXT_LINES: usize = 3;

/// Columns of one line that are shown: enough for any hook entry, and a minified file stays on one screen.
const LINE_COLUMNS_MAX: usize = 2_000;

/// The unified diff from `old` to `new`, headed with `name`; empty when they are equal.
///
/// Lines are escaped: the file may hold what others wrote.
#[must_use]
pub fn unified_diff(name: &str, old: &str, new: &str, color: bool) -> String {
    let diff = TextDiff::from_lines(old, new);
    let mut out = String::new();
    for hunk in diff.unified_diff().context_radius(CONTEXT_LINES).iter_hunks() {
        if out.is_empty() {
            let name = escape_untrusted_within(name, LINE_COLUMNS_MAX);
            out.push_str(&Style::Strong.paint(&format!("--- {name}\n+++ {name} (new)"), color));
            out.push('\n');
        }
        out.push_str(&Style::Dim.paint(&hunk.header().to_string(), color));
        out.push('\n');
        for change in hunk.iter_changes() {
            let (sign, style) = match change.tag() {
                ChangeTag::Equal => (' ', Style::Plain),
                ChangeTag::Delete => ('-', Style::Bad),
                ChangeTag::Insert => ('+', Style::Good),
            };
            let line = change.value().trim_end_matches(['\r', '\n']);
            let shown = format!("{sign}{}", escape_file_line(line, LINE_COLUMNS_MAX));
            out.push_str(&style.paint(&shown, color));
            out.push('\n');
            if change.missing_newline() {
                out.push_str("\\ No newline at end of file\n");
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_have_no_diff() {
        assert_eq!(unified_diff("a", "x\n", "x\n", false), "");
    }

    #[test]
    fn added_lines_and_a_missing_end_of_line_show() {
        let shown = unified_diff("s.json", "{\n}", "{\n  \"a\": 1\n}", false);
        let expected = "--- s.json\n+++ s.json (new)\n@@ -1,2 +1,3 @@\n {\n+  \"a\": 1\n }\n\\ No newline at end of file\n";
        assert_eq!(shown, expected);
    }

    #[test]
    fn hidden_characters_show() {
        let shown = unified_diff("s", "", "\u{202e}\x1b[2J\t\\t\n", false);
        assert!(shown.contains("+\\u{202e}\\u{1b}[2J\t\\t\n"), "{shown}");
    }
}
