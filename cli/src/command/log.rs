//! `circinus log`: what was recorded, newest last.

use std::time::Duration;

use circinus_core::enquiry::Routing;
use circinus_core::event::{Event, Recorded};
use circinus_core::evidence::Level;
use circinus_core::id::{ActId, ArtifactId, DecisionId, EventSeq, EvidenceId};
use circinus_core::policy::Verdict;
use circinus_store::limits::PAGE_ROWS_MAX;
use circinus_store::{OpenError, QueryError, Reader};
use clap::Args;
use serde_json::{Value, json};
use thiserror::Error;

use super::Context;
use crate::exit::Exit;
use crate::ui::{Style, Ui, escape_untrusted, moment};
use crate::{reason, stated};

/// Between two looks for new events with `--follow`: a person does not see less.
const LOOK: Duration = Duration::from_millis(200);

/// Arguments of `circinus log`.
#[derive(Debug, Args)]
#[command(after_help = "\
JSON (schema 1; fields are only added): schema, seq, at_ms, kind, and by kind:
  session_opened   session, workspace
  session_closed   session
  artifact         id, session, origin, label, content, bytes, root, operands
  evidence         id, content, level, analyser, version, signals, asked, routing
  requested        content, session, reserved
  settled          request, cost
  unanswered       content, analyser, cause
  decision         id, session, tool, summary, verdict, rules
  statement        id, text, author
  host_bound       session, pid, program
  impersonated     session, event, pid, program, prompt
  ask_unreliable   program, decision")]
pub struct LogArgs {
    /// How many of the newest events to show.
    #[arg(short = 'n', long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    last: u32,
    /// Only decisions.
    #[arg(long)]
    decisions: bool,
    /// Go on with what is recorded from now on, until interrupted.
    #[arg(short, long)]
    follow: bool,
    /// Print one JSON object per line.
    #[arg(long)]
    json: bool,
}

/// Why the log cannot be shown.
#[derive(Debug, Error)]
enum LogError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// Runs the command.
pub fn run(args: &LogArgs, context: &Context, ui: &mut Ui) -> Exit {
    match show(args, context, ui) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            ui.error(&error);
            Exit::Findings
        }
    }
}

fn show(args: &LogArgs, context: &Context, ui: &mut Ui) -> Result<(), LogError> {
    let reader = Reader::open(&context.places.database)?;
    // The log has no gaps, so the number of events is the number of the last one.
    let events = reader.counts()?.events;
    let until = if args.follow { u64::MAX } else { events };
    let mut from = events.saturating_sub(args.last.into()).saturating_add(1);
    loop {
        let mut page = reader.events(EventSeq(from), PAGE_ROWS_MAX)?;
        page.retain(|recorded| recorded.seq.0 <= until);
        if let Some(last) = page.last() {
            from = last.seq.0.saturating_add(1);
            for recorded in page.iter().filter(|recorded| !args.decisions || is_decision(recorded)) {
                if args.json {
                    ui.line(as_json(recorded));
                } else {
                    ui.line(style(recorded).paint(&as_line(recorded), ui.color()));
                }
            }
        } else if !args.follow || !ui.is_read_after(LOOK) {
            return Ok(());
        }
    }
}

const fn is_decision(recorded: &Recorded) -> bool {
    matches!(recorded.event, Event::Decided(_))
}

/// What stopped a call stands out, and so does what looks like an attack.
fn style(recorded: &Recorded) -> Style {
    match &recorded.event {
        Event::Decided(record) => match record.explanation.verdict {
            Verdict::Allow => Style::Plain,
            Verdict::Review => Style::Warning,
            Verdict::Block => Style::Bad,
        },
        Event::Judged { judgement, .. } if judgement.level == Level::Adverse => Style::Warning,
        Event::Impersonated(_) | Event::AskUnreliable { .. } => Style::Bad,
        _ => Style::Plain,
    }
}

