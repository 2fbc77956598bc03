//! Workers that judge content ahead of the action that will need the judgement.
//!
//! The pool knows no store and no analyser: whoever owns the durable queue offers tasks and records outcomes.
//! What the pool holds in memory is only a bounded front of that queue; to drop it loses nothing, because a
//! task stays durable until its outcome is recorded.

mod queue;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{Builder, JoinHandle};

use circinus_core::digest::Digest;

pub use queue::{Full, Priority, QUEUED_BYTES_MAX, Queue, Task};

/// Worker threads at most; judging is bound by processors, and no machine that runs an agent has more.
pub const WORKERS_MAX: usize = 64;

/// Why a pool could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartPoolError {
    /// The system refused a thread.
    #[error(
        "cannot start analysis worker {worker}: {source}\nhint: raise the limit on processes of this user"
    )]
    Thread {
        /// Which worker, from 0.
        worker: usize,
        /// What the system said.
        source: std::io::Error,
    },
}

type Work = dyn Fn(&Task, Begun) + Send + Sync;

/// A content counts as begun until this is dropped: it is not queued again while its outcome is on the way.
pub struct Begun {
    shared: Arc<Shared>,
    content: Digest,
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.shared.queue().finished(self.content);
    }
}

struct Shared {
    queue: Mutex<Queue>,
    work: Condvar,
    /// Judges a task and hands its outcome on.
    each: Box<Work>,
    faults: Arc<AtomicU64>,
}

impl Shared {
    /// The queue. A lock is poisoned only by a panic while it is held, and no foreign code runs under it;
    /// the queue's operations keep it whole at every step, so it stays usable.
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A fixed set of worker threads over one bounded priority queue.
///
/// Idle workers sleep on a condition variable. Dropping the pool stops it.
pub struct Pool {
    shared: Arc<Shared>,
    workers: Vec<JoinHandle<()>>,
}

impl Pool {
    /// Starts `workers` threads (1 to [`WORKERS_MAX`]; a number outside is brought inside) over a queue of
    /// at most `capacity` tasks and [`QUEUED_BYTES_MAX`] bytes.
    ///
    /// `done` is called on a worker thread, once per task, with what `judge` made of it, none if it panicked;
    /// it must not call [`Pool::stop`]. It may keep [`Begun`] beyond its return, until the outcome is recorded, so
    /// that the worker need not wait for the disk.
    ///
    /// # Errors
    /// When the system refuses a thread; those already started are stopped first.
    pub fn start<T>(
        workers: usize,
        capacity: usize,
        judge: impl Fn(&Task) -> T + Send + Sync + 'static,
        done: impl Fn(&Task, Option<T>, Begun) + Send + Sync + 'static,
    ) -> Result<Self, StartPoolError> {
        let faults = Arc::new(AtomicU64::new(0));
        let survived = Arc::clone(&faults);
        // INVARIANT (worker-survives): a panic of foreign code ends one task, never the worker. After a panic
        // of `done` the task is unfinished in the durable queue and comes back at the next start.
        let each = move |task: &Task, begun: Begun| {
            let judged = catch_unwind(AssertUnwindSafe(|| judge(task)));
            survived.fetch_add(u64::from(judged.is_err()), Ordering::Relaxed);
            let handed_on = catch_unwind(AssertUnwindSafe(|| done(task, judged.ok(), begun)));
            survived.fetch_add(u64::from(handed_on.is_err()), Ordering::Relaxed);
        };
        let shared = Arc::new(Shared {
            queue: Mutex::new(Queue::new(capacity)),
            work: Condvar::new(),
            each: Box::new(each),
            faults,
        });
        let mut pool = Self { shared, workers: Vec::new() };
        for worker in 0..workers.clamp(1, WORKERS_MAX) {
            let shared = Arc::clone(&pool.shared);
            let thread = Builder::new()
                .name(format!("analysis-{worker}"))
                .spawn(move || work(&shared))
                .map_err(|source| StartPoolError::Thread { worker, source })?;
            pool.workers.push(thread);
        }
        Ok(pool)
    }

