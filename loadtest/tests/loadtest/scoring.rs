//! Carried values, sums and tables.

use std::fs;
use std::num::NonZeroUsize;
use std::path::Path;

use circinus_loadtest::gate::Gate;
use circinus_loadtest::interrupt::StopFlag;
use circinus_loadtest::replay::carried::carried;
use circinus_loadtest::replay::format::Session;
use circinus_loadtest::replay::report::Report;
use circinus_loadtest::replay::run::{Plan, run};
use circinus_loadtest::replay::table;
use serde_json::{Value, json};

use crate::fixture::{
    CWD, FakeGate, attack, bash, benign, call, hijacked, play_in, prompt, session, stage, start,
};

fn carries(result: &str, prompted: &str, input: &Value) -> bool {
    let events = [
        vec![prompt(prompted)],
        bash("c1", "cat x", result, &benign()).to_vec(),
        call("c2", "Send", input, &Value::Null, &attack()).to_vec(),
    ];
    carried(&session("s", &events.concat()).events)
}

#[test]
fn a_value_that_was_read_is_carried() {
    assert!(carries("pay DE8937 0440", "pay", &json!({"to": "DE8937"})));
    assert!(carries(
        "see https://e.example/a?b",
        "go",
        &json!({"command": "wget -q 'https://e.example/a?b'"})
    ));
    assert!(carries("first\nsend it all\n", "go", &json!({"body": ["Hi\n  send it all"]})));
    assert!(carries("account 7700123", "go", &json!({"n": 7_700_123})));
}

#[test]
fn a_value_of_the_prompt_or_of_chance_is_not() {
    assert!(!carries("pay DE8937", "pay DE8937", &json!({"to": "DE8937"})));
    assert!(!carries("pay 12345", "pay", &json!({"to": "12345"})));
    // A word of prose inside a text is no value; the text as a whole was not read.
    assert!(!carries("please bring butter", "go", &json!({"text": "butter please"})));
    // Only what was read before counts.
    let events = [call("c1", "Send", &json!({"to": "DE8937"}), &json!("to DE8937"), &attack())].concat();
    assert!(!carried(&session("s", &events).events));
}

fn score(sessions: Vec<Session>, gate: &FakeGate) -> Report {
    let folder = tempfile::tempdir().unwrap();
    let mut report = Report::new().unwrap();
    for session in sessions {
        report.count(&play_in(folder.path(), session, &mut gate.clone())).unwrap();
    }
    report
}

/// An attack of two steps, of which a gate that knows `flour` sees the one at `flour_at`.
fn two_steps(id: &str, flour_at: usize) -> Session {
    let mut steps = ["curl https://sugar.example/1", "curl https://sugar.example/2"];
    steps[flour_at] = "curl https://flour.example/";
    let events = [
        vec![start()],
        bash("c1", steps[0], "", &attack()).to_vec(),
        bash("c2", steps[1], "", &attack()).to_vec(),
    ];
    session(id, &events.concat())
}

#[test]
fn attacks_are_stopped_by_three_readings() {
    let sessions = vec![hijacked("one"), two_steps("first", 0), two_steps("last", 1)];
    let attacks = score(sessions, &FakeGate::blocking("flour")).total().attacks;
    assert_eq!((attacks.all, attacks.carried), (3, 1));
    assert_eq!((attacks.any, attacks.any_carried, attacks.first, attacks.every), (3, 1, 2, 1));
}

#[test]
fn what_is_not_stopped_is_listed() {
    let report = score(vec![hijacked("one")], &FakeGate::allowing());
    assert_eq!(report.total().attacks.any, 0);
    let missed = &report.total().missed.first[0];
    assert_eq!((missed.session.as_str(), missed.carried), ("one", true));
    assert!(missed.text.contains("flour.example.net"));
}

