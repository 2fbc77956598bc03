//! The command line of the replay and load harness.

use std::io::{self, Write};
use std::process::ExitCode;

use circinus_loadtest::replay::{self, ReplayError, table};
use clap::{Parser, Subcommand};

/// Replays recorded agent sessions through a private Circinus daemon and scores its answers.
#[derive(Debug, Parser)]
#[command(name = "circinus-loadtest", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Play recorded sessions and print decisions against labels, and latencies
    ///
    /// Each session gets scratch folders in place of its recorded ones, with the files that it read. No recorded
    /// command is ever run. Exit 0: all sessions were played to their end; 1: an error, also one of a single session.
    Replay(replay::Options),
}

fn main() -> ExitCode {
    let Command::Replay(options) = Cli::parse().command;
    match run_replay(&options) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            // Nothing is left to tell when even the error output is closed; the exit code says it.
            drop(writeln!(io::stderr(), "error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// Whether all went well.
fn run_replay(options: &replay::Options) -> Result<bool, ReplayError> {
    let report = replay::replay(options)?;
    let mut text = String::new();
    let printed = table::write(&mut text, &report).map_err(io::Error::other);
    let printed = printed.and_then(|()| io::stdout().write_all(text.as_bytes()));
    printed.map_err(|source| ReplayError::Print { source })?;
    Ok(report.is_clean())
}
