//! The way to disk: commits go in, receipts come back after the transaction is synced.

use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};

use circinus_core::event::Commit;
use circinus_store::{Acknowledged, AppendError, Durable, SubmitError, Writer};
use thiserror::Error;

/// How long a caller may wait for its own commit before the store counts as down.
const COMMIT_WAIT: Duration = Duration::from_secs(5);

/// How long a producer may wait for room in the writer's queue.
const QUEUE_WAIT: Duration = Duration::from_secs(2);

/// Why there is no receipt.
#[derive(Debug, Error)]
pub(super) enum JournalError {
    /// The transaction failed.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// The writer did not take the commit.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// No outcome in time; the event may be found on disk later, it was not promised.
    #[error("no receipt within {} s", COMMIT_WAIT.as_secs())]
    TimedOut,
}

/// What a producer does with the outcome. Runs on the writer's thread: short.
pub(super) type Then = Box<dyn FnOnce(Result<Durable<Acknowledged>, JournalError>) + Send>;

/// The way to disk.
#[derive(Debug)]
pub(super) struct Journal {
    /// None once it is closed.
    writer: RwLock<Option<Writer>>,
}

impl Journal {
    /// Wraps a started writer.
    pub(super) const fn new(writer: Writer) -> Self {
        Self { writer: RwLock::new(Some(writer)) }
    }

    /// Commits what was handed over and closes the store; returns when both are done.
    ///
    /// Whoever still holds the journal, such as an acknowledgement that is just being given, cannot put this
    /// off, and what is handed over later is refused.
    pub(super) fn close(&self) {
        // Taken out first: an acknowledgement that is given meanwhile may hand over something itself.
        let writer = self.writer.write().unwrap_or_else(PoisonError::into_inner).take();
        drop(writer);
    }

    /// Whether an earlier failure stopped the writer, so that nothing is taken until the store is opened again.
    pub(super) fn is_stopped(&self) -> bool {
        let writer = self.writer.read().unwrap_or_else(PoisonError::into_inner);
        writer.as_ref().is_some_and(Writer::is_stopped)
    }

    /// Hands over a commit; `then` runs exactly once, whatever happens.
    pub(super) fn submit(&self, commit: Commit, then: Then) {
        let slot = Arc::new(Mutex::new(Some(then)));
        let later = Arc::clone(&slot);
        let acknowledge = Box::new(move |outcome: Result<_, AppendError>| {
            if let Some(then) = take(&later) {
                then(outcome.map_err(JournalError::from));
            }
        });
        let writer = self.writer.read().unwrap_or_else(PoisonError::into_inner);
        let submitted = match writer.as_ref() {
            Some(writer) => writer.submit_before(Instant::now() + QUEUE_WAIT, commit, acknowledge),
            None => Err(SubmitError::Ended),
        };
        drop(writer);
        if let Err(error) = submitted
            && let Some(then) = take(&slot)
        {
            then(Err(JournalError::Submit(error)));
        }
    }

    /// Commits and waits, bounded.
    ///
    /// # Errors
    ///
    /// See [`JournalError`].
    pub(super) fn commit(&self, commit: Commit) -> Result<Durable<Acknowledged>, JournalError> {
        let (send, receive) = mpsc::sync_channel(1);
        // When the receiver has given up nobody waits for the outcome any more.
        self.submit(commit, Box::new(move |outcome| drop(send.try_send(outcome))));
        receive.recv_timeout(COMMIT_WAIT).unwrap_or(Err(JournalError::TimedOut))
    }
}

fn take(slot: &Mutex<Option<Then>>) -> Option<Then> {
    slot.lock().unwrap_or_else(PoisonError::into_inner).take()
}
