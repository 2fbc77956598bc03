//! Not asking a provider that does not answer.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Failures in a row after which a provider is left alone.
pub const FAILURES_MAX: u32 = 5;

/// How long it is left alone at first; each further failure doubles it.
const PAUSE_FIRST: Duration = Duration::from_secs(15);

/// How long it is left alone at most: long enough for an outage, short enough to see its end.
const PAUSE_MAX: Duration = Duration::from_secs(600);

#[derive(Debug, Default)]
struct State {
    /// Failures since the last success.
    failures: u32,
    /// When the next request may leave; none while all may.
    open_until: Option<Instant>,
}

/// The state of one provider. It only ever says no: nothing waits here.
#[derive(Debug, Default)]
pub struct Circuit {
    state: Mutex<State>,
}

impl Circuit {
    /// Whether a request may leave at `now`. After a pause one may, and the others wait for how it fares.
    pub fn admits(&self, now: Instant) -> bool {
        let mut state = self.lock();
        match state.open_until {
            None => true,
            Some(until) if now < until => false,
            Some(_) => {
                state.open_until = now.checked_add(pause(state.failures));
                true
            }
        }
    }

    /// A request was answered.
    pub fn succeeded(&self) {
        *self.lock() = State::default();
    }

    /// A request was not.
    pub fn failed(&self, now: Instant) {
        let mut state = self.lock();
        state.failures = state.failures.saturating_add(1);
        if state.failures >= FAILURES_MAX {
            state.open_until = now.checked_add(pause(state.failures));
        }
    }

    /// When requests may leave again; none while they may.
    pub fn open_until(&self) -> Option<Instant> {
        self.lock().open_until
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // The state is valid between any two statements, so a panic elsewhere does not spoil it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn pause(failures: u32) -> Duration {
    let doublings = failures.saturating_sub(FAILURES_MAX).min(16);
    PAUSE_FIRST.saturating_mul(1 << doublings).min(PAUSE_MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_opens_after_failures_in_a_row_and_lets_one_through_after_the_pause() {
        let (circuit, now) = (Circuit::default(), Instant::now());
        for _ in 1..FAILURES_MAX {
            circuit.failed(now);
        }
        assert!(circuit.admits(now), "not yet");
        circuit.failed(now);
        assert!(!circuit.admits(now));
        let later = now + PAUSE_FIRST;
        assert!(circuit.admits(later), "one tries");
        assert!(!circuit.admits(later), "and the others wait");
        circuit.failed(later);
        assert!(!circuit.admits(later + PAUSE_FIRST), "the pause has doubled");
        circuit.succeeded();
        assert!(circuit.admits(later));
    }

    #[test]
    fn a_success_between_failures_starts_anew() {
        let (circuit, now) = (Circuit::default(), Instant::now());
        for _ in 0..10 * FAILURES_MAX {
            circuit.failed(now);
            circuit.succeeded();
        }
        assert!(circuit.admits(now));
    }

    #[test]
    fn no_pause_is_longer_than_the_longest() {
        assert_eq!(pause(u32::MAX), PAUSE_MAX);
    }
}
