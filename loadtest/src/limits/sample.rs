//! Durations of one thing, and what is read off them.

use std::time::Duration;

/// Measured durations, sorted.
#[derive(Clone, Debug, Default)]
pub struct Sample(Vec<Duration>);

impl Sample {
    /// Of these durations.
    #[must_use]
    pub fn new(mut durations: Vec<Duration>) -> Sample {
        durations.sort_unstable();
        Sample(durations)
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The duration that `per_mille` of all do not exceed, in seconds; zero where there is none.
    #[must_use]
    pub fn at(&self, per_mille: usize) -> f64 {
        let place = self.0.len().saturating_sub(1) * per_mille / 1_000;
        self.0.get(place).copied().unwrap_or_default().as_secs_f64()
    }

    /// The median, in seconds.
    #[must_use]
    pub fn p50(&self) -> f64 {
        self.at(500)
    }

    /// The 95th percentile, in seconds.
    #[must_use]
    pub fn p95(&self) -> f64 {
        self.at(950)
    }

    /// The 99th percentile, in seconds.
    #[must_use]
    pub fn p99(&self) -> f64 {
        self.at(990)
    }
}

/// Seconds in words: `255 us`, `1.36 ms`, `2.4 s`.
#[must_use]
pub fn in_words(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-4 => format!("{:.1} us", s * 1e6),
        s if s < 1e-3 => format!("{:.0} us", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s => format!("{s:.2} s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_members_of_the_sample() {
        let sample = Sample::new((1..=100).rev().map(Duration::from_millis).collect());
        assert_eq!(sample.p50(), 0.050);
        assert_eq!(sample.p95(), 0.095);
        assert_eq!(sample.at(1_000), 0.100);
        assert_eq!(Sample::default().p99(), 0.0);
    }

    #[test]
    fn durations_are_said_in_their_own_unit() {
        let said: Vec<_> = [2e-7, 2.55e-5, 2.55e-4, 1.36e-3, 2.4].map(in_words).into();
        assert_eq!(said, ["200 ns", "25.5 us", "255 us", "1.36 ms", "2.40 s"]);
    }
}
