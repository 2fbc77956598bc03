//! Room in the writer's queue, counted in commits and in bytes.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Instant;

use super::SubmitError;

/// What waits, and how much may.
#[derive(Debug)]
pub(super) struct Budget {
    used: Mutex<Used>,
    freed: Condvar,
    commits_max: usize,
    bytes_max: usize,
}

#[derive(Clone, Copy, Debug, Default)]
struct Used {
    commits: usize,
    bytes: usize,
}

/// Room taken; dropping it gives it back.
#[derive(Debug)]
pub(super) struct Reservation {
    budget: Arc<Budget>,
    bytes: usize,
}

impl Budget {
    pub(super) fn new(commits_max: usize, bytes_max: usize) -> Self {
        Self { used: Mutex::default(), freed: Condvar::new(), commits_max, bytes_max }
    }

    /// Takes room for one commit of `bytes`; without a deadline at once or not at all.
    pub(super) fn reserve(
        budget: &Arc<Self>,
        bytes: usize,
        deadline: Option<Instant>,
    ) -> Result<Reservation, SubmitError> {
        // The counters stay consistent through a panic elsewhere: they change in one statement each.
        let mut used = budget.used.lock().unwrap_or_else(PoisonError::into_inner);
        while !budget.fits(*used, bytes) {
            let left = deadline.and_then(|deadline| deadline.checked_duration_since(Instant::now()));
            let Some(left) = left.filter(|left| !left.is_zero()) else {
                return Err(SubmitError::Full { commits: used.commits, bytes: used.bytes });
            };
            (used, _) = budget.freed.wait_timeout(used, left).unwrap_or_else(PoisonError::into_inner);
        }
        *used = Used { commits: used.commits + 1, bytes: used.bytes + bytes };
        Ok(Reservation { budget: Arc::clone(budget), bytes })
    }

    fn fits(&self, used: Used, bytes: usize) -> bool {
        // One commit of any permitted size always fits into an empty queue.
        used.commits == 0 || (used.commits < self.commits_max && used.bytes + bytes <= self.bytes_max)
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut used = self.budget.used.lock().unwrap_or_else(PoisonError::into_inner);
        *used = Used { commits: used.commits - 1, bytes: used.bytes - self.bytes };
        drop(used);
        self.budget.freed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn both_bounds_are_reported_and_given_back() {
        let budget = Arc::new(Budget::new(2, 100));
        let first = Budget::reserve(&budget, 60, None).unwrap();
        let full = Budget::reserve(&budget, 41, None).unwrap_err();
        assert_eq!(full, SubmitError::Full { commits: 1, bytes: 60 });
        let second = Budget::reserve(&budget, 40, None).unwrap();
        assert_eq!(
            Budget::reserve(&budget, 0, None).unwrap_err(),
            SubmitError::Full { commits: 2, bytes: 100 }
        );
        drop((first, second));
        Budget::reserve(&budget, 100, None).unwrap();
    }

    #[test]
    fn waiting_ends_with_room_or_with_the_deadline() {
        let budget = Arc::new(Budget::new(1, 100));
        let held = Budget::reserve(&budget, 1, None).unwrap();
        let soon = Instant::now() + Duration::from_millis(5);
        assert!(Budget::reserve(&budget, 1, Some(soon)).is_err());
        let waiting = std::thread::spawn({
            let budget = Arc::clone(&budget);
            move || Budget::reserve(&budget, 1, Some(Instant::now() + Duration::from_secs(60))).is_ok()
        });
        drop(held);
        assert!(waiting.join().unwrap());
    }
}
