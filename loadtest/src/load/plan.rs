//! What is asked when: drawn before the first request, so that no answer can delay a question.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// Requests of one run. Each leaves one record of sixteen bytes.
pub const REQUESTS_MAX: usize = 5_000_000;

/// Bytes of one event: what the socket takes.
const SIZE_MAX: usize = 32 << 20;

/// What a client does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Ask for a command at T1.
    Ask,
    /// Ask for a command at T2, whose decision is durable before it is answered.
    Push,
    /// Report a page that was read: a durable ingest.
    Page,
    /// Start a program that does nothing: what a process costs at the same moment.
    Noop,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Ask, Kind::Push, Kind::Page, Kind::Noop];

    /// As it is written on the command line.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Kind::Ask => "ask",
            Kind::Push => "push",
            Kind::Page => "page",
            Kind::Noop => "noop",
        }
    }
}

/// Things with weights: `ask=70,page=30`, `1k=80,1m=20`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weighted<T>(Vec<(T, u32)>);

/// Why a list of weights is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("`{part}` is not NAME=WEIGHT with {wanted} and a weight of 1 or more")]
pub struct WeightError {
    part: String,
    wanted: &'static str,
}

impl<T: Copy> Weighted<T> {
    fn parse(text: &str, wanted: &'static str, of: impl Fn(&str) -> Option<T>) -> Result<Self, WeightError> {
        let one = |part: &str| {
            let (name, weight) = part.trim().split_once('=')?;
            let weight = weight.parse().ok().filter(|weight| (1..=1_000_000).contains(weight))?;
            Some((of(name)?, weight))
        };
        let parts = text.split(',');
        let all = parts.map(|part| one(part).ok_or_else(|| WeightError { part: part.to_owned(), wanted }));
        all.collect::<Result<_, _>>().map(Weighted)
    }

    fn draw(&self, random: &mut fastrand::Rng) -> Option<T> {
        let sum = self.0.iter().map(|(_, weight)| weight).sum();
        let mut left = random.u32(0..sum);
        self.0.iter().find_map(|(thing, weight)| {
            let hit = left < *weight;
            left = left.saturating_sub(*weight);
            hit.then_some(*thing)
        })
    }
}

impl FromStr for Weighted<Kind> {
    type Err = WeightError;

    fn from_str(text: &str) -> Result<Self, WeightError> {
        let of = |name: &str| Kind::ALL.into_iter().find(|kind| kind.word() == name);
        Weighted::parse(text, "a name among ask, push, page, noop", of)
    }
}

impl FromStr for Weighted<usize> {
    type Err = WeightError;

    fn from_str(text: &str) -> Result<Self, WeightError> {
        Weighted::parse(text, "a size such as 800, 4k or 1m, up to 32m", size)
    }
}

impl fmt::Display for Weighted<Kind> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = self.0.iter().map(|(kind, weight)| format!("{}={weight}", kind.word())).collect();
        f.write_str(&parts.join(","))
    }
}

impl fmt::Display for Weighted<usize> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts: Vec<_> = self.0.iter().map(|(bytes, weight)| format!("{bytes}={weight}")).collect();
        f.write_str(&parts.join(","))
    }
}

fn size(text: &str) -> Option<usize> {
    let (digits, factor) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1 << 10),
        None => text.strip_suffix(['m', 'M']).map_or((text, 1), |digits| (digits, 1 << 20)),
    };
    let bytes = digits.parse::<usize>().ok()?.checked_mul(factor)?;
    (1..=SIZE_MAX).contains(&bytes).then_some(bytes)
}

/// One request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Planned {
    /// When it is to begin, from the start of the run.
    pub at: Duration,
    /// What it does.
    pub kind: Kind,
    /// Length of its event in bytes, about.
    pub bytes: usize,
}

/// A run's requests in order: a Poisson process of `rate` a second over `length`, the same for the same seed.
#[must_use]
pub fn draw(
    rate: f64,
    length: Duration,
    mix: &Weighted<Kind>,
    sizes: &Weighted<usize>,
    seed: u64,
) -> Vec<Planned> {
    let mut random = fastrand::Rng::with_seed(seed);
    let (mut at, mut all) = (0.0, Vec::new());
    while all.len() < REQUESTS_MAX {
        // Times between independent arrivals are exponential; 1 - u is never zero.
        at += -(1.0 - random.f64()).ln() / rate;
        if at >= length.as_secs_f64() {
            break;
        }
        let (Some(kind), Some(bytes)) = (mix.draw(&mut random), sizes.draw(&mut random)) else { break };
        all.push(Planned { at: Duration::from_secs_f64(at), kind, bytes });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_read_or_refused_by_name() {
        assert_eq!("ask=70, page=30".parse::<Weighted<Kind>>().unwrap().to_string(), "ask=70,page=30");
        assert_eq!("1k=8,2m=1".parse::<Weighted<usize>>().unwrap().to_string(), "1024=8,2097152=1");
        for wrong in ["", "ask", "ask=0", "sing=1", "ask=1,"] {
            assert!(wrong.parse::<Weighted<Kind>>().is_err(), "{wrong}");
        }
        for wrong in ["0=1", "33m=1", "1g=1", "=1"] {
            assert!(wrong.parse::<Weighted<usize>>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_plan_has_its_rate_and_its_mix_and_is_repeatable() {
        let (mix, sizes) = ("ask=3,page=1".parse().unwrap(), "1k=1".parse().unwrap());
        let plan = draw(1_000.0, Duration::from_secs(20), &mix, &sizes, 7);
        assert!((19_000..21_000).contains(&plan.len()), "{}", plan.len());
        let asks = plan.iter().filter(|planned| planned.kind == Kind::Ask).count() as f64;
        assert!((0.73..0.77).contains(&(asks / plan.len() as f64)));
        assert!(plan.is_sorted_by_key(|planned| planned.at));
        assert_eq!(plan, draw(1_000.0, Duration::from_secs(20), &mix, &sizes, 7));
    }
}
