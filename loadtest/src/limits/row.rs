//! One line of the report, and the report.

use std::fmt;

use serde::Serialize;

use super::{LimitsError, Options, Promise, Unit};

/// What became of a promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Word {
    /// Kept.
    Met,
    /// Broken, or its measurement failed.
    Missed,
    /// Not measured on this machine or in this run, for a reason that is given.
    Skipped,
    /// A figure beside the promises.
    Apart,
}

/// One line.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    id: &'static str,
    what: String,
    unit: Unit,
    promise: Option<Promise>,
    figure: Option<f64>,
    word: Word,
    detail: String,
}

impl Row {
    /// A promise with its figure.
    #[must_use]
    pub fn of(promise: Promise, figure: f64, detail: String) -> Row {
        let word = if promise.target.is_kept_by(figure) { Word::Met } else { Word::Missed };
        let (id, what) = (promise.id, promise.what.to_owned());
        Row { id, what, unit: promise.unit, promise: Some(promise), figure: Some(figure), word, detail }
    }

    /// A ratio beside the promise of this id.
    #[must_use]
    pub fn told(id: &'static str, what: &str, figure: f64) -> Row {
        Row::figure_of(id, what, figure, Unit::Ratio)
    }

    /// A figure beside the promise of this id.
    #[must_use]
    pub fn figure_of(id: &'static str, what: &str, figure: f64, unit: Unit) -> Row {
        let (what, detail) = (what.to_owned(), String::new());
        Row { id, what, unit, promise: None, figure: Some(figure), word: Word::Apart, detail }
    }

    /// A promise that cannot be measured here.
    #[must_use]
    pub fn skipped(promise: Promise, why: &str) -> Row {
        let (id, what, detail) = (promise.id, promise.what.to_owned(), why.to_owned());
        let unit = promise.unit;
        Row { id, what, unit, promise: Some(promise), figure: None, word: Word::Skipped, detail }
    }

    /// A measurement that gave no figure: whatever it was to show is not shown.
    #[must_use]
    pub fn failed(ids: &[&'static str], error: &LimitsError) -> Row {
        Row {
            id: ids.first().copied().unwrap_or_default(),
            what: ids.join(" "),
            unit: Unit::Ratio,
            promise: None,
            figure: None,
            word: Word::Missed,
            detail: error.to_string(),
        }
    }

    /// The promise's number.
    #[must_use]
    pub fn id(&self) -> &str {
        self.id
    }

    /// What became of it.
    #[must_use]
    pub fn word(&self) -> Word {
        self.word
    }

    /// What was measured, as a number.
    #[must_use]
    pub fn figure(&self) -> Option<f64> {
        self.figure
    }

    fn stretched(&self) -> bool {
        let kept = |promise: Promise| self.figure.is_some_and(|figure| promise.stretch.is_kept_by(figure));
        self.promise.is_some_and(kept)
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let unit = self.unit.sign();
        let figure = self.figure.map_or_else(|| "-".to_owned(), |figure| format!("{} {unit}", short(figure)));
        let bound = self.promise.map(|promise| promise.target.in_signs()).unwrap_or_default();
        let word = match self.word {
            Word::Met if self.stretched() => "met, stretch reached",
            Word::Met => "met",
            Word::Missed => "missed",
            Word::Skipped => "skipped",
            Word::Apart => "",
        };
        write!(f, "{:4}{:60} {figure:>12}  {bound:8} {word:21} {}", self.id, self.what, self.detail)
    }
}

/// Three digits that say something.
fn short(figure: f64) -> String {
    match figure.abs() {
        figure_abs if figure_abs < 10.0 => format!("{figure:.2}"),
        figure_abs if figure_abs < 100.0 => format!("{figure:.1}"),
        _ => format!("{figure:.0}"),
    }
}

/// All lines; several of one promise after a repeated run.
#[derive(Clone, Debug, Default)]
pub struct Report {
    rows: Vec<Row>,
}

impl Report {
    /// One more line.
    pub fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Each promise once, with the median of its figures; in the order in which they came.
    #[must_use]
    pub fn medians(&self) -> Vec<Row> {
        let mut medians: Vec<Row> = Vec::new();
        for row in &self.rows {
            if medians.iter().any(|known| known.what == row.what) {
                continue;
            }
            let mut all: Vec<&Row> = self.rows.iter().filter(|other| other.what == row.what).collect();
            // A failed measurement is worse than any figure.
            all.sort_by(|a, b| {
                a.figure.unwrap_or(f64::INFINITY).total_cmp(&b.figure.unwrap_or(f64::INFINITY))
            });
            medians.extend(all.get(all.len() / 2).map(|median| (*median).clone()));
        }
        medians
    }

    /// Whether no promise was missed.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.medians().iter().all(|row| row.word != Word::Missed)
    }

    /// The report for machines.
    #[must_use]
    pub fn json<'a>(&'a self, options: &'a Options) -> impl Serialize + 'a {
        #[derive(Serialize)]
        struct Json<'a> {
            schema: u32,
            options: &'a Options,
            medians: Vec<Row>,
            runs: &'a [Row],
        }
        Json { schema: 1, options, medians: self.medians(), runs: &self.rows }
    }
}

#[cfg(test)]
mod tests {
    use super::super::promise::all;
    use super::*;

    #[test]
    fn the_median_of_several_runs_counts() {
        let mut report = Report::default();
        for figure in [2.0, 9.0, 2.4] {
            report.add(Row::of(all::L1_P50, figure, String::new()));
        }
        let [median] = report.medians().try_into().unwrap();
        assert_eq!(median.figure(), Some(2.4));
        assert!(report.is_kept());
        for figure in [9.0, 9.0] {
            report.add(Row::of(all::L1_P50, figure, String::new()));
        }
        assert!(!report.is_kept());
    }

    #[test]
    fn a_measurement_that_failed_is_a_miss() {
        let mut report = Report::default();
        report.add(Row::failed(&["L5", "L6"], &LimitsError::Lost));
        assert!(!report.is_kept());
        assert!(report.medians()[0].to_string().contains("missed"));
    }

    #[test]
    fn what_was_skipped_is_no_miss() {
        let mut report = Report::default();
        report.add(Row::skipped(all::L3, "no node"));
        assert!(report.is_kept());
    }
}
