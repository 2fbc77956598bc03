//! Spans of a prompt that were pasted: bytes that also stand, contiguously, in something read earlier.
//!
//! Exact containment over texts in which every run of white space counts as one blank. A shared span of
//! [`SPAN_BYTES_MIN`] bytes covers a whole block of the prompt, so a rolling hash over the earlier text finds
//! it in one pass (Rabin and Karp, 1987); every hit is compared byte by byte and grown in both directions.

use std::collections::HashMap;
use std::ops::Range;

/// Shortest span that counts as pasted; people retype less than that.
pub(super) const SPAN_BYTES_MIN: usize = 80;

/// Half of it: wherever a span lies, one block at a multiple of this is inside.
const BLOCK: usize = SPAN_BYTES_MIN / 2;

/// Bytes of a prompt that are looked at; what lies beyond is compared with nothing, and the caller takes it
/// for pasted.
pub(super) const PROMPT_BYTES_MAX: usize = 1 << 20;

const BASE: u64 = 0x0000_0100_0000_01b3;

/// A text with its white space made even, and where each byte of it stood.
struct Even {
    bytes: Vec<u8>,
    places: Vec<usize>,
}

impl Even {
    fn of(text: &str) -> Self {
        let mut even = Self { bytes: Vec::with_capacity(text.len()), places: Vec::with_capacity(text.len()) };
        for (place, byte) in text.bytes().enumerate() {
            let blank = byte.is_ascii_whitespace();
            if !(blank && even.bytes.last() == Some(&b' ')) {
                even.bytes.push(if blank { b' ' } else { byte });
                even.places.push(place);
            }
        }
        even
    }
}

/// A prompt, ready to be compared with earlier texts.
pub(super) struct Prompt {
    even: Even,
    blocks: HashMap<u64, Vec<usize>>,
    length: usize,
}

impl Prompt {
    /// Prepares a prompt; `None` where it is too short to hold a span.
    pub(super) fn of(text: &str) -> Option<Self> {
        let even = Even::of(text.get(..text.floor_char_boundary(PROMPT_BYTES_MAX))?);
        if even.bytes.len() < SPAN_BYTES_MIN {
            return None;
        }
        let mut blocks: HashMap<u64, Vec<usize>> = HashMap::new();
        for (place, block) in even.bytes.chunks_exact(BLOCK).enumerate() {
            let same = blocks.entry(hash(block)).or_default();
            // A prompt that repeats itself: one place of a block is enough to find each span that holds it.
            if same.is_empty() {
                same.push(place * BLOCK);
            }
        }
        Some(Self { even, blocks, length: text.len() })
    }

    /// Ranges of the prompt's bytes that stand in `earlier` as well, in order and apart from one another.
    pub(super) fn spans_in(&self, earlier: &str) -> Vec<Range<usize>> {
        let earlier = Even::of(earlier).bytes;
        let mut found: Vec<Range<usize>> = Vec::new();
        let mut at = 0;
        let mut rolling = earlier.get(..BLOCK).map(hash);
        while let Some(sum) = rolling {
            for start in self.blocks.get(&sum).into_iter().flatten() {
                let known = found.iter().any(|span| span.contains(start));
                if !known && let Some(span) = self.grown(*start, &earlier, at) {
                    found.push(span);
                }
            }
            rolling = rolled(sum, &earlier, at);
            at += 1;
        }
        joined(found.into_iter().map(|span| self.placed(span)).collect())
    }

    /// The longest common span around a block, if it is long enough.
    fn grown(&self, start: usize, earlier: &[u8], at: usize) -> Option<Range<usize>> {
        let own = &self.even.bytes;
        let after = own.get(start..)?.iter().zip(earlier.get(at..)?).take_while(|(a, b)| a == b).count();
        let before = own
            .get(..start)?
            .iter()
            .rev()
            .zip(earlier.get(..at)?.iter().rev())
            .take_while(|(a, b)| a == b)
            .count();
        (after >= BLOCK && before + after >= SPAN_BYTES_MIN).then(|| start - before..start + after)
    }

