//! Designators spelled so that no program takes them for links.

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use super::piece::{Builder, Viewed};

/// Spaces between a label and a spelled separator.
const SPACES_MAX: usize = 4;

static AUTOMATON: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
    let patterns = SPELLINGS.iter().chain(&SCHEMES).map(|(spelled, _)| spelled);
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(patterns)
        .ok()
});

/// Spelled dots, colons and at signs. White space around the bare word `dot` is needed and goes with it.
const SPELLINGS: [(&str, &str); 13] = [
    ("[.]", "."),
    ("(.)", "."),
    ("{.}", "."),
    ("[dot]", "."),
    ("(dot)", "."),
    ("{dot}", "."),
    (" dot ", "."),
    ("[:]", ":"),
    ("[://]", "://"),
    ("[@]", "@"),
    ("[at]", "@"),
    ("(at)", "@"),
    ("{at}", "@"),
];

/// Schemes with letters changed.
const SCHEMES: [(&str, &str); 4] =
    [("hxxps", "https"), ("hxxp", "http"), ("h**ps", "https"), ("meow", "http")];

/// Restores spelled separators that stand between labels, and schemes that stand before a colon.
pub(super) fn undo(text: &str) -> Option<Viewed> {
    let automaton = AUTOMATON.as_ref()?;
    let bytes = text.as_bytes();
    let mut builder = Builder::new(text);
    for found in automaton.find_iter(bytes) {
        let at = found.pattern().as_usize();
        let restored = match at.checked_sub(SPELLINGS.len()) {
            None => {
                SPELLINGS.get(at).map(|(_, plain)| *plain).filter(|plain| joins(bytes, found.range(), plain))
            }
            Some(at) => SCHEMES.get(at).map(|(_, plain)| *plain).filter(|_| is_scheme(bytes, found.range())),
        };
        if let Some(plain) = restored {
            builder.replace(widened(bytes, found.start(), found.end()), plain);
        }
    }
    builder.finish()
}

/// Whether a spelled separator stands between labels, or after a scheme.
fn joins(bytes: &[u8], range: Range<usize>, plain: &str) -> bool {
    let head = bytes.get(..range.start).unwrap_or(&[]);
    let tail = bytes.get(range.end..).unwrap_or(&[]);
    let near = |b: &&u8| **b != b' ';
    let before = head.iter().rev().take(SPACES_MAX).find(near).copied().unwrap_or(b' ');
    let after = tail.iter().take(SPACES_MAX).find(near).copied().unwrap_or(b' ');
    let is_colon = plain.starts_with(':');
    is_label(before) && (is_label(after) || is_colon && after == b'/')
}

/// Whether a changed scheme stands alone before a colon.
fn is_scheme(bytes: &[u8], range: Range<usize>) -> bool {
    let colon = matches!(bytes.get(range.end), Some(b':' | b'['));
    let before = range.start.checked_sub(1).and_then(|before| bytes.get(before));
    colon && !before.is_some_and(u8::is_ascii_alphanumeric)
}

const fn is_label(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80
}

/// Takes one space on each side with it, as in `parts [.] shop`.
fn widened(bytes: &[u8], start: usize, end: usize) -> std::ops::Range<usize> {
    let bracket = bytes.get(start).is_some_and(|b| matches!(b, b'[' | b'(' | b'{'));
    let before = start.checked_sub(1).filter(|at| bracket && bytes.get(*at) == Some(&b' '));
    let after = bracket && bytes.get(end) == Some(&b' ');
    match (before, after) {
        (Some(before), true) => before..end + 1,
        _ => start..end,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelled_designators_are_restored() {
        for (spelled, plain) in [
            ("hxxps://parts[.]shop/a", "https://parts.shop/a"),
            ("hxxp[:]//parts(dot)shop", "http://parts.shop"),
            ("parts [.] shop", "parts.shop"),
            ("parts dot shop", "parts.shop"),
            ("ops[at]parts{.}shop", "ops@parts.shop"),
        ] {
            assert_eq!(undo(spelled).map(|viewed| viewed.text).as_deref(), Some(plain));
        }
    }

    #[test]
    fn brackets_in_code_stay() {
        assert!(undo("list[0] call(x) {a} meow hxx h[.] [.]x").is_none());
    }
}
