//! What the stand-in says about a text: right as often as is stated, and always the same.

use circinus_core::digest::Digest;

/// Of a hundred texts that carry an attack, those that it finds.
pub const RECALL_PERCENT: u64 = 90;

/// Of a hundred texts that carry none, those in which it finds one.
pub const FALSE_POSITIVE_PERCENT: u64 = 3;

/// The level of a verdict, by its name: a function of the seed, of the text's `mark`, which is derived from its
/// bytes, and of whether it carries an attack. What is found is suspicious or adverse, in equal parts.
#[must_use]
pub fn level(seed: u64, mark: &str, attack: bool) -> &'static str {
    let mut drawn = drawn(seed, mark);
    let percent = if attack { RECALL_PERCENT } else { FALSE_POSITIVE_PERCENT };
    match (drawn.u64(0..100) < percent, drawn.bool()) {
        (false, _) => "benign",
        (true, false) => "suspicious",
        (true, true) => "adverse",
    }
}

fn drawn(seed: u64, mark: &str) -> fastrand::Rng {
    let Digest([a, b, c, d, e, f, g, h, ..]) = Digest::of(format!("{seed} {mark}").as_bytes());
    fastrand::Rng::with_seed(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of so many texts, those that are called suspicious, and those that are called adverse.
    fn found(seed: u64, attack: bool) -> (usize, usize) {
        let levels: Vec<_> = (0..10_000).map(|text| level(seed, &format!("{text:024x}"), attack)).collect();
        let count = |wanted: &str| levels.iter().filter(|level| **level == wanted).count();
        assert_eq!(count("benign") + count("suspicious") + count("adverse"), levels.len());
        (count("suspicious"), count("adverse"))
    }

    #[test]
    fn the_shares_are_those_that_are_stated() {
        for seed in 0..3 {
            let ((mild, bad), (mildly_wrong, badly_wrong)) = (found(seed, true), found(seed, false));
            assert!((8_850..=9_150).contains(&(mild + bad)), "{seed}: {mild} {bad}");
            assert!(
                (230..=370).contains(&(mildly_wrong + badly_wrong)),
                "{seed}: {mildly_wrong} {badly_wrong}"
            );
            assert!(mild.abs_diff(bad) < 400 && mildly_wrong.abs_diff(badly_wrong) < 90, "{seed}");
        }
    }

    #[test]
    fn one_text_has_one_answer_under_one_seed() {
        let all = |seed| (0..500).map(|text| level(seed, &format!("{text:024x}"), true)).collect::<Vec<_>>();
        assert_eq!(all(1), all(1));
        assert_ne!(all(1), all(2));
    }
}
