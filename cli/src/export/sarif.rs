//! Decisions that asked or refused as SARIF 2.1.0 (OASIS): a result each, with the way from source to sink as a code
//! flow, and the rules as the tool's rules.

use std::io::Write;

use circinus_core::event::{DecisionRecord, Event, Recorded};
use circinus_core::explain::{Influence, Path};
use circinus_core::id::DecisionId;
use circinus_core::policy::{RULES, Rule, Verdict};
use serde_json::{Value, json};

use super::value::{effects, flags};
use super::{ExportError, Log};
use crate::clock;
use crate::reason;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Writes one run.
///
/// # Errors
/// [`ExportError`].
pub fn write(log: &Log<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
    let tool = json!({ "driver": {
        "name": "circinus",
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": RULES.iter().map(rule).collect::<Vec<_>>(),
    } });
    let (schema, columns) = (Value::from(SCHEMA), "utf16CodeUnits");
    write!(out, "{{\n\"$schema\": {schema},\n\"version\": \"2.1.0\",\n\"runs\": [{{\n\"tool\": {tool},\n")?;
    write!(out, "\"columnKind\": \"{columns}\",\n\"results\": [")?;
    let mut separator = "\n";
    log.each(|recorded| {
        if let Some(result) = result(recorded, log)? {
            write!(out, "{separator}{result}")?;
            separator = ",\n";
        }
        Ok(())
    })?;
    Ok(out.write_all(b"]\n}]\n}\n")?)
}

fn rule(rule: &Rule) -> Value {
    json!({
        "id": rule.name,
        "shortDescription": { "text": rule.reason },
        "help": { "text": rule.remedy(None, None) },
        "defaultConfiguration": { "level": level(rule.result) },
    })
}

const fn level(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Allow => "note",
        Verdict::Review => "warning",
        Verdict::Block => "error",
    }
}

fn result(recorded: &Recorded, log: &Log<'_>) -> Result<Option<Value>, ExportError> {
    let Event::Decided(record) = &recorded.event else { return Ok(None) };
    let explanation = &record.explanation;
    let Some(primary) = explanation.fired.first() else { return Ok(None) };
    if explanation.verdict == Verdict::Allow {
        return Ok(None);
    }
    let sources = explanation.influences.iter().map(|influence| label(influence, log));
    let sources = sources.collect::<Result<Vec<_>, _>>()?;
    let named = |wanted: &Influence| {
        let place = explanation.influences.iter().position(|influence| influence == wanted);
        place.and_then(|place| sources.get(place).cloned()).unwrap_or_default()
    };
    let message = reason::sentence(explanation, &record.tool, named);
    let flows = explanation
        .influences
        .iter()
        .zip(&sources)
        .map(|(influence, source)| flow(influence, source, record));
    Ok(Some(json!({
        "ruleId": primary.rule.to_string(),
        "ruleIndex": primary.rule.0,
        "level": level(explanation.verdict),
        "message": { "text": message },
        "locations": [sink(record)],
        "codeFlows": flows.collect::<Vec<_>>(),
        "partialFingerprints": { "action/v1": record.identity.to_string() },
        "provenance": { "firstDetectionTimeUtc": clock::rfc3339(recorded.at) },
        "properties": {
            "decision": DecisionId(recorded.seq).to_string(),
            "verdict": explanation.verdict.name(),
            "rules": explanation.fired.iter().map(|fired| fired.rule.to_string()).collect::<Vec<_>>(),
            "tier": explanation.tier.to_string(),
            "profile": explanation.profile.name(),
            "flags": flags(explanation.flags),
            "effects": effects(explanation.effects),
        },
    })))
}

fn label(influence: &Influence, log: &Log<'_>) -> Result<String, ExportError> {
    let stored = influence.artifact.map(|id| log.reader().artifact(id)).transpose()?.flatten();
    let origin = influence.origin.describe();
    Ok(stored.map_or_else(
        || origin.to_owned(),
        |stored| format!("{origin} ({}, {})", stored.id, stored.artifact.label),
    ))
}

fn sink(record: &DecisionRecord) -> Value {
    json!({
        "message": { "text": format!("{} {}", record.tool, record.summary) },
        "logicalLocations": [{
            "name": record.tool,
            "fullyQualifiedName": format!("{}/{}", record.session, record.tool),
            "kind": "function",
        }],
    })
}

/// Source, the artifacts on the way, sink.
fn flow(influence: &Influence, source: &str, record: &DecisionRecord) -> Value {
    let mut way = vec![step(format!("source: {source}"), influence.artifact.map(|id| id.to_string()))];
    match &influence.path {
        Path::Whole { hops, .. } => {
            way.extend(hops.iter().rev().map(|hop| step(format!("copied: {hop}"), Some(hop.to_string()))));
        }
        Path::Copied { file: Some((file, by)), .. } => {
            way.push(step(format!("retyped into `{}`", reason::operand(file)), Some(by.to_string())));
        }
        Path::Quote(_) | Path::Copied { file: None, .. } | Path::Remote(_) => {}
    }
    let text = format!("sink: {} at `{}` of {}", influence.effect, influence.place, record.tool);
    way.push(step(text, None));
    json!({ "threadFlows": [{ "locations": way }] })
}

fn step(text: String, artifact: Option<String>) -> Value {
    let named = artifact.map(|id| json!({ "name": id, "kind": "resource" }));
    json!({ "location": {
        "message": { "text": text },
        "logicalLocations": named.into_iter().collect::<Vec<_>>(),
    } })
}
