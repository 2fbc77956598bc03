//! The machine's clock.

use std::time::{SystemTime, UNIX_EPOCH};

use circinus_core::time::{Clock, UnixMillis};

/// The machine's clock.
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UnixMillis {
        now()
    }
}

/// The present time; the epoch when the clock stands before it.
pub fn now() -> UnixMillis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
