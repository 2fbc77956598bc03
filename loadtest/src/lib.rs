//! Replay, load and measurement for Circinus: plays recorded agent sessions through a private daemon and scores its
//! answers, loads it, and holds it to its promises of speed.
//!
//! Each command is a module of its own with `Options` and `run`; [`gate`] is the way to a decision (a socket or a
//! real hook process) and [`daemon`] the private daemon that every run starts and stops.

#![forbid(unsafe_code)]

pub mod crash;
pub mod flood;
pub mod follow;
pub mod gate;
pub mod instructions;
pub mod limits;
pub mod load;
pub mod proc;
pub mod process;
pub mod quality;
pub mod readiness;
pub mod replay;
pub mod stress;
pub mod workload;

pub use circinus::replay::{daemon, interrupt, profile};
