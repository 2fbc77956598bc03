//! The replayer against gates of the tests' own making.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

#[path = "loadtest/answers.rs"]
mod answers;
#[path = "loadtest/command.rs"]
mod command;
#[path = "loadtest/crash.rs"]
mod crash;
#[path = "loadtest/fixture.rs"]
mod fixture;
#[path = "loadtest/loading.rs"]
mod loading;
#[path = "loadtest/quality.rs"]
mod quality;
#[path = "loadtest/recordings.rs"]
mod recordings;
#[path = "loadtest/rewriting.rs"]
mod rewriting;
#[path = "loadtest/scoring.rs"]
mod scoring;
#[path = "loadtest/sessions.rs"]
mod sessions;
#[path = "loadtest/stand_in_model.rs"]
mod stand_in_model;
#[path = "loadtest/untouched.rs"]
mod untouched;
