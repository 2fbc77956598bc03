//! Quoted-printable (RFC 2045, 6.7).

use super::piece::{Builder, Viewed};
use crate::operand::url::pair;

/// Decodes runs of `=XX` and joins lines broken by `=`. Escapes are in upper case, as the standard has
/// them; assignments in code are not.
pub(super) fn undo(text: &str) -> Option<Viewed> {
    let bytes = text.as_bytes();
    let mut builder = Builder::new(text);
    let mut seen = 0;
    for at in memchr::memchr_iter(b'=', bytes) {
        if at < seen {
            continue;
        }
        if let Some(length) = soft_break(bytes.get(at + 1..).unwrap_or(&[])) {
            seen = at + 1 + length;
            builder.replace(at..seen, "");
            continue;
        }
        seen = builder.decode_run(at, escape);
    }
    builder.finish()
}

fn soft_break(rest: &[u8]) -> Option<usize> {
    match rest {
        [b'\n', ..] => Some(1),
        [b'\r', b'\n', ..] => Some(2),
        _ => None,
    }
}

fn escape(bytes: &[u8], at: usize) -> Option<u8> {
    let digits = bytes.get(at..at + 3)?.strip_prefix(b"=")?;
    let is_escape = digits.iter().all(|b| b.is_ascii_digit() || (b'A'..=b'F').contains(b));
    if is_escape { pair(digits) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_soft_breaks_are_undone() {
        let viewed = undo("see parts=2Esh=\nop for=20more").expect("decoded");
        assert_eq!(viewed.text, "see parts.shop for more");
    }

    #[test]
    fn assignments_stay() {
        assert!(undo("a=1 b=0x20 c == d e=ff").is_none());
    }
}
