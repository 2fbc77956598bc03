//! The one thread that writes.
//!
//! Commits that wait together share one transaction and so one fsync; each is acknowledged when that
//! transaction is on disk and its events are visible.

mod budget;
mod step;
mod wal;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;
use std::{fmt, io};

use circinus_core::event::{Commit, Recorded};
use crossbeam_channel::Sender;

use crate::durable::{Acknowledged, Durable};
use crate::limits;
use crate::open::{OpenError, Store};
use crate::prepare::{Invalid, Prepared};
use budget::{Budget, Reservation};
pub use step::{Step, Watch};
use worker::Worker;

/// Called once with the outcome of a commit, on the writer thread; it must not block.
pub type Ack = Box<dyn FnOnce(Result<Durable<Acknowledged>, AppendError>) + Send>;

/// Called with the new events of each transaction, in order, after it is durable and before anything in it
/// is acknowledged; it runs on the writer thread.
pub type Observer = Box<dyn FnMut(&[Recorded]) + Send>;

/// Why a commit was not acknowledged. Its event may still be found on disk later; it was not promised.
#[derive(Clone, Debug, thiserror::Error)]
pub enum AppendError {
    /// The transaction failed, with everything in it.
    #[error(
        "{operation} {path}: {source}\nhint: check the free space of the disk; nothing acknowledged is lost"
    )]
    Failed {
        /// The database.
        path: PathBuf,
        /// The step that failed.
        operation: &'static str,
        /// What SQLite answered.
        source: Arc<rusqlite::Error>,
    },
    /// An earlier failure stopped the writer; it takes nothing until the store is opened again.
    #[error("append to {path}: the store stopped after an earlier failure\nhint: see `circinus doctor`")]
    Stopped {
        /// The database.
        path: PathBuf,
    },
    /// The writer thread ended before the outcome was known.
    #[error("append: the writer ended before the outcome was known")]
    Abandoned,
}

/// Why a commit was not queued. Its acknowledgement is not called.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubmitError {
    /// The queue has no room; nothing was kept.
    #[error(
        "the queue of the writer is full: {commits} commits, {bytes} bytes\nhint: the disk is slower than the agents; try again"
    )]
    Full {
        /// Commits that wait.
        commits: usize,
        /// Bytes that wait.
        bytes: usize,
    },
    /// It can never be stored.
    #[error(transparent)]
    Invalid(#[from] Invalid),
    /// The writer thread has ended.
    #[error("the writer has ended\nhint: see `circinus doctor`")]
    Ended,
}

/// Why the writer cannot start.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The check of the file that began with its opening did not end well.
    #[error(transparent)]
    Check(#[from] OpenError),
    /// The system gives no thread.
    #[error("start the writer thread of {path}: {source}\nhint: see `circinus doctor`")]
    Thread {
        /// The database.
        path: PathBuf,
        /// What the system answered.
        source: io::Error,
    },
}

/// Handle of the writer thread. Dropping it commits what is queued, then closes the store.
pub struct Writer {
    queue: Option<Sender<Pending>>,
    budget: Arc<Budget>,
    stopped: Arc<AtomicBool>,
    path: PathBuf,
    thread: Option<JoinHandle<()>>,
}

impl fmt::Debug for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("path", &self.path)
            .field("stopped", &self.stopped)
            .finish_non_exhaustive()
    }
}

impl Writer {
    /// Starts the thread, once the file is known to be sound. `observer` publishes new events; whatever came before is had from `Store::replay`.
    ///
    /// # Errors
    /// [`StartError`]; nothing was written.
    pub fn start(store: Store, observer: Observer) -> Result<Self, StartError> {
        Self::start_watched(store, observer, step::nobody())
    }

    /// As [`Writer::start`], with somebody told each step: crashes and I/O errors are tried with it.
    ///
    /// # Errors
    /// [`StartError`]; nothing was written.
    pub fn start_watched(store: Store, observer: Observer, watch: Watch) -> Result<Self, StartError> {
        let store = store.checked()?;
        let path = store.path.clone();
        // The budget bounds the queue. This flavour, unlike the bounded one, drops what is queued when the
        // receiver goes, and so keeps INVARIANT (ack-exactly-once) when the thread ends early.
        let (sender, receiver) = crossbeam_channel::unbounded();
        let stopped = Arc::new(AtomicBool::new(false));
        let worker = Worker::new(store, receiver, observer, watch, Arc::clone(&stopped));
        let thread = std::thread::Builder::new()
            .name("store-writer".to_owned())
            .spawn(move || worker.run())
            .map_err(|source| StartError::Thread { path: path.clone(), source })?;
        let budget = Arc::new(Budget::new(limits::QUEUE_COMMITS_MAX, limits::QUEUE_BYTES_MAX));
        Ok(Self { queue: Some(sender), budget, stopped, path, thread: Some(thread) })
    }

    /// Queues `commit`; `ack` is called exactly once with its outcome. Never waits.
    ///
    /// # Errors
    /// [`SubmitError`], and then `ack` is dropped uncalled.
    pub fn submit(&self, commit: Commit, ack: Ack) -> Result<(), SubmitError> {
        let prepared = Prepared::new(commit)?;
        let reservation = Budget::reserve(&self.budget, prepared.bytes(), None)?;
        self.send(Pending { prepared: Some(prepared), ack: Some(ack), _reservation: reservation })
    }

    /// As [`Writer::submit`], but waits for room until `deadline`.
    ///
    /// # Errors
    /// [`SubmitError`], and then `ack` is dropped uncalled.
    pub fn submit_before(&self, deadline: Instant, commit: Commit, ack: Ack) -> Result<(), SubmitError> {
        let prepared = Prepared::new(commit)?;
        let reservation = Budget::reserve(&self.budget, prepared.bytes(), Some(deadline))?;
        self.send(Pending { prepared: Some(prepared), ack: Some(ack), _reservation: reservation })
    }

    /// Whether a failure stopped it; drop it, then open the store again.
    pub fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn send(&self, pending: Pending) -> Result<(), SubmitError> {
        let Some(queue) = &self.queue else { return Err(SubmitError::Ended) };
        queue.send(pending).map_err(|refused| {
            let mut pending = refused.into_inner();
            pending.ack = None;
            SubmitError::Ended
        })
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        self.queue = None;
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            // The panic is on standard error already; every commit of that thread got `Abandoned`.
            self.stopped.store(true, Ordering::Release);
        }
    }
}

/// A queued commit.
///
/// INVARIANT (ack-exactly-once): whatever becomes of it, a panic of the writer included, its
/// acknowledgement is called once, at the latest when it is dropped.
struct Pending {
    prepared: Option<Prepared>,
    ack: Option<Ack>,
    /// Its room in the queue, given back when it is dropped.
    _reservation: Reservation,
}

impl Pending {
    fn acknowledge(mut self, outcome: Result<Durable<Acknowledged>, AppendError>) {
        if let Some(ack) = self.ack.take() {
            ack(outcome);
        }
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(ack) = self.ack.take() {
            ack(Err(AppendError::Abandoned));
        }
    }
}
