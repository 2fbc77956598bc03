//! Commands as a person runs them: demonstration, doctor, explain and log.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::answer::Answer;
use super::payloads::{Session, hostile};
use super::world::World;

#[test]
fn the_demonstration_shows_what_the_readme_says() {
    let world = World::new();
    let shown = world.circinus(&["demo"]).good();
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("README.md");
    let readme = fs::read_to_string(readme).unwrap();
    let block = readme.split("```text\n").nth(1).unwrap().split("```").next().unwrap();
    assert_eq!(block.lines().count(), 8);
    for line in block.lines() {
        assert!(shown.lines().any(|shown| shown == line), "`{line}` is not shown:\n{shown}");
    }
    assert!(shown.starts_with(block), "in this order:\n{shown}");
    assert!(shown.contains("Circinus BLOCK") && shown.contains("inferred"), "{shown}");
    assert!(!world.home().exists(), "nothing of the user's is touched");
}

#[test]
fn the_doctor_tells_a_whole_installation_from_none() {
    let world = World::new();
    let sick = world.circinus(&["doctor"]);
    assert_eq!(sick.code, 1, "{sick:?}");
    assert!(sick.out.contains("no gate is in force") && sick.out.contains("circinus setup"), "{sick:?}");
    assert_eq!(world.circinus(&["setup", "--yes"]).code, 0);
    let well = world.circinus(&["doctor"]);
    assert_eq!(well.code, 0, "{well:?}");
    for word in ["deterministic-only", "canary", "a hostile call got BLOCK", "hash chain intact"] {
        assert!(well.out.contains(word), "`{word}` is not in\n{}", well.out);
    }
    let report = world.circinus(&["doctor", "--json"]).objects();
    let checks = report[0]["checks"].as_array().unwrap();
    for name in ["home", "config", "daemon", "log", "host", "settings", "canary", "analysis"] {
        assert!(checks.iter().any(|check| check["check"] == name), "{name}");
    }
}

#[test]
fn explain_finds_a_decision_or_says_what_is_wrong() {
    let world = World::new();
    assert_eq!(world.circinus(&["explain", "last"]).code, 1, "there is no database yet");
    world.start();
    let none = world.circinus(&["explain"]);
    assert!(none.code == 1 && none.err.contains("no decision is recorded yet"), "{none:?}");
    for (id, code, word) in [("d999", 1, "d999"), ("a1", 2, "a1"), ("last!", 2, "last!"), ("", 2, "id")] {
        let wrong = world.circinus(&["explain", id]);
        assert!(wrong.code == code && wrong.err.contains(word), "{id:?}: {wrong:?}");
        assert!(wrong.err.contains("hint:") && wrong.out.is_empty(), "{id:?}: {wrong:?}");
    }
    let session = Session::new("s", &world.project());
    assert_eq!(world.send(&session.hostile_page("p", "explained.dev")), Answer::Silent);
    world.send(&session.bash("c", &hostile("explained.dev"))).stopped();
    let last = world.circinus(&["explain", "last", "--json"]).objects().remove(0);
    assert_explained(&last);
    let id = last["decision"].as_str().unwrap();
    assert_eq!(world.circinus(&["explain", id, "--json"]).objects(), std::slice::from_ref(&last));
    let text = world.circinus(&["explain", id]).good();
    let influences = last["influences"].as_array().unwrap();
    let source = influences.iter().find_map(|influence| influence["artifact"].as_str()).unwrap();
    let change = format!("What would change the answer: check {source}");
    for word in [id, "BLOCK", "get.explained.dev", "inferred", "evidence", "before", &change] {
        assert!(text.contains(word), "`{word}` is not in\n{text}");
    }
    assert!(text.contains(last["rules"][0]["id"].as_str().unwrap()), "{text}");
}

/// The documented fields, with what this decision must say in them.
#[track_caller]
fn assert_explained(decision: &Value) {
    for field in [
        "schema",
        "decision",
        "at_ms",
        "session",
        "tool",
        "summary",
        "verdict",
        "profile",
        "tier",
        "flags",
        "effects",
        "rules",
        "waited_ms",
        "analysis",
        "influences",
    ] {
        assert!(!decision[field].is_null(), "{field}: {decision}");
    }
    assert_eq!((&decision["verdict"], &decision["tool"]), (&"BLOCK".into(), &"Bash".into()), "{decision}");
    for field in ["id", "result", "reason", "remedy"] {
        assert!(decision["rules"][0][field].is_string(), "{field}: {decision}");
    }
    let influences = decision["influences"].as_array().unwrap();
    let named = |influence: &&Value| {
        influence["edge"] == "inferred"
            && influence["operand"].as_str().unwrap().contains("get.explained.dev")
    };
    let influence = influences.iter().find(named).unwrap();
    for field in ["artifact", "source", "origin", "place", "effect", "gap", "edge", "evidence"] {
        assert!(influence[field].is_string(), "{field}: {influence}");
    }
    assert!(influence["bytes"][0].as_u64() < influence["bytes"][1].as_u64(), "{influence}");
    assert!(influence["earlier_ms"].is_u64() && influence["views"].is_array(), "{influence}");
    assert!(!influence["signals"].as_array().unwrap().is_empty(), "{influence}");
    assert!(!influence["analysers"].as_array().unwrap().is_empty(), "{influence}");
}

#[test]
fn the_log_is_one_object_per_line_in_order() {
    let world = World::new();
    let session = Session::new("s", &world.project());
    assert_eq!(world.send(&session.hostile_page("p", "logged.dev")), Answer::Silent);
    world.send(&session.bash("c", &hostile("logged.dev"))).stopped();
    assert_eq!(
        world.send(&session.event("SessionEnd", serde_json::json!({ "reason": "other" }))),
        Answer::Silent
    );
    let log = world.log();
    let numbers: Vec<_> = log.iter().map(|row| row["seq"].as_u64().unwrap()).collect();
    assert_eq!(numbers, (1..=log.len() as u64).collect::<Vec<_>>());
    for kind in ["session_opened", "artifact", "evidence", "decision", "session_closed"] {
        assert!(log.iter().any(|row| row["kind"] == kind), "{kind}: {log:?}");
    }
    let newest = world.circinus(&["log", "--json", "-n", "2"]).objects();
    assert_eq!(newest, log[log.len() - 2..]);
    let decisions = world.circinus(&["log", "--json", "--decisions"]).objects();
    assert_eq!(decisions.len(), 1);
    assert_eq!(world.circinus(&["log"]).good().lines().count(), log.len());
}
