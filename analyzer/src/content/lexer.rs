//! From bytes to classified words.
//!
//! Words are cut at white space and punctuation; markup tags are transparent, sentence ends become breaks.
//! Any byte sequence is accepted: a byte above 0x7f is a letter.

use super::lexicon::{CODE, COLON, EMAIL, Lexicon, PATH, SENSITIVE, TOOL, URL};
use super::vocabulary::Word;

/// Bit of the token that ends a sentence.
pub(super) const BREAK: u128 = 1 << 127;

/// A longer run without a delimiter is no word of any language; only its shape is looked at.
pub(super) const WORD_BYTES_MAX: usize = 40;

/// Bytes in which a markup tag has to end; what is longer is read as text.
const TAG_BYTES_MAX: usize = 512;

/// One word, or one break.
#[derive(Clone, Copy)]
pub(super) struct Token<'a> {
    pub(super) classes: u128,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether it is the first word of its sentence.
    pub(super) begins: bool,
    /// The entry of the word, when it may begin a phrase.
    opens: Option<&'a Word>,
}

/// Tags that set their content apart from the text before them.
const BLOCKS: [&[u8]; 14] = [
    b"p", b"div", b"li", b"br", b"td", b"tr", b"h1", b"h2", b"h3", b"ul", b"ol", b"table", b"section",
    b"title",
];

pub(super) struct Lexer<'a> {
    lexicon: &'a Lexicon,
    text: &'a [u8],
    at: usize,
    end: usize,
    tokens: Vec<Token<'a>>,
    begins: bool,
    code: bool,
}

