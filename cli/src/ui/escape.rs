//! Makes text that someone else wrote safe to print: nothing in it can move the cursor, reorder the line,
//! or hide.
//!
//! The form is that of Rust's `char::escape_default` for what is escaped, and the text itself otherwise, so
//! the result is unambiguous and can be read back. Only `Default_Ignorable_Code_Point` (Unicode Standard
//! Annex 44), controls, line and paragraph separators, format characters, unusual spaces, private-use
//! characters and noncharacters are escaped; letters of all scripts stay readable.

use unicode_width::UnicodeWidthChar;

/// Terminal columns of untrusted text printed in one place; more is cut with a note of how much.
pub const UNTRUSTED_COLUMNS_MAX: usize = 400;

/// Combining marks in a row that stay as they are: enough for every living orthography, too few to paint
/// over the lines above.
const MARKS_RUN_MAX: usize = 3;

/// Ranges that are invisible, reorder text or have no agreed look, in order, ends included.
const HIDDEN: [(u32, u32); 33] = [
    (0x0000, 0x001f),     // C0 controls
    (0x007f, 0x00a0),     // delete, C1 controls, no-break space
    (0x00ad, 0x00ad),     // soft hyphen
    (0x034f, 0x034f),     // combining grapheme joiner
    (0x0600, 0x0605),     // Arabic number signs
    (0x061c, 0x061c),     // Arabic letter mark
    (0x06dd, 0x06dd),     // Arabic end of ayah
    (0x070f, 0x070f),     // Syriac abbreviation mark
    (0x0890, 0x0891),     // Arabic pound and piastre marks
    (0x08e2, 0x08e2),     // Arabic disputed end of ayah
    (0x115f, 0x1160),     // Hangul fillers
    (0x1680, 0x1680),     // Ogham space
    (0x17b4, 0x17b5),     // Khmer inherent vowels
    (0x180b, 0x180f),     // Mongolian selectors and vowel separator
    (0x2000, 0x200f),     // spaces, zero-width characters, direction marks
    (0x2028, 0x202f),     // separators, embeddings, overrides, narrow space
    (0x205f, 0x206f),     // medium space, joiners, isolates, deprecated formats
    (0x2800, 0x2800),     // Braille blank
    (0x3000, 0x3000),     // ideographic space
    (0x3164, 0x3164),     // Hangul filler
    (0xe000, 0xf8ff),     // private use
    (0xfdd0, 0xfdef),     // noncharacters
    (0xfe00, 0xfe0f),     // variation selectors
    (0xfeff, 0xfeff),     // byte order mark
    (0xffa0, 0xffa0),     // halfwidth Hangul filler
    (0xfff0, 0xfffb),     // unassigned ignorables, interlinear annotation
    (0xfffe, 0xffff),     // noncharacters
    (0x110bd, 0x110cd),   // Kaithi number signs (0x110be to 0x110cc hold marks and nothing else)
    (0x13430, 0x1345f),   // Egyptian hieroglyph controls
    (0x1bca0, 0x1bca3),   // shorthand format controls
    (0x1d173, 0x1d17a),   // musical format controls
    (0xe0000, 0xe0fff),   // tags and variation selectors supplement
    (0xf0000, 0x10_ffff), // private use planes
];

/// Makes hidden, moving and reordering characters of `text` visible and bounds its length.
///
/// At most [`UNTRUSTED_COLUMNS_MAX`] columns come back, on one line.
#[must_use]
pub fn escape_untrusted(text: &str) -> String {
    escape_untrusted_within(text, UNTRUSTED_COLUMNS_MAX)
}

/// As [`escape_untrusted`], with the caller's bound in terminal columns.
///
/// A cut text ends in `… (N bytes more)`; that note is not counted.
#[must_use]
pub fn escape_untrusted_within(text: &str, columns_max: usize) -> String {
    escape(text, columns_max, |_| false)
}

/// As [`escape_untrusted_within`], for a line that is compared with its file: backslashes and tabs stay as
/// they are, so the result can no longer be read back.
#[must_use]
pub(super) fn escape_file_line(line: &str, columns_max: usize) -> String {
    escape(line, columns_max, |c| matches!(c, '\\' | '\t'))
}

