//! The state that readers see.

use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::ArcSwap;

use super::Snapshot;
use crate::event::Recorded;

/// The published state: one writer replaces it, any number of readers take it without waiting.
#[derive(Debug)]
pub struct Hot {
    current: ArcSwap<Snapshot>,
    /// States that were replaced, kept until no reader holds them: what a state alone holds is freed by the writer,
    /// so that no reader pays for that, nor waits for the memory of the writer's thread.
    retired: Mutex<Vec<Arc<Snapshot>>>,
}

impl Hot {
    /// Starts from a recovered state.
    pub fn new(snapshot: Snapshot) -> Self {
        Self { current: ArcSwap::from_pointee(snapshot), retired: Mutex::default() }
    }

    /// The present state.
    pub fn load(&self) -> Arc<Snapshot> {
        self.current.load_full()
    }

    /// Publishes the state after `events`. Only the writer calls it, after the events are durable.
    ///
    /// INVARIANT (durable-before-visible): the caller passes committed events only.
    pub fn publish(&self, events: &[Recorded]) {
        let mut next = Snapshot::clone(&self.current.load());
        for event in events {
            next.apply(event);
        }
        let before = self.current.swap(Arc::new(next));
        // Only the writer takes it, so it is never waited for.
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        // Nobody can take a replaced state any more: its holders only become fewer.
        retired.retain(|state| Arc::strong_count(state) > 1);
        retired.push(before);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Event;
    use crate::id::{EventSeq, SessionId};
    use crate::time::UnixMillis;

    fn publish(hot: &Hot, seq: u64) {
        let event = Event::SessionClosed { session: SessionId::new("s") };
        hot.publish(&[Recorded { seq: EventSeq(seq), at: UnixMillis(seq), event }]);
    }

    #[test]
    fn a_state_is_freed_by_the_writer_and_not_by_its_last_reader() {
        let hot = Hot::new(Snapshot::default());
        let read = hot.load();
        let state = Arc::downgrade(&read);
        (1..=3).for_each(|seq| publish(&hot, seq));
        drop(read);
        assert!(state.upgrade().is_some(), "its reader freed it");
        publish(&hot, 4);
        assert!(state.upgrade().is_none(), "nobody freed it");
        let retired = hot.retired.lock().unwrap();
        assert_eq!(retired.len(), 1, "a state that nobody read outlived more than one publication");
    }
}
