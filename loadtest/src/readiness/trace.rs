//! What of a replay bears on readiness: contents that came and actions that something reached, each with its time
//! in the recording.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use circinus_analyzer::provider::{Endpoint, Kind, Prices, Settings};
use circinus_analyzer::strong::Strong;
use circinus_analyzer::{content, route};
use circinus_core::action::Tier;
use circinus_core::digest::Digest;
use circinus_core::event::{Event, Recorded};
use circinus_core::id::ArtifactId;
use circinus_core::origin::Origin;
use circinus_store::OpenError;
use serde::Deserialize;

use crate::follow::Follower;
use crate::gate::{AskError, Gate, HookAnswer};

/// What happened in a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// A content was recorded.
    Came {
        /// Which.
        content: Digest,
        /// Its number in the log.
        sequence: u64,
        /// Whether it comes from an origin with little authority.
        low_origin: bool,
    },
    /// An action that cannot be undone was decided, and these contents reached it.
    Decided(Vec<Digest>),
}

/// All that was noted in a run.
#[derive(Debug, Default)]
pub struct Trace {
    /// By session: moments in order, each with milliseconds since the start of its session.
    pub sessions: BTreeMap<String, Vec<(u64, Moment)>>,
    /// How many requests a content needs; none of those that no model is asked about.
    pub requests: HashMap<Digest, u32>,
    /// Why it is not whole.
    pub error: Option<String>,
    pub(super) routed: HashSet<Digest>,
    pub(super) contents: HashMap<ArtifactId, Digest>,
}

/// A gate that notes what the daemon recorded for each event.
pub struct Noting {
    gate: Box<dyn Gate + Send>,
    log: Follower,
    /// Only its questions are of interest: it is never asked.
    strong: Option<Strong>,
    t_ms: u64,
    trace: Arc<Mutex<Trace>>,
}

#[derive(Deserialize)]
struct Named {
    session_id: String,
}

impl Noting {
    /// Wraps `gate`, whose daemon has its log in `database`.
    ///
    /// # Errors
    /// When the database cannot be opened.
    pub fn new(
        gate: Box<dyn Gate + Send>,
        database: &Path,
        trace: Arc<Mutex<Trace>>,
    ) -> Result<Noting, OpenError> {
        let log = Follower::open(database)?;
        let strong = Endpoint::parse(Kind::Ollama.endpoint()).ok().map(|endpoint| {
            let (kind, model, prices) = (Kind::Ollama, "played".into(), Prices::default());
            Strong::new(Settings { kind, model, endpoint, key: None, deadline: Duration::ZERO, prices })
        });
        Ok(Noting { gate, log, strong, t_ms: 0, trace })
    }

    fn note(&mut self, session: &str) -> Result<(), String> {
        loop {
            let page = self.log.page().map_err(|error| error.to_string())?;
            if page.is_empty() {
                return Ok(());
            }
            let mut trace = self.trace.lock().unwrap_or_else(PoisonError::into_inner);
            for recorded in &page {
                self.one(recorded, session, &mut trace)?;
            }
        }
    }

    fn one(&self, recorded: &Recorded, session: &str, trace: &mut Trace) -> Result<(), String> {
        let (of, moment) = match &recorded.event {
            Event::Ingested(artifact) => {
                let content = artifact.content;
                trace.contents.insert(ArtifactId(recorded.seq), content);
                if !artifact.analysed || artifact.origin == Origin::UserPrompt {
                    return Ok(());
                }
                self.route(content, trace)?;
                let (sequence, low_origin) = (recorded.seq.0, !artifact.origin.is_own());
                (&artifact.session, Moment::Came { content, sequence, low_origin })
            }
            Event::Decided(record) if record.explanation.tier >= Tier::T2 => {
                let influences = record.explanation.influences.iter();
                let artifacts = influences.filter_map(|influence| influence.artifact);
                let contents = artifacts.filter_map(|artifact| trace.contents.get(&artifact).copied());
                (&record.session, Moment::Decided(contents.collect()))
            }
            _ => return Ok(()),
        };
        // What other sessions brought meanwhile is noted by the gates that play them.
        if of.as_str() == session {
            trace.sessions.entry(session.to_owned()).or_default().push((self.t_ms, moment));
        }
        Ok(())
    }

    /// Decides once for each content whether a model is asked about it, and how often.
    fn route(&self, content: Digest, trace: &mut Trace) -> Result<(), String> {
        if !trace.routed.insert(content) {
            return Ok(());
        }
        let body = self.log.body(content)?;
        if route::reason(&content::judge(&body), &body).asks()
            && let Some(Ok(requests)) = self.strong.as_ref().map(|strong| strong.requests(&body))
        {
            // One that is too long counts as failed without being asked about: nothing is waited for.
            trace.requests.insert(content, u32::try_from(requests.len()).unwrap_or(u32::MAX));
        }
        Ok(())
    }
}

impl Gate for Noting {
    fn at(&mut self, t_ms: u64) {
        self.t_ms = t_ms;
    }

    fn ask(&mut self, event: &[u8]) -> Result<HookAnswer, AskError> {
        let answer = self.gate.ask(event)?;
        let named = serde_json::from_slice::<Named>(event).map_err(|error| error.to_string());
        if let Err(error) = named.and_then(|named| self.note(&named.session_id)) {
            self.trace.lock().unwrap_or_else(PoisonError::into_inner).error.get_or_insert(error);
        }
        Ok(answer)
    }
}
