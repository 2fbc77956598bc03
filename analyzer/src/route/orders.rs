//! Whether a text tells its reader to do something that has consequences: the words with which such an order
//! begins, as data.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, MatchKind};
use serde::Deserialize;

/// The data: by language, words that begin an order, words that may stand before them, and phrases that are an
/// order wherever they stand.
const DATA: &str = include_str!("../../data/orders.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Words {
    begin: Vec<String>,
    before: Vec<String>,
    anywhere: Vec<String>,
}

struct Orders {
    words: AhoCorasick,
    /// How many of the patterns are words that begin an order; next come those that stand before, then the rest.
    begins: usize,
    before: usize,
}

static ORDERS: LazyLock<Option<Orders>> = LazyLock::new(|| {
    let languages: std::collections::BTreeMap<String, Words> = toml::from_str(DATA).ok()?;
    let all = |of: fn(&Words) -> &Vec<String>| languages.values().flat_map(of).cloned().collect::<Vec<_>>();
    let (begin, before, anywhere) =
        (all(|words| &words.begin), all(|words| &words.before), all(|words| &words.anywhere));
    let (begins, befores) = (begin.len(), before.len());
    let words = AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostLongest)
        .build(begin.into_iter().chain(before).chain(anywhere))
        .ok()?;
    Some(Orders { words, begins, before: befores })
});

/// Whether such an order stands in `text`. Data that cannot be read count as an order in every text, so that a
/// defect asks too often and never too seldom; a test says that they can be read.
pub(super) fn gives_orders(text: &[u8]) -> bool {
    let Some(orders) = ORDERS.as_ref() else { return true };
    // Where the last word that may stand before an order ended, if nothing but blanks followed it.
    let mut led = None;
    for found in orders.words.find_iter(text) {
        let (start, end) = (found.start(), found.end());
        if !is_whole(text, start, end) {
            continue;
        }
        let pattern = found.pattern().as_usize();
        let opens = begins_sentence(text, start) || led.is_some_and(|from| is_blank(text, from, start));
        if pattern >= orders.begins + orders.before || (pattern < orders.begins && opens) {
            return true;
        }
        if pattern >= orders.begins {
            led = opens.then_some(end);
        }
    }
    false
}

/// Whether no letter of the same word stands beside it. Scripts without blanks have no words to cut.
fn is_whole(text: &[u8], start: usize, end: usize) -> bool {
    let letter = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let edge = |at: usize| text.get(at).is_some_and(u8::is_ascii);
    let before = edge(start) && letter(start.checked_sub(1).and_then(|at| text.get(at)));
    let after = end.checked_sub(1).is_some_and(edge) && letter(text.get(end));
    !before && !after
}

fn begins_sentence(text: &[u8], start: usize) -> bool {
    let before = text.get(..start).unwrap_or_default().trim_ascii_end();
    let broken = text.get(before.len()..start).is_some_and(|blank| blank.contains(&b'\n'));
    broken
        || before.last().is_none_or(|byte| {
            matches!(byte, b'.' | b'!' | b'?' | b':' | b';' | b'"' | b'\'' | b'*' | b'>' | b'(' | b'-' | b'#')
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
            "The transfer was made on Monday.",
            "sendmail is a program",
            "fn send(list: &List) {}",
            "Der Betrag wurde überwiesen.",
        ] {
            assert!(!gives_orders(text.as_bytes()), "{text}");
        }
    }
}
