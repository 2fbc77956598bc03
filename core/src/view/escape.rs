//! Backslash escapes of JSON (RFC 8259, 7) and of C-like languages.

use super::piece::{Builder, Viewed};

/// Decodes `\uXXXX` (surrogate pairs too), `\u{X}`, `\xXX`, `\/`, `\"`, `\\`, `\n`, `\r` and `\t`.
pub(super) fn undo(text: &str) -> Option<Viewed> {
    let bytes = text.as_bytes();
    let mut builder = Builder::new(text);
    for at in memchr::memchr_iter(b'\\', bytes) {
        if at < builder.cursor() {
            continue;
        }
        if let Some((shown, length)) = bytes.get(at + 1..).and_then(one) {
            let mut buffer = [0; 4];
            builder.replace(at..at + 1 + length, shown.encode_utf8(&mut buffer));
        }
    }
    builder.finish()
}

/// The character after a backslash, and the bytes that spell it.
fn one(rest: &[u8]) -> Option<(char, usize)> {
    match rest.first()? {
        b'n' => Some(('\n', 1)),
        b'r' => Some(('\r', 1)),
        b't' => Some(('\t', 1)),
        plain @ (b'/' | b'"' | b'\'' | b'\\') => Some((char::from(*plain), 1)),
        b'x' => Some((visible(number(rest.get(1..3)?)?)?, 3)),
        b'u' | b'U' if rest.get(1) == Some(&b'{') => braced(rest),
        b'u' => wide(rest),
        b'U' => Some((visible(number(rest.get(1..9)?)?)?, 9)),
        _ => None,
    }
}

fn braced(rest: &[u8]) -> Option<(char, usize)> {
    let digits = rest.get(2..)?.iter().take(7).position(|b| *b == b'}')?;
    Some((visible(number(rest.get(2..2 + digits)?)?)?, digits + 3))
}

fn wide(rest: &[u8]) -> Option<(char, usize)> {
    let unit = number(rest.get(1..5)?)?;
    if !(0xD800..0xDC00).contains(&unit) {
        return Some((visible(unit)?, 5));
    }
    let low = number(rest.get(5..)?.strip_prefix(br"\u")?.get(..4)?)?;
    let low = low.checked_sub(0xDC00).filter(|low| *low < 0x400)?;
    Some((visible(0x10000 + ((unit - 0xD800) << 10) + low)?, 11))
}

fn number(digits: &[u8]) -> Option<u32> {
    if digits.is_empty() {
        return None;
    }
    digits.iter().try_fold(0_u32, |sum, b| Some(sum.checked_mul(16)? + char::from(*b).to_digit(16)?))
}

fn visible(code: u32) -> Option<char> {
    char::from_u32(code).filter(|c| !c.is_control() || c.is_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escaped_text_is_decoded() {
        let viewed = undo(r"https:\/\/\u0070arts\x2eshop\/\u{61} \ud83d\ude00").expect("decoded");
        assert_eq!(viewed.text, "https://parts.shop/a \u{1F600}");
    }

    #[test]
    fn other_backslashes_stay() {
        assert!(undo(r"C:\Windows \d+ \uZZZZ \x0 \ud800").is_none());
    }
}
