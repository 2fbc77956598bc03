//! Past sessions: the host's transcripts, turned back into the events that its hooks would have sent.
//!
//! A transcript holds what a hook would have told (prompts, calls, results) in other words. What no hook reports is
//! left out here too, so that a replay judges with no more than the gate would have known.

use serde_json::{Map, Value};

use crate::clock;
use crate::replay::format::{Event, names};

/// One line of a transcript as far as a replay needs it.
#[derive(Debug)]
pub struct PastLine {
    /// Milliseconds since the Unix epoch; orders the lines of a session that stand in several files.
    pub at_ms: u64,
    /// The events that it stands for, of one session.
    pub events: Vec<Event>,
}

/// Reads one line; none where it stands for no event.
///
/// # Errors
/// Where it is no JSON. A line of an unknown type is no error: later hosts write more.
pub fn line(bytes: &[u8]) -> Result<Option<PastLine>, serde_json::Error> {
    let line: Value = serde_json::from_slice(bytes)?;
    let told = match text(&line, "type") {
        Some("assistant") => calls(&line),
        Some("user") => received(&line),
        _ => Vec::new(),
    };
    let (Some(session), Some(cwd)) = (text(&line, "sessionId"), text(&line, "cwd")) else { return Ok(None) };
    if told.is_empty() {
        return Ok(None);
    }
    let agent = text(&line, "agentId");
    let events = told.into_iter().map(|told| told.event(session, cwd, agent)).collect();
    Ok(Some(PastLine { at_ms: at_ms(&line), events }))
}

/// The beginning of a session whose first event is `first`.
#[must_use]
pub fn beginning(first: &Event) -> Event {
    Event {
        event: names::SESSION_START.to_owned(),
        extra: Map::new(),
        ..Told::default().event(&first.session_id, &first.cwd, None)
    }
}

/// What an event says beyond where it belongs.
#[derive(Debug, Default)]
struct Told {
    event: &'static str,
    call: Option<String>,
    tool: Option<String>,
    input: Option<Value>,
    response: Option<Value>,
    is_error: bool,
    prompt: Option<String>,
}

impl Told {
    fn event(self, session: &str, cwd: &str, agent: Option<&str>) -> Event {
        let extra = agent.map(|agent| ("agent_id".to_owned(), Value::from(agent)));
        Event {
            t_ms: 0,
            event: self.event.to_owned(),
            session_id: session.to_owned(),
            cwd: cwd.to_owned(),
            tool_use_id: self.call,
            tool_name: self.tool,
            tool_input: self.input,
            tool_response: self.response,
            is_error: self.is_error,
            prompt: self.prompt,
            label: None,
            extra: extra.into_iter().collect(),
        }
    }
}

fn calls(line: &Value) -> Vec<Told> {
    let used = blocks(line).filter(|block| text(block, "type") == Some("tool_use"));
    used.filter_map(|block| {
        Some(Told {
            event: names::PRE_TOOL_USE,
            call: Some(text(block, "id")?.to_owned()),
            tool: Some(text(block, "name")?.to_owned()),
            input: Some(block.get("input").cloned().unwrap_or_default()),
            ..Told::default()
        })
    })
    .collect()
}

fn received(line: &Value) -> Vec<Told> {
    let results: Vec<_> = blocks(line)
        .filter(|block| text(block, "type") == Some("tool_result"))
        .filter_map(|block| result(line, block))
        .collect();
    if !results.is_empty() {
        return results;
    }
    let told = typed(line).map(|prompt| Told {
        event: names::USER_PROMPT_SUBMIT,
        prompt: Some(prompt),
        ..Told::default()
    });
    told.into_iter().collect()
}

/// A result: the structure that a hook gets where the line has it, else what the model saw.
fn result(line: &Value, block: &Value) -> Option<Told> {
    let is_error = block.get("is_error").and_then(Value::as_bool).unwrap_or(false);
    let content = block.get("content").cloned().unwrap_or_default();
    let structure = line.get("toolUseResult").filter(|structure| structure.is_object() && !is_error);
    Some(Told {
        event: names::POST_TOOL_USE,
        call: Some(text(block, "tool_use_id")?.to_owned()),
        response: Some(structure.cloned().unwrap_or(content)),
        is_error,
        ..Told::default()
    })
}

