//! Plain values of structured calls: a name, an id, a channel, an account.

use unicode_normalization::UnicodeNormalization as _;

/// Shortest value in bytes.
const VALUE_BYTES_MIN: usize = 4;
/// Longest value in bytes; longer text is content.
const VALUE_BYTES_MAX: usize = 1024;
/// Fewest digits that make a number distinctive.
const NUMBER_DIGITS_MIN: usize = 5;

/// The canonical form of one line: NFC, trimmed. Short text, short numbers and several lines have none.
pub(super) fn canonical(input: &str) -> Option<String> {
    let value: String = input.trim().nfc().collect();
    let value = value.trim();
    let is_number =
        value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'-' | b'+' | b' '));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let sound = (VALUE_BYTES_MIN..=VALUE_BYTES_MAX).contains(&value.len())
        && !value.chars().any(char::is_control)
        && !(is_number && digits < NUMBER_DIGITS_MIN);
    sound.then(|| value.to_owned())
}
