//! The listings of the commits that sessions began with, loaded by a thread of their own.
//!
//! No request runs git. What is recorded while a listing loads is put off until it is there; it comes within
//! the bound of one `git` run, and mostly before the agent's first call.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use circinus_core::index::Session;
use crossbeam_channel::{Receiver, Sender, bounded};

use super::listing::{self, ListError, Listing};
use super::repository::GitFolders;
use crate::ui::{ColorChoice, Ui};

/// Commits whose listings are kept. Eight repositories at work at once are many; a listing that has gone is
/// loaded again.
const LISTINGS_MAX: usize = 8;

/// Records put off for one listing. The host waits for each, so there are about as many as agents at work;
/// one more is recorded at once, as of a file that is not known to be tracked.
const DEFERRED_MAX: usize = 256;

/// Something to be done when a listing is there.
pub(crate) type Deferred = Box<dyn FnOnce() + Send>;

/// A workspace and the commit that its session began with.
type Key = (Box<str>, Box<str>);

enum State {
    Loading(Vec<Deferred>),
    Ready(Arc<Listing>),
    Unknown,
}

#[derive(Default)]
struct Known {
    states: HashMap<Key, State>,
    order: VecDeque<Key>,
}

/// What is known of the files that a session's repository tracked when it began.
#[derive(Clone, Debug)]
pub(super) enum Tracked {
    /// Their listing.
    Listed(Arc<Listing>),
    /// They are still being listed.
    Loading,
    /// They are not known: no commit, no git, missing objects, or too many files.
    Unknown,
}

/// All listings.
pub(crate) struct Listings {
    known: Mutex<Known>,
    orders: Mutex<Option<Sender<Key>>>,
}

impl std::fmt::Debug for Listings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Listings").finish_non_exhaustive()
    }
}

impl Listings {
    /// Starts the thread that loads listings; `place` is a folder of ours for an empty repository.
    ///
    /// # Errors
    ///
    /// When the system gives no thread.
    pub(crate) fn open(place: PathBuf) -> io::Result<(Arc<Self>, JoinHandle<()>)> {
        let (orders_in, orders) = bounded(LISTINGS_MAX);
        let listings = Arc::new(Self { known: Mutex::default(), orders: Mutex::new(Some(orders_in)) });
        let loader = Arc::clone(&listings);
        let thread = thread::Builder::new().name("listing".into());
        let thread = thread.spawn(move || loader.load_all(&orders, &place))?;
        Ok((listings, thread))
    }

    /// Takes no more orders; the thread ends with the listing that it is at.
    pub(crate) fn close(&self) {
        self.orders.lock().unwrap_or_else(PoisonError::into_inner).take();
    }

    /// Puts `deferred` off until the listing of the session is there, which is begun if need be; gives it back
    /// when there is nothing to wait for.
    pub(crate) fn defer(&self, session: Option<&Session>, deferred: Deferred) -> Option<Deferred> {
        let Some(key) = session.and_then(key) else { return Some(deferred) };
        let mut known = self.lock();
        if !known.states.contains_key(&key) {
            self.order(&mut known, key.clone());
        }
        match known.states.get_mut(&key) {
            Some(State::Loading(waiting)) if waiting.len() < DEFERRED_MAX => {
                waiting.push(deferred);
                None
            }
            _ => Some(deferred),
        }
    }

    /// What is known now.
    pub(super) fn of(&self, session: &Session) -> Tracked {
        let Some(key) = key(session) else { return Tracked::Unknown };
        match self.lock().states.get(&key) {
            Some(State::Ready(listing)) => Tracked::Listed(Arc::clone(listing)),
            Some(State::Loading(_)) | None => Tracked::Loading,
            Some(State::Unknown) => Tracked::Unknown,
        }
    }

    fn order(&self, known: &mut Known, key: Key) {
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = orders.as_ref().is_some_and(|orders| orders.try_send(key.clone()).is_ok());
        let state = if taken { State::Loading(Vec::new()) } else { State::Unknown };
        known.states.insert(key.clone(), state);
        known.order.push_back(key);
        if known.order.len() > LISTINGS_MAX {
            // What is still loading has its place in the queue; the oldest that is done goes.
            let done =
                known.order.iter().position(|key| !matches!(known.states.get(key), Some(State::Loading(_))));
            let gone = done.and_then(|place| known.order.remove(place));
            gone.iter().for_each(|key| drop(known.states.remove(key)));
        }
    }

    fn load_all(&self, orders: &Receiver<Key>, place: &Path) {
        for (workspace, commit) in orders {
            let state = match load(place, &workspace, &commit) {
                Ok(listing) => State::Ready(Arc::new(listing)),
                Err(error) => {
                    tell(&workspace, &error);
                    State::Unknown
                }
            };
            let before = self.lock().states.insert((workspace, commit), state);
            if let Some(State::Loading(waiting)) = before {
                waiting.into_iter().for_each(|deferred| deferred());
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Known> {
        // Valid between any two statements, so a panic elsewhere does not spoil it.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(session: &Session) -> Option<Key> {
    let head = session.repository.as_ref()?.head.clone()?;
    Some((session.workspace.as_str().into(), head))
}

fn load(place: &Path, workspace: &str, commit: &str) -> Result<Listing, ListError> {
    let folders = GitFolders::of(workspace).ok_or(ListError::NoCommit)?;
    listing::list(place, &folders.objects(), commit)
}

/// Says it in the daemon's log, which is its standard error.
fn tell(workspace: &str, error: &ListError) {
    let mut ui = Ui::stdio(ColorChoice::Never, &|_| None);
    ui.warning(&format!("the tracked files of {workspace} are not known: {error}"));
    // The files only lose authority by it, and `doctor` looks for git itself: a full disk is no reason to end.
    drop(ui.finish());
}
