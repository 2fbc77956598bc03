//! A gate that lets verdicts come before the next call, as they do at an agent's pace.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use circinus_store::OpenError;
use serde::Deserialize;

use super::oracle::Oracle;
use super::seen::{Seen, recorded};
use crate::follow::Follower;
use crate::gate::{AskError, Gate, HookAnswer};
use crate::replay::format::names;

/// How long verdicts are waited for before one call. A stand-in answers at once, so that only a defect reaches it.
pub const SETTLING_MAX: Duration = Duration::from_secs(30);

/// How often the log is looked at meanwhile.
const LOOK: Duration = Duration::from_millis(1);

/// Waits before each call, and before the end of a session, until all that came in the session is judged.
pub struct Settling {
    gate: Box<dyn Gate + Send>,
    log: Follower,
    oracle: Arc<Oracle>,
    seen: Arc<Mutex<Seen>>,
    /// The session that is not waited for any more.
    given_up: Option<String>,
}

#[derive(Deserialize)]
struct Named {
    session_id: String,
    hook_event_name: String,
}

impl Settling {
    /// Wraps `gate`, whose daemon has its log in `database`.
    ///
    /// # Errors
    /// When the database cannot be opened.
    pub fn new(
        gate: Box<dyn Gate + Send>,
        database: &Path,
        oracle: Arc<Oracle>,
        seen: Arc<Mutex<Seen>>,
    ) -> Result<Self, OpenError> {
        Ok(Self { gate, log: Follower::open(database)?, oracle, seen, given_up: None })
    }

    fn seen(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn settle(&mut self, event: &[u8]) -> Result<(), String> {
        let named: Named = serde_json::from_slice(event).map_err(|error| error.to_string())?;
        if ![names::PRE_TOOL_USE, names::SESSION_END].contains(&named.hook_event_name.as_str()) {
            return Ok(());
        }
        let session = recorded(&named.session_id);
        self.read()?;
        if self.given_up.as_deref() == Some(session) || self.seen().is_settled(session) {
            return Ok(());
        }
        let began = Instant::now();
        let mut settled = false;
        while !settled && began.elapsed() < SETTLING_MAX {
            thread::sleep(LOOK);
            self.read()?;
            settled = self.seen().is_settled(session);
        }
        if !settled {
            self.given_up = Some(session.to_owned());
        }
        let mut seen = self.seen();
        seen.waits += 1;
        seen.in_vain += u64::from(!settled);
        Ok(())
    }

    /// Takes in what the log holds by now.
    fn read(&mut self) -> Result<(), String> {
        loop {
            let page = self.log.page().map_err(|error| error.to_string())?;
            if page.is_empty() {
                return Ok(());
            }
            let mut seen = self.seen();
            for recorded in &page {
                seen.note(&recorded.event, |content| {
                    let body = self.log.body(content)?;
                    Ok(self.oracle.find(&String::from_utf8_lossy(&body)).is_some())
                })?;
            }
        }
    }
}

impl Gate for Settling {
    fn at(&mut self, t_ms: u64) {
        self.gate.at(t_ms);
    }

    fn ask(&mut self, event: &[u8]) -> Result<HookAnswer, AskError> {
        if let Err(error) = self.settle(event) {
            self.seen().error.get_or_insert(error);
        }
        self.gate.ask(event)
    }
}
