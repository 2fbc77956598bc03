//! Substring search for many needles by anchors: each needle is entered under one of its eight-byte windows, the one
//! that fewest others stand under, and a text is looked up window by window.

use std::collections::HashMap;

/// Bytes of an anchor. Shorter needles have none.
pub const ANCHOR_BYTES: usize = 8;

/// Windows of a needle that are considered, from its end: what a URL shares with others stands in front.
const WINDOWS_MAX: usize = 24;

/// Bits of the filter in front of the table.
const FILTER_BITS: u64 = 1 << 24;

/// A needle that stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Found {
    /// Which needle, in the order of entry.
    pub needle: u32,
    /// Where it begins.
    pub start: usize,
}

/// Needles by anchor. Entering one changes nothing but its own place.
#[derive(Debug)]
pub struct Anchored {
    needles: Vec<Box<[u8]>>,
    by_anchor: HashMap<u64, Vec<(u32, u16)>>,
    filter: Vec<u64>,
}

impl Default for Anchored {
    fn default() -> Anchored {
        let filter = vec![0; (FILTER_BITS / 64) as usize];
        Anchored { needles: Vec::new(), by_anchor: HashMap::new(), filter }
    }
}

impl Anchored {
    /// Enters one more needle; false, and nothing is entered, if it is shorter than [`ANCHOR_BYTES`].
    pub fn insert(&mut self, needle: &[u8]) -> bool {
        let windows = needle.windows(ANCHOR_BYTES).enumerate().rev().take(WINDOWS_MAX);
        let crowd = |window: &[u8]| self.by_anchor.get(&key(window)).map_or(0, Vec::len);
        let Some((offset, window)) = windows.min_by_key(|(_, window)| crowd(window)) else { return false };
        let anchor = key(window);
        let number = u32::try_from(self.needles.len()).unwrap_or(u32::MAX);
        self.needles.push(needle.into());
        self.by_anchor.entry(anchor).or_default().push((number, u16::try_from(offset).unwrap_or(u16::MAX)));
        let (word, bit) = place(anchor);
        self.filter.get_mut(word).into_iter().for_each(|bits| *bits |= bit);
        true
    }

    /// Every place at which a needle stands, by place and needle.
    #[must_use]
    pub fn find(&self, text: &[u8]) -> Vec<Found> {
        let mut found = Vec::new();
        for (at, window) in text.windows(ANCHOR_BYTES).enumerate() {
            let anchor = key(window);
            let (word, bit) = place(anchor);
            if self.filter.get(word).is_none_or(|bits| bits & bit == 0) {
                continue;
            }
            for (number, offset) in self.by_anchor.get(&anchor).into_iter().flatten() {
                let start = at.checked_sub(usize::from(*offset));
                let needle = usize::try_from(*number).ok().and_then(|number| self.needles.get(number));
                if let (Some(start), Some(needle)) = (start, needle)
                    && text.get(start..).is_some_and(|rest| rest.starts_with(needle))
                {
                    found.push(Found { needle: *number, start });
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Bytes that it occupies, about: entries, needles and filter.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let needles: usize = self.needles.iter().map(|needle| needle.len() + 16).sum();
        let entries: usize = self.by_anchor.values().map(|entries| entries.capacity() * 8 + 40).sum();
        needles + entries + self.filter.len() * 8
    }
}

fn key(window: &[u8]) -> u64 {
    window.iter().fold(0, |key, byte| key << 8 | u64::from(*byte))
}

/// The bit of an anchor: the upper bits of a product spread best (Fibonacci hashing, Knuth 6.4).
fn place(anchor: u64) -> (usize, u64) {
    let bit = anchor.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - FILTER_BITS.trailing_zeros());
    ((bit / 64) as usize, 1 << (bit % 64))
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use aho_corasick::AhoCorasick;
    use proptest::prelude::*;

    use super::*;

    /// What an automaton finds, as an oracle.
    fn oracle(needles: &[String], text: &str) -> Vec<Found> {
        let automaton = AhoCorasick::new(needles).unwrap();
        let hits = automaton.find_overlapping_iter(text);
        let mut found: Vec<_> =
            hits.map(|hit| Found { needle: hit.pattern().as_u32(), start: hit.start() }).collect();
        found.sort_unstable();
        found
    }

    proptest! {
        #[test]
        fn it_finds_what_an_automaton_finds(
            needles in prop::collection::vec("[ab]{8,14}", 0..60),
            text in "[ab]{0,300}",
            copied in any::<prop::sample::Index>(),
        ) {
            let mut anchored = Anchored::default();
            needles.iter().for_each(|needle| assert!(anchored.insert(needle.as_bytes())));
            let text = match needles.is_empty() {
                true => text,
                false => format!("{text}{}{text}", copied.get(&needles)),
            };
            prop_assert_eq!(anchored.find(text.as_bytes()), oracle(&needles, &text));
        }
    }

    #[test]
    fn a_short_needle_is_not_entered() {
        let mut anchored = Anchored::default();
        assert!(!anchored.insert(b"seven.b"));
        assert_eq!(anchored.find(b"seven.b"), []);
    }
}
