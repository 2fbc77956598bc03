//! The product with the real client, against a scripted model on loopback.
//!
//! Runs where the environment names both: `CIRCINUS_TEST_CLAUDE` (the client) and `CIRCINUS_TEST_HARNESS` (the
//! folder of the scripted model). Elsewhere each test says that it was skipped, and passes.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a helper of a test fails the test, and a skipped test says so"
)]

mod host {
    mod approval;
    mod client;
    mod model;
    mod outage;
    mod overhead;
    mod page;
    mod passage;
    #[path = "../daemon/person.rs"]
    mod person;
    mod plugin;
    mod process;
    mod record;
    mod refusal;
    mod screen;
    mod stage;
    mod terminal;
    mod unreported;
}
