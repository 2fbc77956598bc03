//! What the sessions have read, kept in memory to look for plain values, copied code and pieces of URLs in it.
//!
//! A value has no form of its own that an extraction could find, so the needle is the argument. Only T1 and
//! above pay for the search, and only calls that name something by a plain value.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use circinus_core::action::{Action, Role, Sighting, SlotValue, Tier};
use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event};
use circinus_core::id::SessionId;
use circinus_core::index::Snapshot;
use circinus_core::operand::{Hit, Kind, Operand};
use circinus_core::origin::Origin;
use circinus_core::port;
use circinus_core::view::ViewChain;
use circinus_store::Reader;

/// Bytes kept; beyond it the oldest texts go, and a value in them is not seen any more.
const KEPT_BYTES_MAX: usize = 128 << 20;

/// Bytes searched for one action, newest text first.
const SEARCHED_BYTES_MAX: usize = 64 << 20;

/// Bytes compared to explain the pieces of one URL, pieces times text; beyond it they count as unexplained.
const EXPLAINED_BYTES_MAX: usize = 256 << 20;

/// Designators of one action that are looked for, with what they bring.
const DESIGNATORS_MAX: usize = 256;

#[derive(Debug, Default)]
struct Kept {
    texts: HashMap<Digest, Arc<str>>,
    order: VecDeque<Digest>,
    bytes: usize,
}

/// Texts by the digest of their bytes.
#[derive(Debug, Default)]
pub struct Texts {
    kept: Mutex<Kept>,
    /// Where a text is found that is no longer in memory; none without a store.
    database: Option<PathBuf>,
}

impl port::Texts for Texts {
    /// From memory; what newer texts have pushed out is read from the store. Only a text that shares
    /// fingerprints with what is composed is asked for.
    fn text(&self, content: &Digest) -> Option<Arc<str>> {
        self.held(content).or_else(|| {
            let reader = Reader::open(self.database.as_ref()?).ok()?;
            let body = reader.body(*content).ok()??;
            String::from_utf8(body.into_vec()).ok().map(Arc::from)
        })
    }
}

impl Texts {
    /// No texts yet, with the store behind them.
    pub fn over(database: &Path) -> Self {
        Self { kept: Mutex::default(), database: Some(database.to_owned()) }
    }

    /// Keeps the text of an artifact that is about to be committed.
    pub fn hold(&self, commit: &Commit) {
        if let (Event::Ingested(artifact), Some(body)) = (&commit.event, &commit.body) {
            self.keep(artifact.content, body);
        }
    }

    /// Fetches the newest texts after a start.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    pub fn reload(&self, snapshot: &Snapshot) -> io::Result<()> {
        let Some(database) = &self.database else { return Ok(()) };
        let mut wanted = Vec::new();
        let mut bytes = 0_u64;
        for (_, artifact) in snapshot.artifacts().filter(|(_, artifact)| artifact.analysed) {
            bytes += artifact.bytes;
            if bytes > KEPT_BYTES_MAX as u64 {
                break;
            }
            wanted.push(artifact.content);
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let reader = Reader::open(database).map_err(io::Error::other)?;
        for content in wanted.into_iter().rev() {
            let body = reader.body(content).map_err(io::Error::other)?;
            body.into_iter().for_each(|body| self.keep(content, &body));
        }
        Ok(())
    }

    /// Where the plain values of an action stand in what its session has read, and where any designator stands
    /// in a text that holds more than the index keeps.
    pub fn sightings(&self, action: &Action, snapshot: &Snapshot) -> Vec<Sighting> {
        let all = designators(action);
        let values: Vec<&Operand> = all.iter().copied().filter(|one| one.kind() == Kind::Value).collect();
        if all.is_empty() || action.tier < Tier::T1 {
            return Vec::new();
        }
        let mut found = Vec::new();
        let mut searched = 0;
        for (id, artifact) in snapshot.seen(&action.session) {
            let wanted = if artifact.is_partly_read() { &all } else { &values };
            let text = if wanted.is_empty() { None } else { self.held(&artifact.content) };
            let Some(text) = text else { continue };
            searched += text.len();
            if searched > SEARCHED_BYTES_MAX {
                break;
            }
            found.extend(wanted.iter().filter_map(|value| {
                let range = value.spelled_in(&text)?;
                let hit = Hit {
                    operand: Operand::clone(value),
                    views: ViewChain::default(),
                    start: u32::try_from(range.start).ok()?,
                    end: u32::try_from(range.end).ok()?,
                };
                Some(Sighting { artifact: id, hit })
            }));
        }
        found.sort_by_key(|sighting| sighting.artifact);
        found
    }

    /// Of some pieces, those that stand in no text that the session has read, newest first.
    pub fn unexplained(
        &self,
        mut pieces: Vec<String>,
        session: &SessionId,
        snapshot: &Snapshot,
    ) -> Vec<String> {
        let mut searched = 0;
        for (_, artifact) in snapshot.seen(session) {
            // What the agent wrote itself explains nothing.
            if pieces.is_empty() || artifact.origin == Origin::AgentText {
                continue;
            }
            let Some(text) = self.held(&artifact.content) else { continue };
            searched += text.len() * pieces.len();
            if searched > EXPLAINED_BYTES_MAX {
                break;
            }
            pieces.retain(|piece| !text.contains(piece.as_str()));
        }
        pieces
    }

    fn keep(&self, content: Digest, body: &[u8]) {
        let Ok(text) = std::str::from_utf8(body) else { return };
        let mut kept = self.lock();
        if kept.texts.contains_key(&content) || text.len() > KEPT_BYTES_MAX {
            return;
        }
        kept.bytes += text.len();
        kept.texts.insert(content, Arc::from(text));
        kept.order.push_back(content);
        while kept.bytes > KEPT_BYTES_MAX {
            let Some(oldest) = kept.order.pop_front() else { break };
            let gone = kept.texts.remove(&oldest).map_or(0, |text| text.len());
            kept.bytes -= gone;
        }
    }

    /// The text of a content, where it is still in memory.
    pub fn held(&self, content: &Digest) -> Option<Arc<str>> {
        self.lock().texts.get(content).cloned()
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        // Valid between any two statements, so a panic elsewhere does not spoil it.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn designators(action: &Action) -> Vec<&Operand> {
    let designators = action.slots.iter().filter(|slot| slot.role == Role::Designator);
    let operands = designators.filter_map(|slot| match &slot.value {
        SlotValue::Operands(operands) => Some(operands),
        _ => None,
    });
    operands.flatten().take(DESIGNATORS_MAX).collect()
}
