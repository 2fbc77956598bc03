//! The log as flat JSON Lines: every row has the same columns, each a string, a number, a boolean or null, so that a
//! column store reads it without being told a schema. Schema 1: columns are only added.

use std::io::Write;

use circinus_core::event::{Event, Recorded};
use serde_json::{Map, Value};

use super::value::{self, effects, flags};
use super::{ExportError, Log, log};
use crate::{clock, reason, stated};

/// The columns.
pub const COLUMNS: [&str; 30] = [
    "agent",
    "analyser",
    "at_ms",
    "author",
    "bytes",
    "call",
    "content",
    "effects",
    "flags",
    "id",
    "kind",
    "level",
    "operands",
    "origin",
    "profile",
    "root",
    "rules",
    "schema",
    "secret",
    "seq",
    "session",
    "signals",
    "sources",
    "text",
    "tier",
    "time",
    "tool",
    "verdict",
    "waited_ms",
    "workspace",
];

/// Writes every event.
///
/// # Errors
/// [`ExportError`].
pub fn write(log: &Log<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
    log.each(|recorded| {
        let filled = row(recorded);
        let row: Map<_, _> = COLUMNS
            .iter()
            .map(|&column| (column.to_owned(), filled.get(column).cloned().unwrap_or_default()))
            .collect();
        serde_json::to_writer(&mut *out, &row)?;
        Ok(out.write_all(b"\n")?)
    })
}

/// The columns that an event fills. Lists are joined by spaces.
pub(super) fn row(recorded: &Recorded) -> Map<String, Value> {
    let mut row = Row(Map::new());
    row.set("schema", 1);
    row.set("seq", recorded.seq.0);
    row.set("time", clock::rfc3339(recorded.at));
    row.set("at_ms", recorded.at.0);
    row.set("kind", value::kind(&recorded.event));
    row.set("id", value::id(recorded));
    row.set("session", log::session(&recorded.event).map(|session| session.as_str()));
    match &recorded.event {
        Event::SessionOpened(opened) => row.set("workspace", opened.workspace.as_str()),
        Event::SessionClosed { .. } => {}
        Event::Requested(requested) => {
            row.set("text", format!("at most {}", requested.reserved));
            row.set("content", requested.key.content.to_string());
        }
        Event::Settled(settled) => row.set("text", settled.cost.to_string()),
        Event::Unanswered(unanswered) => {
            row.set("text", unanswered.cause.describe());
            row.set("content", unanswered.key.content.to_string());
            row.set("analyser", format!("{} v{}", unanswered.key.analyser, unanswered.key.version));
        }
        Event::Ingested(artifact) => {
            row.set("agent", artifact.agent.as_ref().map(|agent| agent.as_str()));
            row.set("call", artifact.call.as_ref().map(|call| call.as_str()));
            row.set("text", &*artifact.label);
            row.set("origin", artifact.origin.name());
            row.set("root", artifact.root);
            row.set("secret", artifact.secrecy == circinus_core::authority::Secrecy::Secret);
            row.set("content", artifact.content.to_string());
            row.set("bytes", artifact.bytes);
            row.set("operands", artifact.operands.len());
            row.set("effects", effects(artifact.authority.effects()).join(" "));
        }
        Event::Judged { judgement, .. } => {
            let signals: Vec<_> = judgement.findings.iter().map(|finding| &*finding.signal).collect();
            row.set("text", &*judgement.reason);
            row.set("content", judgement.key.content.to_string());
            row.set("level", judgement.level.name());
            row.set("signals", signals.join(" "));
            row.set("analyser", format!("{} v{}", judgement.key.analyser, judgement.key.version));
        }
        Event::Decided(record) => {
            let sources = record.explanation.influences.iter();
            let sources: Vec<_> = sources.filter_map(|source| Some(source.artifact?.to_string())).collect();
            row.set("tool", &*record.tool);
            row.set("text", &*record.summary);
            row.set("effects", effects(record.explanation.effects).join(" "));
            row.set("verdict", record.explanation.verdict.name());
            row.set("rules", reason::rules(&record.explanation));
            row.set("tier", record.explanation.tier.to_string());
            row.set("profile", record.explanation.profile.name());
            row.set("flags", flags(record.explanation.flags).join(" "));
            row.set("sources", sources.join(" "));
            row.set("waited_ms", record.waited_ms);
        }
        Event::Stated(statement) => {
            row.set("text", stated::line(statement));
            row.set("author", stated::author(&statement.author));
        }
        Event::HostBound(bound) => row.set("text", &*bound.program),
        Event::Impersonated(event) => {
            row.set("text", &*event.event);
            row.set("author", &*event.program);
        }
        Event::AskUnreliable { program, decision } => {
            row.set("text", decision.to_string());
            row.set("author", &**program);
        }
    }
    row.0
}

struct Row(Map<String, Value>);

impl Row {
    fn set(&mut self, column: &'static str, value: impl Into<Value>) {
        debug_assert!(COLUMNS.contains(&column), "{column}");
        self.0.insert(column.to_owned(), value.into());
    }
}