impl<'a> Lexer<'a> {
    /// The tokens of `text[start..end]`; ranges are those of `text`, and `begins` tells whether the window
    /// begins a sentence.
    pub(super) fn tokens(
        lexicon: &'a Lexicon,
        text: &'a [u8],
        start: usize,
        end: usize,
        begins: bool,
    ) -> Vec<Token<'a>> {
        let mut lexer = Self {
            lexicon,
            text,
            at: start,
            end: end.min(text.len()),
            tokens: Vec::new(),
            begins,
            code: false,
        };
        while lexer.at < lexer.end {
            lexer.step();
        }
        lexer.join_phrases()
    }

    fn byte(&self, at: usize) -> u8 {
        if at < self.end { self.text.get(at).copied().unwrap_or(0) } else { 0 }
    }

    fn rest(&self) -> &'a [u8] {
        self.text.get(self.at..self.end).unwrap_or_default()
    }

    fn step(&mut self) {
        match self.byte(self.at) {
            b'\n' => self.newline(1),
            b'\\' => match self.byte(self.at + 1) {
                b'n' => self.newline(2),
                b'r' | b't' | b'"' | b'\\' | b'/' => self.at += 2,
                _ => self.at += 1,
            },
            b'<' => self.markup(),
            b'-' if self.rest().starts_with(b"-->") => {
                self.at += 3;
                self.sentence_end();
            }
            b'"' if self.rest().starts_with(b"\",") || self.rest().starts_with(b"\":") => {
                self.at += 2;
                self.sentence_end();
            }
            b'`' => {
                self.at += 1;
                self.code = true;
            }
            b':' => {
                self.push(COLON, self.at, self.at + 1, None);
                self.at += 1;
            }
            b'!' | b'?' => {
                self.at += 1;
                self.sentence_end();
            }
            b'#' if self.rest().starts_with(b"##") => {
                self.at += 2;
                self.sentence_end();
            }
            byte if is_word(byte) || matches!(byte, b'.' | b'~' | b'/') => self.chunk(),
            _ => self.at += 1,
        }
    }

    /// A line end; an empty line or a list item after it ends the sentence.
    fn newline(&mut self, width: usize) {
        self.at += width;
        let line = self.rest();
        let indent = line.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).count();
        let next = self.byte(self.at + indent);
        let after = self.byte(self.at + indent + 1);
        let empty = next == b'\n' || (next == b'\\' && after == b'n');
        let item = matches!(next, b'-' | b'*' | b'|') && matches!(after, b' ' | b'-' | b'|');
        let numbered = next.is_ascii_digit() && matches!(after, b'.' | b')');
        if empty || item || numbered {
            self.sentence_end();
        }
        self.begins = true;
    }

    fn sentence_end(&mut self) {
        if self.tokens.last().is_some_and(|token| token.classes != BREAK) {
            let at = to_u32(self.at);
            self.tokens.push(Token { classes: BREAK, start: at, end: at, begins: false, opens: None });
        }
        self.begins = true;
        self.code = false;
    }

    fn push(&mut self, classes: u128, start: usize, end: usize, opens: Option<&'a Word>) {
        let code = if self.code { CODE } else { 0 };
        self.tokens.push(Token {
            classes: classes | code,
            start: to_u32(start),
            end: to_u32(end),
            begins: self.begins && classes != COLON,
            opens: opens.filter(|word| !word.phrases.is_empty()),
        });
        self.begins = false;
        self.code = false;
    }

    /// A tag is passed over, a comment end or a block tag ends the sentence, anything else is text.
    fn markup(&mut self) {
        let rest = self.rest();
        if rest.starts_with(b"<!--") {
            self.at += 4;
            self.sentence_end();
            return;
        }
        let name_at = if self.byte(self.at + 1) == b'/' { 2 } else { 1 };
        let name: &[u8] = rest.get(name_at..).unwrap_or_default();
        let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let name = name.get(..length).unwrap_or_default().to_ascii_lowercase();
        let close =
            memchr::memchr2(b'>', b'\n', rest.get(..TAG_BYTES_MAX.min(rest.len())).unwrap_or_default());
        let tag = close.filter(|&at| length > 0 && rest.get(at) == Some(&b'>')).filter(|&at| {
            let inner = rest.get(name_at + length..at).unwrap_or_default();
            inner.is_empty() || inner == b"/" || inner == b" /" || memchr::memchr(b'=', inner).is_some()
        });
        match tag {
            Some(close) => {
                self.at += close + 1;
                if BLOCKS.contains(&name.as_slice()) {
                    self.sentence_end();
                }
            }
            None => self.at += 1,
        }
    }

    /// A run up to white space, a quote or a bracket: an address, a path, or one or more words.
    fn chunk(&mut self) {
        let start = self.at;
        let length = self.rest().iter().take_while(|&&byte| !is_delimiter(byte)).count().max(1);
        let length = self.rest().get(..length).and_then(run_together).unwrap_or(length);
        self.at += length;
        let raw = self.text.get(start..start + length).unwrap_or_default();
        let trimmed =
            raw.iter().rposition(|byte| !matches!(byte, b'.' | b':' | b'!' | b'?' | b'*' | b'_' | b'~'));
        let body = raw.get(..trimmed.map_or(0, |last| last + 1)).unwrap_or_default();
        let tail = raw.get(body.len()..).unwrap_or_default();
        match self.shape(body) {
            0 => self.words(body, start),
            shape => {
                let entry = self.entry(body);
                self.push(shape | classes(entry), start, start + body.len(), entry);
            }
        }
        // A number before a colon is a line or a time, not somebody who is spoken to.
        if tail.contains(&b':') && !body.iter().all(u8::is_ascii_digit) {
            self.push(COLON, start + body.len(), start + length, None);
        }
        if tail.iter().any(|byte| matches!(byte, b'.' | b'!' | b'?')) && !body.is_empty() {
            self.sentence_end();
        }
    }

    /// Classes by shape alone, or 0 for a plain word.
    fn shape(&self, body: &[u8]) -> u128 {
        if memchr::memmem::find(body, b"://").is_some() {
            return URL;
        }
        let inner_dot =
            body.windows(3).any(|w| matches!(w, [a, b'.', c] if is_word(*a) && c.is_ascii_alphanumeric()));
        let dotted = matches!(body, [b'.', next, ..] if next.is_ascii_alphanumeric());
        if inner_dot && memchr::memchr(b'@', body).is_some() {
            return EMAIL;
        }
        if !dotted && !inner_dot && memchr::memchr(b'/', body).is_none() {
            let joined = body
                .windows(3)
                .any(|w| matches!(w, [a, b'_', c] if a.is_ascii_lowercase() && c.is_ascii_lowercase()));
            return if joined { TOOL } else { 0 };
        }
        if self.lexicon.sensitive.is_match(body) { PATH | SENSITIVE } else { PATH }
    }

    fn entry(&self, word: &[u8]) -> Option<&'a Word> {
        self.lexicon.words.get(word)
    }

    /// Splits at hyphens and other joints unless the whole is a known word.
    fn words(&mut self, body: &[u8], start: usize) {
        if body.iter().any(|byte| is_unspaced(*byte)) {
            self.unspaced(body, start);
            return;
        }
        let entry = self.entry(body);
        if entry.is_some() || body.iter().all(|byte| is_word(*byte)) {
            self.push(classes(entry), start, start + body.len(), entry);
            return;
        }
        let mut from = 0;
        for part in body.split(|byte| !is_word(*byte) && *byte != b'\'') {
            let end = from + part.len();
            if !part.is_empty() {
                let entry = self.entry(part);
                self.push(classes(entry), start + from, start + end, entry);
            }
            if body.get(end) == Some(&b':') && !part.iter().all(u8::is_ascii_digit) {
                self.push(COLON, start + end, start + end + 1, None);
            }
            from = end + 1;
        }
    }

    /// Cuts a run of a script without blanks into its known words; what lies between is one word each.
    fn unspaced(&mut self, body: &[u8], start: usize) {
        let mut from = 0;
        for (range, word) in self.lexicon.segments(body) {
            self.between(body.get(from..range.start).unwrap_or_default(), start + from);
            self.push(word.classes, start + range.start, start + range.end, None);
            from = range.end;
        }
        self.between(body.get(from..).unwrap_or_default(), start + from);
    }

    fn between(&mut self, rest: &[u8], start: usize) {
        let has = |mark: &str| memchr::memmem::find(rest, mark.as_bytes()).is_some();
        if has("。") || has("！") || has("？") {
            self.at = self.at.max(start);
            self.sentence_end();
        } else if has("：") {
            self.push(COLON, start, start + rest.len(), None);
        } else if !rest.is_empty() {
            self.push(0, start, start + rest.len(), None);
        }
    }

    fn is(&self, token: &Token<'_>, expected: &[u8]) -> bool {
        let word = self.text.get(token.start as usize..token.end as usize).unwrap_or_default();
        lowered(word, |lower| (lower == expected).then_some(())).is_some()
    }

    /// Joins the words of a phrase into one token that carries the classes of the phrase and of its words.
    fn join_phrases(self) -> Vec<Token<'a>> {
        let mut joined = Vec::with_capacity(self.tokens.len());
        let mut tokens = self.tokens.as_slice();
        while let Some((first, rest)) = tokens.split_first() {
            tokens = rest;
            let phrase = first.opens.and_then(|word| {
                word.phrases.iter().find(|(words, _)| {
                    words.len() <= rest.len()
                        && words.iter().zip(rest).all(|(word, token)| self.is(token, word))
                })
            });
            let mut token = *first;
            if let Some((words, classes)) = phrase {
                let (taken, left) = rest.split_at(words.len());
                token.end = taken.last().map_or(first.end, |token| token.end);
                token.classes = *classes | (first.classes & CODE);
                tokens = left;
            }
            if token.classes & self.lexicon.set_apart != 0 && !self.stands_apart(&token) {
                token.classes &= !self.lexicon.set_apart;
            }
            joined.push(token);
        }
        joined
    }

    /// Whether a token begins its sentence between brackets or rows of number signs, as headings of turns do.
    fn stands_apart(&self, token: &Token<'_>) -> bool {
        let before = self.text.get(..token.start as usize).unwrap_or_default().trim_ascii_end();
        let after = self.text.get(token.end as usize..).unwrap_or_default().trim_ascii_start();
        token.begins
            && matches!(before.last(), Some(b'(' | b'[' | b'{' | b'<' | b'#'))
            && matches!(after.first(), Some(b')' | b']' | b'}' | b'>' | b'#'))
    }
}

