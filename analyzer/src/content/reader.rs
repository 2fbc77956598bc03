//! The first look at the words of a text: which parts hold words for every place of some rule.
//!
//! A part is a paragraph, or a piece of a long one. Only parts that can match are cut into tokens, so that
//! the cost of the rules is paid where the vocabulary of an instruction comes together.

use super::grammar::Rule;
use super::lexer::is_word;
use super::lexicon::{Lexicon, SHAPES_ALL, in_company};
use super::scan::Windows;

/// Bytes of one part; two that touch are looked at together, so no match of fewer bytes falls between.
const PART_BYTES_MAX: usize = 320;

#[derive(Clone, Copy)]
struct Part {
    start: usize,
    /// Whether it holds a word of the rarest element of some rule.
    rare: bool,
    /// The classes that its words may show, once they were asked for.
    seen: Option<u128>,
}

impl Part {
    const fn at(start: usize) -> Self {
        Self { start, rare: false, seen: None }
    }
}

struct Reader<'l> {
    lexicon: &'l Lexicon,
    windows: Windows,
    /// The part before this one in the same paragraph.
    before: Option<Part>,
    part: Part,
}

/// The windows, ascending and disjoint, in which a rule that counts alone can match. Every word is looked up
/// at most three times.
pub(super) fn read(lexicon: &Lexicon, text: &[u8], work: &mut u64) -> Vec<(usize, usize)> {
    let mut reader = Reader { lexicon, windows: Windows::default(), before: None, part: Part::at(0) };
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        if is_word(byte) {
            let rest = text.get(at..).unwrap_or_default();
            let end = at + rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len());
            reader.part.rare |= lexicon.is_rare(text.get(at..end).unwrap_or_default());
            *work += 1;
            at = end;
            if at - reader.part.start >= PART_BYTES_MAX {
                reader.end_part(text, at, work);
                reader.before = Some(reader.part);
                reader.part = Part::at(at);
            }
            continue;
        }
        // The letter of an escape (`\\n` in JSON) is not the first of a word.
        let width = line_end(text, at);
        let wide = line_end(text, at + width);
        if width > 0 && wide > 0 {
            reader.end_part(text, at, work);
            at += width + wide;
            reader.before = None;
            reader.part = Part::at(at);
        } else {
            at += width.max(1);
        }
    }
    reader.end_part(text, text.len(), work);
    reader.windows.0
}

/// Bytes of a line end at `at`, plain or escaped.
fn line_end(text: &[u8], at: usize) -> usize {
    match text.get(at..).unwrap_or_default() {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] | [b'\\', b'n', ..] => 2,
        [b'\\', b'r', b'\\', b'n', ..] => 4,
        _ => 0,
    }
}

impl Reader<'_> {
    fn end_part(&mut self, text: &[u8], end: usize, work: &mut u64) {
        let whole = self.before.map_or(self.part.start, |before| before.start);
        if !self.part.rare && !self.before.is_some_and(|before| before.rare) {
            return;
        }
        let seen = self.look(self.part, text, end, work);
        self.part.seen = Some(seen);
        let before = self.before.map(|before| self.look(before, text, self.part.start, work));
        let seen = seen | before.unwrap_or_default() | SHAPES_ALL;
        let alone = |rule: &&Rule| !rule.hidden_only && !in_company(&rule.signal);
        if self.lexicon.rules.iter().filter(alone).any(|rule| rule.possible(seen)) {
            self.windows.add(whole, end);
        }
    }

    /// The classes that the words of a part may show.
    fn look(&self, part: Part, text: &[u8], end: usize, work: &mut u64) -> u128 {
        part.seen.unwrap_or_else(|| {
            let part = text.get(part.start..end).unwrap_or_default();
            *work += part.len() as u64;
            let words = part.split(|byte| !is_word(*byte));
            words.fold(0, |seen, word| seen | self.lexicon.hint(word) | self.escaped(word))
        })
    }

    /// What a word shows without a first letter that belongs to an escape.
    fn escaped(&self, word: &[u8]) -> u128 {
        match word {
            [b'n' | b'r' | b't', word @ ..] => self.lexicon.hint(word),
            _ => 0,
        }
    }
}
