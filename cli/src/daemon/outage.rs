//! What the daemon does when the store fails.

use std::sync::atomic::Ordering;

use circinus_ipc::{ErrorCode, Reply, Responder};

use super::journal::JournalError;
use super::service::Service;

impl Service {
    /// Counts something that is not recorded.
    ///
    /// A store that stopped takes nothing until it is opened again, and that is what a start does, with every
    /// check. So the daemon ends: until it can start again the hooks answer by themselves, as without one.
    pub(super) fn unrecorded(&self, error: &JournalError) {
        self.counters.unrecorded.fetch_add(1, Ordering::Relaxed);
        if self.journal.is_stopped() {
            self.stop.request_because(error.to_string());
        }
    }
}

/// Gives an event back to the hook that brought it: its fail-safe keeps it for the next start.
pub(super) fn give_back(responder: Responder, why: String) {
    responder.send(Reply::error(ErrorCode::Internal, why));
}
