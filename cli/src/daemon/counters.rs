//! What is counted since the daemon's start.

use std::sync::atomic::AtomicU64;

use super::latency::Latency;

/// Counters since the start, for `status`.
#[derive(Debug, Default)]
pub(super) struct Counters {
    /// Decisions by verdict: ALLOW, REVIEW, BLOCK.
    pub verdicts: [AtomicU64; 3],
    /// Allowed decisions that an influence or a flag touched.
    pub flagged: AtomicU64,
    /// Decisions whose evidence was ready, ready after a wait, or not ready.
    pub ready: AtomicU64,
    /// Decisions that waited for evidence and got it.
    pub waited: AtomicU64,
    /// Decisions that waited in vain.
    pub not_ready: AtomicU64,
    /// From an announced call to its answer, waits included.
    pub latency: Latency,
    /// Payloads that were no event.
    pub malformed: AtomicU64,
    /// Events that could not be recorded.
    pub unrecorded: AtomicU64,
    /// Hosts whose descendants will not be known by a mark.
    pub unmarked: AtomicU64,
}
