//! The one pass over a text: its anchors, and which parts hold, in order, a word for every place of some rule.
//!
//! A part is a paragraph, or a piece of a long one. Only parts that can match are cut into tokens, so that
//! the cost of the rules is paid where the vocabulary of an instruction comes together.

use super::anchors::{Anchor, begins};
use super::lexer::{is_unspaced, is_word};
use super::lexicon::{CODE, COLON, EMAIL, Kinds, Lexicon, PATH, SENSITIVE, TOOL, URL};
use super::scan::{Scope, Windows};
use super::vocabulary::Word;

/// Bytes of one part; two that touch are looked at together, so no match of fewer bytes falls between.
const PART_BYTES_MAX: usize = 320;

/// What a part may show, in the order of the text.
#[derive(Default)]
struct Part {
    start: usize,
    /// The union of `hints`.
    seen: u128,
    /// The classes of its words and shapes, whatever stands next to them.
    hints: Vec<u128>,
}

impl Part {
    fn begin(&mut self, start: usize) {
        self.start = start;
        self.seen = 0;
        self.hints.clear();
    }
}

struct Reader<'l, 't, F> {
    lexicon: &'l Lexicon,
    text: &'t [u8],
    windows: Windows,
    /// The part before this one in the same paragraph; empty at its beginning.
    before: Part,
    part: Part,
    found: F,
    work: u64,
}

/// Reads `text` once: calls `found` for every anchor, and returns the windows, ascending and disjoint, in which
/// a rule that counts alone can match.
pub(super) fn read(
    lexicon: &Lexicon,
    text: &[u8],
    work: &mut u64,
    found: impl FnMut(Anchor, usize, usize),
) -> Vec<(usize, usize)> {
    let mut reader = Reader {
        lexicon,
        text,
        windows: Windows::default(),
        before: Part::default(),
        part: Part::default(),
        found,
        work: 0,
    };
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        at = match lexicon.kinds.of(*byte) {
            0 => at + 1,
            kind if kind & Kinds::LETTER != 0 => reader.word(at),
            _ => reader.mark(at),
        };
    }
    reader.end_part(text.len());
    *work += reader.work;
    reader.windows.0
}

impl<F: FnMut(Anchor, usize, usize)> Reader<'_, '_, F> {
    /// Reads the word at `start`; returns its end.
    fn word(&mut self, start: usize) -> usize {
        let rest = self.text.get(start..).unwrap_or_default();
        let (mut length, mut kinds) = (0, 0);
        for byte in rest {
            let kind = self.lexicon.kinds.of(*byte);
            if kind & Kinds::LETTER == 0 {
                break;
            }
            kinds |= kind;
            length += 1;
        }
        let end = start + length;
        self.work += 1;
        if kinds & Kinds::HIGH == 0 {
            if let Some(entry) = self.lexicon.words.ascii(self.text, start, length) {
                self.entry(entry, start, end);
            }
        } else {
            self.foreign(start, end);
        }
        if kinds & Kinds::JOINT != 0 {
            self.hint(TOOL);
        }
        if end - self.part.start >= PART_BYTES_MAX {
            self.end_part(end);
            std::mem::swap(&mut self.before, &mut self.part);
            self.part.begin(end);
        }
        end
    }

    /// Reads a word with letters outside ASCII.
    fn foreign(&mut self, start: usize, end: usize) {
        let word = self.text.get(start..end).unwrap_or_default();
        if word.iter().any(|byte| is_unspaced(*byte)) {
            self.unspaced(word);
        } else if let Some(entry) = self.lexicon.words.get(word) {
            self.entry(entry, start, end);
        }
    }

    fn entry(&mut self, entry: &Word, start: usize, end: usize) {
        self.hint(entry.hint);
        let after = self.text.get(end..).unwrap_or_default();
        for (rest, opens) in &entry.anchors {
            if begins(after, rest) {
                opens.iter().for_each(|anchor| self.open(*anchor, start, end + rest.len()));
            }
        }
    }

    /// Reads a run of a script that writes no blanks.
    fn unspaced(&mut self, run: &[u8]) {
        let mut from = 0;
        for (range, word) in self.lexicon.segments(run) {
            self.work += 1;
            self.colon(run.get(from..range.start).unwrap_or_default());
            self.hint(word.classes);
            from = range.end;
        }
        self.colon(run.get(from..).unwrap_or_default());
    }

    fn colon(&mut self, between: &[u8]) {
        if memchr::memmem::find(between, "：".as_bytes()).is_some() {
            self.hint(COLON);
        }
    }

    fn hint(&mut self, classes: u128) {
        if classes != 0 {
            self.part.seen |= classes;
            self.part.hints.push(classes);
        }
    }

    fn open(&mut self, anchor: Anchor, start: usize, end: usize) {
        match anchor {
            Anchor::Sensitive => self.hint(PATH | SENSITIVE),
            _ => (self.found)(anchor, start, end),
        }
    }

    /// Reads a byte that is no letter; returns where to go on.
    fn mark(&mut self, at: usize) -> usize {
        let rest = self.text.get(at..).unwrap_or_default();
        let width = line_end(rest);
        if width > 0 {
            return self.line(at + width);
        }
        match rest {
            [b'\\', b'r' | b't' | b'"' | b'\\' | b'/', ..] => return at + 2,
            [b':', b'/', b'/', ..] => self.hint(URL),
            [b':', ..] => self.hint(COLON),
            [b'`', ..] => self.hint(CODE),
            [b'@', ..] => self.hint(EMAIL),
            [b'/', ..] => self.hint(PATH),
            [b'.', next, ..] if is_word(*next) => self.hint(PATH),
            _ => {}
        }
        let lexicon = self.lexicon;
        lexicon.leads.find(rest, |length, anchor| self.open(anchor, at, at + length));
        at + 1
    }

    /// Goes on after a line end; an empty line ends the paragraph.
    fn line(&mut self, at: usize) -> usize {
        let wide = line_end(self.text.get(at..).unwrap_or_default());
        if wide > 0 {
            self.end_part(at);
            self.before.begin(at + wide);
            self.part.begin(at + wide);
        }
        at + wide
    }

    fn end_part(&mut self, end: usize) {
        let seen = self.before.seen | self.part.seen;
        let lexicon = self.lexicon;
        for gate in lexicon.gates(Scope::Alone).iter().filter(|gate| gate.rarest & seen != 0) {
            for rule in gate.rules.iter().filter_map(|rule| lexicon.rules.get(*rule)) {
                if !rule.possible(seen) {
                    continue;
                }
                self.work += (self.before.hints.len() + self.part.hints.len()) as u64;
                if rule.in_order(self.before.hints.iter().chain(&self.part.hints).copied()) {
                    let start =
                        if self.before.hints.is_empty() { self.part.start } else { self.before.start };
                    self.windows.add(start, end);
                    return;
                }
            }
        }
    }
}

/// Bytes of a line end with which `text` begins, plain or escaped.
fn line_end(text: &[u8]) -> usize {
    match text {
        [b'\n', ..] => 1,
        [b'\r', b'\n', ..] | [b'\\', b'n', ..] => 2,
        [b'\\', b'r', b'\\', b'n', ..] => 4,
        _ => 0,
    }
}
