//! `circinus status`: one screen on how Circinus is.

use circinus_store::Reader;
use clap::Args;
use serde_json::json;

use super::Context;
use super::daemon::{AskError, ask, place};
use crate::daemon::{ControlReply, ControlRequest, Coverage, Status};
use crate::exit::Exit;
use crate::ui::{Cell, Style, Table, Ui, escape_untrusted};

/// Arguments of `circinus status`.
#[derive(Debug, Args)]
pub struct StatusArgs {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &StatusArgs, context: &Context, ui: &mut Ui) -> Exit {
    let status = match ask(&place(context), &ControlRequest::Status) {
        Ok(ControlReply::Status(status)) => status,
        Ok(other) => {
            ui.error(&format!("the daemon answered something else: {other:?}"));
            return Exit::Internal;
        }
        Err(error) => {
            ui.error(&error);
            return if matches!(error, AskError::Call(_)) { Exit::NotRunning } else { Exit::Internal };
        }
    };
    if args.json {
        ui.line(json!({ "schema": 1, "analysis": "deterministic-only", "daemon": status }));
        return Exit::Ok;
    }
    ui.table(&table(&status));
    match Reader::open(&context.places.database).map(|reader| reader.counts()) {
        Ok(Ok(counts)) => {
            ui.line(format_args!(
                "On disk: {} events, {} decisions asked, {} refused, {} contents waiting for analysis.",
                counts.events, counts.reviewed, counts.blocked, counts.tasks
            ));
            Exit::Ok
        }
        Ok(Err(error)) => fail(ui, &error),
        Err(error) => fail(ui, &error),
    }
}

fn fail(ui: &mut Ui, error: &dyn std::fmt::Display) -> Exit {
    ui.error(error);
    Exit::Findings
}

/// How much of what the followed sessions read is accounted for.
fn coverage(status: &Status) -> String {
    let mut all = Coverage::default();
    status.coverage.iter().for_each(|session| all.add(&session.coverage));
    let gaps = status.coverage.iter().filter(|session| session.coverage.has_gap()).count();
    if all.results == 0 {
        return "no transcript with a tool result was read yet".to_owned();
    }
    format!("{all}, {gaps} of {} sessions with a gap", status.coverage.len())
}

fn table(status: &Status) -> Table {
    let rows = [
        ("daemon", format!("version {}, pid {}", status.version, status.pid)),
        ("profile", status.profile.clone()),
        ("commands", escape_untrusted(&status.commands)),
        ("analysis", "deterministic-only (no model key is configured)".to_owned()),
        (
            "known",
            format!(
                "{} sessions, {} artifacts, {} operands",
                status.sessions, status.artifacts, status.operands
            ),
        ),
        (
            "decided",
            format!(
                "{} allowed ({} of them flagged), {} asked, {} refused",
                status.allowed, status.flagged, status.asked, status.refused
            ),
        ),
        (
            "evidence",
            format!(
                "{} ready, {} ready after a wait, {} not ready",
                status.evidence_ready, status.evidence_waited, status.evidence_not_ready
            ),
        ),
        ("coverage", coverage(status)),
        ("trouble", format!("{} malformed events, {} not recorded", status.malformed, status.unrecorded)),
    ];
    let warned = |name, rows: &[String], what: &str| {
        (!rows.is_empty()).then(|| (name, format!("{}: {what}", rows.join(" "))))
    };
    let warnings = [
        warned(
            "intruder",
            &status.impersonated,
            "something else than the host spoke for it; its next call is refused",
        ),
        warned(
            "host",
            &status.unreliable_hosts,
            "answered a question by itself; it is refused instead of asked",
        ),
    ];
    let mut table = Table::new();
    for (name, value) in rows.into_iter().chain(warnings.into_iter().flatten()) {
        table.row([Cell::new(name, Style::Strong), Cell::new(value, Style::Plain)]);
    }
    table
}
