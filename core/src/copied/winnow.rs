//! Fingerprints by winnowing (Schleimer, Wilkerson and Aiken, SIGMOD 2003).
//!
//! Of the hashes of all runs of [`RUN`] bytes, the least of each window is kept, with its place. Two texts that share
//! [`SPAN_BYTES_MIN`] bytes share a window, and so at least one fingerprint; about one in 85 bytes gives one.

use std::collections::{HashSet, VecDeque};

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
pub(super) fn prints(text: &[u8]) -> Vec<Print> {
    let mut kept: Vec<Print> = Vec::new();
    if text.len() < SPAN_BYTES_MIN {
        return kept;
    }
    let mut last = None;
    // Candidates for the least of the window: places grow, values grow, so the first is the least.
    let mut window: VecDeque<(u64, usize)> = VecDeque::new();
    for (at, hash) in hashes(text).enumerate() {
        while window.back().is_some_and(|(last, _)| *last >= hash) {
            window.pop_back();
        }
        window.push_back((hash, at));
        while window.front().is_some_and(|(_, first)| first + WINDOW <= at) {
            window.pop_front();
        }
        if at + 1 < WINDOW {
            continue;
        }
        let Some((hash, place)) = window.front().copied() else { continue };
        let known = |(hash_before, place_before)| hash_before == hash && place_before + WINDOW > at;
        if !last.is_some_and(known) {
            last = Some((hash, place));
            kept.push(Print { value: value_of(hash), at: place });
        }
    }
    kept
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
    let mut rolling = 0_u64;
    let leaving = std::iter::repeat_n(None, RUN).chain(text.iter().map(Some));
    let rolled = text.iter().zip(leaving).map(move |(entering, leaving)| {
        let gone = leaving.map_or(0, |byte| (u64::from(*byte) + 1).wrapping_mul(out));
        rolling = rolling.wrapping_sub(gone).wrapping_mul(BASE).wrapping_add(u64::from(*entering) + 1);
        mixed(rolling)
    });
    rolled.skip(RUN - 1)
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
