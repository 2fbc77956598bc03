//! What the fuzz targets share.

use std::time::{Duration, Instant};

/// Times that a slow execution is repeated alone: the fastest one says what the work costs, the others what
/// the machine did besides.
const REPEATS: usize = 5;

/// Runs `work` and panics when it is slower than `floor` plus `per_byte` for each byte of the input, or than
/// `most`, in every one of several executions.
pub fn within<T>(bytes: usize, bound: Bound, mut work: impl FnMut() -> T) -> T {
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

/// A bound of time that grows with the input up to a limit.
#[derive(Clone, Copy)]
pub struct Bound {
    /// Allowed for an empty input.
    pub floor: Duration,
    /// Allowed for each byte besides.
    pub per_byte: Duration,
    /// Never allowed to exceed.
    pub most: Duration,
}

impl Bound {
    fn of(self, bytes: usize) -> Duration {
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.floor.saturating_add(self.per_byte.saturating_mul(bytes)).min(self.most)
    }
}
