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

/// Fewest and most digits of a telephone number in its international form (ITU-T E.164).
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 7..=15;
/// Fewest and most characters of an account number (ISO 13616).
const IBAN_CHARS: std::ops::RangeInclusive<usize> = 15..=34;

/// Where a value stands in a text as a whole: neither side goes on with a letter, a digit or an underscore. An
/// account is found however it is grouped.
pub(super) fn find(value: &str, text: &str) -> Option<Range<usize>> {
    if is_account(value) {
        return find_grouped(value, text);
    }
    let inner = |c: char| c.is_alphanumeric() || c == '_';
    let occurrences = memmem::find_iter(text.as_bytes(), value.as_bytes());
    occurrences.map(|start| start..start + value.len()).find(|range| {
        let before = text.get(..range.start).unwrap_or_default();
        let after = text.get(range.end..).unwrap_or_default();
        !goes_on(before, inner) && !after.starts_with(inner)
    })
}

/// Whether the word that begins after `before` is the end of a longer one.
fn goes_on(before: &str, inner: impl Fn(char) -> bool) -> bool {
    before.ends_with(inner) && !ends_in_escape(before)
}

/// Whether a canonical value names an account or a telephone, and so stands somewhere unless it was made up.
pub(super) fn is_account(value: &str) -> bool {
    is_iban(value) || is_phone(value)
}

/// An International Bank Account Number by its check digits (ISO 13616, ISO 7064 MOD 97-10), without groups.
fn is_iban(text: &str) -> bool {
    let (Some(head), Some(rest)) = (text.get(..4), text.get(4..)) else { return false };
    let country = head.get(..2).is_some_and(|code| code.bytes().all(|b| b.is_ascii_uppercase()));
    let check = head.get(2..).is_some_and(|digits| digits.bytes().all(|b| b.is_ascii_digit()));
    if !(IBAN_CHARS.contains(&text.len()) && country && check) {
        return false;
    }
    let remainder = rest.chars().chain(head.chars()).try_fold(0_u32, |sum, c| {
        let value = c.to_digit(36).filter(|_| !c.is_ascii_lowercase())?;
        Some((sum * if value < 10 { 10 } else { 100 } + value) % 97)
    });
    remainder == Some(1)
}

/// A telephone number in its international form, without groups.
fn is_phone(text: &str) -> bool {
    text.strip_prefix('+').is_some_and(|digits| {
        PHONE_DIGITS.contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
    })
}

/// What stands between the groups of an account or telephone number.
const fn groups(c: char) -> bool {
    matches!(c, ' ' | '\u{a0}' | '\u{202f}' | '-' | '.' | '/' | '(' | ')')
}

/// A value without its groups, if that makes an account or a telephone number of it.
fn ungrouped(value: &str) -> Option<String> {
    let joined: String = value.chars().filter(|c| !groups(*c)).map(|c| c.to_ascii_uppercase()).collect();
    is_account(&joined).then_some(joined)
}

/// Where an account stands in a text, in whatever groups; at most two separators between two characters.
fn find_grouped(value: &str, text: &str) -> Option<Range<usize>> {
    let first = value.chars().next()?;
    let starts = text.char_indices().filter(|(_, c)| c.eq_ignore_ascii_case(&first)).map(|(at, _)| at);
    let inner = |c: char| c.is_alphanumeric();
    starts.filter(|at| !text.get(..*at).is_some_and(|before| goes_on(before, inner))).find_map(|start| {
        let mut wanted = value.chars();
        let mut next = wanted.next();
        let mut gap = 0;
        let mut end = start;
        for c in text.get(start..)?.chars() {
            match next {
                Some(expected) if c.eq_ignore_ascii_case(&expected) => {
                    next = wanted.next();
                    gap = 0;
                }
                Some(_) if groups(c) && gap < 2 => gap += 1,
                Some(_) => return None,
                None => return (!inner(c)).then_some(start..end),
            }
            end += c.len_utf8();
        }
        next.is_none().then_some(start..end)
    })
}

/// Whether a text ends in the escape of a white space character of JSON (RFC 8259, 7): results of structured
/// calls are JSON, and the letter of an escape is no part of the word after it.
fn ends_in_escape(text: &str) -> bool {
    ["\\n", "\\r", "\\t"].iter().any(|escape| text.ends_with(escape))
}

/// The canonical form of one line: NFC, trimmed. Short text, short numbers and several lines have none.
pub(super) fn canonical(input: &str) -> Option<String> {
    let value: String = input.trim().nfc().collect();
    let value = value.trim();
    if let Some(account) = ungrouped(value) {
        return Some(account);
    }
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
        assert_eq!(find("Mara Voss", r"to:\nMara Voss\n"), Some(5..14));
        assert_eq!(find("Mara Voss", "nMara Voss"), None);
        assert_eq!(find("Zo\u{eb} Q", "to Zo\u{eb} Q."), Some(3..9));
    }

    #[test]
    fn an_account_is_one_value_however_it_is_grouped() {
        let iban = canonical("de89 3704 0044 0532 0130 00").unwrap();
        assert_eq!(iban, "DE89370400440532013000");
        assert_eq!(find(&iban, "to DE89 3704 0044 0532 0130 00."), Some(3..30));
        assert_eq!(find(&iban, "to DE89370400440532013000"), Some(3..25));
        assert_eq!(find(&iban, "to DE893704004405320130001"), None, "it goes on");
        assert_ne!(
            canonical("DE88 3704 0044 0532 0130 00").as_deref(),
            Some("DE88370400440532013000"),
            "check digits"
        );
        let phone = canonical("+49 (170) 123-4567").unwrap();
        assert_eq!(phone, "+491701234567");
        assert!(find(&phone, "call +49 170 1234567 now").is_some());
        for handle in ["#general", "@bob", "C024BE91L"] {
            assert_eq!(canonical(handle).as_deref(), Some(handle));
        }
        assert_eq!(canonical(&iban).as_deref(), Some(&*iban));
        assert_eq!(canonical(&phone).as_deref(), Some(&*phone));
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
