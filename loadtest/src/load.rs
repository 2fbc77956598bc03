//! `circinus-loadtest load`: requests at moments that were drawn before, whatever the answers do.

pub mod client;
pub mod html;
pub mod plan;
pub mod record;
pub mod report;
pub mod table;
pub mod watch;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicUsize;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};
use thiserror::Error;

use crate::daemon::{self, DaemonError, PrivateDaemon};
use crate::gate::socket::SocketGate;
use crate::gate::{AskError, Gate};
use crate::interrupt::StopFlag;
use crate::process::{Floors, Program, ProgramError};
use crate::profile::Profile;
use crate::workload::events::{Host, page_text};
use client::{Clients, Way};
use plan::{Kind, Weighted};
use report::{Header, LoadReport, Machine};

/// Links of one page while the index is filled.
const LINKS_PER_PAGE: usize = 250;

/// The command's arguments.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Clients at once; each waits for its answer before it takes the next request
    #[arg(long, value_name = "N", default_value = "16", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub clients: u16,
    /// Requests a second, all clients together
    #[arg(long, value_name = "N", default_value = "200", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub rate: u32,
    /// How long, in seconds
    #[arg(long, value_name = "S", default_value = "30", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    pub seconds: u64,
    /// What they do, with weights: ask (T1), push (T2 with a durable decision), page (durable ingest), noop (a
    /// program that does nothing, for comparison)
    #[arg(long, value_name = "MIX", default_value = "ask=60,push=10,page=30")]
    pub mix: Weighted<Kind>,
    /// Sizes of their events, with weights
    #[arg(long, value_name = "SIZES", default_value = "1k=80,16k=18,256k=2")]
    pub sizes: Weighted<usize>,
    /// Send each event through a real circinus-hook process instead of the socket
    #[arg(long)]
    pub spawn: bool,
    /// Operands that the index holds before the load begins
    #[arg(long, value_name = "N", default_value = "0")]
    pub operands: usize,
    /// Stop and start the daemon in the end and say how long the start took
    #[arg(long)]
    pub restart: bool,
    /// How strictly the private daemon judges
    #[arg(long, value_enum, default_value = "balanced")]
    pub profile: Profile,
    /// The same seed draws the same requests
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
    /// Where the report goes, and where the run takes place
    #[command(flatten)]
    pub place: Place,
}

/// Where a report goes, and where a run takes place.
#[derive(Clone, Debug, Args)]
pub struct Place {
    /// Write the report as JSON, too
    #[arg(long, value_name = "OUT")]
    pub json: Option<PathBuf>,
    /// Write the report as one HTML page with curves, too
    #[arg(long, value_name = "OUT")]
    pub html: Option<PathBuf>,
    /// The daemon's program, with `circinus-hook` in the same folder; `circinus` beside this program when absent
    #[arg(long, value_name = "PATH")]
    pub circinus: Option<PathBuf>,
    /// Where the scratch folder is made; the system's folder for temporary files when absent
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
}