fn escape(text: &str, columns_max: usize, stays: impl Fn(char) -> bool) -> String {
    let mut out = String::with_capacity(text.len().min(columns_max.saturating_mul(4)));
    let mut columns = 0_usize;
    // A mark with no letter before it would combine with our own text, so the run starts as if full.
    let mut marks = MARKS_RUN_MAX;
    for (at, c) in text.char_indices() {
        let width = c.width().unwrap_or(0);
        marks = if width == 0 { marks.saturating_add(1) } else { 0 };
        let piece = match c {
            _ if stays(c) => None,
            '\\' => Some(String::from("\\\\")),
            _ if is_hidden(c) || marks > MARKS_RUN_MAX => Some(c.escape_default().to_string()),
            _ => None,
        };
        let piece_columns = piece.as_ref().map_or(width, String::len);
        if columns.saturating_add(piece_columns) > columns_max {
            out.push_str(&format!("… ({} bytes more)", text.len().saturating_sub(at)));
            return out;
        }
        columns = columns.saturating_add(piece_columns);
        match piece {
            Some(escaped) => out.push_str(&escaped),
            None => out.push(c),
        }
    }
    out
}

/// Whether a terminal shows nothing, or something other than the character, for `c`.
fn is_hidden(c: char) -> bool {
    let code = u32::from(c);
    let past = HIDDEN.partition_point(|&(first, _)| first <= code);
    let in_table = past.checked_sub(1).and_then(|i| HIDDEN.get(i)).is_some_and(|&(_, last)| code <= last);
    // The last two code points of every plane are noncharacters.
    in_table || code & 0xfffe == 0xfffe
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn table_is_sorted_and_disjoint() {
        assert!(HIDDEN.windows(2).all(|pair| pair[0].1 < pair[1].0));
        assert!(HIDDEN.iter().all(|range| range.0 <= range.1));
    }

    #[test]
    fn controls_and_colour_codes_become_visible() {
        assert_eq!(escape_untrusted("a\x1b[31mred\x07\n\t\r"), "a\\u{1b}[31mred\\u{7}\\n\\t\\r");
        assert_eq!(escape_untrusted("\u{9b}2J"), "\\u{9b}2J");
    }

    #[test]
    fn direction_and_invisible_characters_become_visible() {
        assert_eq!(escape_untrusted("user\u{202e}txt.exe"), "user\\u{202e}txt.exe");
        assert_eq!(escape_untrusted("a\u{200b}b\u{2066}c\u{feff}"), "a\\u{200b}b\\u{2066}c\\u{feff}");
        assert_eq!(escape_untrusted("\u{e0068}\u{e0069}"), "\\u{e0068}\\u{e0069}");
    }

    #[test]
    fn letters_of_other_scripts_stay() {
        for text in ["größe", "日本語", "नमस्ते", "Ελληνικά", "שלום", "👍"] {
            assert_eq!(escape_untrusted(text), text);
        }
    }

    #[test]
    fn a_leading_mark_and_a_tower_of_marks_become_visible() {
        assert_eq!(escape_untrusted("\u{301}a"), "\\u{301}a");
        assert_eq!(escape_untrusted("a\u{301}\u{301}\u{301}\u{301}"), "a\u{301}\u{301}\u{301}\\u{301}");
    }

    #[test]
    fn a_backslash_cannot_forge_an_escape() {
        assert_eq!(escape_untrusted("\\u{202e}"), "\\\\u{202e}");
    }

    #[test]
    fn long_text_is_cut_with_a_note() {
        assert_eq!(escape_untrusted_within("abcdef", 4), "abcd… (2 bytes more)");
        assert_eq!(escape_untrusted_within("日本", 3), "日… (3 bytes more)");
        assert_eq!(escape_untrusted_within("abc\n", 4), "abc… (1 bytes more)");
    }

    proptest! {
        #[test]
        fn nothing_hidden_survives(text in any::<String>()) {
            let shown = escape_untrusted(&text);
            prop_assert!(shown.chars().all(|c| !is_hidden(c)));
            prop_assert!(!shown.contains('\x1b') && !shown.contains('\n'));
        }
    }
}
