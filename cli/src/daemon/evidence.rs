//! Evidence ahead of the action: committed content goes to the pool, judgements come back to the log.
//!
//! The durable queue is a fold of the log: what was recorded and not judged. What is held here only saves reading
//! bodies back. Whatever the pool has no room for stays in that queue and is fetched when there is room again.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use circinus_analyzer::content;
use circinus_analyzer::pool::{Begun, Pool, Priority, Task};
use circinus_core::artifact::Artifact;
use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event};
use circinus_core::evidence::Judgement;
use circinus_core::id::{ArtifactId, EventSeq};
use circinus_core::index::{Hot, Snapshot};
use circinus_store::Reader;

use super::journal::JournalError;
use super::service::Service;

/// Judging threads; the machine belongs to the user's work.
const JUDGES: usize = 2;

/// Tasks in the pool; the rest waits in the store.
const POOL_TASKS_MAX: usize = 1_024;

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

    /// Starts the judging threads, and goes on with what the last run left or a new version must judge again.
    ///
    /// # Errors
    ///
    /// The system's, when a thread cannot be started.
    pub(super) fn start(self: &Arc<Self>, service: &Arc<Service>) -> io::Result<()> {
        let first = Arc::clone(service);
        let (analysis, service) = (Arc::clone(self), Arc::downgrade(service));
        let judge = |task: &Task| content::judge(&task.bytes);
        let done = move |task: &Task, judged: Option<Judgement>, begun: Begun| {
            if let Some(service) = service.upgrade() {
                let stopped =
                    || content::failed(content::key(task.content), "the analyser stopped on this content");
                analysis.judged(&service, task, judged.unwrap_or_else(stopped), begun);
            }
        };
        let pool = Pool::start(JUDGES, POOL_TASKS_MAX, judge, done).map_err(io::Error::other)?;
        *lock(&self.pool) = Some(pool);
        self.behind.store(true, Ordering::Release);
        self.catch_up(&first);
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
                let priority = priority(&self.hot.load(), ArtifactId(seq));
                self.offer(Task { content: artifact.content, bytes, priority });
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

    /// Brings what an action waits for to the front.
    pub(super) fn urge(&self, contents: &[Digest]) {
        if let Some(pool) = lock(&self.pool).as_ref() {
            contents.iter().for_each(|content| pool.urge(content));
        }
    }

    /// INVARIANT (one-transaction): whether a model is asked too is part of the event that holds the judgement,
    /// so that no crash leaves a content judged and not routed.
    ///
    /// The judge goes on meanwhile: on a busy machine one sync takes longer than most judgements. What it may
    /// hand over before the disk follows is bounded by the writer's queue.
    fn judged(&self, service: &Arc<Service>, task: &Task, judgement: Judgement, begun: Begun) {
        let artifact = ArtifactId(EventSeq(task.priority.sequence));
        let routing = service.strong.as_ref().map(|strong| strong.routing(&judgement, &task.bytes, artifact));
        let commit = Commit { event: Event::Judged { judgement, routing }, body: None, delivery: None };
        let recorder = Arc::clone(service);
        let recorded = move |outcome: Result<_, JournalError>| {
            if let Err(error) = outcome {
                // The task stays in the durable queue; the next start judges it again, to the same verdict.
                recorder.unrecorded(&error);
            }
            drop(begun);
        };
        service.journal.submit(commit, Box::new(recorded));
        self.catch_up(service);
    }

    /// Offers what waits, newest first, while the pool has room.
    fn catch_up(&self, service: &Service) {
        if !self.behind.swap(false, Ordering::AcqRel) {
            return;
        }
        let snapshot = self.hot.load();
        let Ok(reader) = Reader::open(&self.database) else {
            return self.behind.store(true, Ordering::Release);
        };
        for owed in snapshot.unjudged() {
            if lock(&self.pool).as_ref().is_none_or(|pool| pool.holds(&owed.content)) {
                continue;
            }
            // An outcome is committed before the pool lets go of its content: it may have landed meanwhile.
            if self.hot.load().is_judged(&owed.content) {
                continue;
            }
            let Ok(body) = reader.body(owed.content) else {
                return self.behind.store(true, Ordering::Release);
            };
            let Some(bytes) = body else {
                self.give_up(service, owed.content, &snapshot);
                continue;
            };
            let priority = priority(&snapshot, owed.artifact);
            if !self.offer(Task { content: owed.content, bytes: bytes.into(), priority }) {
                return;
            }
        }
    }

    /// A body that is not kept any more cannot be judged: it fails, unless an older version has found worse.
    fn give_up(&self, service: &Service, content: Digest, snapshot: &Snapshot) {
        let older = snapshot.judgements(&content).iter().map(|row| row.level).max();
        let mut judgement = content::failed(content::key(content), "the content is not kept any more");
        judgement.level = older.max(Some(judgement.level)).unwrap_or(judgement.level);
        let commit = Commit { event: Event::Judged { judgement, routing: None }, body: None, delivery: None };
        if let Err(error) = service.journal.commit(commit) {
            service.unrecorded(&error);
        }
    }

    fn offer(&self, task: Task) -> bool {
        let taken = lock(&self.pool).as_ref().is_some_and(|pool| pool.offer(task).is_ok());
        if !taken {
            self.behind.store(true, Ordering::Release);
        }
        taken
    }
}

/// What is locked here is valid between any two statements, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Content of live sessions first, then that of low origin before the user's own, then the newest.
pub(super) fn priority(snapshot: &Snapshot, id: ArtifactId) -> Priority {
    let artifact = snapshot.artifact(id);
    let session = artifact.and_then(|artifact| snapshot.session(&artifact.session));
    let own = artifact.is_some_and(|artifact| artifact.origin.is_own());
    let live = session.is_none_or(|session| !session.closed);
    Priority { awaited: false, live, low_origin: !own, sequence: id.0.0 }
}
