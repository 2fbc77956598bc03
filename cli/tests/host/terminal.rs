//! The interactive client in a terminal: a REVIEW asks the person, and the person's word holds.

use serde_json::json;

use super::model::{Model, turns};
use super::page::{ALLOWED, MARKER, obey, plain_page, read};
use super::process::wait_for;
use super::screen::{ENTER, ESCAPE, Screen};
use super::stage::Stage;

/// Shows the question of a REVIEW and gives the stage as it is then.
fn asked(check: impl FnOnce(&Stage, &Model, &Screen)) {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    let model = Model::start(&stage, &turns(vec![read(&plain_page()), obey(), json!("done"), json!("done")]));
    let screen = Screen::open(&stage, &model, "set the project up");
    screen.wait_for("Do you want to proceed?");
    screen.wait_for("Circinus REVIEW");
    assert!(!stage.at(MARKER).exists(), "it ran before the person answered");
    check(&stage, &model, &screen);
    let explained = stage.told(&["explain", "last", "--json"]);
    assert_eq!(explained["verdict"], "REVIEW", "{explained}");
}

#[test]
fn what_the_person_approves_runs() {
    asked(|stage, model, screen| {
        screen.press(ENTER);
        let result = wait_for("the result", || model.told().results().remove("toolu_act"));
        assert!(stage.at(MARKER).exists(), "it did not run: {result:?}");
    });
}

#[test]
fn what_the_person_denies_does_not_run() {
    asked(|stage, model, screen| {
        screen.press(ESCAPE);
        // The client ends the turn; the model learns of it with the next prompt.
        screen.wait_for("Interrupted");
        screen.press(b"go on");
        screen.wait_for("go on");
        screen.press(ENTER);
        let result = wait_for("the result", || model.told().results().remove("toolu_act"));
        assert!(result.is_error && !stage.at(MARKER).exists(), "it ran: {result:?}");
    });
}
