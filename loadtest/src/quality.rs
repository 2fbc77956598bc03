//! `circinus-loadtest quality`: what is stopped and what is interrupted, Circinus beside two simpler defences, and with a
//! stand-in for the user's model.

pub mod arm;
pub mod frame;
pub mod kind;
pub mod model;
pub mod reading;
mod stand_in_tables;
pub mod tables;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::Args;
use serde::Serialize;
use thiserror::Error;

use crate::interrupt::StopFlag;
use crate::profile::Profile;
use crate::replay::play::Played;
use crate::replay::report::Report;
use crate::replay::source::{self, Sessions, SourceError};
use crate::replay::{self, ReplayError};
use arm::Arm;
use kind::Missing;
use model::StandIn;
use model::seen::{Seen, Sums};
use reading::Reading;

/// The command's arguments.
#[derive(Clone, Debug, Args, Serialize)]
pub struct Options {
    /// A corpus: recordings of real work in `sessions/`, of attacks and of clean runs in `attacks/`
    #[arg(long, value_name = "DIR")]
    pub corpus: PathBuf,
    /// Profiles in which Circinus plays
    #[arg(long, value_enum, value_delimiter = ',', default_value = "balanced,strict")]
    pub profiles: Vec<Profile>,
    /// Write all figures as JSON, too
    #[arg(long, value_name = "OUT")]
    pub json: Option<PathBuf>,
    /// Only every Nth session of each recording: a sample, not a score
    #[arg(long, value_name = "N", default_value = "1")]
    pub every: NonZeroUsize,
    /// Sessions played at once
    #[arg(long, value_name = "N", default_value = "2", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub jobs: u16,
    /// The daemon's program; `circinus` beside this program when absent
    #[arg(long, value_name = "PATH")]
    pub circinus: Option<PathBuf>,
    /// Where the scratch folders are made; the system's folder for temporary files when absent
    #[arg(long, value_name = "DIR")]
    pub scratch: Option<PathBuf>,
    /// Play Circinus once more with a stand-in for the user's model: 90 % recall, 3 % false positives
    ///
    /// It is no model: it knows from the corpus which texts carry an attack and errs as often as that. Every call waits
    /// until all that came before it is judged, as at an agent's pace.
    #[arg(long)]
    pub stand_in_model: bool,
    /// Decides on which texts the stand-in errs
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
}

/// Why there are no figures.
#[derive(Debug, Error)]
pub enum QualityError {
    /// A replay.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A recording.
    #[error(transparent)]
    Source(#[from] SourceError),
    /// A recorded event that the host adapter does not read.
    #[error("session `{session}`: {reason}")]
    Event {
        /// Session of the recording.
        session: String,
        /// The adapter's words.
        reason: String,
    },
    /// The histograms.
    #[error("cannot make a histogram: {0}")]
    Histogram(#[from] hdrhistogram::CreationError),
    /// The signal handler.
    #[error("cannot watch for signals: {0}")]
    Signals(#[from] ctrlc::Error),
    /// The stand-in for a model.
    #[error("cannot listen on loopback: {0}")]
    Provider(io::Error),
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
}

/// What one defence did on the whole corpus.
#[derive(Debug)]
pub struct Scored {
    /// Its name and, where it has one, its profile.
    pub name: String,
    /// On real work.
    pub sessions: Report,
    /// On attacks and clean suites.
    pub attacks: Report,
}

/// What Circinus did with a stand-in for the user's model.
#[derive(Debug)]
pub struct StoodIn {
    /// The decisions.
    pub scored: Scored,
    /// What became of the contents of real work.
    pub sessions: Seen,
    /// What became of the contents of attacks and clean suites.
    pub attacks: Seen,
}

/// An attack session as its recording shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nature {
    /// What lineage would lack to see it.
    pub missing: Missing,
    /// Whether an attack call carries something that had been read.
    pub carried: bool,
    /// Whether the attack's text speaks to the model.
    pub framed: bool,
}

impl Nature {
    /// Looks at a session.
    #[must_use]
    pub fn of(reading: &Reading) -> Nature {
        Nature { missing: kind::of(reading), carried: reading.carried, framed: frame::is_framed(reading) }
    }
}

/// All figures of a run.
#[derive(Debug)]
pub struct Quality {
    /// The simpler defences first.
    pub scored: Vec<Scored>,
    /// Circinus with a stand-in for the user's model, if that was asked for.
    pub stood_in: Vec<StoodIn>,
    /// What is to be known of each attack session without playing it.
    pub natures: BTreeMap<String, Nature>,
    /// One session of so many was played.
    pub every: NonZeroUsize,
}

impl Quality {
    /// Whether every session was played to its end by every defence.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        let stood_in = self.stood_in.iter().map(|stood_in| &stood_in.scored);
        self.scored
            .iter()
            .chain(stood_in)
            .all(|scored| scored.sessions.is_clean() && scored.attacks.is_clean())
    }

    /// All figures as JSON; `options` says how they were made.
    #[must_use]
    pub fn json<'a>(&'a self, options: &'a Options) -> impl Serialize + 'a {
        #[derive(Serialize)]
        struct Json<A: Serialize, B: Serialize> {
            name: String,
            sessions: A,
            attacks: B,
            #[serde(skip_serializing_if = "Option::is_none")]
            stand_in: Option<[StandInJson; 2]>,
        }
        #[derive(Serialize)]
        struct StandInJson {
            part: &'static str,
            carry_an_attack: Sums,
            carry_none: Sums,
        }
        let stand_in = |part, seen: &Seen| StandInJson {
            part,
            carry_an_attack: seen.sums(true),
            carry_none: seen.sums(false),
        };
        let json = |scored: &'a Scored, stand_in| Json {
            name: scored.name.clone(),
            sessions: scored.sessions.json(options),
            attacks: scored.attacks.json(options),
            stand_in,
        };
        let own = self.scored.iter().map(|scored| json(scored, None));
        let stood_in = self.stood_in.iter().map(|it| {
            json(&it.scored, Some([stand_in("sessions", &it.sessions), stand_in("attacks", &it.attacks)]))
        });
        own.chain(stood_in).collect::<Vec<_>>()
    }
}

