//! Letters that look like ASCII ones, by the confusables table of UTS 39.
//!
//! Only words that hold a non-ASCII letter are touched, and of those only the non-ASCII letters: the
//! skeleton of pure ASCII text takes `rn` for `m`.

use unicode_security::confusable_detection::skeleton;

use super::piece::{Builder, Viewed};

/// Longest word in bytes that is compared; labels have at most 63 characters.
const WORD_BYTES_MAX: usize = 1024;

/// Writes words with look-alike letters in ASCII, where the whole word becomes ASCII.
pub(super) fn undo(text: &str) -> Option<Viewed> {
    if text.is_ascii() {
        return None;
    }
    let mut builder = Builder::new(text);
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '_' | '@' | '/' | ':');
    let mut at = 0;
    for word in text.split_inclusive(|c| !is_word(c)) {
        let start = at;
        at += word.len();
        let word = word.trim_end_matches(|c| !is_word(c));
        if word.is_ascii() || word.len() > WORD_BYTES_MAX {
            continue;
        }
        if let Some(shown) = ascii(word) {
            builder.replace(start..start + word.len(), &shown);
        }
    }
    builder.finish()
}

/// The word with look-alikes replaced; `None` when a letter has no ASCII look-alike. A word without any
/// ASCII letter is in its own script and no imitation, unless a dot makes it a name.
fn ascii(word: &str) -> Option<String> {
    if !word.contains('.') && !word.bytes().any(|b| b.is_ascii_alphabetic()) {
        return None;
    }
    let mut out = String::with_capacity(word.len());
    for c in word.chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        let from = out.len();
        out.extend(skeleton(c.encode_utf8(&mut [0; 4])));
        if !out.get(from..).is_some_and(|shown| shown.is_ascii() && !shown.is_empty()) {
            return None;
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn look_alikes_are_written_in_ascii() {
        let viewed = undo("see p\u{430}rts.sh\u{43E}p now").expect("shown");
        assert_eq!(viewed.text, "see parts.shop now");
        assert_eq!(viewed.map.original(4..14), 4..16);
    }

    #[test]
    fn pure_ascii_and_foreign_words_stay() {
        assert!(undo("rnodern goog1e").is_none());
        assert!(undo("rn gr\u{F6}\u{DF}e \u{43F}\u{440}\u{438}\u{432}\u{435}\u{442}").is_none());
    }
}
