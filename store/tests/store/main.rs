//! The store from the outside: what is acknowledged stays, whatever happens to process, disk or file.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod child;
mod copy;
mod crash;
mod fault;
mod harness;
mod model;
mod open;
mod query;
mod retention;
mod sample;
mod tamper;
mod writer;
