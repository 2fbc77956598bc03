//! Lineage and authority over whole logs: events go through the real admission, index and gate.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails the test"
)]

mod copied;
mod log;
mod properties;
mod remedies;
mod searched;
mod trace;
