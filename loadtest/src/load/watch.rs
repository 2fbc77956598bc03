//! What the daemon looks like while it is loaded.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::daemon::{DaemonError, DaemonStatus, PrivateDaemon};
use crate::proc;

/// Between two looks. Each starts one process, which the load should not notice.
const EVERY: Duration = Duration::from_secs(1);

/// One look at the daemon.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Look {
    /// Seconds since the start of the run.
    pub at_s: f64,
    /// Resident memory in megabytes of 1,000,000 bytes; none when the system did not say.
    pub resident_mb: Option<f64>,
    /// What it said of itself; none when it did not answer.
    pub status: Option<DaemonStatus>,
}

impl Look {
    /// Looks now.
    #[must_use]
    pub fn now(daemon: &PrivateDaemon, pid: u32, began: Instant) -> Look {
        let resident_mb = proc::resident_bytes(pid).ok().map(|bytes| bytes as f64 / 1e6);
        Look { at_s: began.elapsed().as_secs_f64(), resident_mb, status: daemon.status().ok() }
    }

    /// Share of the sensitive decisions so far whose evidence was there, in hundredths.
    #[must_use]
    pub fn readiness(&self) -> Option<f64> {
        let status = self.status?;
        let all = status.evidence_ready + status.evidence_waited + status.evidence_not_ready;
        (all > 0).then(|| 100.0 * status.evidence_ready as f64 / all as f64)
    }
}

/// Looks once a second until `ended` says so, and once more then.
///
/// # Errors
/// When the daemon does not say who it is.
pub fn watch(daemon: &PrivateDaemon, began: Instant, ended: &Receiver<()>) -> Result<Vec<Look>, DaemonError> {
    let pid = daemon.status()?.pid;
    let mut looks = Vec::new();
    loop {
        looks.push(Look::now(daemon, pid, began));
        if ended.recv_timeout(EVERY) != Err(RecvTimeoutError::Timeout) {
            looks.push(Look::now(daemon, pid, began));
            return Ok(looks);
        }
    }
}
