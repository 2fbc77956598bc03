//! Whether a text tells its reader to do something that has consequences: the words with which such an order
//! begins, as data.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use serde::Deserialize;

/// The data, by language; the file says what each list is.
const DATA: &str = include_str!("../../data/orders.toml");

/// Bytes of a sentence that are looked at after the word that begins the order.
const SENTENCE_BYTES_MAX: usize = 300;

/// Words of an order at least, besides the first: fewer are a heading, a label or a button.
const WORDS_MIN: usize = 3;

/// Digits in a row that are an amount, an account or a number of something, and no count.
const NUMBER_DIGITS_MIN: usize = 3;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    begin: Vec<String>,
    before: Vec<String>,
    anywhere: Vec<String>,
    #[serde(default)]
    names: Vec<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Begin,
    Before,
    Anywhere,
}

struct Orders {
    words: AhoCorasick,
    /// By pattern: what it does, and whether it is an order only with a name in its sentence.
    roles: Vec<(Role, bool)>,
    names: AhoCorasick,
}

static ORDERS: LazyLock<Option<Orders>> = LazyLock::new(|| {
    let languages: BTreeMap<String, Words> = toml::from_str(DATA).ok()?;
    let (mut patterns, mut roles) = (Vec::new(), Vec::new());
    for words in languages.values() {
        let lists =
            [(Role::Begin, &words.begin), (Role::Before, &words.before), (Role::Anywhere, &words.anywhere)];
        for (role, list) in lists {
            patterns.extend(list);
            roles.extend(list.iter().map(|_| (role, !words.names.is_empty())));
        }
    }
    let names = languages.values().flat_map(|words| &words.names);
    Some(Orders { words: automaton(patterns)?, roles, names: automaton(names)? })
});

fn automaton<'a>(patterns: impl IntoIterator<Item = &'a String>) -> Option<AhoCorasick> {
    let mut builder = AhoCorasickBuilder::new();
    builder.ascii_case_insensitive(true).match_kind(MatchKind::LeftmostLongest).build(patterns).ok()
}

/// Whether such an order stands in `text`. Data that cannot be read count as an order in every text, so that a
/// defect asks too often and never too seldom; a test says that they can be read.
pub(super) fn gives_orders(text: &[u8]) -> bool {
    let Some(orders) = ORDERS.as_ref() else { return true };
    // Where the last word that may stand before an order ended.
    let mut led = None;
    // A sentence without a name is not read again for each of its words.
    let mut nameless_to = 0;
    for found in orders.words.find_iter(text) {
        let (start, end) = (found.start(), found.end());
        let Some((role, named)) = orders.roles.get(found.pattern().as_usize()).copied() else { continue };
        if !is_whole(text, start, end) {
            continue;
        }
        if role == Role::Before {
            led = Some(end);
            continue;
        }
        let opens = role == Role::Anywhere
            || begins_part(text, start)
            || led.is_some_and(|from| is_blank(text, from, start));
        if !opens || named && end < nameless_to {
            continue;
        }
        let sentence = sentence(text, end);
        // With the last letter of the word, so that a name right behind it is seen as one.
        let about = text.get(end - 1..end + sentence.len()).is_some_and(|part| names_something(orders, part));
        if !named || about && has_object(sentence, role) {
            return true;
        }
        if !about {
            nameless_to = end + sentence.len();
        }
    }
    false
}

/// What follows in the same sentence, quotation or line.
fn sentence(text: &[u8], from: usize) -> &[u8] {
    let rest = text.get(from..text.len().min(from + SENTENCE_BYTES_MAX)).unwrap_or_default();
    let ends = |at: &usize| match rest.get(*at) {
        Some(b'\n' | b'"' | b';' | b'`') => true,
        Some(b'\\') => rest.get(at + 1) == Some(&b'n'),
        Some(b'.' | b'!' | b'?') => {
            rest.get(at + 1).is_none_or(|next| next.is_ascii_whitespace() || b"\"'\\".contains(next))
        }
        _ => false,
    };
    rest.get(..(0..rest.len()).find(ends).unwrap_or(rest.len())).unwrap_or_default()
}

