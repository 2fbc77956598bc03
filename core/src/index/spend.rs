//! What asking providers has cost: a fold of the log, so that a restart forgets nothing.

use imbl::HashMap;

use super::identity;
use crate::digest::Digest;
use crate::enquiry::{Cost, Requested, Settled};
use crate::id::{EventSeq, SessionId};
use crate::time::UnixMillis;

const DAY_MS: u64 = 24 * 60 * 60 * 1_000;

/// A request that was not settled: its cost is what was reserved.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Open {
    day: u64,
    session: Option<SessionId>,
    reserved: Cost,
}

/// Costs of the present day (UTC) and of each session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spend {
    day: u64,
    of_day: Cost,
    of_sessions: HashMap<SessionId, Cost>,
    open: HashMap<EventSeq, Open>,
}

impl Spend {
    /// INVARIANT (spent-before-sent): a request counts from the event that announces it, with the most that
    /// it can cost, so a crash can only make the budget smaller.
    pub(super) fn reserve(&mut self, seq: EventSeq, at: UnixMillis, requested: &Requested) {
        let day = at.0 / DAY_MS;
        // A clock that was set back does not bring a budget back.
        if day > self.day {
            (self.day, self.of_day) = (day, Cost::default());
            // What a crash left open is paid for in full, and nothing settles it any more.
            self.open.retain(|_, open| open.day + 1 >= day);
        }
        let Requested { session, reserved, .. } = requested;
        self.of_day = self.of_day.plus(*reserved);
        if let Some(session) = session {
            let of_session = self.of_sessions.entry(session.clone()).or_default();
            *of_session = of_session.plus(*reserved);
        }
        self.open.insert(seq, Open { day: self.day, session: session.clone(), reserved: *reserved });
    }

    /// See [`super::Snapshot::identity`].
    pub(super) fn identity(&self) -> Digest {
        let Self { day, of_day, of_sessions, open } = self;
        identity::of_all([
            identity::of((day, of_day)),
            identity::of_unordered(of_sessions),
            identity::of_unordered(open),
        ])
    }

    pub(super) fn settle(&mut self, settled: &Settled) {
        let Some(Open { day, session, reserved }) = self.open.remove(&settled.request) else { return };
        if day == self.day {
            self.of_day = self.of_day.minus(reserved).plus(settled.cost);
        }
        if let Some(of_session) = session.and_then(|session| self.of_sessions.get_mut(&session)) {
            *of_session = of_session.minus(reserved).plus(settled.cost);
        }
    }

    /// What the day of `now` has cost so far.
    pub(super) fn of_day(&self, now: UnixMillis) -> Cost {
        if now.0 / DAY_MS > self.day { Cost::default() } else { self.of_day }
    }

    pub(super) fn of_session(&self, session: &SessionId) -> Cost {
        self.of_sessions.get(session).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::EvidenceKey;

    fn requested(tokens: u64) -> Requested {
        let key = EvidenceKey {
            content: Digest::of(b"x"),
            analyser: "strong".into(),
            version: 1,
            config: Digest::of(b""),
        };
        let reserved = Cost { requests: 1, tokens, micro_usd: 0 };
        Requested { key, session: Some(SessionId::new("s")), reserved }
    }

    fn cost(requests: u64, tokens: u64) -> Cost {
        Cost { requests, tokens, micro_usd: 0 }
    }

    #[test]
    fn a_request_counts_in_full_until_it_is_settled() {
        let (mut spend, now) = (Spend::default(), UnixMillis(3 * DAY_MS));
        spend.reserve(EventSeq(1), now, &requested(100));
        spend.reserve(EventSeq(2), now, &requested(100));
        assert_eq!(spend.of_day(now), cost(2, 200));
        spend.settle(&Settled { request: EventSeq(1), cost: cost(1, 30) });
        assert_eq!((spend.of_day(now), spend.of_session(&SessionId::new("s"))), (cost(2, 130), cost(2, 130)));
        spend.settle(&Settled { request: EventSeq(1), cost: cost(1, 0) });
        assert_eq!(spend.of_day(now), cost(2, 130), "a request is settled once");
    }

    #[test]
    fn a_new_day_is_a_new_budget_and_an_older_one_is_not() {
        let (mut spend, now) = (Spend::default(), UnixMillis(3 * DAY_MS));
        spend.reserve(EventSeq(1), now, &requested(100));
        assert_eq!(spend.of_day(UnixMillis(4 * DAY_MS)), Cost::default());
        spend.reserve(EventSeq(2), UnixMillis(2 * DAY_MS), &requested(1));
        assert_eq!(spend.of_day(now), cost(2, 101), "a clock that was set back");
        spend.reserve(EventSeq(3), UnixMillis(4 * DAY_MS), &requested(5));
        spend.settle(&Settled { request: EventSeq(1), cost: cost(1, 0) });
        assert_eq!(spend.of_day(UnixMillis(4 * DAY_MS)), cost(1, 5), "yesterday's request");
        assert_eq!(spend.of_session(&SessionId::new("s")), cost(3, 6), "a session has one budget");
    }
}
