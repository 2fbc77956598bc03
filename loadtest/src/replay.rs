//! `circinus-loadtest replay`: recorded sessions through the real gate, scored against the corpus's labels.

pub mod report;
pub mod run;
pub mod score;
pub mod source;
pub mod table;
pub mod zstd;

pub use circinus::replay::{
    answer, carried, describe, file_event, format, host_json, play, reconstruct, repository, rewrite,
    workspace,
};

use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use circinus_store::OpenError;
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use tempfile::TempDir;
use thiserror::Error;

use crate::daemon::{self, DaemonError, PrivateDaemon};
use crate::gate::Gate;
use crate::gate::socket::SocketGate;
use crate::gate::spawn::SpawnGate;
use crate::interrupt::StopFlag;
use crate::profile::Profile;
use play::{Speed, Stage};
use report::Report;
use run::{Plan, RunError};
use source::SourceError;

/// The command's arguments.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Options {
    /// A recording (.jsonl or .jsonl.zst), or a folder of recordings
    pub path: PathBuf,
    /// How strictly the private daemon judges
    #[arg(long, value_enum, default_value = "balanced")]
    pub profile: Profile,
    /// Pacing: `real` (gaps cut to 5 s), `max` (none), or so many times faster than real, such as `20x`
    #[arg(long, default_value = "max")]
    pub speed: Speed,
    /// Send each event through a real circinus-hook process instead of the socket
    #[arg(long)]
    pub spawn: bool,
    /// Write the report as JSON, too
    #[arg(long, value_name = "OUT")]
    pub json: Option<PathBuf>,
    /// At most N sessions of each file
    #[arg(long, value_name = "N")]
    pub limit_sessions: Option<usize>,
    /// Only every Nth session of each file
    #[arg(long, value_name = "N", default_value = "1")]
    pub every: NonZeroUsize,
    /// Sessions played at once
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// The daemon's program; `circinus` beside this program when absent
    #[arg(long, value_name = "PATH")]
    pub circinus: Option<PathBuf>,
    /// Where the scratch folder is made; the system's folder for temporary files when absent
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// Keep the scratch folder: workspaces, the daemon's home and its logs
    #[arg(long)]
    pub keep: bool,
}

impl Options {
    /// All sessions of `path`, one at a time, without pauses, through the socket of the daemon beside this program;
    /// nothing is written or kept.
    #[must_use]
    pub const fn of(path: PathBuf, profile: Profile) -> Self {
        Self {
            path,
            profile,
            speed: Speed::Max,
            spawn: false,
            json: None,
            limit_sessions: None,
            every: NonZeroUsize::MIN,
            jobs: 1,
            circinus: None,
            scratch: None,
            keep: false,
        }
    }
}

/// Why a replay gave no report.
#[derive(Debug, Error)]
pub enum ReplayError {
    /// The recordings.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The daemon.
    #[error(transparent)]
    Daemon(#[from] DaemonError),
    /// The daemon's database, read beside it.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The run.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The signal handler.
    #[error("cannot watch for signals: {0}")]
    Signals(#[from] ctrlc::Error),
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
    /// The progress bar's template.
    #[error("cannot draw a progress bar: {0}")]
    Progress(#[from] indicatif::style::TemplateError),
}

/// Plays the recordings through a daemon of its own.
///
/// # Errors
/// [`ReplayError`]; what goes wrong in a session or a file is in the report.
pub fn replay(options: &Options) -> Result<Report, ReplayError> {
    let report = replay_until(options, &StopFlag::on_signals()?)?;
    if let Some(path) = &options.json {
        let json = serde_json::to_vec_pretty(&report.json(options)).map_err(io::Error::from);
        json.and_then(|json| fs::write(path, json)).map_err(io_at("write", path))?;
    }
    Ok(report)
}

/// Plays the recordings through a daemon of its own until they end or `stop` is set; writes no report.
///
/// # Errors
/// As [`replay`].
pub fn replay_until(options: &Options, stop: &StopFlag) -> Result<Report, ReplayError> {
    replay_through(options, "", stop, |gate, _| Ok(gate))
}

/// As [`replay_until`], with `config` in the daemon's configuration besides the profile, and every gate wrapped; `wrap`
/// is given the daemon's database, too.
///
/// # Errors
/// As [`replay`].
pub fn replay_through(
    options: &Options,
    config: &str,
    stop: &StopFlag,
    wrap: impl Fn(Box<dyn Gate + Send>, &Path) -> Result<Box<dyn Gate + Send>, ReplayError>,
) -> Result<Report, ReplayError> {
    let files = source::files(&options.path)?;
    let program = daemon::program(options.circinus.as_deref())?;
    let scratch = scratch(options)?;
    let root = fs::canonicalize(scratch.path()).map_err(io_at("resolve", scratch.path()))?;
    let home = root.join("home");
    let daemon = PrivateDaemon::configured(&program, &root.join("state"), &home, options.profile, config)?;
    let stage = Stage { workspaces: home.join("w"), home, speed: options.speed, keep: options.keep };
    let gates = gates(options, &program, &daemon)?.into_iter();
    let gates = gates.map(|gate| wrap(gate, &daemon.database()?)).collect::<Result<_, ReplayError>>()?;
    let plan = Plan { files, every: options.every, sessions_max: options.limit_sessions };
    let bar = progress(&plan)?;
    let (watched, counted) = (bar.clone(), bar.clone());
    let mut played = 0_u64;
    let result = run::run(
        &plan,
        &stage,
        gates,
        stop,
        move |file| watched.wrap_read(file),
        |_| {
            played += 1;
            counted.set_message(format!("{played} sessions"));
        },
    );
    bar.finish_and_clear();
    let stopped = daemon.stop();
    let mut report = result?;
    if let Err(error) = stopped {
        report.fail(error.to_string());
    }
    if !options.keep {
        scratch.close().map_err(io_at("remove", &root))?;
    }
    Ok(report)
}

fn scratch(options: &Options) -> Result<TempDir, ReplayError> {
    let parent = options.scratch.clone().unwrap_or_else(std::env::temp_dir);
    let mut builder = tempfile::Builder::new();
    builder.prefix("circinus-replay-").disable_cleanup(options.keep);
    builder.tempdir_in(&parent).map_err(io_at("make a folder in", &parent))
}

fn gates(
    options: &Options,
    program: &Path,
    daemon: &PrivateDaemon,
) -> Result<Vec<Box<dyn Gate + Send>>, ReplayError> {
    let place = daemon.place()?;
    let hook = program.with_file_name("circinus-hook");
    let gate = || -> Box<dyn Gate + Send> {
        if options.spawn {
            Box::new(SpawnGate::new(&hook, daemon.environment()))
        } else {
            Box::new(SocketGate::new(place.clone()))
        }
    };
    Ok((0..options.jobs).map(|_| gate()).collect())
}

/// A bar over the bytes of all files; hidden where the error output is no terminal.
fn progress(plan: &Plan) -> Result<ProgressBar, ReplayError> {
    let mut bytes = 0;
    for path in &plan.files {
        bytes += fs::metadata(path).map_err(io_at("look at", path))?.len();
    }
    let style = ProgressStyle::with_template("{bar:40} {percent}% {msg}, {elapsed} gone, {eta} left")?;
    Ok(ProgressBar::new(bytes).with_style(style))
}

fn io_at(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> ReplayError {
    let path = path.to_owned();
    move |source| ReplayError::Io { operation, path, source }
}
