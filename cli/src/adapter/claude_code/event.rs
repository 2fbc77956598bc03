//! From a hook's JSON to a neutral event.
//!
//! Parsing is lenient about fields (unknown ones are ignored, missing ones tolerated where the answer stays
//! safe) and strict about form: what is not exactly one JSON object with every key once is refused.

use circinus_core::id::{AgentId, CallId, SessionId};
use serde_json::Value;
use thiserror::Error;

use super::{call, json, output};
use crate::host::{AnnouncedCall, Asks, HostEvent, HostEventKind};

/// Why a payload is no event.
#[derive(Debug, Error)]
pub enum ParseEventError {
    /// Not one JSON document with every key once.
    #[error("the hook's input is not one JSON object: {0}; hint: only the host should run circinus-hook")]
    NotJson(#[from] serde_json::Error),
    /// A field without which nothing can be decided is missing or of another type.
    #[error(
        "the hook's input has no usable `{0}`; hint: is this host version supported? run `circinus doctor`"
    )]
    Missing(&'static str),
}

/// Reads a hook's standard input.
///
/// # Errors
///
/// See [`ParseEventError`]; the caller answers a gate event that does not parse with a refusal.
pub fn parse(bytes: &[u8]) -> Result<HostEvent, ParseEventError> {
    let payload = json::parse(bytes)?;
    let name = text(&payload, "hook_event_name").ok_or(ParseEventError::Missing("hook_event_name"))?;
    let session = text(&payload, "session_id").ok_or(ParseEventError::Missing("session_id"))?;
    Ok(HostEvent {
        session: SessionId::new(session),
        agent: text(&payload, "agent_id").map(AgentId::new),
        cwd: text(&payload, "cwd").filter(|cwd| cwd.starts_with('/')).unwrap_or("/").into(),
        asks: asks(text(&payload, "permission_mode")),
        name: name.into(),
        kind: kind(name, &payload)?,
    })
}

/// Modes in which the host is known to put a hook's question to a person; in a mode that is not known, a
/// question becomes a refusal.
fn asks(mode: Option<&str>) -> Asks {
    match mode {
        None | Some("default" | "acceptEdits" | "plan" | "bypassPermissions") => Asks::Yes,
        Some(_) => Asks::No,
    }
}

fn kind(name: &str, payload: &Value) -> Result<HostEventKind, ParseEventError> {
    Ok(match name {
        "SessionStart" => HostEventKind::SessionStart,
        "SessionEnd" => HostEventKind::SessionEnd,
        "UserPromptSubmit" => {
            let text = text(payload, "prompt").ok_or(ParseEventError::Missing("prompt"))?;
            HostEventKind::Prompt { text: text.into(), typed: !is_machine_envelope(text) }
        }
        "PreToolUse" | "PreSkillShellCommand" => HostEventKind::BeforeCall(announced(payload)?),
        "PostToolUse" => {
            HostEventKind::AfterCall { call: announced(payload)?, output: seen(payload, "tool_response") }
        }
        "PostToolUseFailure" => {
            HostEventKind::AfterCall { call: announced(payload)?, output: seen(payload, "error") }
        }
        "PostToolBatch" => HostEventKind::AfterBatch(batch(payload)),
        "InstructionsLoaded" => HostEventKind::InstructionsLoaded {
            path: text(payload, "file_path").ok_or(ParseEventError::Missing("file_path"))?.into(),
            of_user: matches!(text(payload, "memory_type"), Some("User" | "Managed")),
        },
        "PostCompact" => {
            HostEventKind::Compacted { summary: text(payload, "compact_summary").unwrap_or_default().into() }
        }
        "ConfigChange" => HostEventKind::SettingsChange { path: text(payload, "file_path").map(Into::into) },
        _ => HostEventKind::Other,
    })
}

fn announced(payload: &Value) -> Result<AnnouncedCall, ParseEventError> {
    let tool = text(payload, "tool_name").ok_or(ParseEventError::Missing("tool_name"))?;
    let input = payload.get("tool_input").ok_or(ParseEventError::Missing("tool_input"))?;
    Ok(AnnouncedCall {
        id: text(payload, "tool_use_id").map(CallId::new),
        tool: tool.into(),
        call: call::neutral(tool, input),
    })
}

/// What the agent reads of a call.
fn seen(payload: &Value, field: &str) -> Box<str> {
    let tool = text(payload, "tool_name").unwrap_or_default();
    payload.get(field).map(|response| output::text(tool, response)).unwrap_or_default().into()
}

fn batch(payload: &Value) -> Vec<(AnnouncedCall, Box<str>)> {
    let calls = payload.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let read = |call: &Value| announced(call).ok().map(|announced| (announced, seen(call, "tool_response")));
    calls.iter().filter_map(read).collect()
}

/// Whether a prompt stands in an envelope that programs write: one element with a hyphenated name around
/// the whole text, such as the host's task notifications.
fn is_machine_envelope(prompt: &str) -> bool {
    let Some(rest) = prompt.trim().strip_prefix('<') else { return false };
    let name: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
    name.contains('-') && prompt.trim_end().ends_with(&format!("</{name}>"))
}

fn text<'a>(payload: &'a Value, field: &str) -> Option<&'a str> {
    payload.get(field).and_then(Value::as_str)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse_text(text: &str) -> Result<HostEvent, ParseEventError> {
        parse(text.as_bytes())
    }

    #[test]
    fn a_task_notification_is_not_the_users_words() {
        for (prompt, typed) in [
            ("<task-notification>\\n<result>x</result>\\n</task-notification>", false),
            ("please look at <task-notification>", true),
            ("<b>bold</b> is what I want", true),
            ("fix it", true),
        ] {
            let event = parse_text(&format!(
                r#"{{"hook_event_name":"UserPromptSubmit","session_id":"s","cwd":"/w","prompt":"{prompt}"}}"#
            ));
            let HostEventKind::Prompt { typed: found, .. } = event.unwrap().kind else { panic!("no prompt") };
            assert_eq!(found, typed, "{prompt}");
        }
    }

    #[test]
    fn an_unknown_event_is_no_error_and_a_gate_event_without_a_tool_is() {
        let other = parse_text(r#"{"hook_event_name":"Brandnew","session_id":"s"}"#).unwrap();
        assert_eq!(other.kind, HostEventKind::Other);
        let error = parse_text(r#"{"hook_event_name":"PreToolUse","session_id":"s"}"#).unwrap_err();
        assert!(error.to_string().contains("tool_name"), "{error}");
    }

    #[test]
    fn only_modes_known_to_ask_are_asked_in() {
        assert_eq!(asks(Some("acceptEdits")), Asks::Yes);
        assert_eq!(asks(Some("auto")), Asks::No);
        assert_eq!(asks(Some("dontAsk")), Asks::No);
    }
}
