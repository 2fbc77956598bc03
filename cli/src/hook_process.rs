//! Runs the hook binary the way the host does: the event on standard input, the answer on standard output.

use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

use crate::ui::escape_untrusted;

/// What the hook answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answered(Value);

impl Answered {
    /// The permission decision, or "no objection".
    pub fn decision(&self) -> &str {
        let decision = self.0.pointer("/hookSpecificOutput/permissionDecision");
        decision.and_then(Value::as_str).unwrap_or("no objection")
    }

    /// The reason that the agent reads, if there is one.
    pub fn reason(&self) -> Option<&str> {
        self.0.pointer("/hookSpecificOutput/permissionDecisionReason").and_then(Value::as_str)
    }

    /// Whether the call would not simply run.
    pub fn stops(&self) -> bool {
        matches!(self.decision(), "ask" | "deny")
    }
}

/// Sends one event through the hook binary.
///
/// # Errors
///
/// The system's; an exit code other than 0 or an answer that is not JSON becomes an error with what the
/// hook said.
pub fn send(hook: &Path, environment: &[(&str, &Path)], event: &Value) -> io::Result<Answered> {
    let mut child = Command::new(hook)
        .envs(environment.iter().copied())
        .current_dir("/")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| io::Error::new(error.kind(), format!("cannot run {}: {error}", hook.display())))?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin.write_all(event.to_string().as_bytes())?;
    }
    let Output { status, stdout, stderr } = child.wait_with_output()?;
    match status.code() {
        Some(0) if stdout.is_empty() => Ok(Answered(Value::Null)),
        Some(0) => serde_json::from_slice(&stdout).map(Answered).map_err(io::Error::other),
        code => {
            let said = String::from_utf8_lossy(&stderr);
            let ended = code.map_or_else(|| "by a signal".to_owned(), |code| format!("with code {code}"));
            Err(io::Error::other(format!("circinus-hook ended {ended}: {}", escape_untrusted(said.trim()))))
        }
    }
}
