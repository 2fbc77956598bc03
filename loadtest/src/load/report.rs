//! What a run came to, as it is kept.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::plan::Kind;
use super::record::{self, Done, Figures, Second};
use super::watch::Look;

/// The form of the JSON; another one is not read.
pub const SCHEMA: u32 = 1;

/// Errors kept in words.
const ERRORS_KEPT_MAX: usize = 20;

/// What a run was.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The command, as one would say it again.
    pub what: Vec<(String, String)>,
    /// What it ran on.
    pub machine: Machine,
}

/// A kind of machine, as far as its system tells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Processors that this process may use.
    pub cores: usize,
    /// Name of the processor.
    pub processor: String,
    /// Release of the kernel.
    pub kernel: String,
}

impl Machine {
    /// The one at hand.
    #[must_use]
    pub fn here() -> Machine {
        let cpu = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let model = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(':'));
        let kernel = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Machine {
            cores: std::thread::available_parallelism().map_or(0, usize::from),
            processor: model.map(|(_, name)| name.trim().to_owned()).unwrap_or_default(),
            kernel: kernel.trim().to_owned(),
        }
    }
}

/// What a run came to.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LoadReport {
    /// [`SCHEMA`].
    pub schema: u32,
    /// What was run.
    pub header: Header,
    /// How long, in seconds.
    pub seconds_run: f64,
    /// Requests that ended, a second.
    pub throughput: f64,
    /// Figures by kind of request.
    pub kinds: BTreeMap<Kind, Figures>,
    /// Second by second.
    pub seconds: Vec<Second>,
    /// The daemon, second by second.
    pub looks: Vec<Look>,
    /// How long a stop and a start of the same daemon took in the end, in seconds.
    pub restart_s: Option<f64>,
    /// How many errors there were.
    pub errors_count: usize,
    /// The first of them.
    pub errors: Vec<String>,
}

/// Why a report cannot be read.
#[derive(Debug, Error)]
pub enum ReadError {
    /// The operating system refused.
    #[error("cannot read `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// It is no report.
    #[error("`{}` is no report of `load` or `stress`: {source}", path.display())]
    Json {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// Its form is another one.
    #[error("`{}` has form {found}, known is {SCHEMA}", path.display())]
    Schema {
        /// The file.
        path: PathBuf,
        /// Its form.
        found: u32,
    },
}

impl LoadReport {
    /// Of what a run left behind.
    ///
    /// # Errors
    /// When a histogram cannot be made.
    pub fn of(
        header: Header,
        seconds_run: f64,
        done: &[Done],
        looks: Vec<Look>,
        mut errors: Vec<String>,
    ) -> Result<LoadReport, hdrhistogram::CreationError> {
        let errors_count = errors.len();
        errors.truncate(ERRORS_KEPT_MAX);
        Ok(LoadReport {
            schema: SCHEMA,
            header,
            seconds_run,
            throughput: done.len() as f64 / seconds_run,
            kinds: record::by_kind(done)?,
            seconds: record::by_second(done),
            looks,
            restart_s: None,
            errors_count,
            errors,
        })
    }

    /// Reads one that was kept.
    ///
    /// # Errors
    /// [`ReadError`].
    pub fn read(path: &Path) -> Result<LoadReport, ReadError> {
        let owned = || path.to_owned();
        let text = fs::read(path).map_err(|source| ReadError::Io { path: owned(), source })?;
        let report: LoadReport =
            serde_json::from_slice(&text).map_err(|source| ReadError::Json { path: owned(), source })?;
        if report.schema != SCHEMA {
            return Err(ReadError::Schema { path: owned(), found: report.schema });
        }
        Ok(report)
    }

    /// Whether every request was answered.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.errors_count == 0
            && self.looks.iter().filter_map(|look| look.status).all(|it| it.unrecorded == 0)
    }

    /// Resident memory at a tenth of the run and at its end, in megabytes: a steady daemon has two alike.
    #[must_use]
    pub fn memory_mb(&self) -> Option<(f64, f64)> {
        let all: Vec<f64> = self.looks.iter().filter_map(|look| look.resident_mb).collect();
        Some((*all.get(all.len() / 10)?, *all.last()?))
    }
}
