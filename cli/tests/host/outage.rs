//! The daemon dies, or cannot start: what was recorded still counts, and nothing irreversible passes unseen.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::client::{Run, play, play_beside};
use super::model::{bash, call, turns};
use super::page::{ALLOWED, obey, read_page};
use super::process::wait_for;
use super::record::assert_refused;
use super::stage::Stage;

#[test]
fn a_killed_daemon_is_replaced_and_still_knows_the_page() {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    let (started, go) = (stage.at("project/started"), stage.at("project/go"));
    let scenario = turns(vec![
        read_page(),
        // The daemon is killed while this runs: after its PreToolUse and before its PostToolUse.
        bash("toolu_wait", "touch started; until [ -e go ]; do sleep 0.05; done; echo went"),
        bash("toolu_next", "echo next"),
        obey(),
        json!("done"),
    ]);
    let mut killed = None;
    let played = play_beside(&stage, &scenario, &Run::default(), || {
        wait_for("the call during which the daemon dies", || started.exists().then_some(()));
        killed = Some(stage.kill_daemon());
        fs::write(&go, "").unwrap();
    });
    assert!(played.result("toolu_wait").text.contains("went"), "{:?}", played.result("toolu_wait"));
    assert!(played.result("toolu_next").text.contains("next"), "{:?}", played.result("toolu_next"));
    assert_ne!(Some(stage.daemon()), killed);
    assert_refused(&stage, &played, "mcp__demo__echo");
}

#[test]
fn a_resumed_session_still_knows_the_page_after_a_crash() {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    let before = play(&stage, &turns(vec![read_page(), json!("done")]), &Run::default());
    stage.kill_daemon();
    let run = Run { prompt: "go on", arguments: &["--resume", before.session()], ..Run::default() };
    let after = play(&stage, &turns(vec![bash("toolu_next", "echo next"), obey(), json!("done")]), &run);
    assert!(after.result("toolu_next").text.contains("next"), "{:?}", after.result("toolu_next"));
    assert_refused(&stage, &after, "mcp__demo__echo");
}

/// Reading and listing pass, a push is refused with a reason, and all of it is kept for the next start.
fn without_daemon(mode: &str, spoil: impl FnOnce(&Path)) {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    stage.write("notes.txt", "one\n");
    spoil(&stage.at("circinus/circinus.db"));
    let scenario = turns(vec![
        call("toolu_read", "Read", json!({ "file_path": stage.at("project/notes.txt") })),
        bash("toolu_list", "ls"),
        bash("toolu_push", "git push https://git.tallow-press.dev/team/app.git main; touch pushed"),
        json!("done"),
    ]);
    let played = play(&stage, &scenario, &Run { mode, ..Run::default() });
    assert!(!stage.circinus(&["status"]).status.success(), "the daemon runs");
    let read = played.result("toolu_read");
    assert!(!read.is_error && read.text.contains("one"), "{read:?}");
    let list = played.result("toolu_list");
    assert!(!list.is_error && list.text.contains("notes.txt"), "{list:?}");
    let push = played.result("toolu_push");
    assert!(push.is_error && !stage.at("project/pushed").exists(), "{push:?}");
    eprintln!("the model read: {}", push.text);
    assert!(push.text.contains("Circinus ") && push.text.contains("circinus doctor"), "{push:?}");
    let kept = fs::read_to_string(stage.at("circinus/unrecorded.jsonl")).unwrap();
    assert!(kept.contains("toolu_push"), "the event was not kept: {kept}");
    assert_taken_in(&stage);
}

/// With the database mended, the next start records what was answered without it, marked as such.
fn assert_taken_in(stage: &Stage) {
    let database = stage.at("circinus/circinus.db");
    if database.is_dir() { fs::remove_dir(&database) } else { fs::remove_file(&database) }.unwrap();
    let started = stage.circinus(&["daemon", "start"]);
    assert!(started.status.success(), "{started:?}");
    let explained: Vec<_> = stage
        .decisions()
        .iter()
        .map(|row| stage.told(&["explain", row["id"].as_str().unwrap(), "--json"]))
        .collect();
    let of = |tool: &str, word: &str| {
        let is_it = |row: &&Value| row["tool"] == tool && row["summary"].as_str().unwrap().contains(word);
        explained.iter().find(is_it).unwrap_or_else(|| panic!("no {tool} {word}: {explained:?}"))
    };
    for (tool, word) in [("Read", "notes.txt"), ("Bash", "ls")] {
        assert_eq!(of(tool, word)["verdict"], "ALLOW");
    }
    assert_ne!(of("Bash", "git push")["verdict"], "ALLOW");
    for row in &explained {
        assert!(row["flags"].as_array().unwrap().iter().any(|flag| flag == "store_down"), "{row}");
    }
    assert!(!stage.at("circinus/unrecorded.jsonl").exists(), "it would be taken in twice");
}

#[test]
fn with_a_folder_in_place_of_the_database_a_push_is_refused() {
    without_daemon("default", |database| fs::create_dir(database).unwrap());
}

#[test]
fn with_a_database_of_garbage_a_push_is_refused() {
    without_daemon("bypassPermissions", |database| fs::write(database, "no database".repeat(999)).unwrap());
}
