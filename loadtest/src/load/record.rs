//! What each request leaves behind, and the figures that are made of it.

use std::collections::BTreeMap;
use std::time::Duration;

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};

use super::plan::Kind;

/// Longest latency that is told apart.
const LATENCY_US_MAX: u64 = 120_000_000;
/// Precision of latencies.
const SIGNIFICANT_DIGITS: u8 = 3;

/// What came back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was let through, or recorded.
    Silent,
    /// It was interrupted.
    Interrupted,
    /// There was no answer.
    Failed,
}

/// One request that has ended.
#[derive(Clone, Copy, Debug)]
pub struct Done {
    /// What it did.
    pub kind: Kind,
    /// When it was to begin, from the start of the run.
    pub intended: Duration,
    /// From when it was to begin until it ended: a client that was late for it counts, so that a server which
    /// stalls cannot hide the requests that nobody could send meanwhile (coordinated omission).
    pub latency: Duration,
    /// From when it began.
    pub service: Duration,
    /// What came back.
    pub outcome: Outcome,
}

/// Figures of a distribution, in microseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Percentiles {
    /// The median.
    pub p50: u64,
    /// The 90th percentile.
    pub p90: u64,
    /// The 95th.
    pub p95: u64,
    /// The 99th.
    pub p99: u64,
    /// The 99.9th.
    pub p999: u64,
    /// The longest.
    pub max: u64,
}

/// What one kind of request came to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Figures {
    /// How many ended.
    pub count: u64,
    /// How many of them were interrupted.
    pub interrupted: u64,
    /// How many of them gave no answer; they are in no distribution.
    pub failed: u64,
    /// From the intended start.
    pub latency_us: Percentiles,
    /// From the real start.
    pub service_us: Percentiles,
    /// Percentile and latency in microseconds, for a curve.
    pub curve: Vec<(f64, u64)>,
}

/// One second of the run, by intended start.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Second {
    /// Which, from 0.
    pub second: u64,
    /// Requests.
    pub count: u64,
    /// Median latency of all but the no-ops, in microseconds.
    pub p50_us: u64,
    /// 95th percentile.
    pub p95_us: u64,
    /// 99th percentile.
    pub p99_us: u64,
}

/// Figures by kind; kinds that never occurred are left out.
///
/// # Errors
/// When a histogram cannot be made.
pub fn by_kind(done: &[Done]) -> Result<BTreeMap<Kind, Figures>, hdrhistogram::CreationError> {
    let mut figures = BTreeMap::new();
    for kind in Kind::ALL {
        let of_kind = || done.iter().filter(move |done| done.kind == kind);
        if of_kind().next().is_none() {
            continue;
        }
        let count = |outcome| of_kind().filter(|done| done.outcome == outcome).count() as u64;
        let answered = || of_kind().filter(|done| done.outcome != Outcome::Failed);
        let latency = histogram(answered().map(|done| done.latency))?;
        let service = histogram(answered().map(|done| done.service))?;
        let of = Figures {
            count: of_kind().count() as u64,
            interrupted: count(Outcome::Interrupted),
            failed: count(Outcome::Failed),
            latency_us: percentiles(&latency),
            service_us: percentiles(&service),
            curve: curve(&latency),
        };
        figures.insert(kind, of);
    }
    Ok(figures)
}

/// The run second by second.
#[must_use]
pub fn by_second(done: &[Done]) -> Vec<Second> {
    let mut seconds: BTreeMap<u64, Vec<u64>> = BTreeMap::new();
    for done in done.iter().filter(|done| done.kind != Kind::Noop) {
        seconds.entry(done.intended.as_secs()).or_default().push(us(done.latency));
    }
    let figures = |(second, mut all): (u64, Vec<u64>)| {
        all.sort_unstable();
        let at = |per_cent: usize| all.get((all.len() - 1) * per_cent / 100).copied().unwrap_or_default();
        Second { second, count: all.len() as u64, p50_us: at(50), p95_us: at(95), p99_us: at(99) }
    };
    seconds.into_iter().map(figures).collect()
}

fn histogram(all: impl Iterator<Item = Duration>) -> Result<Histogram<u64>, hdrhistogram::CreationError> {
    let mut histogram = Histogram::new_with_bounds(1, LATENCY_US_MAX, SIGNIFICANT_DIGITS)?;
    all.for_each(|duration| histogram.saturating_record(us(duration)));
    Ok(histogram)
}

fn us(duration: Duration) -> u64 {
    u64::try_from(duration.as_micros()).unwrap_or(LATENCY_US_MAX).clamp(1, LATENCY_US_MAX)
}

fn percentiles(histogram: &Histogram<u64>) -> Percentiles {
    let at = |percentile| histogram.value_at_percentile(percentile);
    Percentiles {
        p50: at(50.0),
        p90: at(90.0),
        p95: at(95.0),
        p99: at(99.0),
        p999: at(99.9),
        max: histogram.max(),
    }
}

/// Points ever closer to the end, as far as there are requests to tell them apart.
fn curve(histogram: &Histogram<u64>) -> Vec<(f64, u64)> {
    let mut points = Vec::new();
    let mut beyond = 100.0;
    while beyond * histogram.len() as f64 >= 100.0 {
        let percentile = 100.0 - beyond;
        points.push((percentile, histogram.value_at_percentile(percentile)));
        beyond *= 0.8;
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(second: u64, ms: u64, outcome: Outcome) -> Done {
        let (intended, latency) = (Duration::from_secs(second), Duration::from_millis(ms));
        Done { kind: Kind::Ask, intended, latency, service: latency / 2, outcome }
    }

    #[test]
    fn failures_are_counted_and_not_averaged_away() {
        let mut all: Vec<_> = (1..=99).map(|ms| done(0, ms, Outcome::Silent)).collect();
        all.push(done(1, 60_000, Outcome::Failed));
        let figures = by_kind(&all).unwrap();
        let ask = figures.get(&Kind::Ask).unwrap();
        assert_eq!((ask.count, ask.failed, ask.interrupted), (100, 1, 0));
        assert!(ask.latency_us.max < 100_000, "{ask:?}");
        assert!(ask.service_us.p50 < ask.latency_us.p50);
        assert_eq!(figures.len(), 1);
    }

    #[test]
    fn a_second_is_that_of_the_intended_start() {
        let seconds = by_second(&[done(0, 5_000, Outcome::Silent), done(3, 1, Outcome::Silent)]);
        assert_eq!(seconds.iter().map(|second| second.second).collect::<Vec<_>>(), [0, 3]);
        assert_eq!(seconds[0].p99_us, 5_000_000);
    }
}
