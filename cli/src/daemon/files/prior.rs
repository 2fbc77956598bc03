//! What lay at the places of a call before it ran. The announcement comes first, so the bytes that an edit or
//! a move takes away can still be explained then.
//!
//! Kept in memory only: a call whose announcement is forgotten (a restart, too many calls at once) finds
//! nothing here, and what it changed in place is unexplained.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::fs;
use std::sync::{Arc, Mutex, PoisonError};

use circinus_core::action::{FileWrite, WriteSource};
use circinus_core::id::{CallId, SessionId};
use circinus_core::operand::Operand;
use circinus_core::time::UnixMillis;

use super::explain::{Explained, Scene, explain};

/// Calls remembered. Each agent has a few at once; a result that comes later than so many announcements finds
/// nothing.
const CALLS_MAX: usize = 1_024;

/// Places looked at for one call.
const PLACES_MAX: usize = 64;

/// What lay at a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nothing.
    Absent,
    /// A folder, with what explains it as a whole.
    Folder(Explained),
    /// A file.
    File(Explained),
}

/// The places of one call before it ran.
#[derive(Clone, Debug)]
pub(crate) struct Prior {
    /// When they were looked at.
    pub(crate) began: UnixMillis,
    places: BTreeMap<Box<str>, Place>,
}

impl Prior {
    /// What lay there; none where nobody looked.
    pub(crate) fn at(&self, path: &Operand) -> Option<&Place> {
        self.places.get(path.canonical())
    }

    /// Looks at the places that a call would write, and at those that it would take the bytes from.
    pub(crate) fn look(writes: &[FileWrite], edits: bool, began: UnixMillis, scene: &Scene<'_>) -> Self {
        let mut places = BTreeMap::new();
        for write in writes {
            let sources = match &write.from {
                WriteSource::Files(sources) => sources.as_slice(),
                _ => &[],
            };
            for path in sources.iter().chain(std::iter::once(&write.path)) {
                if places.len() >= PLACES_MAX || places.contains_key(path.canonical()) {
                    continue;
                }
                // Explaining reads the file: only where its bytes go on.
                let goes_on = edits || sources.contains(path);
                if let Some(place) = look_at(path, goes_on, scene) {
                    places.insert(path.canonical().into(), place);
                }
            }
        }
        Self { began, places }
    }
}

fn look_at(path: &Operand, goes_on: bool, scene: &Scene<'_>) -> Option<Place> {
    match fs::metadata(path.canonical()) {
        Ok(metadata) if metadata.is_dir() => Some(Place::Folder(explain(path, scene))),
        Ok(_) if goes_on => Some(Place::File(explain(path, scene))),
        Ok(_) => None,
        Err(_) => Some(Place::Absent),
    }
}

/// The calls that were announced lately.
#[derive(Debug, Default)]
pub(crate) struct Announced(Mutex<Remembered>);

#[derive(Debug, Default)]
struct Remembered {
    calls: HashMap<(SessionId, CallId), Arc<Prior>>,
    order: VecDeque<(SessionId, CallId)>,
}

impl Announced {
    /// Remembers what lay at the places of a call. The first look counts: a call that is announced again may
    /// run already.
    pub(crate) fn remember(&self, session: &SessionId, call: &CallId, prior: Prior) {
        let key = (session.clone(), call.clone());
        let mut remembered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if remembered.calls.contains_key(&key) {
            return;
        }
        remembered.calls.insert(key.clone(), Arc::new(prior));
        remembered.order.push_back(key);
        if remembered.order.len() > CALLS_MAX
            && let Some(oldest) = remembered.order.pop_front()
        {
            remembered.calls.remove(&oldest);
        }
    }

    /// What lay at the places of a call; none when it was not announced or is forgotten.
    pub(crate) fn of(&self, session: &SessionId, call: Option<&CallId>) -> Option<Arc<Prior>> {
        let key = (session.clone(), call?.clone());
        self.0.lock().unwrap_or_else(PoisonError::into_inner).calls.get(&key).cloned()
    }
}
