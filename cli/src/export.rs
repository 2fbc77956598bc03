//! The log in forms that other tools read.
//!
//! Each form is a function from a [`Log`] to a stream. Nothing is collected on the way, so memory does not grow with
//! the log; a form whose parts must be grouped reads the log once for each part. Bodies of contents and known secrets
//! are never exported.

pub mod flat;
pub mod jsonl;
pub mod log;
pub mod otlp;
pub mod prov;
pub mod sarif;
mod value;

use std::io::{self, Write};

use circinus_store::QueryError;
use clap::ValueEnum;
use thiserror::Error;

pub use log::{Log, Selection, session};

/// A form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// One nested JSON object per event, everything in it (JSON Lines).
    Jsonl,
    /// One flat JSON object per event, the same columns in each: for DuckDB, ClickHouse, Spark.
    Flat,
    /// Provenance as W3C PROV-JSON.
    Prov,
    /// Decisions that asked or refused, as SARIF 2.1.0.
    Sarif,
    /// OpenTelemetry logs as OTLP JSON, one request per line.
    Otlp,
}

/// Why an export broke off.
#[derive(Debug, Error)]
pub enum ExportError {
    /// The log.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// Where it goes.
    #[error("cannot write the export: {0}")]
    Write(#[from] io::Error),
    /// A value that JSON cannot hold.
    #[error("cannot write the export: {0}")]
    Json(#[from] serde_json::Error),
}

impl Form {
    /// Writes what the log selects.
    ///
    /// # Errors
    /// [`ExportError`]; what was written until then is incomplete.
    pub fn write(self, log: &Log<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
        match self {
            Self::Jsonl => jsonl::write(log, out),
            Self::Flat => flat::write(log, out),
            Self::Prov => prov::write(log, out),
            Self::Sarif => sarif::write(log, out),
            Self::Otlp => otlp::write(log, out),
        }
    }

    /// How many times the form reads the log.
    #[must_use]
    pub const fn passes(self) -> u64 {
        match self {
            Self::Prov => prov::SECTIONS.len() as u64,
            Self::Jsonl | Self::Flat | Self::Sarif | Self::Otlp => 1,
        }
    }
}
