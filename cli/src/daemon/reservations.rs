//! Acts that can be used once, while a decision that uses one is on its way to disk.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use circinus_core::explain::Explanation;
use circinus_core::id::ActId;
use circinus_core::index::Hot;

/// What decisions on their way use up.
#[derive(Debug, Default)]
pub(super) struct Reservations {
    taken: Mutex<BTreeSet<ActId>>,
}

impl Reservations {
    /// Takes the acts for one decision, all or none.
    ///
    /// INVARIANT (approved-once): whoever released an act before us had its decision published first, so the
    /// look at the state after the lock sees it as spent; the log tells the same after a restart.
    pub(super) fn take(&self, acts: &[ActId], hot: &Hot) -> bool {
        let mut taken = self.lock();
        let snapshot = hot.load();
        let free = acts.iter().all(|act| !taken.contains(act) && snapshot.is_standing(*act));
        if free {
            taken.extend(acts);
        }
        free
    }

    /// Gives them back: the decision is published, or failed.
    pub(super) fn release(&self, acts: &[ActId]) {
        let mut taken = self.lock();
        acts.iter().for_each(|act| {
            taken.remove(act);
        });
    }

    fn lock(&self) -> MutexGuard<'_, BTreeSet<ActId>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What a decision uses up.
pub(super) fn spent(explanation: &Explanation) -> Vec<ActId> {
    explanation.relied.iter().filter(|relied| relied.spent).map(|relied| relied.act).collect()
}
