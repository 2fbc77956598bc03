//! The proof that something is on disk.

use circinus_core::id::EventSeq;
use circinus_core::port::Receipt;

/// A value whose event has been committed and synced.
///
/// INVARIANT (durable-before-ack): only this crate makes one, and only after COMMIT returned, so code
/// that asks for a `Durable` cannot be reached with something that a power cut would undo.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub struct Durable<T>(T);

impl<T> Durable<T> {
    /// To be called after COMMIT and nowhere else.
    pub(crate) const fn after_commit(value: T) -> Self {
        Self(value)
    }

    /// The value.
    pub const fn get(&self) -> &T {
        &self.0
    }

    /// The value, without the proof.
    pub fn into_inner(self) -> T {
        self.0
    }
}

/// What a producer learns about its commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acknowledged {
    /// The event's place in the log; of the first one when it is a duplicate.
    pub seq: EventSeq,
    /// The same delivery, or evidence under the same key, was there before; no event was added.
    pub duplicate: bool,
}

impl Receipt for Durable<Acknowledged> {
    fn seq(&self) -> EventSeq {
        self.get().seq
    }
}
