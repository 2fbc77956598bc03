//! The crate from outside: real sockets, real directories, the real hook binary.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test that cannot go on must stop loudly"
)]

mod bounds;
mod hook;
mod hook_failures;
mod place;
mod server;
mod support;
