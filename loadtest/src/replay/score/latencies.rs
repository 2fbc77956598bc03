//! Distributions of round trips.

use std::time::Duration;

use hdrhistogram::Histogram;

/// Precision of latencies.
const SIGNIFICANT_DIGITS: u8 = 3;
/// Longest latency that is told apart; an answer takes no longer than the gate waits for it.
const LATENCY_US_MAX: u64 = 120_000_000;

/// A distribution of round trips in microseconds.
#[derive(Clone, Debug)]
pub struct Latencies(Histogram<u64>);

impl Latencies {
    pub(super) fn new() -> Result<Latencies, hdrhistogram::CreationError> {
        Histogram::new_with_bounds(1, LATENCY_US_MAX, SIGNIFICANT_DIGITS).map(Latencies)
    }

    pub(super) fn record(&mut self, took: Duration) {
        let us = u64::try_from(took.as_micros()).unwrap_or(LATENCY_US_MAX);
        self.0.saturating_record(us.max(1));
    }

    pub(super) fn add(&mut self, other: &Latencies) {
        for step in other.0.iter_recorded() {
            let repeats = step.count_at_value();
            self.0.saturating_record_n(step.value_iterated_to(), repeats);
        }
    }

    /// How many were recorded.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.len()
    }

    /// The value below which `percent` of them lie, in microseconds; 0 when there are none.
    #[must_use]
    pub fn percentile_us(&self, percent: f64) -> u64 {
        self.0.value_at_percentile(percent)
    }

    /// The longest, in microseconds; 0 when there are none.
    #[must_use]
    pub fn max_us(&self) -> u64 {
        self.0.max()
    }
}
