//! Processes of a test: bounded waits, never a wait for a fixed time.

use std::process::{Child, ExitStatus};
use std::thread;
use std::time::{Duration, Instant};

/// Longest wait for anything; a machine under load needs seconds, something that hangs needs for ever.
pub(super) const WAIT_MAX: Duration = Duration::from_secs(90);

/// Between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// Looks until `found` gives something; fails the test with `what` when it does not in time.
pub(super) fn wait_for<T>(what: &str, found: impl FnMut() -> Option<T>) -> T {
    within(WAIT_MAX, found).unwrap_or_else(|| panic!("waited in vain for {what}"))
}

/// Looks until `found` gives something, at most for `limit`.
pub(super) fn within<T>(limit: Duration, mut found: impl FnMut() -> Option<T>) -> Option<T> {
    let deadline = Instant::now() + limit;
    loop {
        let found = found();
        if found.is_some() || Instant::now() >= deadline {
            return found;
        }
        thread::sleep(LOOK);
    }
}

/// A process that is killed and collected when the test is done with it.
pub(super) struct Guarded(pub(super) Child);

impl Guarded {
    /// Waits until it has ended.
    pub(super) fn ended(&mut self, what: &str) -> ExitStatus {
        wait_for(what, || self.0.try_wait().unwrap())
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // It may have ended already; then there is nothing to kill and the wait returns at once.
        if self.0.kill().is_ok() {
            self.0.wait().unwrap();
        }
    }
}
