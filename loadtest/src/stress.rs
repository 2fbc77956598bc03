//! `circinus-loadtest stress`: recorded sessions by many agents at once, each event through a real hook process.

use std::io;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use thiserror::Error;

use crate::gate::{AskError, Gate, HookAnswer};
use crate::interrupt::StopFlag;
use crate::load::plan::{Kind, REQUESTS_MAX};
use crate::load::record::{Done, Outcome};
use crate::load::report::{Header, LoadReport, Machine};
use crate::load::watch::watch;
use crate::load::{self, Ground, LoadError, Place};
use crate::process::Program;
use crate::profile::Profile;
use crate::replay::play::{Speed, Stage};
use crate::replay::run::{self, Plan, RunError};
use crate::replay::source::{self, Sessions, SourceError};

/// One program that does nothing is started for so many events.
const EVENTS_PER_NOOP: u64 = 8;

/// A pause of a recorded session that still counts as work.
const WORK_GAP_MS_MAX: u64 = 5 * 60 * 1_000;

/// The command's arguments.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// A recording (.jsonl or .jsonl.zst), or a folder of recordings
    pub path: PathBuf,
    /// Sessions played at once
    #[arg(long, value_name = "N", default_value = "32", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub agents: u16,
    /// Recorded hours to play at the least; the recordings are played again until they are reached
    #[arg(long, value_name = "H", default_value = "24")]
    pub hours: f64,
    /// Pacing: `real` (gaps cut to 5 s), `max` (none), or so many times faster than real, such as `20x`
    #[arg(long, default_value = "max")]
    pub speed: Speed,
    /// How strictly the private daemon judges
    #[arg(long, value_enum, default_value = "balanced")]
    pub profile: Profile,
    /// Where the report goes, and where the run takes place
    #[command(flatten)]
    pub place: Place,
}

/// Why there is no report.
#[derive(Debug, Error)]
pub enum StressError {
    /// The ground of the run.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The recordings.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// The run.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// What is played: how long it took when it was recorded.
#[derive(Clone, Copy, Debug, Default)]
struct Recorded {
    sessions: u64,
    /// Without the pauses in which nobody worked.
    worked: Duration,
}

/// Times each event, and now and then a program that does nothing at the same moment.
struct Timed {
    hook: Program,
    noop: Program,
    began: Instant,
    events: u64,
    done: Arc<Mutex<Vec<Done>>>,
}

impl Timed {
    fn note(&self, kind: Kind, from: Instant, outcome: Outcome) {
        let took = from.elapsed();
        let intended = from.saturating_duration_since(self.began);
        let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
        if done.len() < REQUESTS_MAX {
            done.push(Done { kind, intended, latency: took, service: took, outcome });
        }
    }
}

impl Gate for Timed {
    fn ask(&mut self, event: &[u8]) -> Result<HookAnswer, AskError> {
        self.events += 1;
        if self.events.is_multiple_of(EVENTS_PER_NOOP) {
            let from = Instant::now();
            self.noop.run(b"")?;
            self.note(Kind::Noop, from, Outcome::Silent);
        }
        let is_result = |name: &[u8]| event.windows(name.len()).any(|window| window == name);
        let kind = if is_result(b"\"hook_event_name\":\"PreToolUse\"") { Kind::Ask } else { Kind::Page };
        let from = Instant::now();
        let answer = self.hook.run(event);
        let outcome = match &answer {
            Ok((_, answer)) if answer.stdout.is_empty() => Outcome::Silent,
            Ok(_) => Outcome::Interrupted,
            Err(_) => Outcome::Failed,
        };
        self.note(kind, from, outcome);
        Ok(answer?.1)
    }
}

/// Plays the recordings.
///
/// # Errors
/// [`StressError`]; what goes wrong in a session is in the report.
pub fn run(options: &Options) -> Result<LoadReport, StressError> {
    let files = source::files(&options.path)?;
    let once = recorded(&files)?;
    let rounds = (options.hours * 3_600.0 / once.worked.as_secs_f64().max(1.0)).ceil().max(1.0);
    let plan =
        Plan { files: vec![files; rounds as usize].concat(), every: NonZeroUsize::MIN, sessions_max: None };
    let stop = StopFlag::on_signals().map_err(LoadError::from)?;
    let ground = Ground::new(&options.place, options.profile)?;
    let home = ground.root.join("home");
    let stage = Stage { workspaces: home.join("w"), home, speed: options.speed, keep: false };
    let (began, done) = (Instant::now(), Arc::new(Mutex::new(Vec::new())));
    let gates = (0..options.agents).map(|_| -> Box<dyn Gate + Send> {
        let (hook, noop) = (ground.hook.clone(), ground.noop.clone());
        Box::new(Timed { hook, noop, began, events: 0, done: Arc::clone(&done) })
    });
    let gates: Vec<_> = gates.collect();
    let sessions = once.sessions * rounds as u64;
    let bar = load::bar(sessions, "{bar:40} {pos} of {len} sessions, {elapsed} gone, {eta} left")?;
    let (ended, end) = mpsc::channel();
    let (looks, played) = thread::scope(|scope| {
        let daemon = &ground.daemon;
        let watcher = scope.spawn(move || watch(daemon, began, &end));
        let played = run::run(&plan, &stage, gates, &stop, |file| file, |_| bar.inc(1));
        drop(ended);
        (watcher.join(), played)
    });
    let seconds_run = began.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let looks = looks.map_err(|_| LoadError::Panicked)?.map_err(LoadError::from)?;
    let played = played?;
    let errors = played.errors().iter().cloned().chain(played.failures()).collect();
    let done = done.lock().unwrap_or_else(PoisonError::into_inner);
    let header = header(options, once, rounds);
    let report = LoadReport::of(header, seconds_run, &done, looks, errors).map_err(LoadError::from)?;
    ground.close()?;
    load::keep(&report, &options.place)?;
    Ok(report)
}

/// Looks through the recordings once.
fn recorded(files: &[PathBuf]) -> Result<Recorded, SourceError> {
    let mut all = Recorded::default();
    for path in files {
        for session in Sessions::open(path, |file| file)? {
            let session = session?;
            let gaps = session.events.windows(2).filter_map(|pair| match pair {
                [before, after] => Some(after.t_ms.saturating_sub(before.t_ms).min(WORK_GAP_MS_MAX)),
                _ => None,
            });
            all.worked += Duration::from_millis(gaps.sum());
            all.sessions += 1;
        }
    }
    Ok(all)
}

fn header(options: &Options, once: Recorded, rounds: f64) -> Header {
    let hours = once.worked.as_secs_f64() * rounds / 3_600.0;
    let what = [
        ("agents", options.agents.to_string()),
        ("sessions", (once.sessions * rounds as u64).to_string()),
        ("recorded hours of work (pauses cut to 5 min)", format!("{hours:.1}")),
        ("speed", options.speed.to_string()),
        ("way", "hook processes".to_owned()),
        ("profile", options.profile.word().to_owned()),
        ("noop", format!("one for {EVENTS_PER_NOOP} events")),
    ];
    let what = what.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    Header { what, machine: Machine::here() }
}

impl From<crate::process::ProgramError> for AskError {
    fn from(error: crate::process::ProgramError) -> AskError {
        let (operation, path, source): (&'static str, PathBuf, io::Error) = error.into_parts();
        AskError::Hook { operation, path, source }
    }
}
