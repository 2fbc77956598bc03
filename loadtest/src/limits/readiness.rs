//! L14: verdicts that are there when the action comes.

use std::num::NonZeroUsize;

use super::promise::all;
use super::{LimitsError, Row, Setting};
use crate::interrupt::StopFlag;
use crate::profile::Profile;
use crate::readiness::{Options, measured};
use crate::replay;

/// Sessions that share one model.
const AGENTS: u16 = 4;

/// Measures L14 as `readiness` does; without recordings there is no pace to measure at.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Row>, LimitsError> {
    let Some(path) = setting.recordings.clone() else {
        return Ok(vec![Row::skipped(all::L14, "no recordings; name some with --recordings")]);
    };
    let every = setting.rounds(1, 10);
    let replay = replay::Options {
        every: NonZeroUsize::new(every).unwrap_or(NonZeroUsize::MIN),
        circinus: setting.circinus.clone(),
        scratch: Some(setting.scratch.clone()),
        ..replay::Options::of(path, Profile::Balanced)
    };
    let found = measured(&Options { replay, agents: AGENTS, seed: 1 }, &StopFlag::default())?;
    let told = format!(
        "{} ready, {} after a wait, {} not in time, of {} sessions; {} of {} contents for a model reused",
        found.ready, found.waited, found.not_ready, found.sessions, found.came_reused, found.came_routed
    );
    Ok(vec![Row::of(all::L14, found.percent(), told)])
}
