//! Any bytes as a content: the cheap tier judges it within its time, the same way twice, and what it found
//! stands where it says.

use std::time::Duration;

use circinus_analyzer::content::{FINDINGS_PER_SIGNAL_MAX, judge};

use crate::bound::{Bound, within};

/// The lexicon's automata cost the same for each byte; decoded layers add a constant factor.
const BOUND: Bound = Bound {
    floor: Duration::from_millis(2),
    per_byte: Duration::from_micros(2),
    most: Duration::from_millis(500),
};

pub(super) fn run(bytes: &[u8]) {
    let judgement = within(bytes.len(), BOUND, || judge(bytes));
    assert_eq!(judgement, judge(bytes));
    for finding in &judgement.findings {
        assert!(finding.start <= finding.end && finding.end as usize <= bytes.len(), "{finding:?}");
        let same = judgement.findings.iter().filter(|other| other.signal == finding.signal);
        assert!(same.count() <= FINDINGS_PER_SIGNAL_MAX);
    }
    assert!(judgement.findings.is_sorted_by_key(|finding| finding.start));
}
