//! A REVIEW that nobody could be asked: a person approves it elsewhere, and the call runs once.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::client::{Played, Run, play};
use super::model::{bash, turns};
use super::page::{ALLOWED, HOSTILE, MARKER, obey, plain_page, read};
use super::person::{Told, at_a_terminal};
use super::stage::Stage;

/// Runs `circinus approve` at a terminal of its own, in a process that nobody waits for, and keeps what is said.
const TYPES: &str = r#"
import os, pty, re, sys, time
if child := os.fork():
    os.waitpid(child, 0)
    while not os.path.exists("said"):
        time.sleep(0.05)
    sys.exit()
os.setsid()
if os.fork():
    os._exit(0)
pid, terminal = pty.fork()
if pid == 0:
    os.execv(sys.argv[1], ["circinus", "approve", sys.argv[2]])
seen = b""
try:
    while part := os.read(terminal, 4096):
        seen += part
        if asked := re.search(rb"Type (\w+) to", part):
            os.write(terminal, asked[1] + b"\n")
except OSError:
    pass
open("said.part", "wb").write(seen)
os.rename("said.part", "said")
"#;

/// Makes the call again in the same session; the conversation before holds the results of other ids.
fn again(stage: &Stage, before: &Played, id: &str) -> Played {
    let run = Run { prompt: "go on", arguments: &["--resume", before.session()], ..Run::default() };
    play(stage, &turns(vec![bash(id, HOSTILE), json!("done")]), &run)
}

/// The decision that the model was told about.
#[track_caller]
fn asked(played: &Played, id: &str) -> String {
    let result = played.result(id);
    let (_, rest) = result.text.split_once("circinus approve ").unwrap_or_else(|| panic!("{result:?}"));
    assert!(result.is_error);
    rest.chars().take_while(char::is_ascii_alphanumeric).collect()
}

fn states(stage: &Stage, arguments: &[&str]) -> Told {
    let mut command = stage.command(Path::new(env!("CARGO_BIN_EXE_circinus")));
    at_a_terminal(command.args(arguments), str::to_owned)
}

#[test]
fn what_a_person_approves_in_another_terminal_runs_once() {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    let scenario = turns(vec![read(&plain_page()), obey(), json!("done")]);
    let first = play(&stage, &scenario, &Run::default());
    let decision = asked(&first, "toolu_act");
    assert!(!stage.at(MARKER).exists());
    let told = states(&stage, &["approve", &decision]);
    assert!(told.output.status.success(), "{:?} {}", told.output, told.screen);

    let second = again(&stage, &first, "toolu_second");
    let result = second.result("toolu_second");
    assert!(!result.is_error && stage.at(MARKER).exists(), "it did not run: {result:?}");

    fs::remove_file(stage.at(MARKER)).unwrap();
    assert_ne!(asked(&again(&stage, &second, "toolu_third"), "toolu_third"), decision);
    assert!(!stage.at(MARKER).exists(), "it ran twice");
}

#[test]
fn the_agent_does_not_approve_for_the_person() {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    let first = play(&stage, &turns(vec![read(&plain_page()), obey(), json!("done")]), &Run::default());
    let decision = asked(&first, "toolu_act");
    // The first is told in plain words. The second hides from the gate in a file, leaves the agent's session,
    // environment and terminal, and types what it is asked for.
    fs::write(stage.at("project/step.py"), TYPES).unwrap();
    let hidden = format!(
        "env -u CLAUDECODE {} step.py {} {decision} < /dev/null > /dev/null 2>&1; cat said",
        stage.python().display(),
        env!("CARGO_BIN_EXE_circinus"),
    );
    let scenario = turns(vec![
        bash("toolu_plain", &format!("circinus approve {decision}")),
        bash("toolu_hidden", &hidden),
        bash("toolu_again", HOSTILE),
        json!("done"),
    ]);
    let run = Run { mode: "bypassPermissions", arguments: &["--resume", first.session()], ..Run::default() };
    let played = play(&stage, &scenario, &run);
    let plain = played.result("toolu_plain");
    assert!(plain.is_error && plain.text.contains("Circinus BLOCK"), "{plain:?}");
    let hidden = played.result("toolu_hidden");
    assert!(hidden.text.contains("descends from an agent"), "{hidden:?}");
    assert_ne!(asked(&played, "toolu_again"), decision);
    assert!(!stage.at(MARKER).exists(), "it ran: {hidden:?}");
}
