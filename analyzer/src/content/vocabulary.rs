//! The words of the signal data, found in a text without allocation.

use std::collections::HashMap;

use super::anchors::{Anchor, Worded};
use super::lexer::{WORD_BYTES_MAX, is_word, lowered};
use super::lexicon::{Classes, LexiconError};
use super::source::Source;

/// Bits of the sieve, a power of two: some tens for each word, and all within a first-level cache.
const SIEVE_BITS: usize = 1 << 16;

/// Slots for each word, so that a probe seldom meets a stranger.
const SLOTS_PER_WORD: usize = 4;

/// Sets the case bit of every letter; digits and the apostrophe have it already.
const FOLD: u64 = 0x2020_2020_2020_2020;

/// One entry of the vocabulary.
#[derive(Default)]
pub(super) struct Word {
    /// Classes of the word alone.
    pub(super) classes: u128,
    /// Classes of the word and of every phrase of which it is the most telling part.
    pub(super) hint: u128,
    /// Continuations that make it a phrase: the further words and the classes of the whole.
    pub(super) phrases: Vec<(Vec<Box<[u8]>>, u128)>,
    /// Anchors that begin with this word: what follows it, and what they open.
    pub(super) anchors: Vec<(Box<[u8]>, Vec<Anchor>)>,
}

/// Length, and first and last eight bytes without their case: all there is of a word of up to sixteen bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Shape {
    length: usize,
    head: u64,
    tail: u64,
}

/// All words of the data in lower case, by open addressing behind a sieve that errs only by letting pass.
///
/// The keys are fixed data, so no text can choose them to collide.
pub(super) struct Vocabulary {
    sieve: Vec<u64>,
    slots: Vec<Option<u16>>,
    shapes: Vec<Shape>,
    entries: Vec<(Box<[u8]>, Word)>,
}

impl Vocabulary {
    /// The vocabulary of `words`, whose keys are in lower case.
    pub(super) fn new(words: HashMap<Box<[u8]>, Word>) -> Result<Self, LexiconError> {
        let entries: Vec<(Box<[u8]>, Word)> = words.into_iter().collect();
        let shapes: Vec<Shape> = entries.iter().map(|(word, _)| Shape::of(word, 0, word.len())).collect();
        let mut sieve = vec![0_u64; SIEVE_BITS / 64];
        let mut slots = vec![None; (entries.len() * SLOTS_PER_WORD).next_power_of_two()];
        for (index, shape) in shapes.iter().enumerate() {
            let index = u16::try_from(index).map_err(|_| LexiconError::Words)?;
            let hash = shape.hash();
            let bit = sieve_bit(hash);
            sieve.get_mut(bit / 64).into_iter().for_each(|bits| *bits |= 1 << (bit % 64));
            let mut at = hash as usize & (slots.len() - 1);
            while slots.get(at).is_some_and(Option::is_some) {
                at = (at + 1) & (slots.len() - 1);
            }
            slots.get_mut(at).into_iter().for_each(|slot| *slot = Some(index));
        }
        Ok(Self { sieve, slots, shapes, entries })
    }

    /// The entry of the ASCII word `text[start..start + length]`, in any case.
    #[inline]
    pub(super) fn ascii(&self, text: &[u8], start: usize, length: usize) -> Option<&Word> {
        if !(2..=WORD_BYTES_MAX).contains(&length) {
            return None;
        }
        let shape = Shape::of(text, start, length);
        let hash = shape.hash();
        let bit = sieve_bit(hash);
        if self.sieve.get(bit / 64).is_none_or(|bits| bits >> (bit % 64) & 1 == 0) {
            return None;
        }
        self.probe(shape, |known| {
            length <= 16
                || text.get(start..start + length).is_some_and(|word| word.eq_ignore_ascii_case(known))
        })
    }

    /// The entry of a word of any case and any script.
    pub(super) fn get(&self, word: &[u8]) -> Option<&Word> {
        if word.is_ascii() {
            return self.ascii(word, 0, word.len());
        }
        lowered(word, |lower| self.exact(lower))
    }

    /// The entry of a word in lower case.
    pub(super) fn exact(&self, word: &[u8]) -> Option<&Word> {
        self.probe(Shape::of(word, 0, word.len()), |known| known == word)
    }