fn classes(entry: Option<&Word>) -> u128 {
    entry.map_or(0, |word| word.classes)
}

/// Looks up `word` in lower case and without the accents of Latin letters, so that a word is the same with
/// and without them.
pub(super) fn lowered<T>(word: &[u8], look: impl Fn(&[u8]) -> Option<T>) -> Option<T> {
    if word.len() > WORD_BYTES_MAX {
        return None;
    }
    let mut buffer = [0; WORD_BYTES_MAX];
    if word.is_ascii() {
        let lower = buffer.get_mut(..word.len())?;
        lower.copy_from_slice(word);
        lower.make_ascii_lowercase();
        return look(lower);
    }
    let mut length = 0;
    for letter in std::str::from_utf8(word).ok()?.chars().flat_map(char::to_lowercase) {
        let letter = plain(letter);
        let end = length + letter.len_utf8();
        letter.encode_utf8(buffer.get_mut(length..end)?);
        length = end;
    }
    look(buffer.get(..length)?)
}

/// A Latin letter without its accent, and the plain apostrophe.
const fn plain(letter: char) -> char {
    match letter {
        '\u{2019}' => '\'',
        'à'..='å' => 'a',
        'ç' => 'c',
        'è'..='ë' => 'e',
        'ì'..='ï' => 'i',
        'ñ' => 'n',
        'ò'..='ö' => 'o',
        'ù'..='ü' => 'u',
        'ё' => 'е',
        other => other,
    }
}

