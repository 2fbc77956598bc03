//! Plain values of structured calls: a name, an id, a channel, an account.

use std::ops::Range;

use memchr::memmem;
use unicode_normalization::UnicodeNormalization as _;

/// Shortest value in bytes.
const VALUE_BYTES_MIN: usize = 4;
/// Longest value in bytes; longer text is content.
const VALUE_BYTES_MAX: usize = 1024;
/// Fewest bytes that make one plain lower-case word distinctive; shorter ones stand in every other text.
const WORD_BYTES_MIN: usize = 8;
/// Fewest digits that make a number distinctive.
const NUMBER_DIGITS_MIN: usize = 5;

/// Where a value stands in a text as a whole: neither side goes on with a letter, a digit or an underscore.
pub(super) fn find(value: &str, text: &str) -> Option<Range<usize>> {
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    memmem::find_iter(text.as_bytes(), value.as_bytes()).map(|start| start..start + value.len()).find(
        |range| {
            let before = text.get(..range.start).and_then(|text| text.chars().next_back());
            let after = text.get(range.end..).and_then(|text| text.chars().next());
            !before.is_some_and(inner) && !after.is_some_and(inner)
        },
    )
}

/// The canonical form of one line: NFC, trimmed. Short text, short numbers and several lines have none.
pub(super) fn canonical(input: &str) -> Option<String> {
    let value: String = input.trim().nfc().collect();
    let value = value.trim();
    let is_number =
        value.bytes().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b',' | b'-' | b'+' | b' '));
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let is_word = value.bytes().all(|b| b.is_ascii_lowercase());
    let too_common = is_number && digits < NUMBER_DIGITS_MIN || is_word && value.len() < WORD_BYTES_MIN;
    let sound = (VALUE_BYTES_MIN..=VALUE_BYTES_MAX).contains(&value.len())
        && !value.chars().any(char::is_control)
        && !too_common;
    sound.then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_found_as_a_whole_only() {
        assert_eq!(find("pay-roll", "see acme/pay-roll, please"), Some(9..17));
        assert_eq!(find("pay-roll", "pay-rolls and prepay-roll"), None);
        assert_eq!(find("Zo\u{eb} Q", "to Zo\u{eb} Q."), Some(3..9));
    }

    #[test]
    fn common_words_and_short_numbers_are_no_values() {
        for text in ["main", "true", "1234", "ab", "high", ""] {
            assert_eq!(canonical(text), None, "{text}");
        }
        for text in ["payroll-internal", "Main Street", "12345", "deadline"] {
            assert_eq!(canonical(text).as_deref(), Some(text));
        }
    }
}
