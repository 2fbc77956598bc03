//! `circinus-loadtest readiness`: how often the verdict of a model is there when an action needs it.
//!
//! The recordings are played through a real daemon without a model, as fast as it answers: what reaches which
//! action does not depend on the pace. What a model would have been asked, and when its verdict would have come, is
//! then played in virtual time, at the recorded pace, with the product's own routing, queue and number of requests
//! under way. A benign verdict changes no decision, so the actions are the same with and without it.

mod pace;
pub mod table;
pub mod trace;

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use circinus_core::policy::Profile;
use clap::Args;
use serde::Serialize;
use thiserror::Error;

use crate::interrupt::StopFlag;
use crate::replay::{self, ReplayError};
pub use pace::{Pace, Readiness, play};
use trace::{Noting, Trace};

/// The command's arguments.
#[derive(Clone, Debug, Args, Serialize)]
#[group(skip)]
pub struct Options {
    /// What is replayed and how
    #[command(flatten)]
    pub replay: replay::Options,
    /// Sessions at once that share one model; the next begins when one has ended
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub agents: u16,
    /// Decides the latencies that are drawn
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
}

/// Why there are no figures.
#[derive(Debug, Error)]
pub enum ReadinessError {
    /// The replay.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The signal handler.
    #[error("cannot watch for signals: {0}")]
    Signals(#[from] ctrlc::Error),
    /// What the daemon recorded could not be read.
    #[error("cannot follow the daemon's log: {0}")]
    Log(String),
    /// A session was not played to its end.
    #[error("{count} sessions or files were not played to their end; hint: `replay` lists them")]
    Unplayed {
        /// How many.
        count: u64,
    },
    /// The report.
    #[error("cannot write `{}`: {source}", path.display())]
    Io {
        /// Where to.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Replays the recordings and plays the model in virtual time.
///
/// # Errors
/// [`ReadinessError`].
pub fn readiness(options: &Options) -> Result<Readiness, ReadinessError> {
    let found = measured(options, &StopFlag::on_signals()?)?;
    if let Some(path) = &options.replay.json {
        write(path, options, &found)?;
    }
    Ok(found)
}

/// As [`readiness`], until `stop` is set; writes no report.
///
/// # Errors
/// [`ReadinessError`].
pub fn measured(options: &Options, stop: &StopFlag) -> Result<Readiness, ReadinessError> {
    let trace = Arc::new(Mutex::new(Trace::default()));
    let report = replay::replay_through(&options.replay, "", stop, |gate, database| {
        Ok(Box::new(Noting::new(gate, database, Arc::clone(&trace))?))
    })?;
    if !report.is_clean() {
        let count = report.total().failures.total + report.errors().len() as u64;
        return Err(ReadinessError::Unplayed { count });
    }
    let trace = std::mem::take(&mut *trace.lock().unwrap_or_else(PoisonError::into_inner));
    if let Some(error) = trace.error {
        return Err(ReadinessError::Log(error));
    }
    let pace = Pace {
        agents: options.agents.into(),
        wait_ms_max: profile(options).wait_ms_max().into(),
        seed: options.seed,
    };
    Ok(play(&trace, pace))
}

fn profile(options: &Options) -> Profile {
    let named = |profile: &Profile| profile.name() == options.replay.profile.word();
    Profile::ALL.into_iter().find(named).unwrap_or_default()
}

fn write(path: &Path, options: &Options, found: &Readiness) -> Result<(), ReadinessError> {
    #[derive(Serialize)]
    struct Json<'a> {
        options: &'a Options,
        readiness: &'a Readiness,
        ready_percent: f64,
    }
    let json = Json { options, readiness: found, ready_percent: found.percent() };
    let json = serde_json::to_vec_pretty(&json).map_err(io::Error::from);
    json.and_then(|json| fs::write(path, json))
        .map_err(|source| ReadinessError::Io { path: path.to_owned(), source })
}