fn as_line(recorded: &Recorded) -> String {
    let (kind, text) = match &recorded.event {
        Event::SessionOpened(opened) => {
            ("session", format!("{} opened in {}", opened.session, opened.workspace))
        }
        Event::SessionClosed { session } => ("session", format!("{session} closed")),
        Event::Ingested(artifact) => {
            ("artifact", format!("{} {}: {}", ArtifactId(recorded.seq), artifact.origin, artifact.label))
        }
        Event::Judged { judgement, routing } => (
            "evidence",
            format!(
                "{} {} {} by {} v{}{}",
                EvidenceId(recorded.seq),
                judgement.key.content.short(),
                judgement.level,
                judgement.key.analyser,
                judgement.key.version,
                routing.as_ref().map(routed).unwrap_or_default()
            ),
        ),
        Event::Requested(requested) => {
            ("request", format!("{}: at most {}", requested.key.content.short(), requested.reserved))
        }
        Event::Settled(settled) => ("request", format!("{} has cost {}", settled.request.0, settled.cost)),
        Event::Unanswered(unanswered) => {
            ("evidence", format!("{} no verdict: {}", unanswered.key.content.short(), unanswered.cause))
        }
        Event::Stated(statement) => (
            "stated",
            format!(
                "{} {}, by {}",
                ActId(recorded.seq),
                stated::line(statement),
                stated::author(&statement.author)
            ),
        ),
        Event::HostBound(bound) => {
            ("host", format!("{} is process {} of {}", bound.session, bound.process.pid, bound.program))
        }
        Event::Impersonated(event) => {
            ("intruder", format!("{} in {} came from {}", event.event, event.session, event.program))
        }
        Event::AskUnreliable { program, decision } => {
            ("host", format!("{program} answered {decision} by itself"))
        }
        Event::Decided(record) => (
            "decision",
            format!(
                "{} {} [{}] {} {}",
                DecisionId(recorded.seq),
                record.explanation.verdict,
                reason::rules(&record.explanation),
                record.tool,
                record.summary
            ),
        ),
    };
    format!("{:>7}  {}  {kind:<8}  {}", recorded.seq.0, moment(recorded.at), escape_untrusted(&text))
}

/// What was decided about asking a model.
fn routed(routing: &Routing) -> String {
    let asked = if routing.key.is_some() { "model asked" } else { "model not asked" };
    format!("; {asked}: {}", routing.reason.describe())
}

/// Schema 1: fields are only added.
fn as_json(recorded: &Recorded) -> Value {
    let mut row = match &recorded.event {
        Event::SessionOpened(opened) => json!({
            "kind": "session_opened", "session": opened.session.as_str(), "workspace": opened.workspace.as_str(),
        }),
        Event::SessionClosed { session } => json!({ "kind": "session_closed", "session": session.as_str() }),
        Event::Ingested(artifact) => json!({
            "kind": "artifact", "id": ArtifactId(recorded.seq).to_string(), "session": artifact.session.as_str(),
            "origin": artifact.origin.name(), "label": &*artifact.label, "content": artifact.content.to_string(),
            "bytes": artifact.bytes, "root": artifact.root, "operands": artifact.operands.len(),
        }),
        Event::Judged { judgement, routing } => json!({
            "kind": "evidence", "id": EvidenceId(recorded.seq).to_string(), "content": judgement.key.content.to_string(), "level": judgement.level.name(),
            "analyser": &*judgement.key.analyser, "version": judgement.key.version,
            "signals": judgement.findings.iter().map(|finding| &*finding.signal).collect::<Vec<_>>(),
            "asked": routing.as_ref().map(|routing| routing.key.is_some()),
            "routing": routing.as_ref().map(|routing| routing.reason.describe()),
        }),
        Event::Requested(requested) => json!({
            "kind": "requested", "content": requested.key.content.to_string(), "reserved": requested.reserved,
            "session": requested.session.as_ref().map(|session| session.as_str()),
        }),
        Event::Settled(settled) => json!({
            "kind": "settled", "request": settled.request.0, "cost": settled.cost,
        }),
        Event::Unanswered(unanswered) => json!({
            "kind": "unanswered", "content": unanswered.key.content.to_string(),
            "analyser": &*unanswered.key.analyser, "cause": unanswered.cause.describe(),
        }),
        Event::Stated(statement) => json!({
            "kind": "statement", "id": ActId(recorded.seq).to_string(), "text": stated::line(statement),
            "author": stated::author(&statement.author),
        }),
        Event::HostBound(bound) => json!({
            "kind": "host_bound", "session": bound.session.as_str(), "pid": bound.process.pid,
            "program": &*bound.program,
        }),
        Event::Impersonated(event) => json!({
            "kind": "impersonated", "session": event.session.as_str(), "event": &*event.event,
            "pid": event.process.map(|process| process.pid), "program": &*event.program,
            "prompt": event.prompt.map(|prompt| prompt.to_string()),
        }),
        Event::AskUnreliable { program, decision } => json!({
            "kind": "ask_unreliable", "program": &**program, "decision": decision.to_string(),
        }),
        Event::Decided(record) => json!({
            "kind": "decision", "id": DecisionId(recorded.seq).to_string(), "session": record.session.as_str(),
            "tool": &*record.tool, "summary": &*record.summary, "verdict": record.explanation.verdict.name(),
            "rules": record.explanation.fired.iter().map(|fired| fired.rule.to_string()).collect::<Vec<_>>(),
        }),
    };
    if let Some(row) = row.as_object_mut() {
        row.insert("seq".into(), recorded.seq.0.into());
        row.insert("at_ms".into(), recorded.at.0.into());
        row.insert("schema".into(), 1.into());
    }
    row
}
