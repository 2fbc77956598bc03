//! The host's transcript: one JSON object per line, appended while the conversation goes on.
//!
//! It shows what no hook reports: the output of the user's own commands, the bytes of attached files, bodies
//! of commands, and results of calls whose events were lost. What is not one of these is left out.

use circinus_core::id::{AgentId, CallId};
use serde_json::Value;

use super::{call, json, output};
use crate::host::{AnnouncedCall, Entry, Told, TranscriptEntry};

/// Elements around the two streams of a command that the user ran.
const STREAMS: [(&str, &str); 2] = [("<bash-stdout>", "</bash-stdout>"), ("<bash-stderr>", "</bash-stderr>")];

/// Reads one line.
///
/// # Errors
///
/// The parser's, where the line is not one JSON object with every key once.
pub fn entry(line: &[u8]) -> Result<TranscriptEntry, serde_json::Error> {
    let line = json::parse(line)?;
    let told = match text(&line, "type") {
        Some("assistant") => answered(&line),
        Some("user") => relayed(&line).into_iter().chain(received(&line)).collect(),
        Some("attachment") => line.get("attachment").and_then(attached).into_iter().collect(),
        _ => Vec::new(),
    };
    Ok(TranscriptEntry {
        id: text(&line, "uuid").map(Into::into),
        agent: text(&line, "agentId").map(AgentId::new),
        told,
    })
}

/// The calls of one part of a model's message. An error of the host that stands in the place of an answer is
/// one as well.
fn answered(line: &Value) -> Vec<Told> {
    let message: Box<str> = line.pointer("/message/id").and_then(Value::as_str).unwrap_or_default().into();
    let calls = blocks(line).filter(|block| text(block, "type") == Some("tool_use")).filter_map(|block| {
        let tool = text(block, "name")?;
        let id = CallId::new(text(block, "id")?);
        let input = block.get("input").unwrap_or(&Value::Null);
        let call = AnnouncedCall { id: Some(id), tool: tool.into(), call: call::neutral(tool, input) };
        Some(Told::Called { message: message.clone(), call })
    });
    std::iter::once(Told::Answered { message: message.clone() }).chain(calls).collect()
}

/// What stands in the user's place: results, outputs of the user's own commands, bodies of commands.
fn received(line: &Value) -> Vec<Told> {
    let of_host = line.get("isMeta").and_then(Value::as_bool).unwrap_or(false);
    if let Some(plain) = line.pointer("/message/content").and_then(Value::as_str) {
        return entered(plain, of_host).into_iter().collect();
    }
    let read = |block: &Value| match text(block, "type") {
        Some("tool_result") => Some(Told::Received {
            call: CallId::new(text(block, "tool_use_id")?),
            text: block
                .get("content")
                .map(|content| output::text("Read", content))
                .unwrap_or_default()
                .into(),
        }),
        Some("text") => entered(text(block, "text")?, of_host),
        _ => None,
    };
    blocks(line).filter_map(read).collect()
}

/// A prompt whose origin is somebody else than the person: another session, a channel, a tool.
fn relayed(line: &Value) -> Option<Told> {
    let from = line.pointer("/origin/kind").and_then(Value::as_str).filter(|kind| *kind != "human")?;
    Some(Told::Relayed { prompt: CallId::new(text(line, "promptId")?), from: from.into() })
}

fn entered(plain: &str, of_host: bool) -> Option<Told> {
    if let Some(output) = own_output(plain) {
        return Some(Told::Entered { by: Entry::Command, text: output.into() });
    }
    // A body that only explains an element of the host names nothing.
    let is_note = plain.trim_start().starts_with("<local-command-caveat>");
    (of_host && !is_note).then(|| Told::Entered { by: Entry::Body, text: plain.into() })
}

/// The output of a command that the user ran: the whole text is the two streams. What a program printed may
/// hold the same elements, so each stream ends where the next begins, counted from the end.
fn own_output(plain: &str) -> Option<String> {
    let [(out, out_end), (err, err_end)] = STREAMS;
    let rest = plain.trim().strip_prefix(out)?;
    let Some((stdout, stderr)) = rest.strip_suffix(err_end).and_then(|rest| rest.rsplit_once(err)) else {
        return rest.strip_suffix(out_end).map(str::to_owned);
    };
    Some(format!("{}{stderr}", stdout.strip_suffix(out_end).unwrap_or(stdout)))
}

