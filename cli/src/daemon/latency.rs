//! How long answers take, counted without a lock.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Buckets for each doubling: a bucket is at most 1/8 wider than its lower end.
const PER_OCTAVE: u64 = 8;

/// Buckets in all: up to 2^23 microseconds, more than eight seconds; longer times count there.
const BUCKETS: usize = 23 * PER_OCTAVE as usize;

/// Times of answers in microseconds, in logarithmic buckets.
#[derive(Debug)]
pub(super) struct Latency([AtomicU64; BUCKETS]);

impl Default for Latency {
    fn default() -> Self {
        Self([const { AtomicU64::new(0) }; BUCKETS])
    }
}

impl Latency {
    pub(super) fn record(&self, took: Duration) {
        let us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        if let Some(bucket) = self.0.get(bucket(us).min(BUCKETS - 1)) {
            bucket.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The time in microseconds that `percent` of the answers did not exceed, to the end of its bucket; none
    /// before the first answer.
    pub(super) fn percentile_us(&self, percent: u64) -> Option<u64> {
        let counts: Vec<u64> = self.0.iter().map(|bucket| bucket.load(Ordering::Relaxed)).collect();
        let all: u64 = counts.iter().sum();
        let wanted = (all * percent).div_ceil(100).max(1);
        let mut seen = 0;
        let place = counts.iter().position(|count| {
            seen += count;
            seen >= wanted
        })?;
        Some(upper_us(place))
    }
}

fn bucket(us: u64) -> usize {
    if us < PER_OCTAVE {
        return us as usize;
    }
    let octave = u64::from(us.ilog2());
    // The three bits after the leading one.
    let step = (us >> (octave - 3)) & (PER_OCTAVE - 1);
    ((octave - 2) * PER_OCTAVE + step) as usize
}

/// The first microsecond beyond a bucket.
fn upper_us(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < PER_OCTAVE {
        return bucket + 1;
    }
    let (octave, step) = (bucket / PER_OCTAVE + 2, bucket % PER_OCTAVE);
    (PER_OCTAVE + step + 1) << (octave - 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_lies_below_the_end_of_its_bucket_and_not_below_the_one_before() {
        for us in (0..5_000).chain([65_535, 65_536, 1_000_003, 8_000_000]) {
            let place = bucket(us);
            assert!(us < upper_us(place), "{us}");
            assert!(place == 0 || us >= upper_us(place - 1), "{us}");
        }
    }

    #[test]
    fn percentiles_count_from_below() {
        let latency = Latency::default();
        assert_eq!(latency.percentile_us(50), None);
        (1..=100).for_each(|ms| latency.record(Duration::from_millis(ms)));
        let p50 = latency.percentile_us(50).unwrap();
        assert!((50_000..=57_000).contains(&p50), "{p50}");
        latency.record(Duration::from_secs(3_600));
        assert!(latency.percentile_us(100).unwrap() >= 8_000_000);
    }
}
