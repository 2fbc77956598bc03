//! From an answer of the gate to the one JSON object that the host understands, or to nothing at all.

use circinus_core::gate::Permit;
use circinus_core::policy::Verdict;
use serde_json::json;

use crate::host::Asks;

/// What the hook process prints and how it exits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookOutput {
    /// Exit code: 0 with at most one JSON object, 2 with a reason on standard error.
    pub exit: u8,
    /// Standard output: empty, or one single-line JSON object.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl HookOutput {
    /// No opinion: the host's own permission flow decides.
    pub fn silent() -> Self {
        Self::default()
    }

    /// Stops the call even when nothing else works; `reason` is read by the agent.
    pub fn refuse(reason: &str) -> Self {
        Self { exit: 2, stdout: String::new(), stderr: format!("circinus: {reason}\n") }
    }
}

/// The answer to a gate event named `event`.
///
/// ALLOW says nothing: the host's `allow` would skip the user's own permission prompt. `reason` holds ids,
/// operands and rules and never text of an artifact.
pub fn gate(event: &str, permit: &Permit, asks: Asks, reason: &str) -> HookOutput {
    let decision = match (permit.verdict(), asks) {
        (Verdict::Allow, _) => return HookOutput::silent(),
        (Verdict::Review, Asks::Yes) => "ask",
        (Verdict::Review, Asks::No) | (Verdict::Block, _) => "deny",
    };
    let answer = json!({
        "hookSpecificOutput": {
            "hookEventName": event,
            "permissionDecision": decision,
            "permissionDecisionReason": reason,
        }
    });
    HookOutput { exit: 0, stdout: answer.to_string(), stderr: String::new() }
}

/// Keeps the present configuration in force.
pub fn keep_settings(reason: &str) -> HookOutput {
    let answer = json!({ "decision": "block", "reason": reason });
    HookOutput { exit: 0, stdout: answer.to_string(), stderr: String::new() }
}

/// A line for the person; the agent does not read it.
pub fn tell_person(text: &str) -> HookOutput {
    let answer = json!({ "systemMessage": text });
    HookOutput { exit: 0, stdout: answer.to_string(), stderr: String::new() }
}
