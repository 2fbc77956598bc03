//! `circinus status`: one screen on how Circinus is.

use circinus_store::query::Counts;
use circinus_store::{OpenError, Reader, Store};
use clap::Args;
use serde_json::json;

use super::Context;
use super::daemon::{ask, place};
use super::setup::Surroundings;
use crate::adapter::claude_code::settings::{SurveyPaths, survey};
use crate::daemon::{ControlReply, ControlRequest, Coverage, ModelStatus, Status, unrecorded};
use crate::exit::Exit;
use crate::ui::{Cell, Style, Table, Ui, escape_untrusted, split_hint};

/// Arguments of `circinus status`.
#[derive(Debug, Args)]
#[command(after_help = "\
JSON (schema 1; fields are only added): schema, analysis, daemon (null when none
runs, else what it says of itself).")]
pub struct StatusArgs {
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn run(args: &StatusArgs, context: &Context, ui: &mut Ui) -> Exit {
    let (status, exit) = match ask(&place(context), &ControlRequest::Status) {
        Ok(ControlReply::Status(status)) => (Some(status), Exit::Ok),
        Ok(other) => {
            ui.error(&format!("the daemon answered something else: {other:?}"));
            return Exit::Internal;
        }
        Err(error) => {
            ui.error(&error);
            match error.exit() {
                Exit::NotRunning => (None, Exit::NotRunning),
                other => return other,
            }
        }
    };
    if args.json {
        let model = status.as_ref().and_then(|status| status.model.as_ref());
        let analysis = if model.is_some() { "deterministic and model" } else { "deterministic-only" };
        ui.line(json!({ "schema": 1, "analysis": analysis, "daemon": status }));
        return exit;
    }
    let mut table = Table::new();
    row(&mut table, "hooks", hooks().to_owned());
    match &status {
        Some(status) => rows(status, &mut table),
        None => row(&mut table, "daemon", "not running; the next hook starts it".to_owned()),
    }
    let waiting = unrecorded::waiting_bytes(&context.places.unrecorded);
    if waiting > 0 {
        row(&mut table, "waiting", format!("{waiting} bytes of events, to be taken in by the next start"));
    }
    row(&mut table, "home", escape_untrusted(&context.places.home().to_string_lossy()));
    let database = &context.places.database;
    let opened = Store::check_writable(database).and_then(|()| Reader::open(database));
    let counted = opened.map(|reader| reader.counts());
    let failed: Option<String> = match counted {
        Ok(Ok(counts)) => {
            row(&mut table, "on disk", on_disk(&counts));
            None
        }
        // Before the first event there is none, and no daemon that should have made one.
        Err(OpenError::Absent { .. }) if status.is_none() => {
            row(&mut table, "on disk", "nothing yet".to_owned());
            None
        }
        Ok(Err(error)) => Some(error.to_string()),
        Err(error) => Some(error.to_string()),
    };
    ui.table(&table);
    match failed {
        None => exit,
        Some(error) => {
            ui.error(&error);
            exit.and(Exit::Findings)
        }
    }
}

/// Whether the host is told of the hook.
fn hooks() -> &'static str {
    let unknown = "the folder of the host's settings is not known";
    let Ok(around) = Surroundings::from_process() else { return unknown };
    let Some(paths) = SurveyPaths::new(around.env(), around.folder()) else { return unknown };
    // The host's version costs the start of the host, and matters to doctor alone.
    survey(&paths.sources(), None, None).protection.describe()
}

fn on_disk(counts: &Counts) -> String {
    format!(
        "{} events, {} decisions asked, {} refused, {} contents waiting for analysis",
        counts.events, counts.reviewed, counts.blocked, counts.tasks
    )
}

fn row(table: &mut Table, name: &str, value: String) {
    table.row([Cell::new(name, Style::Strong), Cell::from(value)]);
}

/// How long answers took, waits for evidence included.
fn latency(status: &Status) -> String {
    match (status.gate_p50_us, status.gate_p95_us) {
        (Some(p50), Some(p95)) => format!("answers within {p50} us (median), {p95} us (95 %)"),
        _ => "no call was decided yet".to_owned(),
    }
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

fn analysis(model: Option<&ModelStatus>) -> String {
    let Some(model) = model else { return "deterministic-only (no model key is configured)".to_owned() };
    let who = format!("{} at {}", escape_untrusted(&model.name), escape_untrusted(&model.endpoint));
    if let Some(why) = &model.unavailable {
        let (what, _) = split_hint(why);
        return format!("deterministic-only: {who} cannot be asked ({})", escape_untrusted(what));
    }
    format!("deterministic, and {who} for what that cannot settle")
}

/// How the model keeps up, and what it costs.
fn asked(model: &ModelStatus) -> String {
    let alone = if model.left_alone { "; left alone for a while, it has failed too often" } else { "" };
    format!(
        "{} wait for a verdict, {} got none yet; today {} of at most {}{alone}",
        model.waiting, model.unanswered, model.spent_today, model.day_max
    )
}

fn rows(status: &Status, table: &mut Table) {
    let rows = [
        ("daemon", format!("version {}, pid {}", status.version, status.pid)),
        ("profile", status.profile.clone()),
        ("commands", escape_untrusted(&status.commands)),
        ("analysis", analysis(status.model.as_ref())),
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
        ("latency", latency(status)),
        (
            "evidence",
            format!(
                "{} ready, {} ready after a wait, {} not ready",
                status.evidence_ready, status.evidence_waited, status.evidence_not_ready
            ),
        ),
        ("telemetry", status.telemetry.as_deref().map_or_else(|| "off".to_owned(), escape_untrusted)),
        ("coverage", coverage(status)),
        (
            "trouble",
            format!(
                "{} malformed events, {} not recorded, {} hosts not marked",
                status.malformed, status.unrecorded, status.unmarked
            ),
        ),
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
    let model = status.model.as_ref().map(|model| ("model", asked(model)));
    for (name, value) in rows.into_iter().chain(model).chain(warnings.into_iter().flatten()) {
        row(table, name, value);
    }
}
