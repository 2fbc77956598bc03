//! Ways of hiding a text.

use std::fmt::Write;

/// Every character as `form` spells it.
pub(super) fn escaped(text: &str, form: impl Fn(char) -> String) -> String {
    text.chars().map(form).collect()
}

pub(super) fn html_entities(text: &str) -> String {
    escaped(text, |c| format!("&#{};", u32::from(c)))
}

pub(super) fn hex(text: &str) -> String {
    text.bytes().fold(String::new(), |mut all, byte| {
        write!(all, "{byte:02x}").unwrap();
        all
    })
}

/// Tag characters (U+E0020 to U+E007E).
pub(super) fn tagged(text: &str) -> String {
    text.chars().map(|c| char::from_u32(0xE0000 + u32::from(c)).unwrap()).collect()
}

pub(super) fn rot13(c: char) -> char {
    let turned = |first: u8| char::from(first + (u8::try_from(c).unwrap() - first + 13) % 26);
    match c {
        'a'..='z' => turned(b'a'),
        'A'..='Z' => turned(b'A'),
        _ => c,
    }
}

/// Base64 (RFC 4648).
pub(super) fn base64(text: &str) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let mut group = [0; 4];
        group[1..=chunk.len()].copy_from_slice(chunk);
        let bits = u32::from_be_bytes(group);
        for place in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * place)) as usize & 63];
            out.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}
