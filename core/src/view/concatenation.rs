//! Adjacent string literals, joined as the languages do.

use super::piece::{Builder, Viewed};

/// White space allowed between two literals, so that a search stays short.
const GAP_BYTES_MAX: usize = 64;

/// Removes closing quote, operator and opening quote between two literals of the same quote: `"a" + "b"`,
/// `"a" "b"`, `'a''b'`, `"a" . "b"`, `"a" .. "b"`, `"a" & "b"`.
pub(super) fn undo(text: &str) -> Option<Viewed> {
    let bytes = text.as_bytes();
    let mut builder = Builder::new(text);
    for at in memchr::memchr3_iter(b'"', b'\'', b'`', bytes) {
        if at < builder.cursor() {
            continue;
        }
        let Some(quote) = bytes.get(at).copied() else { continue };
        if let Some(end) = opening(bytes, at + 1, quote) {
            builder.replace(at..end, "");
        }
    }
    builder.finish()
}

/// The byte after the opening quote of the next literal, when only an operator stands between. Both
/// literals must hold something next to the seam: an empty string is no part of a split word.
fn opening(bytes: &[u8], from: usize, quote: u8) -> Option<usize> {
    let gap = bytes.get(from..bytes.len().min(from + GAP_BYTES_MAX))?;
    let next = gap.iter().position(|b| *b == quote)?;
    let between = gap.get(..next)?;
    // Lines of bare literals are lists in more languages than they are one string, and a sign at the
    // start of a line is that of a changed line.
    let lines = between.split(|b| *b == b'\n');
    let is_list = between.trim_ascii().is_empty() && lines.clone().count() > 1;
    if is_list || lines.skip(1).any(|line| line.first() == Some(&b'+')) {
        return None;
    }
    let between = between.trim_ascii();
    let joins = matches!(between, b"" | b"+" | b"." | b".." | b"&" | b"<>" | b"++" | b"\\" | b"+ \\" | b"||");
    let is_word = |b: Option<&u8>| b.is_some_and(|b| !b.is_ascii_whitespace() && *b != quote && *b != b',');
    let before = from.checked_sub(2).and_then(|at| bytes.get(at));
    let seam = is_word(before) && is_word(bytes.get(from + next + 1)) && !is_assignment(before);
    (joins && seam).then_some(from + next + 1)
}

/// Whether a quote after this byte opens a literal: then what follows is the content.
fn is_assignment(before: Option<&u8>) -> bool {
    before.is_some_and(|b| matches!(b, b'=' | b'(' | b'[' | b'{' | b':' | b'>' | b'<'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn split_literals_are_joined() {
        for (split, joined) in [
            (r#"x = "https://par" + "ts.shop/a""#, r#"x = "https://parts.shop/a""#),
            ("curl 'par''ts.shop'", "curl 'parts.shop'"),
            ("\"par\" +\n    \"ts.shop\"", "\"parts.shop\""),
            (r#"$x = "par" . "ts.shop";"#, r#"$x = "parts.shop";"#),
        ] {
            assert_eq!(undo(split).map(|viewed| viewed.text).as_deref(), Some(joined));
        }
    }

    #[test]
    fn lists_and_empty_strings_stay() {
        assert!(undo(r#"["a", "b"] x = "" + "b";  f("a", '') it's "fine""#).is_none());
        assert!(undo("import (\n\t\"fmt\"\n\t\"io\"\n)").is_none());
    }
}
