//! Deadlines of connections, the nearest first.

use crate::queue::ConnectionId;
use std::collections::BTreeSet;
use std::time::Instant;

/// An ordered set of deadlines; at most one per connection is kept by its user.
#[derive(Debug, Default)]
pub(super) struct Timers {
    by_time: BTreeSet<(Instant, ConnectionId)>,
}

impl Timers {
    pub(super) fn set(&mut self, at: Instant, connection: ConnectionId) {
        self.by_time.insert((at, connection));
    }

    pub(super) fn clear(&mut self, at: Instant, connection: ConnectionId) {
        self.by_time.remove(&(at, connection));
    }

    pub(super) fn next(&self) -> Option<Instant> {
        self.by_time.first().map(|(at, _)| *at)
    }

    /// Takes one connection whose deadline is not after `now`.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<ConnectionId> {
        let &(at, connection) = self.by_time.first()?;
        if at > now {
            return None;
        }
        self.by_time.pop_first();
        Some(connection)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn due_deadlines_come_in_order_and_cleared_ones_never() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut timers = Timers::default();
        timers.set(at(30), ConnectionId(3));
        timers.set(at(10), ConnectionId(1));
        timers.set(at(20), ConnectionId(2));
        timers.clear(at(20), ConnectionId(2));
        assert_eq!(timers.next(), Some(at(10)));
        assert_eq!(timers.pop_due(at(9)), None);
        assert_eq!(timers.pop_due(at(40)), Some(ConnectionId(1)));
        assert_eq!(timers.pop_due(at(40)), Some(ConnectionId(3)));
        assert_eq!(timers.pop_due(at(40)), None);
    }
}
