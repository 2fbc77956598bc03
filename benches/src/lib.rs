//! What only benches need: the promises that a bench ends with, and a rival of the automaton.
#![forbid(unsafe_code)]

pub mod anchored;

use std::path::PathBuf;

use circinus_loadtest::limits::{self, Options};

/// Measures some promises quickly and prints a line for each: the ratio that the bench is about.
#[allow(clippy::print_stderr, reason = "a bench reports")]
pub fn promises(ids: &[&str]) {
    let options = Options {
        quick: true,
        only: ids.iter().map(|id| (*id).to_owned()).collect(),
        repeat: 1,
        json: None,
        circinus: built(),
        peer: None,
        scratch: None,
        recordings: None,
    };
    if let Err(error) = limits::run(&options, |row| eprintln!("{row}")) {
        eprintln!("{}: skipped: {error}", ids.join(" "));
    }
}

/// The daemon's program in the folder that this bench was built into; its hook stands beside it.
fn built() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    Some(own.parent()?.with_file_name("circinus"))
}
