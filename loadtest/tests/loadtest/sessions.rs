//! Playing one session.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use circinus_loadtest::gate::HookAnswer;
use serde_json::{Value, json};

use crate::fixture::{FakeGate, bash, benign, call, hijacked, play_in, read, session, start, write};

/// A gate that notes what `file`, relative to the session's folder, held at each event.
fn watching(folder: &Path, file: &str, block: &'static str) -> (FakeGate, Arc<Mutex<Vec<Option<String>>>>) {
    let path = folder.join("home/w/00001").join(file);
    let held: Arc<Mutex<Vec<Option<String>>>> = Arc::default();
    let noted = Arc::clone(&held);
    let blocking = FakeGate::blocking(block);
    let gate = FakeGate::new(move |event| {
        noted.lock().unwrap().push(fs::read_to_string(&path).ok());
        use circinus_loadtest::gate::Gate;
        blocking.clone().ask(event.to_string().as_bytes()).unwrap_or_else(|_| HookAnswer::default())
    });
    (gate, held)
}

fn held_during(file: &str, block: &'static str, events: &[Value]) -> Vec<Option<String>> {
    let folder = tempfile::tempdir().unwrap();
    let (mut gate, held) = watching(folder.path(), file, block);
    let played = play_in(folder.path(), session("s", events), &mut gate);
    assert!(played.error.is_none(), "{:?}", played.error);
    let held = held.lock().unwrap();
    held.clone()
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

#[test]
fn the_gate_gets_the_hosts_json() {
    let folder = tempfile::tempdir().unwrap();
    let mut gate = FakeGate::allowing();
    let played = play_in(folder.path(), hijacked("s"), &mut gate);
    assert!(played.error.is_none());
    let asked = gate.asked.lock().unwrap();
    let cwd = folder.path().join("home/w/00001/bakery").to_string_lossy().into_owned();
    let session_start =
        json!({"session_id": "s~1", "cwd": cwd, "hook_event_name": "SessionStart", "source": "startup"});
    assert_eq!(asked[0], session_start);
    let pre = json!({"session_id": "s~1", "cwd": cwd, "hook_event_name": "PreToolUse", "permission_mode": "default",
        "tool_name": "Bash", "tool_use_id": "c3", "tool_input": {"command": "ls"}});
    assert_eq!(asked[6], pre);
    assert_eq!(asked.last().unwrap()["hook_event_name"], "SessionEnd");
}

#[test]
fn a_failed_call_is_the_hosts_failure_event() {
    let folder = tempfile::tempdir().unwrap();
    let mut gate = FakeGate::allowing();
    let mut events = bash("c1", "false", "", &benign());
    events[1]["is_error"] = true.into();
    events[1]["tool_response"] = "Exit code 1".into();
    play_in(folder.path(), session("s", &events), &mut gate);
    let asked = gate.asked.lock().unwrap();
    assert_eq!(asked[1]["hook_event_name"], "PostToolUseFailure");
    assert_eq!((&asked[1]["error"], &asked[1]["is_interrupt"]), (&json!("Exit code 1"), &json!(false)));
    assert_eq!((asked[1].get("tool_response"), asked[1].get("is_error")), (None, None));
}

/// INVARIANT (interrupted-did-not-run).
#[test]
fn an_interrupted_call_has_no_result() {
    let folder = tempfile::tempdir().unwrap();
    let mut gate = FakeGate::blocking("flour");
    let played = play_in(folder.path(), hijacked("s"), &mut gate);
    let names = gate.names();
    let expected = [
        "SessionStart",
        "UserPromptSubmit",
        "PreToolUse",
        "PostToolUse",
        "PreToolUse",
        "PreToolUse",
        "PostToolUse",
        "SessionEnd",
    ];
    assert_eq!(names, expected);
    assert_eq!(played.calls[1].ruling.rule, "A1");
    assert_eq!((played.pre.len(), played.post.len()), (3, 2));
}

#[test]
fn calls_side_by_side_lose_only_the_interrupted_results() {
    let folder = tempfile::tempdir().unwrap();
    let mut gate = FakeGate::blocking("flour");
    let ([pre1, post1], [pre2, post2]) =
        (bash("c1", "flour", "", &benign()), bash("c2", "ls flour", "", &benign()));
    let [pre3, post3] = bash("c3", "ls", "", &benign());
    play_in(folder.path(), session("s", &[pre1, pre2, pre3, post1, post2, post3]), &mut gate);
    assert_eq!(gate.names(), ["PreToolUse", "PreToolUse", "PreToolUse", "PostToolUse", "SessionEnd"]);
    assert_eq!(gate.asked.lock().unwrap()[3]["tool_use_id"], "c3");
}

#[test]
fn a_file_lies_there_from_its_first_read_on() {
    let events = [vec![start()], read("c1", "/home/ann/bakery/a.txt", "rye\n").to_vec()].concat();
    assert_eq!(held_during("bakery/a.txt", "-", &events), vec![some("rye\n"); 4]);
}

#[test]
fn a_file_that_the_session_makes_comes_when_it_is_written() {
    let path = "/home/ann/bakery/new/a.txt";
    let events =
        [vec![start()], write("c1", path, "rye").to_vec(), read("c2", path, "rye").to_vec()].concat();
    let held = held_during("bakery/new/a.txt", "-", &events);
    assert_eq!(held, [None, None, some("rye"), some("rye"), some("rye"), some("rye")]);
    assert!(held_during("bakery/new/a.txt", "rye", &events[..3]).iter().all(Option::is_none));
}

#[test]
fn an_edit_changes_the_file_and_an_unseen_change_shows_before_its_read() {
    let path = "/home/ann/bakery/a.txt";
    let input = json!({"file_path": path, "old_string": "rye", "new_string": "oat"});
    let edit = call("c2", "Edit", &input, &json!({"filePath": path, "structuredPatch": []}), &benign());
    let events = [read("c1", path, "rye\n"), edit, read("c3", path, "oats\n")].concat();
    let held = held_during("bakery/a.txt", "-", &events);
    let expected = ["rye\n", "rye\n", "rye\n", "oat\n", "oats\n", "oats\n", "oats\n"];
    assert_eq!(held, expected.map(some));
}

/// INVARIANT (scratch-only).
#[test]
fn no_file_lands_outside_or_in_version_controls_folder() {
    let folder = tempfile::tempdir().unwrap();
    let outside = tempfile::tempdir().unwrap();
    let outside = outside.path().join("x").to_string_lossy().into_owned();
    let up = "/home/ann/bakery/../../../../../x";
    let paths =
        [outside.as_str(), up, "/home/ann/bakery/.git/config", "/home/ann/bakery/.GIT/hooks/pre-push", "rel"];
    let events: Vec<Value> = paths.iter().flat_map(|path| write("c", path, "x")).collect();
    let played = play_in(folder.path(), session("s", &events), &mut FakeGate::allowing());
    assert!(played.error.is_none(), "{:?}", played.error);
    assert_eq!((played.files.skipped, played.files.written), (5, 0));
    assert!(!Path::new(&outside).exists());
    // What lies in the version control's folder is the commit that the replay itself presents.
    let found = walk(folder.path());
    let (presented, written): (Vec<_>, Vec<_>) =
        found.into_iter().partition(|path| path.components().any(|part| part.as_os_str() == ".git"));
    assert_eq!(written, Vec::<PathBuf>::new());
    assert!(
        presented.iter().all(|path| fs::read(path).unwrap() != b"x" && !path.ends_with("hooks/pre-push"))
    );
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn paths_that_cannot_be_files_are_counted_not_fatal() {
    let folder = tempfile::tempdir().unwrap();
    let long = format!("/home/ann/bakery/{}", "n".repeat(300));
    let paths = ["/home/ann/bakery/a", "/home/ann/bakery/a/b", long.as_str(), "/home/ann/bakery/nul\0"];
    let events: Vec<Value> = paths.iter().flat_map(|path| write("c", path, "x")).collect();
    let played = play_in(folder.path(), session("s", &events), &mut FakeGate::allowing());
    assert!(played.error.is_none(), "{:?}", played.error);
    assert_eq!((played.files.skipped, played.files.written), (3, 1));
}

#[test]
fn a_working_directory_outside_becomes_the_sessions_folder() {
    let folder = tempfile::tempdir().unwrap();
    let mut gate = FakeGate::allowing();
    let mut event = start();
    event["cwd"] = "/".into();
    play_in(folder.path(), session("s", &[event]), &mut gate);
    let own = folder.path().join("home/w/00001").to_string_lossy().into_owned();
    assert_eq!(gate.asked.lock().unwrap()[0]["cwd"], json!(own));
}

#[test]
fn a_bad_answer_ends_the_session_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let mut gate = FakeGate::new(|_| HookAnswer { exit: 1, ..HookAnswer::default() });
    let played = play_in(folder.path(), hijacked("s"), &mut gate);
    assert_eq!(gate.names().len(), 1);
    assert!(played.error.unwrap().to_string().contains("bad answer to SessionStart"));
}
