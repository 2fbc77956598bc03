//! Strings (RFC 8259, section 7).

use super::scan::Wrong;

/// Reads the string that starts at byte `start` (its opening quote); gives its decoded text and the byte
/// behind its closing quote.
pub(super) fn scan_string(text: &str, start: usize) -> Result<(String, usize), Wrong> {
    let mut decoded = String::new();
    let mut at = start.saturating_add(1);
    loop {
        let rest = text.get(at..).unwrap_or_default();
        let Some(c) = rest.chars().next() else {
            return Err(Wrong { problem: "string without an end", at: start });
        };
        match c {
            '"' => return Ok((decoded, at.saturating_add(1))),
            '\\' => {
                let (c, len) = escape(rest).ok_or(Wrong { problem: "unknown escape in a string", at })?;
                decoded.push(c);
                at = at.saturating_add(len);
            }
            '\u{0}'..='\u{1f}' => return Err(Wrong { problem: "control character in a string", at }),
            c => {
                decoded.push(c);
                at = at.saturating_add(c.len_utf8());
            }
        }
    }
}

/// The character that an escape at the start of `rest` stands for, and the bytes it takes.
fn escape(rest: &str) -> Option<(char, usize)> {
    let plain = match rest.as_bytes().get(1)? {
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode_escape(rest),
        _ => return None,
    };
    Some((plain, 2))
}

/// `\uXXXX`, or two of them that form a surrogate pair.
fn unicode_escape(rest: &str) -> Option<(char, usize)> {
    let first = hex4(rest, 2)?;
    if let Some(c) = char::from_u32(first) {
        return Some((c, 6));
    }
    let second = rest.get(6..8).filter(|&mark| mark == "\\u").and_then(|_| hex4(rest, 8));
    let pair = second.filter(|low| (0xdc00..0xe000).contains(low) && (0xd800..0xdc00).contains(&first));
    match pair {
        Some(low) => {
            let code = 0x1_0000 + ((first - 0xd800) << 10) + (low - 0xdc00);
            char::from_u32(code).map(|c| (c, 12))
        }
        None => Some((char::REPLACEMENT_CHARACTER, 6)),
    }
}

fn hex4(rest: &str, from: usize) -> Option<u32> {
    let digits = rest.get(from..from.saturating_add(4))?;
    // `from_str_radix` alone would take a sign.
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok()
}
