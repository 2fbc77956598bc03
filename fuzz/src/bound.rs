//! Bounds of time.

use std::time::{Duration, Instant};

/// Times that a slow execution is repeated alone: the fastest one says what the work costs, the others what
/// the machine did besides.
const REPEATS: usize = 5;
/// The tests of the short form run unoptimised code beside others.
const SLACK: u32 = if cfg!(test) { 20 } else { 1 };

/// A bound of time that grows with the input up to a limit.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    /// Allowed for an empty input.
    pub(crate) floor: Duration,
    /// Allowed for each byte besides.
    pub(crate) per_byte: Duration,
    /// Never allowed to exceed.
    pub(crate) most: Duration,
}

impl Bound {
    fn of(self, bytes: usize) -> Duration {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let allowed = self.floor.saturating_add(self.per_byte.saturating_mul(bytes)).min(self.most);
        allowed.saturating_mul(SLACK)
    }
}

/// Runs `work` and panics when it is slower than its bound in every one of several executions.
pub(crate) fn within<T>(bytes: usize, bound: Bound, mut work: impl FnMut() -> T) -> T {
    let allowed = bound.of(bytes);
    let mut timed = || {
        let began = Instant::now();
        let out = work();
        (began.elapsed(), out)
    };
    let (mut best, mut out) = timed();
    for _ in 0..REPEATS {
        if best <= allowed {
            return out;
        }
        let (again, next) = timed();
        best = best.min(again);
        out = next;
    }
    assert!(best <= allowed, "{bytes} bytes took {best:?}, and {allowed:?} are allowed");
    out
}