/// Where a run ends early: after the full stop of a sentence whose successor lacks its blank, or before the
/// number signs of a heading.
fn run_together(run: &[u8]) -> Option<usize> {
    let heading = memchr::memmem::find(run, b"##").filter(|at| *at > 0);
    if run.iter().any(|byte| matches!(byte, b'/' | b'@' | b'_')) {
        return heading;
    }
    let joint = run.windows(4).position(|w| {
        matches!(w, [a, b'.', c, d] if a.is_ascii_lowercase() && c.is_ascii_uppercase() && d.is_ascii_lowercase())
    });
    joint.map(|at| at + 2).or(heading)
}

fn to_u32(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}

/// Letters, digits, the underscore and every byte outside ASCII.
pub(super) fn is_word(byte: u8) -> bool {
    WORD_BYTES.get(usize::from(byte)).is_some_and(|is_word| *is_word)
}

/// The answer for every byte; most of the time of a first look is spent on this question.
static WORD_BYTES: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        if let Some(slot) = table.split_at_mut(byte).1.first_mut() {
            *slot = byte >= 0x80 || (byte as u8).is_ascii_alphanumeric() || byte as u8 == b'_';
        }
        byte += 1;
    }
    table
};

/// Whether a byte leads a character of the blocks of kana and Han, which write no blanks between words.
pub(super) fn is_unspaced(byte: u8) -> bool {
    (0xe3..=0xe9).contains(&byte)
}

fn is_delimiter(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(
            byte,
            b'"' | b'`' | b'<' | b'>' | b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'|' | b',' | b';' | b'\\'
        )
}

#[cfg(test)]
mod tests {
    use super::super::lexicon::lexicon;
    use super::*;

    fn shapes(text: &str) -> Vec<(String, u128)> {
        Lexer::tokens(lexicon().unwrap(), text.as_bytes(), 0, text.len(), true)
            .into_iter()
            .map(|token| (text[token.start as usize..token.end as usize].to_owned(), token.classes))
            .collect()
    }

    #[test]
    fn addresses_paths_and_mails_are_told_apart_by_shape() {
        let found = shapes("see https://a.example/x, ~/.ssh/id_rsa and me@b.example.");
        let class =
            |word: &str| found.iter().find(|(text, _)| text == word).map(|(_, class)| *class).unwrap();
        assert_eq!(class("https://a.example/x"), URL);
        assert_eq!(class("~/.ssh/id_rsa"), PATH | SENSITIVE);
        assert_eq!(class("me@b.example"), EMAIL);
        assert_eq!(found.last().map(|(_, class)| *class), Some(BREAK));
    }

    #[test]
    fn a_phrase_becomes_one_word_also_when_hyphenated_or_wrapped() {
        assert_eq!(shapes("language model").len(), 1);
        assert_eq!(shapes("language\nmodel").len(), 1);
        assert_eq!(shapes("language-model").len(), 1);
    }

    #[test]
    fn markup_inside_a_word_sequence_is_transparent_and_a_block_is_a_break() {
        assert_eq!(shapes("ai <b>agents</b>").len(), 1);
        assert!(shapes("ai</p><p>agents").iter().any(|(_, class)| *class == BREAK));
    }

    #[test]
    fn escaped_line_ends_separate_words() {
        assert_eq!(
            shapes("one\\nassistant").iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>(),
            ["one", "assistant"]
        );
    }
}
