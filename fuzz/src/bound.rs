//! Bounds of time: of the processor's, for what else the machine does is no finding.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Times that a slow execution is repeated: the fastest one says what the work costs, the others what caches
/// and other machines on the same processor did besides.
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

/// What this process has used so far, in all its threads: a parser may run in one of its own.
fn processor_time() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(used.tv_sec.unsigned_abs(), used.tv_nsec.unsigned_abs() as u32)
}

/// Runs `work` and panics when it is slower than its bound in every one of several executions.
pub(crate) fn within<T>(bytes: usize, bound: Bound, mut work: impl FnMut() -> T) -> T {
    let allowed = bound.of(bytes);
    let mut timed = || {
        let began = processor_time();
        let out = work();
        (processor_time().saturating_sub(began), out)
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
