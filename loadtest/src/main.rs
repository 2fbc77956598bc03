//! The command line of the replay and load harness.

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use circinus_loadtest::crash::{self, stand_in};
use circinus_loadtest::interrupt::StopFlag;
use circinus_loadtest::limits::memory::Held;
use circinus_loadtest::load::report::LoadReport;
use circinus_loadtest::load::table;
use circinus_loadtest::{flood, instructions, limits, load, quality, readiness, replay, stress};
use clap::{Parser, Subcommand};

/// Replays recorded agent sessions, loads a private Circinus daemon, and measures it.
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
    /// Print what is stopped and what is interrupted, Circinus beside simpler defences, as Markdown
    ///
    /// Exit codes as for `replay`.
    Quality(quality::Options),
    /// Play a model's verdicts in virtual time beside recorded sessions, and print how many were ready
    ///
    /// Exit 0: at least 98 of 100 actions that need a verdict find it ready; 1: fewer, or an error.
    Readiness(readiness::Options),
    /// Kill a daemon under load, over and over, and check that nothing it had promised is lost
    ///
    /// Each seed has a home of its own. Exit 0: every promise held; 1: an error, or a seed that failed.
    Crash(crash::Options),
    /// Be the daemon of a crash that comes at a step of the writer (run by `crash`)
    #[command(hide = true)]
    Daemon(stand_in::Options),
    /// Measure every promise of speed against its floor in the same run
    ///
    /// One line for each: figure, target, and `met` or `missed`. Needs `cc` for two programs that do nothing. Exit 0:
    /// none was missed; 1: one was, or could not be measured.
    Limits(limits::Options),
    /// Send requests at a given rate, whatever the answers do, and print latencies
    ///
    /// Exit 0: every request was answered; 1: one was not, or an event could not be recorded.
    Load(load::Options),
    /// Play recorded sessions by many agents at once, each event through a real hook process
    ///
    /// Exit as `load`.
    Stress(stress::Options),
    /// Flood the socket with connections, slow clients and garbage, and measure hooks meanwhile
    ///
    /// Exit 0: every hook was answered, and was at most three times as slow as a program that does nothing; 1: not so.
    Flood(flood::Options),
    /// Two reports of `load` or `stress` beside each other
    Compare {
        /// The earlier one, as JSON
        a: PathBuf,
        /// The later one, as JSON
        b: PathBuf,
    },
    /// Count the instructions of the hook and of one decision under valgrind, against kept counts
    ///
    /// Counts do not depend on what else the machine does. Exit 0: none grew beyond its bound, or there is no
    /// valgrind; 1: one did.
    Instructions(instructions::Options),
    /// What the other commands start as a process of its own
    #[command(subcommand, hide = true)]
    Probe(Probe),
}

#[derive(Debug, Subcommand)]
enum Probe {
    /// Resident bytes of this process with some artifacts, and bytes of their operands' text
    Memory {
        /// What is held besides
        held: Held,
        /// How many operands
        operands: usize,
    },
    /// Some decisions over an index
    Decide {
        /// How many
        decisions: usize,
    },
}

fn main() -> ExitCode {
    let run = match Cli::parse().command {
        Command::Replay(options) => run_replay(&options),
        Command::Quality(options) => run_quality(&options),
        Command::Readiness(options) => run_readiness(&options),
        Command::Crash(options) => run_crash(&options),
        Command::Daemon(options) => return stand_in(&options),
        Command::Limits(options) => run_limits(&options),
        Command::Load(options) => load::run(&options).map_err(Into::into).and_then(|report| show(&report)),
        Command::Stress(options) => {
            stress::run(&options).map_err(Into::into).and_then(|report| show(&report))
        }
        Command::Flood(options) => run_flood(&options),
        Command::Compare { a, b } => compare(&a, &b),
        Command::Instructions(options) => run_instructions(&options),
        Command::Probe(probe) => run_probe(&probe),
    };
    match run {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            complain(&*error);
            ExitCode::FAILURE
        }
    }
}

