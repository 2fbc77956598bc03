//! Random-looking tokens.
//!
//! Quotes, header and scheme names are dropped; the base64url alphabet is mapped to that of base64, so
//! that both spellings of the same bytes are one operand; padding is dropped.

use super::secret;

/// Shortest token that is not all hexadecimal.
pub(super) const TOKEN_BYTES_MIN: usize = 20;
/// Shortest all-hexadecimal token (128 bits).
const HEX_BYTES_MIN: usize = 32;
/// Longest token; longer runs are encoded data, which views decode.
pub(super) const TOKEN_BYTES_MAX: usize = 4096;
/// Bits per character below which text is taken for words.
const ENTROPY_MIN: f64 = 3.5;
/// The same for hexadecimal text, whose ceiling is 4.
const HEX_ENTROPY_MIN: f64 = 3.0;

/// Texts, without separators and in lower case, that mark an example rather than a token.
const PLACEHOLDERS: [&str; 17] = [
    "example",
    "placeholder",
    "changeme",
    "yourapi",
    "yourtoken",
    "yourkey",
    "yoursecret",
    "youraccess",
    "goeshere",
    "redacted",
    "insertyour",
    "xxxx",
    "dummykey",
    "dummytoken",
    "fakekey",
    "faketoken",
    "replaceme",
];

/// The canonical form of a token, or `None` for words, placeholders and short text.
pub(super) fn canonical(input: &str) -> Option<String> {
    let bare = bare(input);
    if let Some(uuid) = uuid(bare) {
        return uuid;
    }
    let decoded = escapes(bare);
    let text = decoded.trim_end_matches('=');
    if !(TOKEN_BYTES_MIN..=TOKEN_BYTES_MAX).contains(&text.len()) || !text.bytes().all(is_token_byte) {
        return None;
    }
    let mapped: String = text
        .chars()
        .map(|c| match c {
            '-' => '+',
            '_' => '/',
            other => other,
        })
        .collect();
    let all_hex = mapped.bytes().all(|b| b.is_ascii_hexdigit());
    let mapped = if all_hex { mapped.to_ascii_lowercase() } else { mapped };
    (!is_placeholder(&mapped) && (is_random(&mapped, all_hex) || secret::is_secret(&mapped)))
        .then_some(mapped)
}

/// Whether a byte may stand inside a token.
pub(super) const fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'-' | b'_' | b'.' | b'~')
}

/// Drops `Header-Name: `, the scheme of an `Authorization` header, and quotes.
fn bare(input: &str) -> &str {
    let mut text = input;
    if let Some((name, value)) = text.split_once(':') {
        let is_header = !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
        if is_header && value.starts_with([' ', '\t']) {
            text = value.trim_start();
        }
    }
    if let Some((scheme, value)) = text.split_once(' ')
        && ["bearer", "basic", "token"].iter().any(|known| scheme.eq_ignore_ascii_case(known))
    {
        text = value.trim_start();
    }
    for quote in ['"', '\'', '`'] {
        if let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote)) {
            return inner;
        }
    }
    text
}

/// `None` when the text has not the shape of a UUID (RFC 9562), `Some(None)` for the nil one.
fn uuid(text: &str) -> Option<Option<String>> {
    let text = text.strip_prefix("urn:uuid:").unwrap_or(text);
    let text = text.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')).unwrap_or(text);
    let shaped = text.len() == 36
        && text.bytes().enumerate().all(|(at, b)| match at {
            8 | 13 | 18 | 23 => b == b'-',
            _ => b.is_ascii_hexdigit(),
        });
    if !shaped {
        return None;
    }
    let is_nil = text.bytes().all(|b| matches!(b, b'0' | b'-'));
    Some((!is_nil).then(|| text.to_ascii_lowercase()))
}

fn escapes(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    [("%2B", "+"), ("%2b", "+"), ("%2F", "/"), ("%2f", "/"), ("%3D", "="), ("%3d", "=")]
        .iter()
        .fold(text.to_owned(), |text, (escape, plain)| text.replace(escape, plain))
}

/// Whether the text is an example by its words or by repetition.
pub(super) fn is_placeholder(text: &str) -> bool {
    let letters: String =
        text.bytes().filter(u8::is_ascii_alphanumeric).map(|b| char::from(b.to_ascii_lowercase())).collect();
    PLACEHOLDERS.iter().any(|word| letters.contains(word))
}

fn is_random(text: &str, all_hex: bool) -> bool {
    let has_digit = text.bytes().any(|b| b.is_ascii_digit());
    let has_lower = text.bytes().any(|b| b.is_ascii_lowercase());
    let has_upper = text.bytes().any(|b| b.is_ascii_uppercase());
    if !has_digit || !(has_lower || has_upper) {
        return false;
    }
    let (bytes_min, entropy_min) =
        if all_hex { (HEX_BYTES_MIN, HEX_ENTROPY_MIN) } else { (TOKEN_BYTES_MIN, ENTROPY_MIN) };
    text.len() >= bytes_min && entropy(text) >= entropy_min
}

/// Shannon entropy in bits per byte.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in text.bytes() {
        if let Some(count) = counts.get_mut(usize::from(byte)) {
            *count += 1;
        }
    }
    let total = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / total)
        .map(|share| -share * share.log2())
        .sum()
}