/// Plays the corpus through every defence.
///
/// # Errors
/// [`QualityError`]; what goes wrong in a session is in the reports.
pub fn quality(options: &Options) -> Result<Quality, QualityError> {
    quality_until(options, &StopFlag::on_signals()?)
}

/// As [`quality`], ended early by `stop`.
///
/// # Errors
/// [`QualityError`]; what goes wrong in a session is in the reports.
pub fn quality_until(options: &Options, stop: &StopFlag) -> Result<Quality, QualityError> {
    let (mut scored, natures) = simple(options)?;
    for profile in &options.profiles {
        let replayed = |part: &str| replay::replay_until(&replay_options(options, *profile, part), stop);
        scored.push(Scored {
            name: format!("Circinus, {}", profile.word()),
            sessions: replayed("sessions")?,
            attacks: replayed("attacks")?,
        });
    }
    let stood_in = if options.stand_in_model { stood_in(options, stop)? } else { Vec::new() };
    let quality = Quality { scored, stood_in, natures, every: options.every };
    if let Some(path) = &options.json {
        let json = serde_json::to_vec_pretty(&quality.json(options)).map_err(io::Error::from);
        json.and_then(|json| fs::write(path, json)).map_err(io_at("write", path))?;
    }
    Ok(quality)
}

/// Circinus in every profile with a stand-in for the user's model.
fn stood_in(options: &Options, stop: &StopFlag) -> Result<Vec<StoodIn>, QualityError> {
    let stand_in = StandIn::start(options)?;
    let mut all = Vec::new();
    for profile in &options.profiles {
        let replayed = |part: &str| stand_in.replay(&replay_options(options, *profile, part), stop);
        let name = format!("Circinus with a stand-in, {}", profile.word());
        let ((sessions, seen_sessions), (attacks, seen_attacks)) =
            (replayed("sessions")?, replayed("attacks")?);
        let scored = Scored { name, sessions, attacks };
        all.push(StoodIn { scored, sessions: seen_sessions, attacks: seen_attacks });
    }
    Ok(all)
}

fn replay_options(options: &Options, profile: Profile, part: &str) -> replay::Options {
    replay::Options {
        every: options.every,
        jobs: options.jobs,
        circinus: options.circinus.clone(),
        scratch: options.scratch.clone(),
        ..replay::Options::of(options.corpus.join(part), profile)
    }
}

/// The simpler defences, and what is known of attack sessions; both need the recordings only.
fn simple(options: &Options) -> Result<(Vec<Scored>, BTreeMap<String, Nature>), QualityError> {
    let mut scored = Vec::new();
    for arm in Arm::ALL {
        scored.push(Scored {
            name: arm.name().to_owned(),
            sessions: Report::new()?,
            attacks: Report::new()?,
        });
    }
    let mut natures = BTreeMap::new();
    each_reading(options, "sessions", |reading| {
        for (arm, scored) in Arm::ALL.iter().zip(&mut scored) {
            scored.sessions.count(&arm.play(reading))?;
        }
        Ok(())
    })?;
    each_reading(options, "attacks", |reading| {
        if reading.attack {
            natures.insert(reading.id.clone(), Nature::of(reading));
        }
        for (arm, scored) in Arm::ALL.iter().zip(&mut scored) {
            scored.attacks.count(&arm.play(reading))?;
        }
        Ok(())
    })?;
    Ok((scored, natures))
}

fn each_reading(
    options: &Options,
    part: &str,
    mut visit: impl FnMut(&Reading) -> Result<(), QualityError>,
) -> Result<(), QualityError> {
    for path in source::files(&options.corpus.join(part))? {
        for session in Sessions::open(&path, |file| file)?.step_by(options.every.get()) {
            visit(&Reading::of(&session?)?)?;
        }
    }
    Ok(())
}

/// A session that was not really played, for the same sums.
fn unplayed(reading: &Reading) -> Played {
    Played {
        suite: reading.suite.clone(),
        id: reading.id.clone(),
        attack: reading.attack,
        why: reading.why.clone(),
        carried: reading.carried,
        calls: Vec::new(),
        pre: Vec::new(),
        post: Vec::new(),
        files: replay::workspace::FileCounts::default(),
        back: None,
        error: None,
    }
}

fn io_at(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> QualityError {
    let path = path.to_owned();
    move |source| QualityError::Io { operation, path, source }
}
