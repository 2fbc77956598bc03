//! `circinus-loadtest crash`: a daemon killed under load, over and over, and a checker of what it had promised.
//!
//! A seed decides everything but what the scheduler decides: the load, the instant or the step of the writer at
//! which the process is killed, and where a log is cut. A seed that fails names itself and keeps its folder.

mod check;
mod cut;
mod life;
mod load;
mod random;
pub mod stand_in;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use clap::{Args, ValueEnum};
use thiserror::Error;

use self::check::{Broken, Tally};
use crate::daemon::{self, DaemonError};
use crate::interrupt::StopFlag;

/// The command's arguments.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// How many seeds of each kind
    #[arg(long, default_value = "20")]
    pub seeds: u64,
    /// The first seed
    #[arg(long, default_value = "0")]
    pub first: u64,
    /// What happens to the daemon or its files
    #[arg(long, value_enum, default_values = ["kill", "step", "fault", "cut"], value_delimiter = ',')]
    pub kinds: Vec<Kind>,
    /// Seeds tried at once
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u16).range(1..=64))]
    pub jobs: u16,
    /// The daemon's program; `circinus` beside this program when absent
    #[arg(long, value_name = "PATH")]
    pub circinus: Option<PathBuf>,
    /// This program, for the daemon that is killed at a step of its writer; found by itself when absent
    #[arg(long, value_name = "PATH", hide = true)]
    pub stand_in: Option<PathBuf>,
}

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// The real daemon is killed at a random instant from its start on.
    Kill,
    /// The daemon is killed at a step of its writer: before, in and after COMMIT, before an acknowledgement, ...
    Step,
    /// A step of the writer fails as an I/O error would; the daemon lives on and is killed later.
    Fault,
    /// The write-ahead log loses its end at a random byte.
    Cut,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kill => "kill",
            Self::Step => "step",
            Self::Fault => "fault",
            Self::Cut => "cut",
        })
    }
}

/// Why a seed could not be tried; a promise that does not hold is `Broken` instead.
#[derive(Debug, Error)]
pub enum CrashError {
    /// The daemon's program.
    #[error(transparent)]
    Daemon(#[from] DaemonError),
    /// The operating system refused.
    #[error("cannot {operation}: {source}")]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The system's reason.
        source: std::io::Error,
    },
    /// The store or the daemon did what no promise covers.
    #[error("{0}")]
    Unexpected(String),
}

/// What all seeds of one kind came to.
#[derive(Debug, Default)]
pub struct Report {
    /// Seeds tried.
    pub seeds: u64,
    /// Sums over them.
    pub tally: Tally,
    /// Seeds for which something does not hold, or that could not be tried: seed, what, and the folder kept.
    pub failures: Vec<(u64, String, PathBuf)>,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Tally { lives, records, decisions, comparisons, lost, broken, differing } = &self.tally;
        writeln!(
            f,
            "{} seeds, {lives} lives, {records} records and {decisions} decisions acknowledged, {comparisons} states of the index compared",
            self.seeds
        )?;
        writeln!(
            f,
            "{lost} acknowledged lost, {broken} chains broken, {differing} index differences, {} seeds failed",
            self.failures.len()
        )?;
        for (seed, what, kept) in &self.failures {
            writeln!(f, "  seed {seed}: {what} ({})", kept.display())?;
        }
        Ok(())
    }
}

/// Tries every seed of one kind.
///
/// # Errors
/// When the programs are not there; what a single seed cannot do is in the report.
pub fn run(options: &Options, kind: Kind, stop: &StopFlag) -> Result<Report, CrashError> {
    let programs = Programs {
        circinus: daemon::program(options.circinus.as_deref())?,
        stand_in: match &options.stand_in {
            Some(path) => path.clone(),
            None => std::env::current_exe().map_err(io("find this program"))?,
        },
    };
    let next = AtomicU64::new(options.first);
    let end = options.first.saturating_add(options.seeds);
    let report = Mutex::new(Report::default());
    thread::scope(|scope| {
        for _ in 0..options.jobs {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end || stop.is_set() {
                        return;
                    }
                    let tried = try_seed(kind, seed, &programs);
                    report.lock().unwrap_or_else(PoisonError::into_inner).add(seed, tried);
                }
            });
        }
    });
    Ok(report.into_inner().unwrap_or_else(PoisonError::into_inner))
}

/// The programs of a run.
#[derive(Debug)]
struct Programs {
    circinus: PathBuf,
    stand_in: PathBuf,
}

/// What became of one seed.
type Tried = Result<Tally, (String, PathBuf, Tally)>;

impl Report {
    fn add(&mut self, seed: u64, tried: Tried) {
        self.seeds += 1;
        match tried {
            Ok(tally) => self.tally.add(&tally),
            Err((what, kept, tally)) => {
                self.tally.add(&tally);
                self.failures.push((seed, what, kept));
            }
        }
    }
}

fn try_seed(kind: Kind, seed: u64, programs: &Programs) -> Tried {
    let folder = tempfile::Builder::new().prefix("circinus-crash-").tempdir();
    let folder = folder.map_err(|error| (error.to_string(), PathBuf::new(), Tally::default()))?;
    let mut tally = Tally::default();
    let tried = match kind {
        Kind::Cut => cut::try_seed(seed, folder.path(), &mut tally),
        Kind::Kill | Kind::Step | Kind::Fault => {
            life::try_seed(kind, seed, folder.path(), programs, &mut tally)
        }
    };
    match tried {
        Ok(()) => Ok(tally),
        Err(failure) => Err((failure.to_string(), folder.keep(), tally)),
    }
}

/// Why a seed failed.
#[derive(Debug, Error)]
enum Failure {
    #[error(transparent)]
    Broken(#[from] Broken),
    #[error(transparent)]
    Crash(#[from] CrashError),
}

fn io(operation: &'static str) -> impl Fn(std::io::Error) -> CrashError {
    move |source| CrashError::Io { operation, source }
}

fn unexpected(error: impl fmt::Display) -> CrashError {
    CrashError::Unexpected(error.to_string())
}

/// The database in a home.
fn database(home: &Path) -> PathBuf {
    home.join("circinus.db")
}
