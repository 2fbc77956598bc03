//! Tokens in running text.

use std::ops::Range;

use super::Scan;
use crate::operand::token::{TOKEN_BYTES_MAX, TOKEN_BYTES_MIN, is_token_byte};
use crate::operand::{Kind, secret_home};

/// Changes between letter and digit that tell a token from a name with a number in it.
const CHANGES_MIN: usize = 3;

/// Adds the tokens in a range that holds no white space or quotes; whether one is a known secret.
pub(super) fn scan(scan: &mut Scan<'_, '_, '_>, range: Range<usize>) -> bool {
    let text = scan.get(range.clone());
    let mut secret = false;
    let mut at = range.start;
    for word in text.split(|c: char| !c.is_ascii() || !is_token_byte(u8::try_from(c).unwrap_or(0))) {
        let start = at;
        at += word.len()
            + text
                .get(start - range.start + word.len()..)
                .and_then(|r| r.chars().next())
                .map_or(0, char::len_utf8);
        if word.len() >= TOKEN_BYTES_MIN && word.len() <= TOKEN_BYTES_MAX {
            secret |= in_word(scan, start, word);
        }
    }
    secret
}

/// A word of the token alphabet: whole if it is one, otherwise the parts between slashes and dots.
fn in_word(scan: &mut Scan<'_, '_, '_>, start: usize, word: &str) -> bool {
    let trimmed = word.trim_end_matches(['.', '/', '-']);
    if secret_home(trimmed).is_some() {
        scan.try_add(Kind::Token, start..start + trimmed.len());
        return true;
    }
    if !word.contains(['.', '~']) && !word.starts_with(['/', '-']) && is_token(word) {
        scan.try_add(Kind::Token, start..start + word.len());
        return false;
    }
    let mut secret = false;
    let mut at = start;
    for part in word.split(['/', '.', '~']) {
        let known = part.len() >= TOKEN_BYTES_MIN && secret_home(part).is_some();
        if part.len() >= TOKEN_BYTES_MIN && (known || is_token(part)) {
            scan.try_add(Kind::Token, at..at + part.len());
            secret |= known;
        }
        at += part.len() + 1;
    }
    secret
}

/// Whether a run looks drawn at random: hexadecimal, a UUID, or letters and digits well mixed.
fn is_token(run: &str) -> bool {
    let mut digits = 0;
    let mut letters = 0;
    let mut changes = 0;
    let mut hex = true;
    let mut slashes = 0;
    let mut last = 0_u8;
    for byte in run.bytes() {
        digits += usize::from(byte.is_ascii_digit());
        letters += usize::from(byte.is_ascii_alphabetic());
        slashes += usize::from(byte == b'/');
        hex &= byte.is_ascii_hexdigit() || byte == b'-';
        let is_change = byte.is_ascii_digit() && last.is_ascii_alphabetic()
            || byte.is_ascii_alphabetic() && last.is_ascii_digit();
        changes += usize::from(is_change);
        last = byte;
    }
    // Base64 has a slash in every 64 characters, a path in every ten.
    let is_path = slashes * 16 > run.len();
    digits > 0 && letters > 0 && !is_path && (hex && run.len() >= 32 || changes >= CHANGES_MIN)
}
