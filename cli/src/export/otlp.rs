//! The log as OpenTelemetry logs: OTLP in its JSON encoding, one `ExportLogsServiceRequest` per line, as the
//! collector's file receiver reads it. Attributes follow the semantic conventions where they have a name for it.

use std::io::Write;

use circinus_core::event::{Event, Recorded};
use circinus_core::evidence::Level;
use circinus_core::policy::Verdict;
use serde_json::{Value, json};

use super::{ExportError, Log, flat};

/// Records of one request: a request is held in memory whole, by us and by who reads it.
const RECORDS_MAX: usize = 500;

/// Columns of [`flat`] that a record holds elsewhere.
const ELSEWHERE: [&str; 5] = ["schema", "time", "at_ms", "kind", "text"];

/// Writes every event.
///
/// # Errors
/// [`ExportError`].
pub fn write(log: &Log<'_>, out: &mut dyn Write) -> Result<(), ExportError> {
    let mut records = Vec::new();
    log.each(|recorded| {
        records.push(record(recorded));
        if records.len() < RECORDS_MAX { Ok(()) } else { request(&mut records, out) }
    })?;
    if records.is_empty() { Ok(()) } else { request(&mut records, out) }
}

fn request(records: &mut Vec<Value>, out: &mut dyn Write) -> Result<(), ExportError> {
    let version = env!("CARGO_PKG_VERSION");
    let request = json!({ "resourceLogs": [{
        "resource": { "attributes": [
            attribute("service.name", &"circinus".into()),
            attribute("service.version", &version.into()),
        ] },
        "scopeLogs": [{
            "scope": { "name": "circinus", "version": version },
            "logRecords": std::mem::take(records),
        }],
    }] });
    serde_json::to_writer(&mut *out, &request)?;
    Ok(out.write_all(b"\n")?)
}

fn record(recorded: &Recorded) -> Value {
    let row = flat::row(recorded);
    let (number, text) = severity(&recorded.event);
    let attributes: Vec<_> = row
        .iter()
        .filter(|(column, value)| !value.is_null() && !ELSEWHERE.contains(&column.as_str()))
        .map(|(column, value)| attribute(&name(column), value))
        .collect();
    // Nanoseconds as a decimal string: JSON numbers do not hold 64 bits (Protocol Buffers JSON mapping).
    let nanoseconds = format!("{}000000", recorded.at.0);
    json!({
        "timeUnixNano": nanoseconds,
        "observedTimeUnixNano": nanoseconds,
        "severityNumber": number,
        "severityText": text,
        "eventName": format!("circinus.{}", row.get("kind").and_then(Value::as_str).unwrap_or_default()),
        "body": { "stringValue": row.get("text").and_then(Value::as_str).unwrap_or_default() },
        "attributes": attributes,
    })
}

/// `SeverityNumber` of the data model with its short name.
const fn severity(event: &Event) -> (u8, &'static str) {
    match event {
        Event::Decided(record) => match record.explanation.verdict {
            Verdict::Allow => (9, "INFO"),
            Verdict::Review => (13, "WARN"),
            Verdict::Block => (17, "ERROR"),
        },
        Event::Judged { judgement, .. } => match judgement.level {
            Level::None | Level::Benign | Level::Pending => (9, "INFO"),
            Level::Failed | Level::Suspicious | Level::Adverse => (13, "WARN"),
        },
        Event::Unanswered(_) => (13, "WARN"),
        Event::Impersonated(_) => (17, "ERROR"),
        Event::SessionOpened(_)
        | Event::SessionClosed { .. }
        | Event::Ingested(_)
        | Event::Stated(_)
        | Event::HostBound(_)
        | Event::AskUnreliable { .. }
        | Event::Requested(_)
        | Event::Settled(_) => (9, "INFO"),
    }
}

fn name(column: &str) -> String {
    match column {
        "session" => "session.id".to_owned(),
        "tool" => "gen_ai.tool.name".to_owned(),
        "call" => "gen_ai.tool.call.id".to_owned(),
        "agent" => "gen_ai.agent.id".to_owned(),
        column => format!("circinus.{column}"),
    }
}

fn attribute(key: &str, value: &Value) -> Value {
    let value = match value {
        Value::Bool(value) => json!({ "boolValue": value }),
        Value::Number(value) => json!({ "intValue": value.to_string() }),
        Value::String(value) => json!({ "stringValue": value }),
        other => json!({ "stringValue": other.to_string() }),
    };
    json!({ "key": key, "value": value })
}
