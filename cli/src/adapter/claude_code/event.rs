//! From a hook's JSON to a neutral event.
//!
//! Parsing is lenient about fields (unknown ones are ignored, missing ones tolerated where the answer stays
//! safe) and strict about form: what is not exactly one JSON object with every key once is refused.

use std::time::Duration;

use circinus_core::id::{AgentId, CallId, SessionId};
use serde_json::Value;
use thiserror::Error;

use super::{call, envelope, json, output};
use crate::host::{AnnouncedCall, Asks, HostEvent, HostEventKind, Outcome, Worker};

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
        transcript: text(&payload, "transcript_path").map(Into::into),
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
            let id = self::text(payload, "prompt_id").map(CallId::new);
            HostEventKind::Prompt { text: text.into(), author: envelope::author(text), id }
        }
        "UserPromptExpansion" => expansion(payload),
        "PreToolUse" | "PreSkillShellCommand" => HostEventKind::BeforeCall(announced(payload)?),
        "PostToolUse" => {
            HostEventKind::AfterCall { call: announced(payload)?, outcome: outcome(payload, "tool_response") }
        }
        "PostToolUseFailure" => {
            HostEventKind::AfterCall { call: announced(payload)?, outcome: outcome(payload, "error") }
        }
        "PermissionRequest" => HostEventKind::Prompting(announced(payload)?),
        "PostToolBatch" => HostEventKind::AfterBatch(batch(payload)),
        "InstructionsLoaded" => HostEventKind::InstructionsLoaded {
            path: text(payload, "file_path").ok_or(ParseEventError::Missing("file_path"))?.into(),
            of_user: matches!(text(payload, "memory_type"), Some("User" | "Managed")),
        },
        "PostCompact" => {
            HostEventKind::Compacted { summary: text(payload, "compact_summary").unwrap_or_default().into() }
        }
        "SubagentStop" => {
            HostEventKind::AgentStopped { transcript: text(payload, "agent_transcript_path").map(Into::into) }
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

/// What came of a call, as `field` of its event says.
fn outcome(payload: &Value, field: &str) -> Outcome {
    let tool = text(payload, "tool_name").unwrap_or_default();
    let Some(response) = payload.get(field) else { return Outcome::default() };
    Outcome {
        output: output::text(tool, response).into(),
        kept_in: if keeps_output(tool) { output::kept_in(response) } else { Vec::new() },
        loaded: (tool == "Skill").then(|| text(response, "commandName").map(Into::into)).flatten(),
        worker: worker(tool, response),
        took: payload.get("duration_ms").and_then(Value::as_u64).map(Duration::from_millis),
    }
}

/// The host's own tools whose output it may keep in a file; another tool's response may say anything.
fn keeps_output(tool: &str) -> bool {
    matches!(tool, "Bash" | "Monitor" | "Agent" | "Task")
}

/// The subagent behind a response of the tool that starts one.
fn worker(tool: &str, response: &Value) -> Option<Worker> {
    if !matches!(tool, "Agent" | "Task") {
        return None;
    }
    let calls = response.get("totalToolUseCount").and_then(Value::as_u64);
    Some(Worker { agent: text(response, "agentId").map(AgentId::new)?, calls })
}

fn batch(payload: &Value) -> Vec<(AnnouncedCall, Outcome)> {
    let calls = payload.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let read =
        |call: &Value| announced(call).ok().map(|announced| (announced, outcome(call, "tool_response")));
    calls.iter().filter_map(read).collect()
}

/// The body of a prompt of a tool server comes from that server, not from a file.
fn expansion(payload: &Value) -> HostEventKind {
    match (text(payload, "expansion_type"), text(payload, "command_name")) {
        (Some("slash_command"), Some(name)) => HostEventKind::Expanded {
            name: name.into(),
            of_user: !matches!(text(payload, "command_source"), Some("projectSettings" | "localSettings")),
        },
        _ => HostEventKind::Other,
    }
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
