//! Evidence ahead of the action: committed content goes to the pool, judgements come back to the log.
//!
//! The durable queue in the store is the truth; what is held here only saves reading it back. Whatever the
//! pool has no room for stays in that queue and is fetched when there is room again.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use circinus_analyzer::content;
use circinus_analyzer::pool::{Outcome, Pool, Priority, Task};
use circinus_core::artifact::Artifact;
use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event};
use circinus_core::id::EventSeq;
use circinus_core::index::Hot;
use circinus_core::origin::Origin;
use circinus_store::Reader;

use super::service::Service;

/// Judging threads; the machine belongs to the user's work.
const JUDGES: usize = 2;

/// Tasks in the pool; the rest waits in the store.
const POOL_TASKS_MAX: usize = 1_024;

/// Tasks fetched from the store at once.
const FETCH_TASKS_MAX: usize = 128;

/// Bytes of bodies held for tasks that are being committed.
const HELD_BYTES_MAX: usize = 256 << 20;

#[derive(Debug, Default)]
struct Held {
    /// Bodies with the number of commits under way that hold them.
    bodies: HashMap<Digest, (Arc<[u8]>, usize)>,
    bytes: usize,
}

/// The analysis of committed content.
pub(super) struct Analysis {
    hot: Arc<Hot>,
    database: PathBuf,
    held: Mutex<Held>,
    pool: Mutex<Option<Pool>>,
    /// Whether the durable queue holds tasks that the pool has not seen.
    behind: AtomicBool,
}

impl Analysis {
    /// Nothing is judged before [`Analysis::start`].
    pub(super) fn new(hot: Arc<Hot>, database: PathBuf) -> Self {
        Self { hot, database, held: Mutex::default(), pool: Mutex::new(None), behind: AtomicBool::new(false) }
    }

    /// Starts the judging threads, and fetches what the last run left.
    ///
    /// # Errors
    ///
    /// The system's, when a thread cannot be started.
    pub(super) fn start(self: &Arc<Self>, service: &Arc<Service>, unfinished: u64) -> io::Result<()> {
        let (analysis, service) = (Arc::clone(self), Arc::downgrade(service));
        let done = move |outcome: Outcome| {
            if let Some(service) = service.upgrade() {
                analysis.judged(&service, outcome);
            }
        };
        let pool = Pool::start(JUDGES, POOL_TASKS_MAX, content::judge, done).map_err(io::Error::other)?;
        *lock(&self.pool) = Some(pool);
        self.behind.store(unfinished > 0, Ordering::Release);
        self.catch_up();
        Ok(())
    }

    /// Keeps a body until [`Analysis::release`] for the same commit.
    pub(super) fn hold(&self, commit: &Commit) {
        let (Event::Ingested(artifact), Some(body)) = (&commit.event, &commit.body) else { return };
        let mut held = lock(&self.held);
        if let Some((_, holders)) = held.bodies.get_mut(&artifact.content) {
            *holders += 1;
        } else if held.bytes + body.len() <= HELD_BYTES_MAX {
            held.bytes += body.len();
            held.bodies.insert(artifact.content, (Arc::from(&**body), 1));
        }
    }

    /// Ends a hold, once the commit is acknowledged: by then it was queued, or was a duplicate, or failed.
    pub(super) fn release(&self, content: &Digest) {
        let mut held = lock(&self.held);
        let Some((_, holders)) = held.bodies.get_mut(content) else { return };
        *holders -= 1;
        if *holders == 0 {
            let gone = held.bodies.remove(content).map_or(0, |(body, _)| body.len());
            held.bytes -= gone;
        }
    }

    /// Queues a committed artifact. Runs on the writer's thread.
    pub(super) fn queue(&self, seq: EventSeq, artifact: &Artifact) {
        if self.hot.load().is_judged(&artifact.content) {
            return;
        }
        let body = lock(&self.held).bodies.get(&artifact.content).map(|(body, _)| Arc::clone(body));
        match body {
            Some(bytes) => {
                self.offer(Task { content: artifact.content, bytes, priority: priority(seq, artifact) })
            }
            None => self.behind.store(true, Ordering::Release),
        }
    }

    /// Stops the judging threads; what they had not begun stays in the durable queue.
    pub(super) fn stop(&self) {
        // Taken out first: a judge that finishes meanwhile must not find the lock held.
        let pool = lock(&self.pool).take();
        pool.into_iter().for_each(Pool::stop);
    }

    fn judged(&self, service: &Service, outcome: Outcome) {
        let commit = Commit { event: Event::Judged(outcome.judgement), body: None, delivery: None };
        if service.journal.commit(commit).is_err() {
            // The task stays in the durable queue; the next start judges it again, to the same verdict.
            service.counters.unrecorded.fetch_add(1, Ordering::Relaxed);
            return;
        }
        self.catch_up();
    }

    /// Fetches waiting tasks from the store while the pool has room.
    fn catch_up(&self) {
        if !self.behind.swap(false, Ordering::AcqRel) {
            return;
        }
        let fetched = Reader::open(&self.database).map_err(|error| error.to_string()).and_then(|reader| {
            let tasks = reader.tasks(FETCH_TASKS_MAX).map_err(|error| error.to_string())?;
            let full = tasks.len() == FETCH_TASKS_MAX;
            for task in tasks.iter().filter(|task| !self.hot.load().is_judged(&task.facts.content)) {
                let body = reader.body(task.facts.content).map_err(|error| error.to_string())?;
                let priority = priority(task.artifact.0, &task.facts);
                // A body that retention took away cannot be judged any more: it fails, for good.
                let bytes = body.map_or_else(|| Arc::from(&b"\xff"[..]), Arc::from);
                self.offer(Task { content: task.facts.content, bytes, priority });
            }
            Ok(full)
        });
        match fetched {
            Ok(full) => {
                self.behind.fetch_or(full, Ordering::AcqRel);
            }
            Err(_) => self.behind.store(true, Ordering::Release),
        }
    }

    fn offer(&self, task: Task) {
        let taken = lock(&self.pool).as_ref().is_some_and(|pool| pool.offer(task).is_ok());
        if !taken {
            self.behind.store(true, Ordering::Release);
        }
    }
}

/// What is locked here is valid between any two statements, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Content of low origin before the user's own, newest first.
fn priority(seq: EventSeq, artifact: &Artifact) -> Priority {
    let low = !matches!(
        artifact.origin,
        Origin::HumanCli | Origin::UserPrompt | Origin::UserConfig | Origin::WsTracked | Origin::AgentText
    );
    Priority { live: true, low_origin: low, sequence: seq.0 }
}