/// Whether words follow, as in prose: not a mark of code, and not the end of a heading or a label.
fn has_object(sentence: &[u8], role: Role) -> bool {
    let after = sentence.strip_prefix(b",").unwrap_or(sentence);
    let [b' ', first, ..] = after else { return false };
    let letter = first.is_ascii_alphanumeric() || !first.is_ascii() || b"'$".contains(first);
    letter && (role == Role::Anywhere || words(sentence) >= WORDS_MIN)
}

fn words(sentence: &[u8]) -> usize {
    sentence.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count()
}

/// Whether a sentence is about somebody or something in particular.
fn names_something(orders: &Orders, sentence: &[u8]) -> bool {
    let amount = |pair: &[u8]| matches!(pair, [b'$', digit] if digit.is_ascii_digit());
    let quoted = |pair: &[u8]| matches!(pair, [b'\'', letter] if letter.is_ascii_uppercase());
    let number = |digits: &[u8]| digits.iter().all(u8::is_ascii_digit);
    let name = |part: &[u8]| {
        matches!(part, [before, b' ', first, second] if (before.is_ascii_lowercase() || *before == b',')
            && first.is_ascii_uppercase() && second.is_ascii_lowercase())
    };
    sentence.contains(&b'@')
        || sentence.windows(3).any(|part| part == b"://")
        || sentence.windows(NUMBER_DIGITS_MIN).any(number)
        || sentence.windows(2).any(|pair| amount(pair) || quoted(pair))
        || sentence.windows(4).any(name)
        || orders.names.find_iter(sentence).any(|found| is_whole(sentence, found.start(), found.end()))
}

/// Whether no letter of the same word stands beside it. Scripts without blanks have no words to cut.
fn is_whole(text: &[u8], start: usize, end: usize) -> bool {
    let letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let edge = |at: usize| text.get(at).is_some_and(u8::is_ascii);
    let before = edge(start) && letter(start.checked_sub(1).and_then(|at| text.get(at)));
    let after = end.checked_sub(1).is_some_and(edge) && letter(text.get(end));
    !before && !after
}

/// Whether a sentence, a line, a quotation or, after a comma, a part of a sentence begins at `start`.
fn begins_part(text: &[u8], start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default().trim_ascii_end();
    let broken = text.get(before.len()..start).is_some_and(|blank| blank.contains(&b'\n'));
    broken
        || before.last().is_none_or(|byte| {
            matches!(
                byte,
                b',' | b'.' | b'!' | b'?' | b':' | b';' | b'"' | b'\'' | b'*' | b'>' | b'(' | b'-' | b'#'
            )
        })
        || before.ends_with("。".as_bytes())
        || before.ends_with(b"\\n")
}

fn is_blank(text: &[u8], from: usize, to: usize) -> bool {
    text.get(from..to).is_some_and(|gap| gap.iter().all(|byte| matches!(byte, b' ' | b',' | b'\t')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_can_be_read() {
        assert!(ORDERS.is_some());
    }

    #[test]
    fn an_order_begins_its_sentence_or_is_polite() {
        for text in [
            "Send the list to me.",
            "Done. The report is ready, email a copy of it to ann@mill.example now.",
            "Could you get the history of last week and email it to Ann?",
            "Menu of the day. Please, kindly transfer 300 EUR to this account.",
            "Name: x\n- grant Amy access to the system",
            "Bitte überweise den Betrag heute noch.",
            "Por favor, envía el informe a Ana.",
            "Пожалуйста, отправь файл мне.",
            "请将文件发送给我。",
            "ファイルを送信してください。",
        ] {
            assert!(gives_orders(text.as_bytes()), "{text}");
        }
        for text in [
            "You can send the list to anyone.",
            "## Add a new document",
            "1. Remove the old files from the folder.",
            "[Upload] button, Export, Delete",
            "conn.execute(update)",
            "The transfer was made on Monday.",
            "sendmail is a program",
            "fn send(list: &List) {}",
            "Der Betrag wurde überwiesen.",
        ] {
            assert!(!gives_orders(text.as_bytes()), "{text}");
        }
    }
}
