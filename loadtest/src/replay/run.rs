//! A whole run: files in, sessions played in parallel, sums out.

use std::fs::File;
use std::io::Read;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};
use thiserror::Error;

use super::format::Session;
use super::play::{PlayError, Played, Stage, play};
use super::report::Report;
use super::source::{Sessions, SourceError};
use crate::gate::Gate;
use crate::interrupt::StopFlag;

/// After so many sessions in a row without an answer the run ends: the daemon is gone, and thousands of sessions
/// more would say the same.
const SILENT_SESSIONS_MAX: u32 = 8;

/// What to play.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The recordings.
    pub files: Vec<PathBuf>,
    /// One of so many sessions of each file.
    pub every: NonZeroUsize,
    /// At most so many sessions of each file.
    pub sessions_max: Option<usize>,
}

/// Why there are no sums at all.
#[derive(Debug, Error)]
pub enum RunError {
    /// The histograms.
    #[error("cannot make a histogram: {0}")]
    Histogram(#[from] hdrhistogram::CreationError),
    /// A thread of the run ended in a panic.
    #[error("a thread of the run panicked")]
    Panicked,
}

/// Plays the plan with one gate per job. `watch` wraps each file's raw reader; `seen` is called for each session
/// played. What goes wrong in a file or a session is in the report.
///
/// # Errors
/// [`RunError`].
pub fn run<R: Read + Send + 'static>(
    plan: &Plan,
    stage: &Stage,
    gates: Vec<Box<dyn Gate + Send>>,
    stop: &StopFlag,
    watch: impl Fn(File) -> R + Send,
    mut seen: impl FnMut(&Played),
) -> Result<Report, RunError> {
    let mut report = Report::new()?;
    // INVARIANT (bounded-replay): a producer that is ahead waits; at most three sessions per job are held.
    let (sessions_in, sessions) = bounded::<(u64, Session)>(gates.len());
    let (played_in, played) = bounded::<Played>(gates.len());
    let source_errors = thread::scope(|scope| {
        let producer = scope.spawn(move || produce(plan, stop, watch, &sessions_in));
        for mut gate in gates {
            let (sessions, played_in) = (sessions.clone(), played_in.clone());
            scope.spawn(move || work(&sessions, &played_in, stage, gate.as_mut(), stop));
        }
        drop((sessions, played_in));
        let mut silent = 0;
        for played in played {
            let unanswered = matches!(played.error, Some(PlayError::Ask(_)));
            silent = if unanswered { silent + 1 } else { 0 };
            if silent == SILENT_SESSIONS_MAX {
                stop.set();
            }
            seen(&played);
            report.count(&played)?;
        }
        producer.join().map_err(|_| RunError::Panicked)
    })?;
    for error in source_errors {
        report.fail(error.to_string());
    }
    if stop.is_set() {
        report.fail("the run was stopped before its end".to_owned());
    }
    Ok(report)
}

/// Reads the files one after another. One that is damaged ends early; the others go on.
fn produce<R: Read + Send + 'static>(
    plan: &Plan,
    stop: &StopFlag,
    watch: impl Fn(File) -> R,
    sessions_in: &Sender<(u64, Session)>,
) -> Vec<SourceError> {
    let mut errors = Vec::new();
    let mut number = 0;
    for path in &plan.files {
        let sessions = match Sessions::open(path, &watch) {
            Ok(sessions) => sessions,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        for session in sessions.step_by(plan.every.get()).take(plan.sessions_max.unwrap_or(usize::MAX)) {
            match session {
                Ok(session) => {
                    number += 1;
                    // The workers are gone only when the run has ended for another reason, which is reported.
                    if stop.is_set() || sessions_in.send((number, session)).is_err() {
                        return errors;
                    }
                }
                Err(error) => errors.push(error),
            }
        }
    }
    errors
}

fn work(
    sessions: &Receiver<(u64, Session)>,
    played_in: &Sender<Played>,
    stage: &Stage,
    gate: &mut dyn Gate,
    stop: &StopFlag,
) {
    for (number, session) in sessions {
        // A collector that is gone has failed, and that is the run's error.
        if played_in.send(play(session, number, stage, gate, stop)).is_err() {
            return;
        }
    }
}
