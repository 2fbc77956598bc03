//! Understanding: what a tool call would do, and what a text is.
//!
//! `command` turns a shell command line into effects, designators and flows, `call` does so for every tool
//! call. Neither reads a file, asks the environment or runs anything; facts about the machine arrive in
//! [`Surroundings`].
#![forbid(unsafe_code)]

pub mod call;
pub mod command;
mod consequence;
pub mod content;
pub mod overlay;
pub mod place;
pub mod pool;
pub mod provider;
pub mod redact;
pub mod route;
pub mod strong;
mod surroundings;

pub use call::{Source, Understanding, Who, understand};
pub use surroundings::{Real, Surroundings};