/// What a person typed: text of the user's that neither the host nor a command of it wrote.
fn typed(line: &Value) -> Option<String> {
    let says = |field: &str| line.get(field).and_then(Value::as_bool).unwrap_or(false);
    if ["isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly"].into_iter().any(says) {
        return None;
    }
    let plain = match line.pointer("/message/content")? {
        Value::String(plain) => plain.clone(),
        _ => {
            let parts: Vec<_> = blocks(line).filter_map(|block| text(block, "text")).collect();
            parts.join("\n")
        }
    };
    let of_the_host = plain.trim_start().starts_with('<') || plain.starts_with("[Request interrupted");
    (!plain.trim().is_empty() && !of_the_host).then_some(plain)
}

fn at_ms(line: &Value) -> u64 {
    text(line, "timestamp").and_then(clock::from_rfc3339).map_or(0, |at| at.0)
}

fn blocks(line: &Value) -> impl Iterator<Item = &Value> {
    line.pointer("/message/content").and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn events(mut value: Value) -> Vec<Event> {
        let object = value.as_object_mut().unwrap();
        object.insert("sessionId".into(), "s".into());
        object.insert("cwd".into(), "/w".into());
        object.insert("timestamp".into(), "2026-01-02T03:04:05.006Z".into());
        let read = line(value.to_string().as_bytes()).unwrap();
        read.map(|read| {
            assert_eq!(read.at_ms, 1_767_323_045_006);
            read.events
        })
        .unwrap_or_default()
    }

    fn user(content: Value) -> Value {
        json!({ "type": "user", "message": { "role": "user", "content": content } })
    }

    #[test]
    fn a_typed_prompt_is_a_prompt() {
        let read = events(user(json!("build it")));
        assert_eq!((&*read[0].event, read[0].prompt.as_deref()), ("UserPromptSubmit", Some("build it")));
        let read = events(user(json!([{ "type": "text", "text": "look" }])));
        assert_eq!(read[0].prompt.as_deref(), Some("look"));
    }

    #[test]
    fn what_the_host_wrote_in_the_users_place_is_none() {
        assert!(events(user(json!("<command-name>/clear</command-name>"))).is_empty());
        assert!(events(user(json!("[Request interrupted by user]"))).is_empty());
        for mark in ["isMeta", "isSidechain", "isCompactSummary"] {
            let mut line = user(json!("go on"));
            line.as_object_mut().unwrap().insert(mark.into(), true.into());
            assert!(events(line).is_empty(), "{mark}");
        }
    }

    #[test]
    fn a_call_and_its_result_keep_their_forms() {
        let call = json!({ "type": "assistant", "agentId": "a1", "message": { "content": [
            { "type": "text", "text": "I look." },
            { "type": "tool_use", "id": "t", "name": "Read", "input": { "file_path": "/w/a" } } ] } });
        let read = events(call);
        assert_eq!((&*read[0].event, read[0].tool()), ("PreToolUse", "Read"));
        assert_eq!(read[0].extra["agent_id"], "a1");
        let mut result = user(json!([{ "type": "tool_result", "tool_use_id": "t", "content": "1\tline" }]));
        result
            .as_object_mut()
            .unwrap()
            .insert("toolUseResult".into(), json!({ "file": { "content": "line" } }));
        let read = events(result);
        assert_eq!(read[0].tool_response, Some(json!({ "file": { "content": "line" } })));
        assert_eq!(read[0].tool_use_id.as_deref(), Some("t"));
    }

    #[test]
    fn a_failure_has_the_text_that_the_model_saw() {
        let mut line = user(
            json!([{ "type": "tool_result", "tool_use_id": "t", "content": "no such file", "is_error": true }]),
        );
        line.as_object_mut().unwrap().insert("toolUseResult".into(), json!("Error: no such file"));
        let read = events(line);
        assert!(read[0].failed() && read[0].tool_response == Some(json!("no such file")));
    }

    #[test]
    fn what_stands_for_no_event_is_none_and_garbage_is_an_error() {
        assert!(events(json!({ "type": "file-history-snapshot" })).is_empty());
        assert!(line(b"{}").unwrap().is_none());
        line(b"{").unwrap_err();
    }
}