/// What an attachment brings: a file, a resource, or what a hook or a tool server added.
fn attached(attachment: &Value) -> Option<Told> {
    let kind = text(attachment, "type")?;
    let by = match kind {
        "file" | "edited_text_file" | "selected_lines_in_ide" => {
            Entry::File(text(attachment, "filename").unwrap_or_default().into())
        }
        _ if kind.starts_with("hook_") || kind.starts_with("mcp_") => Entry::Context,
        _ => return None,
    };
    let content =
        ["content", "snippet", "addedBlocks", "stdout"].iter().find_map(|field| attachment.get(*field))?;
    let text = output::text("Read", content);
    (!text.is_empty()).then(|| Told::Entered { by, text: text.into() })
}

fn blocks(line: &Value) -> impl Iterator<Item = &Value> {
    line.pointer("/message/content").and_then(Value::as_array).into_iter().flatten()
}

fn text<'a>(value: &'a Value, field: &str) -> Option<&'a str> {
    value.get(field).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn told(line: &Value) -> Vec<Told> {
        entry(line.to_string().as_bytes()).unwrap().told
    }

    fn user(content: Value) -> Value {
        json!({ "type": "user", "uuid": "u", "message": { "role": "user", "content": content } })
    }

    #[test]
    fn the_output_of_the_users_own_command_is_both_streams() {
        let line = user(json!("<bash-stdout>one\n</bash-stdout><bash-stderr>two</bash-stderr>"));
        assert_eq!(told(&line), [Told::Entered { by: Entry::Command, text: "one\ntwo".into() }]);
    }

    #[test]
    fn a_program_cannot_end_its_own_stream() {
        let line = user(json!(
            "<bash-stdout>a</bash-stdout><bash-stderr></bash-stderr>b</bash-stdout><bash-stderr></bash-stderr>"
        ));
        let [Told::Entered { by: Entry::Command, text }] = &*told(&line) else { panic!("no output") };
        assert!(text.starts_with('a') && text.ends_with('b'), "{text}");
    }

    #[test]
    fn typed_words_are_left_to_the_hooks() {
        assert_eq!(told(&user(json!("run <bash-stdout>it"))), []);
        assert_eq!(told(&user(json!([{ "type": "text", "text": "go" }]))), []);
    }

    #[test]
    fn a_call_and_its_result_are_read() {
        let line = json!({ "type": "assistant", "uuid": "v", "message": { "id": "m", "content": [
            { "type": "text", "text": "I look." },
            { "type": "tool_use", "id": "t1", "name": "Read", "input": { "file_path": "/w/a" } } ] } });
        let [Told::Answered { message }, Told::Called { call, .. }] = &*told(&line) else { panic!() };
        assert_eq!((&**message, call.id.as_ref().unwrap().as_str()), ("m", "t1"));
        let line = user(json!([{ "type": "tool_result", "tool_use_id": "t1",
            "content": [{ "type": "text", "text": "line" }] }]));
        assert_eq!(told(&line), [Told::Received { call: CallId::new("t1"), text: "line".into() }]);
    }

    #[test]
    fn a_file_is_attached_with_its_bytes() {
        let line = json!({ "type": "attachment", "uuid": "w", "attachment": { "type": "file", "filename": "/w/a",
            "content": { "type": "text", "file": { "filePath": "/w/a", "content": "bytes\n" } } } });
        let by = Entry::File("/w/a".into());
        assert_eq!(told(&line), [Told::Entered { by, text: "bytes\n".into() }]);
        let line = json!({ "type": "attachment", "attachment": { "type": "environment", "content": "x" } });
        assert_eq!(told(&line), []);
    }

    #[test]
    fn a_prompt_that_another_session_sent_is_told() {
        let mut line = user(json!("go"));
        line["promptId"] = json!("p1");
        line["origin"] = json!({ "kind": "peer", "from": "x" });
        assert_eq!(told(&line), [Told::Relayed { prompt: CallId::new("p1"), from: "peer".into() }]);
        line["origin"] = json!({ "kind": "human" });
        assert_eq!(told(&line), []);
    }

    #[test]
    fn a_broken_line_is_an_error() {
        entry(b"{\"type\":\"user\",\"type\":\"assistant\"}").unwrap_err();
        entry(b"not json").unwrap_err();
    }
}
