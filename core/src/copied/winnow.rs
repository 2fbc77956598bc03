//! Fingerprints by winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003).
//!
//! Of the hashes of all runs of [`RUN`] bytes, the least of each window is kept, with its place. Two texts that share
//! [`SPAN_BYTES_MIN`] bytes share a window, and so at least one fingerprint; about one in 85 bytes gives one.

use std::collections::HashSet;

use crate::limits::SPAN_BYTES_MIN;

/// Bytes of one hashed run. Shorter ones repeat more often in unrelated code, longer ones leave a smaller window.
pub(super) const RUN: usize = 32;

/// Hashes in a window.
const WINDOW: usize = SPAN_BYTES_MIN - RUN + 1;

/// Multiplier of the rolling hash: odd, so that no byte is lost to the modulus 2^64.
const BASE: u64 = 0x9e37_79b9_7f4a_7c15;

/// A fingerprint and where its run begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Print {
    pub(super) value: u32,
    pub(super) at: usize,
}

/// The fingerprints of a text, in order; none of a text shorter than a span.
///
/// Of equal hashes the one that was kept already stays, so that a repetitive text does not give one each byte.
/// The least of each window comes from two sides (van Herk, 1992): hashes are taken in blocks of a window's length,
/// and a window is the end of one block and the beginning of the next. No text makes that slower.
pub(super) fn prints(text: &[u8]) -> Vec<Print> {
    let mut kept: Vec<Print> = Vec::new();
    if text.len() < SPAN_BYTES_MIN {
        return kept;
    }
    let mut last: Option<Least> = None;
    let mut hashes = hashes(text);
    let (mut block, mut ends): (Vec<u64>, Vec<Least>) = (Vec::new(), Vec::new());
    for start in (0..text.len()).step_by(WINDOW) {
        block.clear();
        block.extend(hashes.by_ref().take(WINDOW));
        let mut begun = Least { hash: u64::MAX, at: start };
        let before = ends.iter().skip(1).copied().map(Some).chain(std::iter::repeat(None));
        for ((at, hash), end) in (start..).zip(block.iter().copied()).zip(before) {
            if hash <= begun.hash {
                begun = Least { hash, at };
            }
            let least = match end {
                Some(end) if end.hash < begun.hash => end,
                None if at + 1 < start + WINDOW => continue,
                Some(_) | None => begun,
            };
            let known = |before: Least| before.hash == least.hash && before.at + WINDOW > at;
            if !last.is_some_and(known) {
                last = Some(least);
                kept.push(Print { value: value_of(least.hash), at: least.at });
            }
        }
        least_of_ends(&block, start, &mut ends);
    }
    kept
}

/// The least hash of a range, and where it stands; of equal ones the last.
#[derive(Clone, Copy, Debug)]
struct Least {
    hash: u64,
    at: usize,
}

/// For each place of a block the least from there to the block's end.
fn least_of_ends(block: &[u64], start: usize, ends: &mut Vec<Least>) {
    ends.clear();
    for (offset, &hash) in block.iter().enumerate().rev() {
        let least = ends.last().copied().filter(|least| least.hash <= hash);
        ends.push(least.unwrap_or(Least { hash, at: start + offset }));
    }
    ends.reverse();
}

/// Every run of the text whose fingerprint is in `wanted`, whether winnowing would keep it or not.
pub(super) fn runs<'t>(text: &'t [u8], wanted: &'t HashSet<u32>) -> impl Iterator<Item = Print> + 't {
    let all = hashes(text).enumerate().map(|(at, hash)| Print { value: value_of(hash), at });
    all.filter(|print| wanted.contains(&print.value))
}

/// What is kept of a hash. A chance match costs one comparison of bytes.
fn value_of(hash: u64) -> u32 {
    u32::try_from(hash >> 32).unwrap_or(u32::MAX)
}

/// The hash of each run of [`RUN`] bytes, each from the one before (Karp and Rabin, 1987), then mixed so that
/// the least is not that of some favoured byte.
fn hashes(text: &[u8]) -> impl Iterator<Item = u64> + '_ {
    let out = (1..RUN).fold(1_u64, |power, _| power.wrapping_mul(BASE));
    let enter = |rolling: u64, byte: u8| rolling.wrapping_mul(BASE).wrapping_add(u64::from(byte) + 1);
    let (first, rest) = text.split_at_checked(RUN).unwrap_or_default();
    let mut rolling = first.iter().fold(0, |rolling, byte| enter(rolling, *byte));
    let begins = (!first.is_empty()).then_some(rolling);
    let rolled = text.iter().zip(rest).map(move |(leaving, entering)| {
        let gone = (u64::from(*leaving) + 1).wrapping_mul(out);
        rolling = enter(rolling.wrapping_sub(gone), *entering);
        rolling
    });
    begins.into_iter().chain(rolled).map(mixed)
}

/// A bijection that spreads every bit (the finaliser of splitmix64).
fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// The guarantee of winnowing; a wider window or a run that does not roll right breaks it.
        #[test]
        fn texts_that_share_a_span_share_a_fingerprint(
            span in prop::collection::vec(any::<u8>(), SPAN_BYTES_MIN..SPAN_BYTES_MIN + 40),
            [a, b, c, d] in prop::array::uniform4(prop::collection::vec(any::<u8>(), 0..300)),
        ) {
            let (one, two) = ([a, span.clone(), b].concat(), [c, span, d].concat());
            let values = |text: &[u8]| prints(text).iter().map(|print| print.value).collect::<Vec<_>>();
            let (one, two) = (values(&one), values(&two));
            prop_assert!(one.iter().any(|value| two.contains(value)));
        }
    }

    #[test]
    fn there_are_few_of_them_and_none_of_a_short_text() {
        let text: Vec<u8> = (0_u32..100_000).map(|n| (n.wrapping_mul(n) >> 7).to_le_bytes()[0]).collect();
        assert!(prints(&text).len() < 2 * text.len() / WINDOW, "{}", prints(&text).len());
        assert!(prints(&[7; 100_000]).len() < 100_000 / 100, "a repetitive text gives no more than another");
        assert!(prints(&[7; SPAN_BYTES_MIN - 1]).is_empty());
        assert!(!prints(&[7; SPAN_BYTES_MIN]).is_empty());
    }
}
