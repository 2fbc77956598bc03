//! `circinus-loadtest limits`: every promise of speed with its floor measured in the same run.

mod analysis;
mod decision;
mod hook;
mod idle;
pub mod ingest;
pub mod memory;
pub mod promise;
mod readiness;
mod restart;
mod row;
pub mod sample;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use circinus_store::{AppendError, OpenError, ReplayError, StartError, SubmitError};
use clap::Args;
use serde::Serialize;
use thiserror::Error;

pub use promise::{Bound, Promise, Unit};
pub use row::{Report, Row, Word};

use crate::daemon::{self, DaemonError, PrivateDaemon};
use crate::gate::AskError;
use crate::proc::ProcError;
use crate::process::{Program, ProgramError};
use crate::profile::Profile;
use crate::readiness::ReadinessError;

/// The command's arguments.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Options {
    /// Fewer rounds and smaller indexes: a look in a few minutes, not a figure to quote
    #[arg(long)]
    pub quick: bool,
    /// Only these promises, such as `--only L5,L13`
    #[arg(long, value_name = "IDS", value_delimiter = ',')]
    pub only: Vec<String>,
    /// Run everything N times and give the medians
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=99))]
    pub repeat: u16,
    /// Write the report as JSON, too
    #[arg(long, value_name = "OUT")]
    pub json: Option<PathBuf>,
    /// The daemon's program, with `circinus-hook` in the same folder; `circinus` beside this program when absent
    #[arg(long, value_name = "PATH")]
    pub circinus: Option<PathBuf>,
    /// Another hook to time beside ours with the same event: a program with its arguments, apart by spaces
    #[arg(long, value_name = "COMMAND")]
    pub peer: Option<String>,
    /// Recorded sessions for L14: a file, or a folder of them
    #[arg(long, value_name = "PATH")]
    pub recordings: Option<PathBuf>,
    /// Where the scratch folder is made: its disk is what is measured; the system's folder when absent
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
}

/// Where and how much is measured.
#[derive(Clone, Debug)]
pub struct Setting {
    quick: bool,
    circinus: Option<PathBuf>,
    peer: Option<Program>,
    recordings: Option<PathBuf>,
    scratch: PathBuf,
}

impl Setting {
    /// A full measurement's number of rounds, or the quick one's.
    fn rounds(&self, full: usize, quick: usize) -> usize {
        if self.quick { quick } else { full }
    }

    /// The programs of the daemon and of its hook.
    fn programs(&self) -> Result<(PathBuf, PathBuf), DaemonError> {
        let circinus = daemon::program(self.circinus.as_deref())?;
        let hook = circinus.with_file_name("circinus-hook");
        Ok((circinus, hook))
    }

    /// A private daemon in `folder`.
    fn daemon(&self, folder: &Path) -> Result<PrivateDaemon, DaemonError> {
        let (circinus, _) = self.programs()?;
        PrivateDaemon::start(&circinus, &folder.join("state"), &folder.join("home"), Profile::Balanced)
    }

    /// A new folder of its own for one measurement.
    fn folder(&self, name: &str) -> Result<PathBuf, LimitsError> {
        let path = self.scratch.join(name);
        match fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(LimitsError::io("empty", &path)(error));
            }
            _ => {}
        }
        fs::create_dir_all(&path).map_err(LimitsError::io("create", &path))?;
        Ok(path)
    }
}

