//! A store in a directory of its own, and a way to wait for acknowledgements.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use circinus_core::event::{Commit, Recorded};
use circinus_core::id::EventSeq;
use circinus_core::time::{Clock, UnixMillis};
use circinus_store::{Acknowledged, AppendError, OpenError, Reader, Recovered, Store, Writer};

/// Longest wait for anything; reached only when something is broken.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Ticks once per reading.
#[derive(Debug)]
pub(crate) struct Ticks(AtomicU64);

impl Clock for Ticks {
    fn now(&self) -> UnixMillis {
        UnixMillis(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

pub(crate) fn clock() -> Arc<dyn Clock> {
    clock_at(1_000)
}

pub(crate) fn clock_at(millis: u64) -> Arc<dyn Clock> {
    Arc::new(Ticks(AtomicU64::new(millis)))
}

pub(crate) fn open(path: &Path) -> Result<(Store, Recovered), OpenError> {
    Store::open(path, clock())
}

pub(crate) struct Home {
    pub(crate) dir: tempfile::TempDir,
    pub(crate) path: PathBuf,
}

impl Home {
    pub(crate) fn new() -> Self {
        let dir = tempfile::tempdir().expect("temporary directory");
        let path = dir.path().join("home").join("circinus.db");
        Self { dir, path }
    }

    pub(crate) fn writer(&self) -> Writer {
        let (store, _) = open(&self.path).expect("opens");
        Writer::start(store, Box::new(|_| {})).expect("starts")
    }

    pub(crate) fn reader(&self) -> Reader {
        Reader::open(&self.path).expect("opens for reading")
    }

    /// Commits in order, waiting for each, and closes the store.
    pub(crate) fn fill(&self, commits: impl IntoIterator<Item = Commit>) -> Vec<Acknowledged> {
        let writer = self.writer();
        commits.into_iter().map(|commit| append(&writer, commit).expect("is acknowledged")).collect()
    }

    /// Every event, read by a store opened anew.
    pub(crate) fn log(&self) -> Vec<Recorded> {
        let (store, _) = open(&self.path).expect("opens");
        replay(&store)
    }

    pub(crate) fn assert_sound(&self) {
        assert_eq!(self.reader().verify().expect("verifies"), []);
    }
}

pub(crate) fn replay(store: &Store) -> Vec<Recorded> {
    let mut log = Vec::new();
    store
        .replay(EventSeq(1), &mut |recorded| {
            log.push(recorded);
            ControlFlow::Continue(())
        })
        .expect("replays");
    log
}

pub(crate) type Outcome = Result<Acknowledged, AppendError>;

/// Queues a commit; the outcome arrives on the channel.
pub(crate) fn submit(writer: &Writer, commit: Commit) -> Receiver<Outcome> {
    let (sender, receiver) = channel();
    let ack = Box::new(move |outcome: Result<circinus_store::Durable<Acknowledged>, _>| {
        // A test that no longer listens has failed already.
        drop(sender.send(outcome.map(circinus_store::Durable::into_inner)));
    });
    writer.submit(commit, ack).expect("has room");
    receiver
}

/// Commits and waits.
pub(crate) fn append(writer: &Writer, commit: Commit) -> Outcome {
    submit(writer, commit).recv_timeout(PATIENCE).expect("the acknowledgement is called")
}
