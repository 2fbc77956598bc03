//! Every event shape of the host, sent through the hook: none gives an error or an opinion.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::answer::Answer;
use super::process::circinus_hook;
use super::world::World;

/// The events that the host is known to send.
const EVENTS: [&str; 24] = [
    "ConfigChange",
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
    "PreSkillShellCommand",
    "PreToolUse",
    "SessionEnd",
    "SessionStart",
    "Setup",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "TaskCompleted",
    "TaskCreated",
    "UserPromptExpansion",
    "UserPromptSubmit",
];

/// The payloads of one file of `payloads/`, each with the fields that all events have.
fn payloads(event: &str, world: &World) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/daemon/payloads");
    let text = fs::read_to_string(folder.join(format!("{event}.json"))).unwrap();
    let text = text.replace("PROJECT", world.project().to_str().unwrap());
    let shapes: Vec<Value> = serde_json::from_str(&text).unwrap();
    let common = json!({
        "session_id": "5f0f2b60-6f0e-4f43-9a55-0c0c7f3a9f11",
        "transcript_path": world.at("user/.claude/projects/p/5f0f2b60.jsonl"),
        "cwd": world.project(),
        "prompt_id": "0a5b0f0e-6a35-47a1-8a0b-9c9f6a1f7d10",
        "hook_event_name": event,
    });
    let whole = |shape: Value| {
        let mut payload = common.clone();
        payload.as_object_mut().unwrap().extend(shape.as_object().unwrap().clone());
        payload
    };
    shapes.into_iter().map(whole).collect()
}

#[test]
fn no_shape_of_an_event_gives_an_error_or_an_opinion() {
    let world = World::new();
    for file in ["CLAUDE.md", "src/lib.rs", "notes.ipynb"] {
        let path = world.project().join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("{file}\n")).unwrap();
    }
    circinus_hook();
    // As on a machine whose host runs our hooks: a change of its settings is looked at.
    assert_eq!(world.circinus(&["setup", "--yes"]).code, 0);
    let mut tools = BTreeSet::new();
    for event in EVENTS {
        let payloads = payloads(event, &world);
        assert!(!payloads.is_empty());
        for payload in payloads {
            assert_eq!(world.send(&payload), Answer::Silent, "{payload}");
            tools.extend(payload["tool_name"].as_str().map(str::to_owned));
        }
    }
    assert!(tools.len() >= 20, "{tools:?}");
    let status = world.status();
    assert_eq!((&status["malformed"], &status["unrecorded"]), (&json!(0), &json!(0)), "{status}");
    assert!(world.labels().len() >= 10);
}
