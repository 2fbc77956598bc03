//! The bounded priority queue in front of the workers.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use circinus_core::digest::Digest;

/// Bytes of content held by queued tasks: thirty-two of the largest that are judged.
pub const QUEUED_BYTES_MAX: usize = 256 << 20;

/// What is judged first. Fields count in the order in which they stand here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Priority {
    /// An action waits for the judgement.
    pub awaited: bool,
    /// A live session holds the content, so that an action may need the judgement at any moment.
    pub live: bool,
    /// The content comes from an origin with little authority, so that its judgement is likely to matter.
    pub low_origin: bool,
    /// Sequence number of the artifact in the log; the newest is judged first.
    pub sequence: u64,
}

/// One content to judge.
#[derive(Clone, Debug)]
pub struct Task {
    /// Digest of `bytes`.
    pub content: Digest,
    /// The exact bytes.
    pub bytes: Arc<[u8]>,
    /// Its place among the others.
    pub priority: Priority,
}

/// The queue has no room, or is closed; the task was not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("analysis queue is full\nhint: the task stays in the durable queue and is offered again")]
pub struct Full;

/// Tasks by priority, each content at most once among the queued and the begun.
///
/// INVARIANT (one-task-per-content): `places` and `tasks` hold the same contents, and none of them is in
/// `begun`.
#[derive(Debug)]
pub struct Queue {
    tasks: BTreeMap<(Priority, Digest), Arc<[u8]>>,
    places: HashMap<Digest, Priority>,
    begun: HashSet<Digest>,
    capacity: usize,
    bytes: usize,
    closed: bool,
}

impl Queue {
    /// An empty queue of at most `capacity` tasks.
    pub fn new(capacity: usize) -> Self {
        Self {
            tasks: BTreeMap::new(),
            places: HashMap::new(),
            begun: HashSet::new(),
            capacity,
            bytes: 0,
            closed: false,
        }
    }

    /// Takes a task in; tells whether the number of tasks grew.
    ///
    /// # Errors
    /// [`Full`].
    pub fn offer(&mut self, task: Task) -> Result<bool, Full> {
        if self.closed {
            return Err(Full);
        }
        let Task { content, bytes, priority } = task;
        if self.begun.contains(&content) {
            return Ok(false);
        }
        if let Some(place) = self.places.get_mut(&content) {
            if priority > *place
                && let Some(bytes) = self.tasks.remove(&(*place, content))
            {
                *place = priority;
                self.tasks.insert((priority, content), bytes);
            }
            return Ok(false);
        }
        // One task is always taken into an empty queue, whatever its size, or it would never be judged.
        let no_bytes_left =
            !self.tasks.is_empty() && self.bytes.saturating_add(bytes.len()) > QUEUED_BYTES_MAX;
        if self.tasks.len() >= self.capacity || no_bytes_left {
            return Err(Full);
        }
        self.bytes += bytes.len();
        self.places.insert(content, priority);
        self.tasks.insert((priority, content), bytes);
        Ok(true)
    }

    /// The task of the highest priority; its content counts as begun until [`Queue::finished`].
    pub fn take(&mut self) -> Option<Task> {
        let ((priority, content), bytes) = self.tasks.pop_last()?;
        self.places.remove(&content);
        self.begun.insert(content);
        self.bytes -= bytes.len();
        Some(Task { content, bytes, priority })
    }

    pub(super) fn holds(&self, content: &Digest) -> bool {
        self.places.contains_key(content) || self.begun.contains(content)
    }

    /// Marks a queued content as awaited.
    pub fn urge(&mut self, content: &Digest) {
        let Some(place) = self.places.get_mut(content) else { return };
        if let Some(bytes) = self.tasks.remove(&(*place, *content)) {
            place.awaited = true;
            self.tasks.insert((*place, *content), bytes);
        }
    }

    /// A content that was taken is not begun any more.
    pub fn finished(&mut self, content: Digest) {
        self.begun.remove(&content);
    }

    pub(super) fn len(&self) -> usize {
        self.tasks.len()
    }

    pub(super) fn closed(&self) -> bool {
        self.closed
    }

    /// Drops all queued tasks and refuses further ones.
    pub(super) fn close(&mut self) {
        self.closed = true;
        self.tasks.clear();
        self.places.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn task(text: &str, live: bool, low_origin: bool, sequence: u64) -> Task {
        let bytes = text.as_bytes();
        Task {
            content: Digest::of(bytes),
            bytes: bytes.into(),
            priority: Priority { awaited: false, live, low_origin, sequence },
        }
    }

    fn drain(queue: &mut Queue) -> Vec<String> {
        std::iter::from_fn(|| queue.take())
            .map(|task| String::from_utf8_lossy(&task.bytes).into_owned())
            .collect()
    }

    #[test]
    fn live_comes_before_low_origin_and_that_before_newest() {
        let mut queue = Queue::new(8);
        queue.offer(task("newest", false, false, 9)).unwrap();
        queue.offer(task("low", false, true, 1)).unwrap();
        queue.offer(task("live", true, false, 1)).unwrap();
        queue.offer(task("live and newer", true, false, 2)).unwrap();
        queue.offer(task("live and low", true, true, 0)).unwrap();
        assert_eq!(drain(&mut queue), ["live and low", "live and newer", "live", "low", "newest"]);
    }

    #[test]
    fn what_an_action_waits_for_comes_before_everything() {
        let mut queue = Queue::new(8);
        queue.offer(task("old", false, false, 1)).unwrap();
        queue.offer(task("live", true, true, 2)).unwrap();
        queue.urge(&Digest::of(b"old"));
        queue.urge(&Digest::of(b"unknown"));
        assert_eq!(drain(&mut queue), ["old", "live"]);
    }

    #[test]
    fn the_same_content_is_queued_once_with_the_higher_priority() {
        let mut queue = Queue::new(2);
        assert_eq!(queue.offer(task("a", false, false, 1)), Ok(true));
        assert_eq!(queue.offer(task("b", false, false, 2)), Ok(true));
        assert_eq!(queue.offer(task("a", true, false, 1)), Ok(false));
        assert_eq!(queue.offer(task("b", false, false, 0)), Ok(false));
        assert_eq!(queue.len(), 2);
        assert_eq!(drain(&mut queue), ["a", "b"]);
    }

    #[test]
    fn a_begun_content_is_not_queued_until_it_is_finished() {
        let mut queue = Queue::new(2);
        queue.offer(task("a", false, false, 1)).unwrap();
        let begun = queue.take().unwrap();
        assert_eq!(queue.offer(task("a", false, false, 1)), Ok(false));
        queue.finished(begun.content);
        assert_eq!(queue.offer(task("a", false, false, 1)), Ok(true));
    }

    #[test]
    fn count_and_bytes_are_bounded_and_a_single_large_task_is_taken() {
        let mut queue = Queue::new(1);
        queue.offer(task("a", false, false, 1)).unwrap();
        assert_eq!(queue.offer(task("b", false, false, 1)), Err(Full));
        let mut queue = Queue::new(8);
        queue.bytes = QUEUED_BYTES_MAX;
        assert_eq!(queue.offer(task("a", false, false, 1)), Ok(true));
        assert_eq!(queue.offer(task("b", false, false, 1)), Err(Full));
    }
}