    /// Takes a task, unless there is no room.
    ///
    /// A content that is already queued is not queued twice: the higher of both priorities counts. One that
    /// is being judged is not queued again either, since its outcome is on the way.
    ///
    /// # Errors
    /// [`Full`] when the queue has no room or the pool was stopped; the task is still in the durable queue,
    /// to be offered again when an outcome arrives.
    pub fn offer(&self, task: Task) -> Result<(), Full> {
        let queued = self.shared.queue().offer(task)?;
        if queued {
            self.shared.work.notify_one();
        }
        Ok(())
    }

    /// Whether a content is queued or begun.
    pub fn holds(&self, content: &Digest) -> bool {
        self.shared.queue().holds(content)
    }

    /// Brings a queued content before all that no action waits for.
    pub fn urge(&self, content: &Digest) {
        self.shared.queue().urge(content);
    }

    /// Tasks that wait for a worker.
    pub fn waiting(&self) -> usize {
        self.shared.queue().len()
    }

    /// Panics of judges and of the outcome callback since the start; each was survived.
    pub fn faults(&self) -> u64 {
        self.shared.faults.load(Ordering::Relaxed)
    }

    /// Stops: tasks not begun are dropped, those begun are finished, all threads are joined.
    pub fn stop(mut self) {
        self.halt();
    }

    /// Stops without waiting: tasks not begun are dropped, those begun end on threads that nobody joins.
    pub fn abandon(mut self) {
        self.close();
        self.workers.clear();
    }

    fn close(&self) {
        self.shared.queue().close();
        self.shared.work.notify_all();
    }

    fn halt(&mut self) {
        self.close();
        for worker in self.workers.drain(..) {
            if worker.join().is_err() {
                self.shared.faults.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.halt();
    }
}

fn work(shared: &Arc<Shared>) {
    while let Some(task) = next(shared) {
        let begun = Begun { shared: Arc::clone(shared), content: task.content };
        (shared.each)(&task, begun);
    }
}

fn next(shared: &Shared) -> Option<Task> {
    let mut queue = shared.queue();
    loop {
        if queue.closed() {
            return None;
        }
        if let Some(task) = queue.take() {
            return Some(task);
        }
        queue = shared.work.wait(queue).unwrap_or_else(PoisonError::into_inner);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::{Duration, Instant};

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(20);

    static GATE: Mutex<Option<(Sender<()>, Receiver<()>)>> = Mutex::new(None);

    /// Says that it began, and goes on when it is let go.
    fn gated(_: &Task) {
        if let Some((began, go)) = GATE.lock().unwrap().take() {
            began.send(()).unwrap();
            go.recv_timeout(PATIENCE).unwrap();
        }
    }

    fn task(text: &str) -> Task {
        let priority = Priority { awaited: false, live: false, low_origin: false, sequence: 0 };
        Task { content: Digest::of(text.as_bytes()), bytes: text.as_bytes().into(), priority }
    }

    /// INVARIANT (stop-drops-the-unbegun): the one worker is held inside the first task until the queue is
    /// closed, so that nothing but the closing keeps it from the second.
    #[test]
    fn stopping_finishes_what_was_begun_and_drops_the_rest() {
        let ((began, has_begun), (let_go, go), (sender, outcomes)) = (channel(), channel(), channel());
        *GATE.lock().unwrap() = Some((began, go));
        let sender = Mutex::new(sender);
        let done =
            move |task: &Task, _: Option<()>, _: Begun| sender.lock().unwrap().send(task.content).unwrap();
        let pool = Pool::start(1, 8, gated, done).unwrap();
        let shared = Arc::clone(&pool.shared);
        pool.offer(task("begun")).unwrap();
        has_begun.recv_timeout(PATIENCE).unwrap();
        pool.offer(task("not begun")).unwrap();
        let stopping = std::thread::spawn(move || pool.stop());
        let patience = Instant::now() + PATIENCE;
        while !shared.queue().closed() {
            assert!(Instant::now() < patience, "the queue is closed while the worker is busy");
            std::thread::yield_now();
        }
        let_go.send(()).unwrap();
        stopping.join().unwrap();
        // With the last owner of the callback gone, the channel ends: what it held is all there will be.
        drop(shared);
        assert_eq!(outcomes.iter().collect::<Vec<_>>(), [Digest::of(b"begun")]);
    }
}
