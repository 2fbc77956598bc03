//! The log as JSON Lines: one nested object per event. Schema 1: fields are only added.

use std::io::Write;

use circinus_core::artifact::{Artifact, Binding};
use circinus_core::authority::Secrecy;
use circinus_core::enquiry::Routing;
use circinus_core::event::{DecisionRecord, Event, Recorded};
use circinus_core::evidence::Judgement;
use circinus_core::explain::{Explanation, Influence, Path};
use serde_json::{Map, Value, json};

use super::value::{self, effects, flags};
use super::{ExportError, Log};
use crate::clock;
use crate::stated;

/// Writes every event.
///
/// # Errors
/// [`ExportError`].
pub fn write(log: &Log<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
    log.each(|recorded| {
        serde_json::to_writer(&mut *out, &object(recorded))?;
        Ok(out.write_all(b"\n")?)
    })
}

fn object(recorded: &Recorded) -> Value {
    let mut object = Map::new();
    object.insert("schema".to_owned(), 1.into());
    object.insert("seq".to_owned(), recorded.seq.0.into());
    object.insert("time".to_owned(), clock::rfc3339(recorded.at).into());
    object.insert("kind".to_owned(), value::kind(&recorded.event).into());
    object.insert("id".to_owned(), value::id(recorded).into());
    if let Value::Object(fields) = event(&recorded.event) {
        object.extend(fields);
    }
    Value::Object(object)
}

fn event(event: &Event) -> Value {
    match event {
        Event::SessionOpened(opened) => json!({
            "session": opened.session.as_str(),
            "root": opened.root.as_str(),
            "workspace": opened.workspace.as_str(),
            "host_version": opened.host_version,
            "head": opened.repository.as_ref().and_then(|repository| repository.head.as_deref()),
            "own_repository": opened.repository.as_ref().map(|repository| repository.own),
        }),
        Event::SessionClosed { session } => json!({ "session": session.as_str() }),
        Event::Ingested(record) => artifact(record),
        Event::Judged { judgement: record, routing } => judgement(record, routing.as_ref()),
        Event::Decided(record) => decision(record),
        Event::Stated(statement) => json!({
            "author": stated::author(&statement.author),
            "text": stated::line(statement),
        }),
        Event::HostBound(bound) => json!({
            "session": bound.session.as_str(),
            "pid": bound.process.pid,
            "program": bound.program,
            "nested": bound.nested,
        }),
        Event::Impersonated(event) => json!({
            "session": event.session.as_str(),
            "event": event.event,
            "pid": event.process.map(|process| process.pid),
            "program": event.program,
            "prompt": event.prompt.map(|prompt| prompt.to_string()),
        }),
        Event::AskUnreliable { program, decision } => {
            json!({ "program": program, "decision": decision.to_string() })
        }
        Event::Requested(requested) => json!({
            "content": requested.key.content.to_string(),
            "session": requested.session.as_ref().map(|session| session.as_str()),
            "reserved": requested.reserved,
        }),
        Event::Settled(settled) => json!({ "request": settled.request.0, "cost": settled.cost }),
        Event::Unanswered(unanswered) => json!({
            "content": unanswered.key.content.to_string(),
            "analyser": unanswered.key.analyser,
            "cause": unanswered.cause.describe(),
        }),
    }
}

fn artifact(artifact: &Artifact) -> Value {
    let observed = artifact.observed.iter().map(
        |edge| json!({ "parent": edge.parent.to_string(), "step": format!("{:?}", edge.step).to_lowercase() }),
    );
    let inferred = artifact
        .inferred
        .iter()
        .map(|edge| json!({ "parent": edge.parent.to_string(), "quote": value::hit(&edge.quote) }));
    json!({
        "session": artifact.session.as_str(),
        "agent": artifact.agent.as_ref().map(|agent| agent.as_str()),
        "call": artifact.call.as_ref().map(|call| call.as_str()),
        "origin": artifact.origin.name(),
        "root": artifact.root,
        "effects": effects(artifact.authority.effects()),
        "secret": artifact.secrecy == Secrecy::Secret,
        "label": artifact.label,
        "content": artifact.content.to_string(),
        "bytes": artifact.bytes,
        "observed": observed.collect::<Vec<_>>(),
        "inferred": inferred.collect::<Vec<_>>(),
        "operands": artifact.operands.iter().map(value::hit).collect::<Vec<_>>(),
        "bindings": artifact.bindings.iter().map(binding).collect::<Vec<_>>(),
        "analysed": artifact.analysed,
    })
}

fn binding(binding: &Binding) -> Value {
    json!({
        "path": binding.path.canonical(),
        "content": binding.content.map(|content| content.to_string()),
        "tree": binding.tree,
    })
}

fn judgement(judgement: &Judgement, routing: Option<&Routing>) -> Value {
    let findings = judgement
        .findings
        .iter()
        .map(|finding| json!({ "signal": finding.signal, "start": finding.start, "end": finding.end }));
    json!({
        "content": judgement.key.content.to_string(),
        "analyser": judgement.key.analyser,
        "version": judgement.key.version,
        "config": judgement.key.config.to_string(),
        "level": judgement.level.name(),
        "findings": findings.collect::<Vec<_>>(),
        "reason": judgement.reason,
        "asked": routing.map(|routing| routing.key.is_some()),
        "routing": routing.map(|routing| routing.reason.describe()),
    })
}

fn decision(record: &DecisionRecord) -> Value {
    let Explanation { verdict, profile, tier, relied, fired, influences, .. } = &record.explanation;
    let rules = fired
        .iter()
        .map(|fired| json!({ "rule": fired.rule.to_string(), "influence": fired.influence }))
        .collect::<Vec<_>>();
    let relied = relied.iter().map(|relied| json!({ "act": relied.act.to_string(), "spent": relied.spent }));
    json!({
        "session": record.session.as_str(),
        "tool": record.tool,
        "summary": record.summary,
        "identity": record.identity.to_string(),
        "verdict": verdict.name(),
        "profile": profile.name(),
        "tier": tier.to_string(),
        "flags": flags(record.explanation.flags),
        "effects": effects(record.explanation.effects),
        "rules": rules,
        "influences": influences.iter().map(influence).collect::<Vec<_>>(),
        "relied": relied.collect::<Vec<_>>(),
        "waited_ms": record.waited_ms,
        "supersedes": record.supersedes.map(|id| id.to_string()),
    })
}

fn influence(influence: &Influence) -> Value {
    json!({
        "artifact": influence.artifact.map(|id| id.to_string()),
        "origin": influence.origin.name(),
        "place": influence.place,
        "effect": influence.effect.name(),
        "gap": influence.gap.name(),
        "evidence": influence.level.name(),
        "signals": influence.signals,
        "path": path(&influence.path),
    })
}

fn path(path: &Path) -> Value {
    match path {
        Path::Quote(hit) => json!({ "edge": "inferred", "quote": value::hit(hit) }),
        Path::Whole { file, hops } => json!({
            "edge": "observed",
            "file": value::operand(file),
            "hops": hops.iter().map(ToString::to_string).collect::<Vec<_>>(),
        }),
        Path::Copied { file, quote } => json!({
            "edge": "inferred",
            "quote": value::hit(quote),
            "file": file.as_ref().map(|(file, _)| value::operand(file)),
            "written_by": file.as_ref().map(|(_, by)| by.to_string()),
        }),
        Path::Remote(from) => json!({ "edge": "observed", "remote": value::operand(from) }),
    }
}
