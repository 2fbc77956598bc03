//! What the writer thread does.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use circinus_core::event::Recorded;
use circinus_core::time::Clock;
use crossbeam_channel::{Receiver, RecvTimeoutError};
use rusqlite::{Connection, Transaction, TransactionBehavior};

use super::step::{Step, Watch};
use super::wal::Wal;
use super::{AppendError, Observer, Pending};
use crate::append;
use crate::chain::Head;
use crate::durable::{Acknowledged, Durable};
use crate::limits;
use crate::open::Store;
use crate::retain::{Retention, Sweep};

pub(super) struct Worker {
    conn: Connection,
    wal: Wal,
    retention: Retention,
    sweep: Sweep,
    /// When the next slice of a sweep is due.
    sweep_at: Instant,
    path: PathBuf,
    clock: Arc<dyn Clock>,
    head: Head,
    queue: Receiver<Pending>,
    observer: Observer,
    watch: Watch,
    stopped: Arc<AtomicBool>,
    /// Declared last: the file is closed before another process may have it.
    _lock: File,
}

/// A step of a transaction that failed.
struct Failure {
    operation: &'static str,
    source: rusqlite::Error,
}

impl Worker {
    pub(super) fn new(
        store: Store,
        queue: Receiver<Pending>,
        observer: Observer,
        watch: Watch,
        stopped: Arc<AtomicBool>,
    ) -> Self {
        let Store { conn, path, clock, head, retention, lock, .. } = store;
        let wal = Wal::watch(&conn);
        let (sweep, sweep_at) = (Sweep::default(), Instant::now());
        Self {
            conn,
            wal,
            retention,
            sweep,
            sweep_at,
            path,
            clock,
            head,
            queue,
            observer,
            watch,
            stopped,
            _lock: lock,
        }
    }

    pub(super) fn run(mut self) {
        while let Some(first) = self.next() {
            let group = self.gather(first);
            self.commit(group);
            if self.wal.is_too_long() {
                self.copy_back();
            }
        }
    }

    /// The next commit; none when every handle is gone and the queue is empty. What is not urgent is done while
    /// none comes.
    fn next(&mut self) -> Option<Pending> {
        loop {
            let sweep_in = self.sweep_at.saturating_duration_since(Instant::now());
            let wait = if self.wal.is_long() { limits::IDLE } else { sweep_in.max(limits::IDLE) };
            match self.queue.recv_timeout(wait) {
                Ok(pending) => return Some(pending),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if self.stopped.load(Ordering::Acquire) => {
                    return self.queue.recv().ok();
                }
                Err(RecvTimeoutError::Timeout) if self.wal.is_long() => self.copy_back(),
                Err(RecvTimeoutError::Timeout) => self.sweep(),
            }
        }
    }

    /// One slice of a sweep over the texts. A failure is one of the disk: it stops the writer like any other.
    fn sweep(&mut self) {
        match self.sweep.slice(&mut self.conn, self.retention, self.clock.now()) {
            Ok(true) => self.sweep_at = Instant::now() + limits::SWEEP_EVERY,
            Ok(false) => {}
            Err(_) => self.stopped.store(true, Ordering::Release),
        }
    }

    /// What waits already joins `first`, within the bounds of a group; nobody is waited for.
    fn gather(&self, first: Pending) -> Vec<Pending> {
        let mut bytes = first.bytes();
        let mut group = vec![first];
        while group.len() < limits::GROUP_COMMITS_MAX && bytes < limits::GROUP_BYTES_MAX {
            let Ok(pending) = self.queue.try_recv() else { break };
            bytes += pending.bytes();
            group.push(pending);
        }
        group
    }

    /// Commits a group, publishes it, acknowledges it.
    fn commit(&mut self, mut group: Vec<Pending>) {
        if self.stopped.load(Ordering::Acquire) {
            let error = AppendError::Stopped { path: self.path.clone() };
            return refuse(group, &error);
        }
        let (recorded, outcomes) = match self.transact(&mut group) {
            Ok(done) => done,
            Err(Failure { operation, source }) => {
                // INVARIANT (stop-on-failure): after a failed write or sync the state of the disk is not
                // known, so nothing more is promised until the file has been opened and checked again.
                self.stopped.store(true, Ordering::Release);
                let source = Arc::new(source);
                return refuse(group, &AppendError::Failed { path: self.path.clone(), operation, source });
            }
        };
        // INVARIANT (durable-before-visible): COMMIT has returned. INVARIANT (visible-before-ack): a reader
        // that starts after any acknowledgement below finds these events.
        self.pass(Step::Committed);
        if !recorded.is_empty() {
            (self.observer)(&recorded);
        }
        self.pass(Step::Published);
        for (pending, outcome) in group.into_iter().zip(outcomes) {
            pending.acknowledge(Ok(Durable::after_commit(outcome)));
            self.pass(Step::Acknowledged);
        }
    }

    /// A step at which what was promised stays promised; only what comes next may be refused.
    fn pass(&mut self, step: Step) {
        if (self.watch)(step).is_err() {
            self.stopped.store(true, Ordering::Release);
        }
    }

    /// One transaction for the whole group; nothing of it remains on failure, the head included.
    fn transact(&mut self, group: &mut [Pending]) -> Result<(Vec<Recorded>, Vec<Acknowledged>), Failure> {
        let failed = |operation| move |source| Failure { operation, source };
        let watch = &mut self.watch;
        watch(Step::Gathered).map_err(injected).map_err(failed("begin a transaction on"))?;
        let tx = Transaction::new(&mut self.conn, TransactionBehavior::Immediate)
            .and_then(|tx| watch(Step::Begun).map_err(injected).map(|()| tx))
            .map_err(failed("begin a transaction on"))?;
        let mut head = self.head;
        let mut recorded = Vec::with_capacity(group.len());
        let mut outcomes = Vec::with_capacity(group.len());
        for pending in group {
            let Some(prepared) = pending.prepared.take() else { continue };
            let at = self.clock.now();
            let outcome = append::append(&tx, &mut head, at, &prepared).map_err(failed("append to"))?;
            watch(Step::Appended).map_err(injected).map_err(failed("append to"))?;
            if !outcome.duplicate {
                recorded.push(Recorded { seq: outcome.seq, at, event: prepared.event });
            }
            outcomes.push(outcome);
        }
        watch(Step::Committing).map_err(injected).map_err(failed("commit to"))?;
        tx.commit().map_err(failed("commit to"))?;
        self.head = head;
        Ok((recorded, outcomes))
    }

    fn copy_back(&mut self) {
        self.pass(Step::CopyingBack);
        if self.wal.copy_back(&self.conn).is_ok() {
            self.pass(Step::CopiedBack);
        } else {
            // What is committed stays in the log; the failure itself shows again, with its text, when the
            // store is opened.
            self.stopped.store(true, Ordering::Release);
        }
    }
}

impl Pending {
    fn bytes(&self) -> usize {
        self.prepared.as_ref().map_or(0, crate::prepare::Prepared::bytes)
    }
}

/// What a watch answers, as SQLite would have.
fn injected(error: io::Error) -> rusqlite::Error {
    rusqlite::Error::ToSqlConversionFailure(Box::new(error))
}

fn refuse(group: Vec<Pending>, error: &AppendError) {
    for pending in group {
        pending.acknowledge(Err(error.clone()));
    }
}
