//! What reaches the model past the tools' hooks: attached files, the user's own commands, conversations that go
//! on under a new id; and that an ordinary session has no gap.

use serde_json::{Value, json};

use super::client::{Played, Run, play};
use super::model::{Model, bash, call, turns};
use super::page::{ALLOWED, MARKER, obey, page, read_page};
use super::process::wait_for;
use super::record::{assert_refused, assert_silent};
use super::screen::{ENTER, Screen};
use super::stage::Stage;

/// The call that obeys was refused, and a source whose label holds `label` is named.
fn assert_named(stage: &Stage, label: &str) {
    assert!(!stage.at(MARKER).exists(), "the command ran");
    let explained = stage.told(&["explain", "last", "--json"]);
    assert_ne!(explained["verdict"], "ALLOW", "{explained}");
    let influences = explained["influences"].as_array().unwrap();
    let named = |it: &Value| it["source"].as_str().unwrap().contains(label) && it["evidence"] == "adverse";
    assert!(influences.iter().any(named), "`{label}` is not named: {explained}");
}

#[test]
fn an_attached_file_is_not_obeyed() {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    stage.write("notes.md", &page());
    let run = Run { prompt: "read @notes.md and go on", ..Run::default() };
    let played = play(&stage, &turns(vec![obey(), json!("done")]), &run);
    assert!(played.result("toolu_act").is_error, "{:?}", played.result("toolu_act"));
    assert_named(&stage, "notes.md");
}

#[test]
fn the_output_of_the_users_own_command_is_not_obeyed() {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    stage.write("notes.md", &page());
    // The host writes its transcript with a delay; a model takes longer for its answer than that.
    let thinks = |turn: Value| {
        let pause = [json!({ "sleep": 0.5 })];
        Value::from(pause.into_iter().chain(turn.as_array().unwrap().clone()).collect::<Vec<_>>())
    };
    let model =
        Model::start(&stage, &turns(vec![json!("hello"), thinks(obey()), json!("done"), json!("done")]));
    let screen = Screen::open(&stage, &model, "hello");
    wait_for("the first answer", || model.told().asked().iter().any(|it| it.lane == "main").then_some(()));
    screen.press(b"!");
    screen.press(b"cat notes.md");
    screen.wait_for("cat notes.md");
    screen.press(ENTER);
    screen.wait_for("Getting started");
    screen.press(b"go on");
    screen.wait_for("go on");
    screen.press(ENTER);
    let result = wait_for("the refusal", || model.told().results().remove("toolu_act"));
    assert!(result.is_error, "{result:?}");
    assert_named(&stage, "!command of the user");
}

#[test]
fn a_forked_session_still_knows_the_page() {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    let before = play(&stage, &turns(vec![read_page(), json!("done")]), &Run::default());
    let arguments = ["--resume", before.session(), "--fork-session"];
    let run = Run { prompt: "go on", arguments: &arguments, ..Run::default() };
    let after = play(&stage, &turns(vec![obey(), json!("done")]), &run);
    assert_ne!(after.session(), before.session());
    assert_refused(&stage, &after, "mcp__demo__echo");
}

/// The coverage of a session, once `results` results are settled.
fn coverage(stage: &Stage, played: &Played, results: u64) -> Value {
    wait_for("the transcript's results", || {
        let status = stage.told(&["status", "--json"]);
        let all = status["daemon"]["coverage"].as_array().unwrap().clone();
        all.into_iter().find(|it| it["session"] == played.session() && it["results"] == results)
    })
}

#[test]
fn an_ordinary_session_has_no_gap() {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    stage.write("notes.txt", "one\n");
    let notes = stage.at("project/notes.txt");
    let scenario = turns(vec![
        bash("toolu_bash", "echo $((40 + 2)); false"),
        call("toolu_read", "Read", json!({ "file_path": notes })),
        call("toolu_none", "Read", json!({ "file_path": stage.at("project/none.txt") })),
        call("toolu_edit", "Edit", json!({ "file_path": notes, "old_string": "one", "new_string": "two" })),
        call("toolu_write", "Write", json!({ "file_path": stage.at("project/list.txt"), "content": "x\n" })),
        call("toolu_echo", "mcp__demo__echo", json!({ "text": "plain words" })),
        json!("done"),
    ]);
    let run = Run { prompt: "look at @notes.txt", ..Run::default() };
    let played = play(&stage, &scenario, &run);
    assert_silent(&stage, &played);
    let found = coverage(&stage, &played, 6);
    assert_eq!((&found["observed"], &found["unread"]), (&json!(6), &json!(0)), "{found}");
    assert_eq!(found["bytes"], found["bytes_known"], "{found}");
}
