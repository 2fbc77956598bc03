//! The sums of a run, for machines.

use std::collections::BTreeMap;

use serde::Serialize;

use super::play::Played;
use super::score::{Attacks, Decisions, Failure, Interruption, Latencies, Listed, Matrix, Missed, Score};
use super::workspace::FileCounts;

/// Version of the JSON report's form.
pub const FORMAT: u32 = 1;

/// What a run found, per suite.
#[derive(Debug)]
pub struct Report {
    suites: BTreeMap<String, Score>,
    total: Score,
    errors: Vec<String>,
}

impl Report {
    /// Of no session yet.
    ///
    /// # Errors
    /// When a histogram cannot be made.
    pub fn new() -> Result<Report, hdrhistogram::CreationError> {
        Ok(Report { suites: BTreeMap::new(), total: Score::new()?, errors: Vec::new() })
    }

    /// Counts a session in its suite.
    ///
    /// # Errors
    /// When a histogram cannot be made.
    pub fn count(&mut self, played: &Played) -> Result<(), hdrhistogram::CreationError> {
        if !self.suites.contains_key(&played.suite) {
            self.suites.insert(played.suite.clone(), Score::new()?);
        }
        if let Some(score) = self.suites.get_mut(&played.suite) {
            score.count(played);
        }
        self.total.count(played);
        Ok(())
    }

    /// Adds an error of the run that belongs to no session.
    pub fn fail(&mut self, error: String) {
        self.errors.push(error);
    }

    /// Suites by name.
    #[must_use]
    pub fn suites(&self) -> &BTreeMap<String, Score> {
        &self.suites
    }

    /// All suites together.
    #[must_use]
    pub fn total(&self) -> &Score {
        &self.total
    }

    /// Errors of the run that belong to no session.
    #[must_use]
    pub fn errors(&self) -> &[String] {
        &self.errors
    }

    /// What went wrong in sessions, as far as it was kept.
    pub fn failures(&self) -> impl Iterator<Item = String> + '_ {
        self.total.failures.first.iter().map(|failure| format!("{}: {}", failure.session, failure.error))
    }

    /// Whether every session was played to its end and nothing else went wrong.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.errors.is_empty() && self.total.failures.total == 0
    }

    /// The report as JSON; `settings` says how the run was made.
    #[must_use]
    pub fn json<'a, S: Serialize>(&'a self, settings: &'a S) -> impl Serialize + 'a {
        ReportJson {
            format: FORMAT,
            settings,
            suites: self.suites.iter().map(|(name, score)| (name.as_str(), score_json(score))).collect(),
            total: score_json(&self.total),
            errors: &self.errors,
        }
    }
}

#[derive(Serialize)]
struct ReportJson<'a, S> {
    format: u32,
    settings: &'a S,
    suites: BTreeMap<&'a str, ScoreJson<'a>>,
    total: ScoreJson<'a>,
    errors: &'a [String],
}

#[derive(Serialize)]
struct ScoreJson<'a> {
    sessions: u64,
    calls: u64,
    decisions: Matrix,
    clean_sessions_benign: Decisions,
    attack_sessions: Attacks,
    fail_safe: u64,
    attacks_stopped_only_by: &'a BTreeMap<String, u64>,
    benign_interrupted_by_rule: &'a BTreeMap<String, u64>,
    benign_interrupted: &'a Listed<Interruption>,
    attacks_missed: &'a Listed<Missed>,
    errors: &'a Listed<Failure>,
    files: FileCounts,
    pre_tool_use_us: LatencyJson,
    post_tool_use_us: LatencyJson,
}

#[derive(Serialize)]
struct LatencyJson {
    count: u64,
    p50: u64,
    p90: u64,
    p99: u64,
    p999: u64,
    max: u64,
}

fn score_json(score: &Score) -> ScoreJson<'_> {
    ScoreJson {
        sessions: score.sessions,
        calls: score.calls,
        decisions: score.matrix,
        clean_sessions_benign: score.clean,
        attack_sessions: score.attacks,
        fail_safe: score.fail_safe,
        attacks_stopped_only_by: &score.stopped_only_by,
        benign_interrupted_by_rule: &score.rules,
        benign_interrupted: &score.interruptions,
        attacks_missed: &score.missed,
        errors: &score.failures,
        files: score.files,
        pre_tool_use_us: latency_json(&score.pre),
        post_tool_use_us: latency_json(&score.post),
    }
}

fn latency_json(latencies: &Latencies) -> LatencyJson {
    LatencyJson {
        count: latencies.count(),
        p50: latencies.percentile_us(50.0),
        p90: latencies.percentile_us(90.0),
        p99: latencies.percentile_us(99.0),
        p999: latencies.percentile_us(99.9),
        max: latencies.max_us(),
    }
}