/// Nothing is left to tell when even the error output is closed; the exit code says it.
fn complain(error: &dyn Error) {
    drop(writeln!(io::stderr(), "error: {error}"));
}

/// Whether every promise held.
fn run_crash(options: &crash::Options) -> Result<bool, Box<dyn Error>> {
    let stop = StopFlag::on_signals()?;
    let mut held = true;
    for kind in &options.kinds {
        let report = crash::run(options, *kind, &stop)?;
        held &= report.failures.is_empty() && report.seeds == options.seeds;
        say(&format!("{kind}: {report}"))?;
    }
    Ok(held)
}

/// Ends as the daemon would; a store that failed has a code of its own.
fn stand_in(options: &stand_in::Options) -> ExitCode {
    match stand_in::run(options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain(&error);
            ExitCode::from(error.code())
        }
    }
}

/// Whether all went well.
fn run_replay(options: &replay::Options) -> Result<bool, Box<dyn Error>> {
    let report = replay::replay(options)?;
    let mut text = String::new();
    replay::table::write(&mut text, &report)?;
    say(&text)?;
    Ok(report.is_clean())
}

/// Whether all went well.
fn run_quality(options: &quality::Options) -> Result<bool, Box<dyn Error>> {
    let quality = quality::quality(options)?;
    let mut text = String::new();
    quality::tables::write(&mut text, &quality)?;
    say(&text)?;
    Ok(quality.is_clean())
}

/// Whether the promise is kept.
fn run_readiness(options: &readiness::Options) -> Result<bool, Box<dyn Error>> {
    let found = readiness::readiness(options)?;
    let mut text = String::new();
    readiness::table::write(&mut text, &found)?;
    say(&text)?;
    Ok(limits::promise::all::L14.target.is_kept_by(found.percent()))
}

/// Whether all promises are kept.
fn run_limits(options: &limits::Options) -> Result<bool, Box<dyn Error>> {
    // A reader that is gone does not end a measurement that is also written as JSON.
    let report = limits::run(options, |row| drop(say(&format!("{row}\n"))))?;
    if options.repeat > 1 {
        say(&format!("\nmedians of {} runs\n", options.repeat))?;
        report.medians().iter().try_for_each(|row| say(&format!("{row}\n")))?;
    }
    Ok(report.is_kept())
}

/// Whether hooks were answered as ever.
fn run_flood(options: &flood::Options) -> Result<bool, Box<dyn Error>> {
    let report = flood::run(options)?;
    say(&report.to_string())?;
    Ok(report.is_kept())
}

/// Whether no count grew.
fn run_instructions(options: &instructions::Options) -> Result<bool, Box<dyn Error>> {
    let outcome = instructions::run(options)?;
    say(&format!("{outcome}"))?;
    Ok(outcome.is_kept())
}

fn run_probe(probe: &Probe) -> Result<bool, Box<dyn Error>> {
    match *probe {
        Probe::Memory { held, operands } => {
            let (resident, text) = limits::memory::probe(held, operands)?;
            say(&format!("{resident} {text}\n"))?;
        }
        Probe::Decide { decisions } => instructions::decide(decisions),
    }
    Ok(true)
}

/// Whether every request was answered.
fn show(report: &LoadReport) -> Result<bool, Box<dyn Error>> {
    let mut text = String::new();
    table::write(&mut text, report)?;
    say(&text)?;
    Ok(report.is_clean())
}

fn compare(a: &Path, b: &Path) -> Result<bool, Box<dyn Error>> {
    let mut text = String::new();
    table::compare(&mut text, &LoadReport::read(a)?, &LoadReport::read(b)?)?;
    say(&text)?;
    Ok(true)
}

fn say(text: &str) -> io::Result<()> {
    io::stdout().write_all(text.as_bytes())
}
