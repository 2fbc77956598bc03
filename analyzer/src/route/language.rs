//! Whether a text is prose in a language that the cheap tier has no signals for.

use std::collections::HashSet;
use std::sync::LazyLock;

/// Letters of other scripts from which on a text counts as written in them.
const FOREIGN_LETTERS_MIN: usize = 24;

/// Words of prose from which on their language can be told.
const PROSE_WORDS_MIN: usize = 24;

/// Words in a row, with nothing but blanks between them, that make prose: code and tables have fewer.
const RUN_WORDS_MIN: usize = 5;

/// Of a hundred words of prose in a known language, at least so many are among the commonest.
const COMMON_PERCENT_MIN: usize = 8;

/// Bytes that are looked at.
const PROBE_BYTES: usize = 64 << 10;

/// The commonest words of the known languages in Latin script.
static COMMON: LazyLock<HashSet<&'static str>> = LazyLock::new(|| {
    [
        "the and of to a in is that for it with as on are this be or not you can your from by an if at will was we have",
        "der die das und ist nicht ein eine zu den mit von auf für im sie wird des dem sich auch als werden oder wenn",
        "el la los las de que y en un una es para con por no se del al su como más o este esta si",
        "le la les des et est un une du en pour que dans qui sur pas au avec ce par vous ne se sont plus",
        "il lo gli di che e un una per non con del della sono si da nel come le più alla anche questo",
        "o os as um uma de que e do da em para com não por no na se mais como é dos ao",
    ]
    .iter()
    .flat_map(|words| words.split(' '))
    .collect()
});

/// Whether the prose of `text` is in no known language.
pub(super) fn is_unknown(text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text.get(..text.len().min(PROBE_BYTES)).unwrap_or_default());
    is_foreign_script(&text) || is_foreign_prose(&text)
}

fn is_foreign_script(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic() && !is_known_script(*c)).count();
    letters >= FOREIGN_LETTERS_MIN
}

/// Latin, Cyrillic, Han and the Japanese syllabaries, by their Unicode blocks, and symbols that count as letters.
const fn is_known_script(c: char) -> bool {
    matches!(c as u32,
        0..=0x024f | 0x0250..=0x02ff | 0x0400..=0x052f | 0x1d00..=0x1eff | 0x2000..=0x2bff
        | 0x3000..=0x30ff | 0x31f0..=0x31ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff | 0xf900..=0xfaff
        | 0xff00..=0xffef | 0x2_0000..=0x3_ffff | 0x1_d400..=0x1_d7ff)
}

fn is_foreign_prose(text: &str) -> bool {
    let (mut prose, mut common) = (0, 0);
    let mut run: Vec<String> = Vec::new();
    let mut end = |run: &mut Vec<String>| {
        if run.len() >= RUN_WORDS_MIN {
            prose += run.len();
            common += run.iter().filter(|word| COMMON.contains(word.as_str())).count();
        }
        run.clear();
    };
    for word in text.split([' ', '\n', '\t', '\r']) {
        let bare = word.trim_end_matches(['.', ',', ';', ':', '!', '?']);
        if bare.is_empty() || !bare.chars().all(|c| c.is_alphabetic() && (c as u32) < 0x0250) {
            end(&mut run);
            continue;
        }
        run.push(bare.to_lowercase());
        if bare.len() < word.len() {
            end(&mut run);
        }
    }
    end(&mut run);
    prose >= PROSE_WORDS_MIN && common * 100 < prose * COMMON_PERCENT_MIN
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_in_other_languages_is_unknown() {
        for text in [
            "Bugün hava çok güzel ve deniz kenarında yürüyen insanlar mutlu görünüyor. Yarın akşam şehir merkezinde büyük \
             bir konser olacak ve herkes oraya gitmek istiyor. Biletler hızlı bir şekilde tükeniyor gibi görünüyor.",
            "היום מזג האוויר נעים והשמיים בהירים מעל העיר",
        ] {
            assert!(is_unknown(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn known_languages_code_and_tables_are_not() {
        for text in [
            "The weather is nice today and the people who walk along the sea look happy. Tomorrow there will be a concert \
             in the centre of the city, and everyone wants to go there as soon as it is open.",
            "Heute ist das Wetter schön und die Leute am Meer sind glücklich, denn morgen wird in der Stadt ein Konzert sein.",
            "fn main() { let value = compute(alpha, beta); println!(\"{value}\"); }",
            "PASS test_alpha\nPASS test_beta\nFAIL test_gamma in module delta\n",
            "Сегодня хорошая погода, и люди гуляют у моря.",
        ] {
            assert!(!is_unknown(text.as_bytes()), "{text}");
        }
    }
}
