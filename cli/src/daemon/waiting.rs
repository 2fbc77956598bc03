//! Actions that wait for the judgement of what influenced them: one wake per judgement, one deadline each.
//!
//! INVARIANT (pending-is-not-permission): a waiting action is decided again when a judgement lands or its
//! budget ends, whichever comes first; being parked never answers it.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use circinus_core::digest::Digest;
use crossbeam_channel::{Receiver, Sender, bounded};

/// Actions that may wait at once; a further one is decided with what is known.
const PARKED_MAX: usize = 1_024;

/// Something that waits.
#[derive(Debug)]
pub(super) struct Parked<T> {
    /// Contents whose judgement it waits for.
    pub contents: Vec<Digest>,
    /// When it stops waiting.
    pub deadline: Instant,
    /// What to do then.
    pub then: T,
}

#[derive(Debug)]
struct State<T> {
    parked: Vec<Parked<T>>,
    stopped: bool,
}

/// The waiting room.
#[derive(Debug)]
pub(super) struct Waiting<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
    ready: Sender<T>,
}

impl<T: Send + 'static> Waiting<T> {
    /// Opens the room; what is ready comes out of the receiver, and one thread watches the deadlines.
    ///
    /// # Errors
    ///
    /// The system's, when no thread can be started.
    pub(super) fn open() -> std::io::Result<(Arc<Self>, Receiver<T>, JoinHandle<()>)> {
        // As many places as can be parked, so that letting one out never blocks.
        let (ready, out) = bounded(PARKED_MAX);
        let state = Mutex::new(State { parked: Vec::new(), stopped: false });
        let room = Arc::new(Self { state, changed: Condvar::new(), ready });
        let keeper = Arc::clone(&room);
        let thread = thread::Builder::new().name("deadlines".into()).spawn(move || keeper.keep())?;
        Ok((room, out, thread))
    }

    /// Parks; gives it back when the room is full or closed, to be decided at once.
    ///
    /// # Errors
    ///
    /// The parked thing itself.
    pub(super) fn park(&self, parked: Parked<T>) -> Result<(), T> {
        let mut state = self.lock();
        if state.stopped || state.parked.len() + self.ready.len() >= PARKED_MAX {
            return Err(parked.then);
        }
        state.parked.push(parked);
        drop(state);
        self.changed.notify_one();
        Ok(())
    }

    /// Lets out everything that waits for `content`.
    pub(super) fn judged(&self, content: &Digest) {
        self.release(|parked| parked.contents.contains(content));
    }

    /// Closes the room: everything inside comes out, and nothing is parked any more.
    pub(super) fn close(&self) {
        self.lock().stopped = true;
        self.release(|_| true);
        self.changed.notify_one();
    }

    fn release(&self, leaves: impl Fn(&Parked<T>) -> bool) {
        let mut state = self.lock();
        let parked = std::mem::take(&mut state.parked);
        let (leaving, staying): (Vec<_>, Vec<_>) = parked.into_iter().partition(leaves);
        state.parked = staying;
        drop(state);
        for parked in leaving {
            if self.ready.send(parked.then).is_err() {
                // The workers are gone: the daemon is stopping, and dropping answers the client.
                return;
            }
        }
    }

    fn keep(&self) {
        let mut state = self.lock();
        while !state.stopped {
            let now = Instant::now();
            let next = state.parked.iter().map(|parked| parked.deadline).min();
            match next {
                None => state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
                Some(deadline) if deadline > now => {
                    let waited = self.changed.wait_timeout(state, deadline - now);
                    state = waited.map(|(state, _)| state).unwrap_or_else(|poisoned| poisoned.into_inner().0);
                }
                Some(_) => {
                    drop(state);
                    self.release(|parked| parked.deadline <= now);
                    state = self.lock();
                }
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State<T>> {
        // The state is valid between any two statements, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    fn parked(text: &str, wait_ms: u64, then: u32) -> Parked<u32> {
        let deadline = Instant::now() + Duration::from_millis(wait_ms);
        Parked { contents: vec![Digest::of(text.as_bytes())], deadline, then }
    }

    #[test]
    fn a_judgement_lets_out_exactly_what_waits_for_it() {
        let (room, out, keeper) = Waiting::open().unwrap();
        room.park(parked("a", 60_000, 1)).unwrap();
        room.park(parked("b", 60_000, 2)).unwrap();
        room.judged(&Digest::of(b"b"));
        assert_eq!(out.recv_timeout(Duration::from_secs(10)), Ok(2));
        assert!(out.try_recv().is_err());
        room.close();
        assert_eq!(out.recv_timeout(Duration::from_secs(10)), Ok(1));
        keeper.join().unwrap();
        assert_eq!(room.park(parked("c", 1, 3)), Err(3), "a closed room parks nothing");
    }

    #[test]
    fn a_deadline_lets_out_without_a_judgement() {
        let (room, out, keeper) = Waiting::open().unwrap();
        room.park(parked("far", 60_000, 1)).unwrap();
        room.park(parked("near", 1, 2)).unwrap();
        assert_eq!(out.recv_timeout(Duration::from_secs(10)), Ok(2));
        room.close();
        keeper.join().unwrap();
    }

    #[test]
    fn a_full_room_gives_back() {
        let (room, _out, keeper) = Waiting::open().unwrap();
        for _ in 0..PARKED_MAX {
            room.park(parked("x", 60_000, 0)).unwrap();
        }
        assert_eq!(room.park(parked("x", 60_000, 9)), Err(9));
        room.close();
        keeper.join().unwrap();
    }
}