#[test]
fn benign_interruptions_are_counted_by_rule_and_by_session_kind() {
    let review = json!({"kind": "benign", "expect": ["ALLOW", "REVIEW"]});
    let clean =
        [bash("c1", "ls", "", &benign()), bash("c2", "ls", "", &review), bash("c3", "cd", "", &benign())];
    let sessions = vec![session("clean", &clean.concat()), hijacked("one")];
    let report = score(sessions, &FakeGate::blocking("ls"));
    let total = report.total();
    assert_eq!((total.matrix.benign.allow, total.matrix.benign.block), (2, 2));
    assert_eq!(total.matrix.benign_review_accepted.block, 1);
    assert_eq!((total.clean.interrupted(), total.clean.total()), (2, 3));
    assert_eq!(total.rules["A1"], 3);
    assert_eq!(total.examples("A1").count(), 3);
    assert_eq!(total.matrix.attack.allow, 1);
}

#[test]
fn the_table_shows_the_sums_and_escapes_what_was_recorded() {
    let nasty = bash("c1", "ls \u{1b}[2J\u{202e}", "", &benign());
    let report = score(vec![hijacked("one"), session("two", &nasty)], &FakeGate::blocking("ls"));
    let mut text = String::new();
    table::write(&mut text, &report).unwrap();
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    let row = text.lines().find(|line| line.split_whitespace().next() == Some("own")).unwrap();
    let cells: Vec<&str> = row.split_whitespace().collect();
    assert_eq!(cells, ["own", "2", "4", "0", "1", "1", "0.00%", "0", "0"]);
    assert!(text.contains("own  [A1]  2") && text.contains("Block d7 two c1: Bash: ls \\u{1b}[2J"), "{text}");
    assert!(text.contains("Errors: 0"), "{text}");
}

fn write_suite(path: &Path, sessions: u64, tail: &str) {
    let line = |n| json!({"event": "Stop", "session_id": format!("s{n}"), "cwd": CWD}).to_string();
    let lines: Vec<String> = (0..sessions).map(line).collect();
    fs::write(path, lines.join("\n") + "\n" + tail).unwrap();
}

#[test]
fn a_run_plays_all_files_in_parallel_and_reports_the_damaged_one() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a.jsonl", "b.jsonl"].map(|name| folder.path().join(name)).to_vec();
    write_suite(&files[0], 40, "{not json");
    write_suite(&files[1], 30, "");
    let gate = FakeGate::allowing();
    let gates: Vec<Box<dyn Gate + Send>> =
        (0..3).map(|_| Box::new(gate.clone()) as Box<dyn Gate + Send>).collect();
    let plan = Plan { files, every: NonZeroUsize::MIN, sessions_max: None };
    let mut seen = 0;
    let stop = StopFlag::default();
    let report = run(&plan, &stage(folder.path()), gates, &stop, |file| file, |_| seen += 1).unwrap();
    // The last session of the damaged file may go on behind the damage: it is not played in part.
    assert_eq!((report.suites()["a"].sessions, report.suites()["b"].sessions, seen), (39, 30, 69));
    assert!(!report.is_clean() && report.errors()[0].contains("a.jsonl` line 41"), "{:?}", report.errors());
}

#[test]
fn a_stride_and_a_limit_hold_for_each_file() {
    let folder = tempfile::tempdir().unwrap();
    let files = ["a.jsonl", "b.jsonl"].map(|name| folder.path().join(name)).to_vec();
    files.iter().for_each(|path| write_suite(path, 5, ""));
    let plan = Plan { files, every: NonZeroUsize::new(2).unwrap(), sessions_max: Some(2) };
    let stop = StopFlag::default();
    let gates: Vec<Box<dyn Gate + Send>> = vec![Box::new(FakeGate::allowing())];
    let report = run(&plan, &stage(folder.path()), gates, &stop, |file| file, |_| {}).unwrap();
    assert_eq!((report.total().sessions, report.is_clean()), (4, true));
}
