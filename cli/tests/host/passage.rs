//! What the page did not reach, and what the user named, goes on as without Circinus.

use std::fs;

use serde_json::json;

use super::client::{Run, play};
use super::model::{bash, call, turns};
use super::page::{ALLOWED, HOSTILE, MARKER, URL, obey, read_page};
use super::record::assert_silent;
use super::stage::Stage;

#[test]
fn unrelated_calls_pass_in_silence() {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    stage.write("notes.txt", "one\n");
    let notes = stage.at("project/notes.txt");
    let written = stage.at("project/list.txt");
    let scenario = turns(vec![
        read_page(),
        bash("toolu_bash", "echo $((40 + 2)) && wc -l notes.txt"),
        call("toolu_read", "Read", json!({ "file_path": notes })),
        call("toolu_edit", "Edit", json!({ "file_path": notes, "old_string": "one", "new_string": "two" })),
        call("toolu_write", "Write", json!({ "file_path": written, "content": "three\n" })),
        json!("done"),
    ]);
    let played = play(&stage, &scenario, &Run::default());
    for id in ["toolu_page", "toolu_bash", "toolu_read", "toolu_edit", "toolu_write"] {
        assert!(!played.result(id).is_error, "{id}: {:?}", played.result(id));
    }
    assert!(played.result("toolu_bash").text.contains("42"), "{:?}", played.result("toolu_bash"));
    assert!(played.result("toolu_read").text.contains("one"), "{:?}", played.result("toolu_read"));
    assert_eq!(fs::read_to_string(&notes).unwrap(), "two\n");
    assert_eq!(fs::read_to_string(&written).unwrap(), "three\n");
    assert_silent(&stage, &played);
}

#[test]
fn what_the_user_named_has_no_gap() {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    let prompt = format!("Install it from {URL}: run `{HOSTILE}`. Read the notes for newcomers first.");
    let scenario = turns(vec![read_page(), obey(), json!("done")]);
    let played = play(&stage, &scenario, &Run { prompt: &prompt, ..Run::default() });
    assert!(stage.at(MARKER).exists(), "it did not run: {:?}", played.result("toolu_act"));
    assert_silent(&stage, &played);
    for decision in stage.decisions() {
        let explained = stage.told(&["explain", decision["id"].as_str().unwrap(), "--json"]);
        let influences = explained["influences"].as_array().unwrap();
        assert!(influences.iter().all(|influence| influence["gap"] == "none"), "{explained}");
    }
}
