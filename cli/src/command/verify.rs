//! `circinus verify`: the whole log, link by link, what was made from it, and the index of a running daemon.

use circinus_analyzer::provider::EndpointError;
use circinus_core::id::EventSeq;
use circinus_core::index::Snapshot;
use circinus_store::{OpenError, Reader, ReplayError};
use clap::Args;
use serde_json::json;
use thiserror::Error;

use super::Context;
use super::daemon::{AskError, ask, place};
use crate::config::{Config, LoadConfigError};
use crate::daemon::{ControlReply, ControlRequest, rebuilt};
use crate::exit::Exit;
use crate::ui::{Ui, escape_untrusted};

/// Arguments of `circinus verify`.
#[derive(Debug, Args)]
pub struct VerifyArgs {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Why the log cannot be verified.
#[derive(Debug, Error)]
enum VerifyError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error("read the log: {0}")]
    Read(#[from] circinus_store::verify::Error),
    #[error(transparent)]
    Replay(#[from] ReplayError),
    #[error(transparent)]
    Config(#[from] LoadConfigError),
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
}

/// What was found.
#[derive(Debug)]
struct Findings {
    /// Problems, in words.
    problems: Vec<String>,
    /// Events in the log.
    events: u64,
    /// How the index of a running daemon compares.
    index: &'static str,
}

/// Runs the command.
pub fn run(args: &VerifyArgs, context: &Context, ui: &mut Ui) -> Exit {
    let findings = match verify(context) {
        Ok(findings) => findings,
        Err(error) => {
            ui.error(&error);
            return Exit::Findings;
        }
    };
    if args.json {
        let Findings { problems, events, index } = &findings;
        ui.line(json!({ "schema": 1, "events": events, "index": index, "problems": problems }));
    } else if findings.problems.is_empty() {
        ui.line(format_args!("{} events: the chain and everything made from it are whole.", findings.events));
        ui.line(format_args!("Index: {}.", findings.index));
    } else {
        for problem in &findings.problems {
            ui.error(&escape_untrusted(problem));
        }
    }
    if findings.problems.is_empty() { Exit::Ok } else { Exit::Findings }
}

fn verify(context: &Context) -> Result<Findings, VerifyError> {
    let reader = Reader::open(&context.places.database)?;
    let mut problems: Vec<String> = reader.verify()?.iter().map(ToString::to_string).collect();
    if !problems.is_empty() {
        return Ok(Findings { problems, events: 0, index: "not compared, because the log is not whole" });
    }
    let (index, last) = match ask(&place(context), &ControlRequest::Index) {
        Ok(ControlReply::Index { version, .. }) if version != env!("CARGO_PKG_VERSION") => {
            ("not compared, because the daemon is of another version", None)
        }
        Ok(ControlReply::Index { last, identity, .. }) => ("", Some((last, identity))),
        Ok(_) => ("not compared, because the daemon is comparing it already", None),
        Err(AskError::Call(_)) => ("no daemon runs; a start builds it from the log", None),
        Err(_) => ("not compared, because the daemon does not understand the question", None),
    };
    let strong = rebuilt::strong(&Config::load(context.places.home())?)?;
    let Some((last, identity)) = last else {
        // Folding shows that a start can.
        let snapshot = rebuilt::of_reader(&reader, EventSeq(u64::MAX), strong)?;
        return Ok(Findings { problems, events: snapshot.last().0, index });
    };
    let snapshot = rebuilt::of_reader(&reader, EventSeq(last), strong)?;
    let index = compare(&snapshot, last, &identity, &mut problems);
    Ok(Findings { problems, events: last, index })
}

fn compare(snapshot: &Snapshot, last: u64, identity: &str, problems: &mut Vec<String>) -> &'static str {
    if snapshot.last().0 == last && snapshot.identity().to_string() == identity {
        return "that of the daemon equals one built anew from the log";
    }
    problems.push(format!(
        "the index of the daemon at event {last} is not what the log gives; run `circinus daemon stop`, the next \
         hook builds it anew"
    ));
    "differs"
}
