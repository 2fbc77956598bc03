//! Where requests are paid from.

use std::time::{Duration, Instant};

use circinus_analyzer::strong;
use circinus_core::enquiry::{Cause, Cost, Requested, Settled};
use circinus_core::event::{Commit, Event};
use circinus_core::evidence::EvidenceKey;
use circinus_core::id::{EventSeq, SessionId};

use super::{StrongTier, lock};
use crate::clock;
use crate::daemon::service::Service;

/// The budgets as they apply to one content.
pub(in crate::daemon) struct Ledger<'a> {
    pub(super) tier: &'a StrongTier,
    pub(super) service: &'a Service,
    pub(super) key: EvidenceKey,
    pub(super) session: Option<SessionId>,
}

impl strong::Ledger for Ledger<'_> {
    /// INVARIANT (spent-before-sent): the reservation is committed before the request leaves.
    fn reserve(&self, most: Cost) -> Result<EventSeq, Cause> {
        let _alone = lock(&self.tier.spending);
        let snapshot = self.tier.hot.load();
        let caps = self.tier.caps;
        if !snapshot.spent_today(clock::now()).plus(most).within(caps.day) {
            return Err(Cause::DaySpent);
        }
        let of_session = self.session.as_ref().map(|session| snapshot.spent_by(session));
        if of_session.is_some_and(|spent| !spent.plus(most).within(caps.session)) {
            return Err(Cause::SessionSpent);
        }
        let requested = Requested { key: self.key.clone(), session: self.session.clone(), reserved: most };
        let commit = Commit { event: Event::Requested(requested), body: None, delivery: None };
        let receipt = self.service.journal.commit(commit).map_err(|_| Cause::NotRecorded)?;
        Ok(receipt.get().seq)
    }

    fn settle(&self, request: EventSeq, cost: Cost) {
        let settled = Event::Settled(Settled { request, cost });
        // Without it what was reserved counts, which is more.
        drop(self.service.journal.commit(Commit { event: settled, body: None, delivery: None }));
    }

    fn pause(&self, pause: Duration) -> bool {
        let Some(end) = Instant::now().checked_add(pause) else { return false };
        let mut state = lock(&self.tier.state);
        while !state.stopped {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            let waited = self.tier.occasion.wait_timeout(state, left);
            state = waited.map(|(state, _)| state).unwrap_or_else(|poisoned| poisoned.into_inner().0);
        }
        false
    }
}
