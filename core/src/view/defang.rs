//! Designators spelled so that no program takes them for links.

use super::piece::{Builder, Viewed};

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
    let bytes = text.as_bytes();
    let mut builder = Builder::new(text);
    let starts = |byte: u8| matches!(byte, b'[' | b'(' | b'{' | b' ' | b'h' | b'H' | b'm' | b'M');
    for (at, _) in bytes.iter().enumerate().filter(|(_, b)| starts(**b)) {
        let Some((spelled, plain)) = spelling(bytes, at).or_else(|| scheme(bytes, at)) else { continue };
        builder.replace(widened(bytes, at, at + spelled), plain);
    }
    builder.finish()
}

fn begins(rest: &[u8], word: &str) -> bool {
    rest.get(..word.len()).is_some_and(|head| head.eq_ignore_ascii_case(word.as_bytes()))
}

fn spelling(bytes: &[u8], at: usize) -> Option<(usize, &'static str)> {
    let rest = bytes.get(at..)?;
    let (word, plain) = SPELLINGS.iter().find(|(word, _)| begins(rest, word))?;
    let before = bytes.get(..at)?.iter().rev().find(|b| **b != b' ')?;
    let after = rest.get(word.len()..)?.iter().find(|b| **b != b' ')?;
    let joins = is_label(*before) || (*before == b'p' || *before == b's') && plain.starts_with(':');
    let follows = is_label(*after) || plain.starts_with(':') && *after == b'/';
    (joins && follows).then_some((word.len(), *plain))
}

fn scheme(bytes: &[u8], at: usize) -> Option<(usize, &'static str)> {
    let rest = bytes.get(at..)?;
    let (word, plain) = SCHEMES.iter().find(|(word, _)| begins(rest, word))?;
    let colon = matches!(rest.get(word.len()), Some(b':' | b'['));
    let alone =
        !at.checked_sub(1).and_then(|before| bytes.get(before)).is_some_and(u8::is_ascii_alphanumeric);
    (colon && alone).then_some((word.len(), *plain))
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
