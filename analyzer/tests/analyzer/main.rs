//! What the analyzer promises, seen from outside.
#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail by panicking, as tests do"
)]

mod bounds;
mod cases;
mod content;
mod corpus_commands;
mod forms;
mod metamorphic;
mod overlay;
mod pool;
mod provider;
mod sample;
mod strong;
mod tools;
mod vectors;
