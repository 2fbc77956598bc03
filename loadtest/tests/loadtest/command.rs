//! The program, with shell scripts in the place of the product's programs.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use crate::fixture::CWD;

/// Says which commands it got, and in which home.
const DAEMON: &str =
    "#!/bin/sh\necho \"$2 $(cat \"$CIRCINUS_HOME/config.toml\")\" >> \"$(dirname \"$0\")/calls\"\n";
/// Refuses what holds `flour`.
const HOOK: &str = r#"#!/bin/sh
event=$(cat)
case "$event" in *PreToolUse*flour*|*flour*PreToolUse*) printf '%s' '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"Circinus BLOCK d1 [A1]"}}';; esac
"#;

struct Place {
    folder: tempfile::TempDir,
    program: PathBuf,
}

fn place(daemon: &str) -> Place {
    let folder = tempfile::tempdir().unwrap();
    let script = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    };
    let program = script("circinus", daemon);
    script("circinus-hook", HOOK);
    let line = |event: Value| {
        let mut event = event;
        event["session_id"] = "s".into();
        event["cwd"] = CWD.into();
        event.to_string() + "\n"
    };
    let label = json!({"kind": "attack", "expect": ["REVIEW", "BLOCK"]});
    let call = json!({"event": "PreToolUse", "tool_name": "Bash", "tool_use_id": "c",
        "tool_input": {"command": "touch flour"}, "label": label});
    let text = line(json!({"event": "SessionStart"})) + &line(call);
    fs::write(folder.path().join("own.jsonl"), text).unwrap();
    Place { folder, program }
}

impl Place {
    fn replay(&self, more: &[&str]) -> Output {
        let folder = self.folder.path();
        Command::new(env!("CARGO_BIN_EXE_circinus-loadtest"))
            .arg("replay")
            .arg(folder.join("own.jsonl"))
            .arg("--circinus")
            .arg(&self.program)
            .arg("--scratch")
            .arg(folder)
            .args(more)
            .output()
            .unwrap()
    }

    fn calls(&self) -> String {
        fs::read_to_string(self.folder.path().join("calls")).unwrap()
    }

    fn scratch_is_gone(&self) -> bool {
        let mut entries = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().file_name());
        entries.all(|name| !name.to_string_lossy().starts_with("circinus-replay-"))
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn hook_processes_answer_and_the_daemon_is_started_and_stopped() {
    let place = place(DAEMON);
    let json = place.folder.path().join("out.json");
    let output = place.replay(&["--spawn", "--profile", "strict", "--json", json.to_str().unwrap()]);
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stdout}{stderr}");
    assert_eq!(place.calls(), "start profile = \"strict\"\nstop profile = \"strict\"\n");
    let report: Value = serde_json::from_slice(&fs::read(json).unwrap()).unwrap();
    assert_eq!(report["suites"]["own"]["attack_sessions"]["any"], 1);
    assert_eq!(report["settings"]["profile"], "strict");
    assert!(stdout.contains("Errors: 0") && place.scratch_is_gone(), "{stdout}");
}

#[test]
fn a_daemon_that_does_not_answer_is_an_error_and_stopped() {
    let place = place(DAEMON);
    let output = place.replay(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stdout).contains("no daemon is running"), "{}", text(&output.stdout));
    assert!(place.calls().ends_with("stop profile = \"balanced\"\n") && place.scratch_is_gone());
}

#[test]
fn a_daemon_that_does_not_start_says_why() {
    let place = place("#!/bin/sh\necho \"error: the $2 went wrong\" >&2\nexit 3\n");
    let output = place.replay(&[]);
    assert_eq!(output.status.code(), Some(1));
    let stderr = text(&output.stderr);
    assert!(stderr.contains("daemon start` failed") && stderr.contains("the start went wrong"), "{stderr}");
    assert!(place.scratch_is_gone());
}

#[test]
fn a_missing_program_is_named() {
    let mut place = place(DAEMON);
    place.program = Path::new("/nowhere/circinus").to_owned();
    let output = place.replay(&[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no `circinus` at `/nowhere/circinus`; hint:"));
}