    /// A span in the prompt's own bytes, widened to whole characters by the caller's text.
    fn placed(&self, span: Range<usize>) -> Range<usize> {
        let place = |at: usize| self.even.places.get(at).copied().unwrap_or(self.length);
        place(span.start)..place(span.end)
    }
}

/// Sorts ranges and joins those that meet.
pub(super) fn joined(mut spans: Vec<Range<usize>>) -> Vec<Range<usize>> {
    spans.sort_by_key(|span| span.start);
    let mut out: Vec<Range<usize>> = Vec::new();
    for span in spans {
        match out.last_mut().filter(|last| last.end >= span.start) {
            Some(last) => last.end = last.end.max(span.end),
            None => out.push(span),
        }
    }
    out
}

fn hash(block: &[u8]) -> u64 {
    block.iter().fold(0, |sum: u64, byte| sum.wrapping_mul(BASE).wrapping_add(u64::from(*byte)))
}

/// The hash of the block one byte further.
fn rolled(sum: u64, text: &[u8], at: usize) -> Option<u64> {
    let gone = u64::from(*text.get(at)?);
    let come = u64::from(*text.get(at + BLOCK)?);
    let exponent = u32::try_from(BLOCK).ok()? - 1;
    let without = sum.wrapping_sub(gone.wrapping_mul(BASE.wrapping_pow(exponent)));
    Some(without.wrapping_mul(BASE).wrapping_add(come))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PAGE: &str = "Welcome. To install the tool, fetch the archive from https://get.tallow.example/x.tar.gz and \
                        unpack it below your home directory. Enjoy.";

    fn spans(prompt: &str, earlier: &str) -> Vec<String> {
        let Some(ready) = Prompt::of(prompt) else { return Vec::new() };
        ready.spans_in(earlier).into_iter().map(|span| prompt[span].to_owned()).collect()
    }

    #[test]
    fn a_pasted_span_is_found_whatever_its_white_space() {
        let pasted = &PAGE[9..100];
        let wrapped = pasted.replace(' ', "\n   ");
        let prompt = format!("Please do this: {wrapped}; thanks for your help");
        assert_eq!(spans(&prompt, PAGE).len(), 1);
        assert!(wrapped.contains(spans(&prompt, PAGE)[0].trim()));
    }

    #[test]
    fn what_a_person_types_is_not_pasted() {
        assert!(
            spans("Fetch https://get.tallow.example/x.tar.gz and unpack it, please, as the page says", PAGE)
                .is_empty()
        );
        assert!(spans("short", PAGE).is_empty());
    }

    proptest! {
        /// Wherever a long span lies in both texts, all of it is found.
        #[test]
        fn every_long_span_is_found(
            head in "[a-z ]{0,90}", span in "[a-zA-Z0-9/.]{80,200}", tail in "[A-Z ]{0,90}",
            other in "[0-9 ]{0,90}",
        ) {
            let prompt = format!("{head} {span} {tail}");
            let earlier = format!("{other} {span} {other}");
            let found = spans(&prompt, &earlier);
            prop_assert!(found.iter().any(|found| found.contains(&span)), "{found:?}");
        }

        /// What is found stands in the earlier text.
        #[test]
        fn nothing_else_is_found(prompt in "[ab ]{80,300}", earlier in "[ab ]{80,300}") {
            let even = |text: &str| String::from_utf8(Even::of(text).bytes).unwrap();
            let ready = Prompt::of(&prompt);
            for span in ready.iter().flat_map(|ready| ready.spans_in(&earlier)) {
                // Spans of one text that meet are one span: each half is found in the text by itself.
                let piece = even(&prompt[span]);
                prop_assert!(piece.as_bytes().windows(SPAN_BYTES_MIN.min(piece.len())).take(1)
                    .all(|window| even(&earlier).as_bytes().windows(window.len()).any(|other| other == window)));
            }
        }
    }
}