/// Why there is no report.
#[derive(Debug, Error)]
pub enum LoadError {
    /// The private daemon.
    #[error(transparent)]
    Daemon(#[from] DaemonError),
    /// A question to it, before the load began.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// A program that does nothing.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The signal handler.
    #[error("cannot watch for signals: {0}")]
    Signals(#[from] ctrlc::Error),
    /// A histogram.
    #[error("cannot make a histogram: {0}")]
    Histogram(#[from] hdrhistogram::CreationError),
    /// The page.
    #[error(transparent)]
    Draw(#[from] html::DrawError),
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
    /// A thread of the run ended in a panic.
    #[error("a thread of the run panicked")]
    Panicked,
}

impl LoadError {
    fn io(operation: &'static str, path: &Path) -> impl Fn(io::Error) -> LoadError + use<> {
        let path = path.to_owned();
        move |source| LoadError::Io { operation, path: path.clone(), source }
    }
}

/// A scratch folder with a private daemon in it.
pub(crate) struct Ground {
    pub(crate) root: PathBuf,
    pub(crate) daemon: PrivateDaemon,
    pub(crate) hook: Program,
    pub(crate) noop: Program,
    scratch: tempfile::TempDir,
}

impl Ground {
    pub(crate) fn new(place: &Place, profile: Profile) -> Result<Ground, LoadError> {
        let program = daemon::program(place.circinus.as_deref())?;
        let parent = place.scratch.clone().unwrap_or_else(std::env::temp_dir);
        let scratch = tempfile::Builder::new().prefix("circinus-load-").tempdir_in(&parent);
        let scratch = scratch.map_err(LoadError::io("make a folder in", &parent))?;
        let root = fs::canonicalize(scratch.path()).map_err(LoadError::io("resolve", scratch.path()))?;
        let noop = Floors::build(&root)?.dynamic;
        let daemon = PrivateDaemon::start(&program, &root.join("state"), &root.join("home"), profile)?;
        let hook = Program::new(program.with_file_name("circinus-hook")).environment(daemon.environment());
        Ok(Ground { root, daemon, hook, noop, scratch })
    }

    pub(crate) fn close(self) -> Result<(), LoadError> {
        self.daemon.stop()?;
        self.scratch.close().map_err(LoadError::io("remove", &self.root))
    }
}

/// Loads a daemon of its own.
///
/// # Errors
/// [`LoadError`]; requests without an answer are in the report.
pub fn run(options: &Options) -> Result<LoadReport, LoadError> {
    let stop = StopFlag::on_signals()?;
    let mut ground = Ground::new(&options.place, options.profile)?;
    fill(&ground, options.operands)?;
    let mut report = load(options, &ground, stop)?;
    if options.restart {
        report.restart_s = Some(ground.daemon.restart()?.as_secs_f64());
    }
    ground.close()?;
    keep(&report, &options.place)?;
    Ok(report)
}

/// Writes a report to where it is wanted.
pub(crate) fn keep(report: &LoadReport, place: &Place) -> Result<(), LoadError> {
    if let Some(path) = &place.json {
        let json = serde_json::to_vec_pretty(report).map_err(io::Error::from);
        json.and_then(|json| fs::write(path, json)).map_err(LoadError::io("write", path))?;
    }
    if let Some(path) = &place.html {
        fs::write(path, html::page(report)?).map_err(LoadError::io("write", path))?;
    }
    Ok(())
}

/// One session reads pages until the index has its operands.
fn fill(ground: &Ground, operands: usize) -> Result<(), LoadError> {
    let mut gate = SocketGate::new(ground.daemon.place()?);
    let host = Host::new("load-fill", &ground.root.to_string_lossy());
    let pages = operands / LINKS_PER_PAGE;
    let bar = bar(pages as u64, "{bar:40} {percent}% of the index filled")?;
    for page in 0..pages {
        gate.ask(&host.page(page, &page_text(1_000_000 + page, LINKS_PER_PAGE, 0)))?;
        bar.inc(1);
    }
    bar.finish_and_clear();
    Ok(())
}

fn load(options: &Options, ground: &Ground, stop: StopFlag) -> Result<LoadReport, LoadError> {
    let length = Duration::from_secs(options.seconds);
    let plan = plan::draw(f64::from(options.rate), length, &options.mix, &options.sizes, options.seed);
    let bar = bar(plan.len() as u64, "{bar:40} {percent}% of the requests, {elapsed} gone, {eta} left")?;
    let way = match options.spawn {
        true => Way::Hook(ground.hook.clone()),
        false => Way::Socket(SocketGate::new(ground.daemon.place()?)),
    };
    let (noop, cwd) = (ground.noop.clone(), ground.root.clone());
    let clients = Clients { plan, way, noop, cwd, stop, next: AtomicUsize::new(0) };
    let seen = || bar.inc(1);
    let began = Instant::now();
    let (ended, end) = mpsc::channel();
    let (looks, parts) = thread::scope(|scope| {
        let watcher = scope.spawn(move || watch::watch(&ground.daemon, began, &end));
        let (clients, seen) = (&clients, &seen);
        let all: Vec<_> = (0..usize::from(options.clients))
            .map(|number| scope.spawn(move || clients.work(number, began, seen)))
            .collect();
        let parts: Vec<_> = all.into_iter().map(|client| client.join()).collect();
        drop(ended);
        (watcher.join(), parts)
    });
    let seconds_run = began.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let looks = looks.map_err(|_| LoadError::Panicked)??;
    let (mut done, mut errors) = (Vec::new(), Vec::new());
    for part in parts {
        let (part, failures) = part.map_err(|_| LoadError::Panicked)?;
        done.extend(part);
        errors.extend(failures);
    }
    Ok(LoadReport::of(header(options), seconds_run, &done, looks, errors)?)
}

fn header(options: &Options) -> Header {
    let way = if options.spawn { "hook processes" } else { "socket" };
    let what = [
        ("clients", options.clients.to_string()),
        ("requests a second", options.rate.to_string()),
        ("seconds", options.seconds.to_string()),
        ("mix", options.mix.to_string()),
        ("sizes in bytes", options.sizes.to_string()),
        ("way", way.to_owned()),
        ("operands before", options.operands.to_string()),
        ("profile", options.profile.word().to_owned()),
        ("seed", options.seed.to_string()),
    ];
    let what = what.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Header { what, machine: Machine::here() }
}

/// Hidden where the error output is no terminal.
pub(crate) fn bar(length: u64, template: &str) -> Result<ProgressBar, LoadError> {
    Ok(ProgressBar::new(length).with_style(ProgressStyle::with_template(template)?))
}