/// Why a measurement gave no figure.
#[derive(Debug, Error)]
pub enum LimitsError {
    /// The private daemon.
    #[error(transparent)]
    Daemon(#[from] DaemonError),
    /// A question to it.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// A program.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// What the system says of a process.
    #[error(transparent)]
    Proc(#[from] ProcError),
    /// A store.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Its writer.
    #[error(transparent)]
    Start(#[from] StartError),
    /// A commit that was not taken.
    #[error(transparent)]
    Submit(#[from] SubmitError),
    /// A commit that was not acknowledged.
    #[error(transparent)]
    Append(#[from] AppendError),
    /// A log that cannot be read.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A table that cannot be read.
    #[error(transparent)]
    Query(#[from] circinus_store::QueryError),
    /// A line of the corpus.
    #[error("not a line of the corpus: {0}")]
    Json(#[from] serde_json::Error),
    /// The operating system refused.
    #[error("cannot {operation} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The hook said something to a call that should simply run, so its time would be that of another way.
    #[error("the hook answered (exit {exit}): {said}; hint: this is no measurement of an allowed call")]
    Answer {
        /// Its exit code.
        exit: i32,
        /// Its standard output.
        said: String,
    },
    /// The sessions behind L14.
    #[error(transparent)]
    Readiness(#[from] ReadinessError),
    /// A thread or a process of the measurement ended without a figure.
    #[error("a part of the measurement ended without a figure")]
    Lost,
    /// An id that no promise has.
    #[error("no promise `{id}`; hint: they are L0 to L17")]
    Unknown {
        /// What was asked for.
        id: String,
    },
}

impl LimitsError {
    fn io(operation: &'static str, path: &Path) -> impl Fn(io::Error) -> LimitsError + use<> {
        let path = path.to_owned();
        move |source| LimitsError::Io { operation, path: path.clone(), source }
    }
}

/// One measurement and the promises that it tells of.
type Group = (&'static [&'static str], fn(&Setting) -> Result<Vec<Row>, LimitsError>);

const GROUPS: [Group; 7] = [
    (&["L0", "L1", "L2", "L3", "L4", "L17"], hook::measure),
    (&["L5", "L6", "L7", "L8"], ingest::measure),
    (&["L9", "L10", "L12"], decision::measure),
    (&["L11"], memory::measure),
    (&["L13"], restart::measure),
    (&["L14"], readiness::measure),
    (&["L15"], analysis::measure),
];

/// Ten minutes of silence: last, because everything else would disturb it.
const IDLE: Group = (&["L16"], idle::measure);

/// Measures what the options name; `told` is given each figure when it is there.
///
/// # Errors
/// When nothing can be measured at all; a single measurement that failed is a row.
pub fn run(options: &Options, mut told: impl FnMut(&Row)) -> Result<Report, LimitsError> {
    let parent = options.scratch.clone().unwrap_or_else(std::env::temp_dir);
    let scratch = tempfile::Builder::new().prefix("circinus-limits-").tempdir_in(&parent);
    let scratch = scratch.map_err(LimitsError::io("make a folder in", &parent))?;
    let root = fs::canonicalize(scratch.path()).map_err(LimitsError::io("resolve", scratch.path()))?;
    let peer = options.peer.as_deref().and_then(program);
    let setting = Setting {
        quick: options.quick,
        circinus: options.circinus.clone(),
        peer,
        recordings: options.recordings.clone(),
        scratch: root,
    };
    let groups = chosen(&options.only)?;
    let mut report = Report::default();
    for _ in 0..options.repeat {
        for (ids, measure) in &groups {
            let rows = measure(&setting).unwrap_or_else(|error| vec![Row::failed(ids, &error)]);
            let wanted = |row: &Row| options.only.is_empty() || options.only.iter().any(|id| id == row.id());
            for row in rows.into_iter().filter(wanted) {
                told(&row);
                report.add(row);
            }
        }
    }
    scratch.close().map_err(LimitsError::io("remove", &setting.scratch))?;
    if let Some(path) = &options.json {
        let json = serde_json::to_vec_pretty(&report.json(options))?;
        fs::write(path, json).map_err(LimitsError::io("write", path))?;
    }
    Ok(report)
}

fn program(command: &str) -> Option<Program> {
    let mut words = command.split_whitespace();
    let program = Program::new(words.next()?);
    Some(words.fold(program, Program::argument))
}

fn chosen(only: &[String]) -> Result<Vec<Group>, LimitsError> {
    let all = || GROUPS.into_iter().chain([IDLE]);
    if let Some(id) = only.iter().find(|id| !all().any(|(ids, _)| ids.contains(&id.as_str()))) {
        return Err(LimitsError::Unknown { id: id.clone() });
    }
    let wanted = |(ids, _): &Group| only.is_empty() || only.iter().any(|id| ids.contains(&id.as_str()));
    Ok(all().filter(wanted).collect())
}
