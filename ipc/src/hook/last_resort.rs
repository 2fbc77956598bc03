//! What happens when neither the daemon nor the fail-safe classifier can be asked.

use super::json;
use super::{EXIT_FAILED, EXIT_REFUSED, Outcome};

/// Tools that only read what is on this machine already; they may pass unrecorded.
pub const READING_TOOLS: [&str; 4] = ["Read", "Grep", "Glob", "LS"];

/// Events after which nothing can be stopped any more, or where stopping protects nothing. Every name that is not
/// here may be a gate of a newer host.
const UNGATED_EVENTS: [&str; 22] = [
    "CwdChanged",
    "FileChanged",
    "InstructionsLoaded",
    "Notification",
    "PermissionDenied",
    "PermissionRequest",
    "PostCompact",
    "PostToolBatch",
    "PostToolUse",
    "PostToolUseFailure",
    "PreCompact",
    "SessionEnd",
    "SessionStart",
    "Setup",
    "Stop",
    "StopFailure",
    "SubagentStart",
    "SubagentStop",
    "TaskCompleted",
    "TaskCreated",
    "UserPromptExpansion",
    "UserPromptSubmit",
];

enum Verdict {
    Pass,
    Refuse,
    Report,
}

fn judge(payload: &[u8]) -> Verdict {
    let Ok([event, tool]) = json::top_level_strings(payload, ["hook_event_name", "tool_name"]) else {
        return Verdict::Refuse;
    };
    match event.as_deref() {
        Some("ConfigChange") => Verdict::Refuse,
        Some(event) if UNGATED_EVENTS.contains(&event) => Verdict::Report,
        _ if tool.is_some_and(|tool| READING_TOOLS.contains(&tool.as_str())) => Verdict::Pass,
        _ => Verdict::Refuse,
    }
}

/// The outcome for an event that nobody can classify; `why` says what failed before.
pub(super) fn decide(payload: &[u8], why: &str) -> Outcome {
    let missing = "no daemon and no fail-safe classifier";
    let hint = "hint: run `circinus doctor`";
    match judge(payload) {
        Verdict::Pass => Outcome { exit: 0, stdout: Vec::new(), stderr: Vec::new() },
        Verdict::Refuse => Outcome::line(EXIT_REFUSED, &format!("{missing}: refused; {hint} ({why})")),
        Verdict::Report => Outcome::line(EXIT_FAILED, &format!("{missing}: not recorded; {hint} ({why})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exit(payload: &[u8]) -> u8 {
        decide(payload, "test").exit
    }

    fn event(name: &str, tool: &str) -> Vec<u8> {
        format!(r#"{{"session_id":"s","hook_event_name":"{name}","tool_name":"{tool}","tool_input":{{}}}}"#)
            .into_bytes()
    }

    /// INVARIANT (no-silent-pass)
    #[test]
    fn gates_pass_the_four_reading_tools_only() {
        for gate in ["PreToolUse", "PreSkillShellCommand", "SomethingNew"] {
            for tool in READING_TOOLS {
                assert_eq!(exit(&event(gate, tool)), 0, "{gate} {tool}");
            }
            for tool in ["Bash", "Write", "Edit", "WebFetch", "Task", "mcp__a__Read", "read", "Read ", ""] {
                assert_eq!(exit(&event(gate, tool)), 2, "{gate} {tool}");
            }
        }
        assert_eq!(exit(br#"{"tool_name":"Read"}"#), 0, "an event without a name may be a gate");
        assert_eq!(exit(br#"{"hook_event_name":"PreToolUse"}"#), 2);
    }

    #[test]
    fn a_passed_tool_prints_nothing() {
        let outcome = decide(&event("PreToolUse", "Read"), "test");
        assert!(outcome.stdout.is_empty() && outcome.stderr.is_empty());
    }

    #[test]
    fn settings_changes_are_refused_and_other_events_reported() {
        assert_eq!(exit(&event("ConfigChange", "Read")), 2);
        for name in UNGATED_EVENTS {
            assert_eq!(exit(&event(name, "Bash")), 1, "{name}");
        }
        let stderr = decide(&event("PostToolUse", "Bash"), "test").stderr;
        assert_eq!(stderr.iter().filter(|&&byte| byte == b'\n').count(), 1);
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for payload in [
            &b""[..],
            b"not json",
            b"[]",
            br#"{"hook_event_name":"PostToolUse""#,
            br#"{"hook_event_name":"PostToolUse"} x"#,
            br#"{"hook_event_name":"PostToolUse","hook_event_name":"PreToolUse"}"#,
            br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_name":"Read"}"#,
            br#"{"hook_event_name":7,"tool_name":"Read"}"#,
            b"\xef\xbb\xbf{\"hook_event_name\":\"PostToolUse\"}",
            b"{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Read\",\"x\":\"\xff\"}",
        ] {
            assert_eq!(exit(payload), 2, "{}", String::from_utf8_lossy(payload));
        }
    }

    #[test]
    fn a_name_in_a_nested_object_counts_for_nothing() {
        let nested =
            br#"{"a":{"hook_event_name":"PostToolUse"},"hook_event_name":"PreToolUse","tool_name":"Bash"}"#;
        assert_eq!(exit(nested), 2);
    }
}