    fn probe(&self, shape: Shape, is_same: impl Fn(&[u8]) -> bool) -> Option<&Word> {
        let mut at = shape.hash() as usize & (self.slots.len() - 1);
        while let Some(Some(index)) = self.slots.get(at).copied() {
            let index = usize::from(index);
            if self.shapes.get(index) == Some(&shape)
                && let Some((_, word)) = self.entries.get(index).filter(|(known, _)| is_same(known))
            {
                return Some(word);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        None
    }
}

impl Shape {
    /// The shape of `text[start..start + length]`.
    #[inline]
    fn of(text: &[u8], start: usize, length: usize) -> Self {
        let eight = |from: usize| text.get(from..).and_then(<[u8]>::first_chunk::<8>).copied();
        let (head, tail) = match eight(start).map(u64::from_le_bytes) {
            Some(head) if length > 8 => {
                let tail = eight(start + length - 8).map_or(0, u64::from_le_bytes);
                (head | FOLD, tail | FOLD)
            }
            Some(head) => ((head | FOLD) & u64::MAX >> (64 - 8 * length.max(1)), 0),
            None => {
                let word = text.get(start..start + length).unwrap_or_default();
                (word.iter().rev().fold(0, |head, byte| head << 8 | u64::from(*byte | 0x20)), 0)
            }
        };
        Self { length, head, tail }
    }

    #[inline]
    const fn hash(self) -> u64 {
        let mixed = self.head ^ self.tail.rotate_left(29) ^ (self.length as u64) << 59;
        let mixed = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93) >> 16
    }
}

#[inline]
const fn sieve_bit(hash: u64) -> usize {
    (hash >> 24) as usize % SIEVE_BITS
}

/// A word of the data in the form in which words of a text are looked up.
fn key(word: &str) -> Box<[u8]> {
    lowered(word.as_bytes(), |lower| Some(lower.into())).unwrap_or_else(|| word.as_bytes().into())
}

/// The words of all classes, and those by which anchors are found.
pub(super) fn words(
    sources: &[Source],
    classes: &Classes,
    anchors: Vec<Worded>,
) -> Result<HashMap<Box<[u8]>, Word>, LexiconError> {
    let mut words: HashMap<Box<[u8]>, Word> = HashMap::new();
    let everyday: Vec<&str> = sources.iter().flat_map(|s| &s.everyday).map(String::as_str).collect();
    for (name, phrases) in sources.iter().flat_map(|source| &source.class) {
        let class = classes.mask(name)?;
        for phrase in phrases {
            let parts = phrase.split(|letter: char| letter.is_ascii() && !is_word(letter as u8));
            let telling = parts.max_by_key(|part| (!everyday.contains(part), part.len())).unwrap_or_default();
            words.entry(key(telling)).or_default().hint |= class;
            let mut parts = phrase.split(' ').map(key);
            let Some(first) = parts.next() else { continue };
            let rest: Vec<Box<[u8]>> = parts.collect();
            let word = words.entry(first).or_default();
            if rest.is_empty() {
                word.classes |= class;
            } else if let Some((_, known)) = word.phrases.iter_mut().find(|(known, _)| *known == rest) {
                *known |= class;
            } else {
                word.phrases.push((rest, class));
            }
        }
    }
    for word in sources.iter().flat_map(|source| &source.misspelt) {
        let Some((classes, hint)) = words.get(&key(word)).map(|known| (known.classes, known.hint)) else {
            return Err(LexiconError::Misspelt(word.clone()));
        };
        for slip in slips(word) {
            words.entry(key(&slip)).or_insert(Word { classes, hint, ..Word::default() });
        }
    }
    for Worded { word, rest, opens } in anchors {
        words.entry(word).or_default().anchors.push((rest, opens));
    }
    // The longest continuation wins, so that a phrase is not cut short by its own beginning.
    words.values_mut().for_each(|word| word.phrases.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len())));
    Ok(words)
}

/// The spellings of `word` that one slip of the hand makes: a letter left out, two exchanged, one too many.
fn slips(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let spelt =
        |head: &[char], middle: &[char], tail: &[char]| [head, middle, tail].concat().iter().collect();
    let mut slips = Vec::new();
    for at in 0..=letters.len() {
        let (head, tail) = letters.split_at(at);
        slips.extend(('a'..='z').map(|more| spelt(head, &[more], tail)));
        if let [_, rest @ ..] = tail {
            slips.push(spelt(head, &[], rest));
        }
        if let [first, second, rest @ ..] = tail {
            slips.push(spelt(head, &[*second, *first], rest));
        }
    }
    slips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_whatever_their_case_and_length() {
        let known =
            ["ai", "run", "disregard", "authorized_keys", "a-rather-long-word-of-the-data", "указания"];
        let words = known.iter().map(|word| (key(word), Word { hint: 1, ..Word::default() })).collect();
        let vocabulary = Vocabulary::new(words).unwrap();
        for word in known {
            assert!(vocabulary.get(word.as_bytes()).is_some(), "{word}");
            assert!(vocabulary.get(word.to_uppercase().as_bytes()).is_some(), "{word}");
            assert!(vocabulary.get(format!("{word}x").as_bytes()).is_none(), "{word}");
        }
        for stranger in ["", "a", "bi", "rum", "disregarb", "xisregard", "a-rather-lone-word-of-the-data"] {
            assert!(vocabulary.get(stranger.as_bytes()).is_none(), "{stranger}");
        }
    }
}
