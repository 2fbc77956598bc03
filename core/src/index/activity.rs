//! When agents were at work: the times of recorded events, joined into spans.

use imbl::OrdMap;

use crate::limits;
use crate::time::UnixMillis;

/// Spans of time in which something was recorded, by their beginning; no two of them touch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Activity {
    spans: OrdMap<UnixMillis, UnixMillis>,
}

impl Activity {
    /// Adds a moment. Moments may come out of order: a clock can be set back.
    pub(super) fn note(&mut self, at: UnixMillis) {
        let before = self.spans.range(..=at).next_back().map(|(from, to)| (*from, *to));
        let after = self.spans.range(at..).next().map(|(from, to)| (*from, *to));
        let (mut from, mut to) = (at, at);
        if let Some((known, end)) = before.filter(|(_, end)| gap(*end, at) <= limits::ACTIVITY_GAP_MS) {
            if end >= at {
                return;
            }
            from = known;
        }
        if let Some((known, end)) = after.filter(|(known, _)| gap(at, *known) <= limits::ACTIVITY_GAP_MS) {
            self.spans.remove(&known);
            to = end;
        }
        self.spans.insert(from, to);
        if self.spans.len() > limits::ACTIVITY_SPANS_MAX {
            self.join_oldest();
        }
    }

    /// Whether something was recorded at that time, or shortly before or after.
    pub(super) fn covers(&self, at: UnixMillis) -> bool {
        let before = self.spans.range(..=at).next_back();
        let after = self.spans.range(at..).next();
        before.is_some_and(|(_, end)| gap(*end, at) <= limits::ACTIVITY_GAP_MS)
            || after.is_some_and(|(from, _)| gap(at, *from) <= limits::ACTIVITY_GAP_MS)
    }

    fn join_oldest(&mut self) {
        let mut oldest = self.spans.iter().map(|(from, to)| (*from, *to));
        if let (Some((from, _)), Some((second, to))) = (oldest.next(), oldest.next()) {
            self.spans.remove(&second);
            self.spans.insert(from, to);
        }
    }
}

/// Milliseconds from one moment to a later one; none when it is not later.
const fn gap(earlier: UnixMillis, later: UnixMillis) -> u64 {
    later.0.saturating_sub(earlier.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAP: u64 = limits::ACTIVITY_GAP_MS;

    fn of(moments: &[u64]) -> Activity {
        let mut activity = Activity::default();
        moments.iter().for_each(|at| activity.note(UnixMillis(*at)));
        activity
    }

    #[test]
    fn near_moments_are_one_span_in_any_order() {
        let spans = OrdMap::from(vec![(UnixMillis(GAP), UnixMillis(3 * GAP))]);
        assert_eq!(of(&[GAP, 2 * GAP, 3 * GAP]).spans, spans);
        assert_eq!(of(&[3 * GAP, GAP, 2 * GAP]).spans, spans);
        assert_eq!(of(&[GAP, 3 * GAP, 2 * GAP, 2 * GAP + 1]).spans, spans);
    }

    #[test]
    fn a_pause_is_covered_as_far_as_a_call_may_run() {
        let activity = of(&[10 * GAP, 20 * GAP]);
        for (at, covered) in [(9 * GAP - 1, false), (9 * GAP, true), (11 * GAP, true), (11 * GAP + 1, false)]
        {
            assert_eq!(activity.covers(UnixMillis(at)), covered, "{at}");
        }
        assert!(!of(&[]).covers(UnixMillis(0)));
    }

    #[test]
    fn too_many_spans_cover_more_time_and_not_less() {
        let moments: Vec<u64> =
            (1..=limits::ACTIVITY_SPANS_MAX as u64 + 1).map(|number| number * 4 * GAP).collect();
        let activity = of(&moments);
        assert_eq!(activity.spans.len(), limits::ACTIVITY_SPANS_MAX);
        assert!(moments.iter().all(|at| activity.covers(UnixMillis(*at))));
        assert!(activity.covers(UnixMillis(6 * GAP)), "the pause between the two oldest");
        assert!(!activity.covers(UnixMillis(10 * GAP)));
    }
}
