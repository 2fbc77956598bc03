//! What was recorded, as a person asks for it: one session, and the log as it grows.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use super::answer::{Answer, Ran};
use super::payloads::{Session, hostile};
use super::process::{circinus, until};
use super::world::World;

fn strings(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect()
}

/// Two sessions; in the first a hostile page led to a refused call.
fn told_world() -> World {
    let world = World::new();
    let session = Session::new("first-session", &world.project());
    let prompt = session.event("UserPromptSubmit", json!({ "prompt": "Read https://docs.told.dev/start" }));
    assert_eq!(world.send(&prompt), Answer::Silent);
    assert_eq!(world.send(&session.hostile_page("p", "told.dev")), Answer::Silent);
    world.send(&session.bash("c", &hostile("told.dev"))).stopped();
    let other = Session::new("second-session", &world.project());
    assert_eq!(world.send(&other.page("q", "https://docs.calm.dev/", "Nothing to see.")), Answer::Silent);
    let end = session.event("SessionEnd", json!({ "reason": "other" }));
    assert_eq!(world.send(&end), Answer::Silent);
    world
}

#[test]
fn a_session_tells_what_entered_what_it_led_to_and_what_was_decided() {
    let world = told_world();
    let told = world.circinus(&["session", "first", "--json"]).objects().remove(0);
    assert_eq!((&told["session"], &told["schema"]), (&json!("first-session"), &json!(1)));
    assert!(told["closed_at_ms"].is_u64() && told["opened_at_ms"].is_u64(), "{told}");
    let entered = told["entered"].as_array().unwrap();
    let page = entered.iter().find(|entry| entry["origin"] == "WebFetch").unwrap();
    assert!(page["label"].as_str().unwrap().contains("docs.told.dev"), "{page}");
    assert_eq!((&page["evidence"], &page["root"]), (&json!("adverse"), &json!(true)));
    assert!(entered.iter().any(|entry| entry["origin"] == "UserPrompt"), "{told}");
    let decided = told["decided"].as_array().unwrap();
    assert_eq!((decided.len(), &decided[0]["verdict"]), (1, &json!("BLOCK")));
    assert_eq!(strings(&page["decisions"]), [decided[0]["id"].as_str().unwrap()]);
    assert!(strings(&decided[0]["sources"]).contains(&page["id"].as_str().unwrap()), "{told}");
    assert!(!told.to_string().contains("calm.dev"), "{told}");

    let shown = world.circinus(&["session", "first-session"]).good();
    for word in ["closed", "evidence adverse (", "reached d", "BLOCK", "What entered", "What was decided"] {
        assert!(shown.contains(word), "`{word}` is not in\n{shown}");
    }
    let newest = world.circinus(&["session", "-n", "1"]).good();
    assert!(newest.contains("second-session") && newest.contains("What was decided: nothing"), "{newest}");
}

#[test]
fn sessions_are_listed_and_told_apart() {
    let world = told_world();
    let list = world.circinus(&["session", "--list", "--json"]).objects();
    let names: Vec<_> = list.iter().map(|row| row["session"].as_str().unwrap()).collect();
    assert_eq!(names, ["first-session", "second-session"]);
    assert_eq!(world.circinus(&["session", "--list"]).good().lines().count(), 2);
    let unknown = world.circinus(&["session", "third"]);
    assert!(unknown.code == 1 && unknown.err.contains("hint: "), "{unknown:?}");
}

#[test]
fn following_the_log_shows_what_comes_and_ends_with_its_reader() {
    let world = told_world();
    let before = world.log().len();
    let mut command = world.command(circinus());
    command.args(["log", "--follow", "--json", "-n", "1"]).stdout(Stdio::piped());
    let mut follower = command.spawn().unwrap();
    let mut lines = BufReader::new(follower.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next()["seq"], json!(before));
    let session = Session::new("third-session", &world.project());
    assert_eq!(world.send(&session.page("p", "https://docs.later.dev/", "Later.")), Answer::Silent);
    while next()["label"].as_str().is_none_or(|label| !label.contains("docs.later.dev")) {}
    drop(lines);
    until("a follower without a reader ends", || follower.try_wait().unwrap().is_some());
    assert_eq!(follower.wait().unwrap().code(), Some(0));
}

#[test]
fn status_is_one_screen_with_and_without_a_daemon() {
    let world = World::new();
    let absent = world.circinus(&["status"]);
    assert_eq!(absent.code, 3, "{absent:?}");
    assert!(absent.out.contains("not running") && absent.err.contains("hint: "), "{absent:?}");
    world.start();
    let shown = world.circinus(&["status"]).good();
    assert!(shown.lines().count() <= 24, "{shown}");
    for word in ["daemon", "profile", "hooks", "no gate is in force", "on disk", "home"] {
        assert!(shown.contains(word), "`{word}` is not in\n{shown}");
    }
}

#[test]
fn a_changed_configuration_counts_when_the_daemon_starts_again() {
    let world = World::new();
    world.start();
    assert_eq!(world.circinus(&["profile"]).good(), "balanced\n");
    let set = world.circinus(&["config", "set", "profile", "strict"]).good();
    assert!(set.contains("+profile = \"strict\"") && set.contains("circinus daemon stop"), "{set}");
    assert_eq!(world.circinus(&["config", "get", "profile"]).good(), "strict\n");
    world.stop();
    world.start();
    assert_eq!(world.circinus(&["profile"]).good(), "strict\n");
}

/// A word that is longer than the line stays whole; everything else is wrapped.
#[test]
fn screens_fit_a_narrow_terminal() {
    let world = told_world();
    for arguments in [&["status"][..], &["session", "first"], &["explain", "last"], &["endorse"], &["doctor"]]
    {
        let ran = Ran::of(world.command(circinus()).env("COLUMNS", "60").args(arguments).output().unwrap());
        let too_wide = |line: &&str| {
            let longest = line.split_whitespace().map(|word| word.chars().count()).max().unwrap_or_default();
            line.chars().count() > 60 && longest < 30
        };
        assert_eq!(ran.out.lines().find(too_wide), None, "{arguments:?}\n{}", ran.out);
        assert!(!ran.out.is_empty(), "{ran:?}");
    }
}

/// Every field of an answer in JSON stands in the help of the command.
#[test]
fn the_help_names_every_field_of_the_json() {
    let world = told_world();
    for arguments in [
        &["status"][..],
        &["doctor"],
        &["session", "first"],
        &["explain", "last"],
        &["log"],
        &["config", "get"],
        &["analyze", "command", "ls"],
    ] {
        let help = world.circinus(&[arguments, &["--help"]].concat()).good();
        let told: Vec<_> = help.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
        let ran = world.circinus(&[arguments, &["--json"]].concat());
        for line in ran.out.lines() {
            let row: Value = serde_json::from_str(line).unwrap();
            let unnamed = row.as_object().unwrap().keys().find(|key| !told.contains(&key.as_str()));
            assert_eq!(unnamed, None, "{arguments:?}: {row}");
        }
        assert!(!ran.out.is_empty(), "{ran:?}");
    }
}

#[test]
fn every_file_of_the_home_is_documented() {
    let world = told_world();
    assert!(world.circinus(&["config", "set", "profile", "balanced"]).good().contains("Written"));
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join("docs/OPERATIONS.md");
    let page = fs::read_to_string(page).unwrap();
    let names: Vec<_> = fs::read_dir(world.home())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(names.len() >= 5, "{names:?}");
    for name in names {
        assert!(
            page.contains(&format!("`{name}`")) || page.contains(&format!("`{name}/`")),
            "{name} is not told of"
        );
    }
}
