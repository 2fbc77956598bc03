//! L16: a daemon that nobody speaks to.

use std::thread;
use std::time::{Duration, Instant};

use super::promise::all;
use super::{LimitsError, Row, Setting};
use crate::daemon::PrivateDaemon;
use crate::proc;

/// For what the start itself set in motion.
const SETTLE: Duration = Duration::from_secs(3);

/// Measures L16.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Row>, LimitsError> {
    let folder = setting.folder("idle")?;
    let daemon = setting.daemon(&folder)?;
    let watched = watch(&daemon, Duration::from_secs(setting.rounds(600, 60) as u64));
    daemon.stop()?;
    watched
}

fn watch(daemon: &PrivateDaemon, time: Duration) -> Result<Vec<Row>, LimitsError> {
    let pid = daemon.status()?.pid;
    thread::sleep(SETTLE);
    let (before, began) = (proc::voluntary_switches(pid)?, Instant::now());
    thread::sleep(time);
    let switches = proc::voluntary_switches(pid)? - before;
    let minutes = began.elapsed().as_secs_f64() / 60.0;
    let resident = proc::resident_bytes(pid)? as f64 / 1e6;
    Ok(vec![
        Row::of(all::L16_WAKES, switches as f64 / minutes, format!("{switches} in {minutes:.1} minutes")),
        Row::of(all::L16_MEMORY, resident, "all pages that are resident, the program's own included".into()),
    ])
}
