//! `circinus config model` at a person's terminal: what is asked, shown, written and tried.

use std::fs;

use super::person::{Told, answering};
use super::process::circinus;
use super::provider::{Act, StandIn};
use super::world::World;

const KEY: &str = "sk-local-9120-made-up";

/// Answers the questions one after another; each entry is how a question begins, and what is typed.
fn set_up(world: &World, answers: &[(&str, &str)]) -> Told {
    let mut command = world.command(circinus());
    command.args(["config", "model"]);
    let mut left = answers.iter().peekable();
    answering(&command, move |shown| {
        let (_, question) = shown.split_once(left.peek()?.0)?;
        let is_whole = question.ends_with(": ") || question.ends_with("] ");
        is_whole.then(|| left.next().map(|(_, typed)| (*typed).to_owned())).flatten()
    })
}

/// The answers that name a model at `url` with a key in a file, and the last one.
fn named<'a>(url: &'a str, key: &'a str, yes: &'a str) -> [(&'a str, &'a str); 5] {
    [("Provider", "openai"), ("Model", "played"), ("Endpoint", url), ("Key", key), ("Write this?", yes)]
}

fn written(world: &World) -> Option<String> {
    fs::read_to_string(world.home().join("config.toml")).ok()
}

/// A key in a file that only its owner reads.
fn key_file(world: &World, mode: u32) -> String {
    let key = world.at("key");
    fs::write(&key, format!("{KEY}\n")).unwrap();
    World::mode(&key, mode);
    key.display().to_string()
}

#[test]
fn a_model_is_set_up_shown_and_asked_once() {
    let provider = StandIn::always(Act::Verdict("benign"));
    let world = World::new();
    let (url, key) = (provider.url(), key_file(&world, 0o600));
    let told = set_up(&world, &named(&url, &key, "y"));
    let out = String::from_utf8(told.output.stdout.clone()).unwrap();
    assert!(told.output.status.success() && out.contains("It answers: benign"), "{told:?}");
    assert_eq!(provider.requests().len(), 1);
    let config = written(&world).unwrap();
    for line in ["provider = \"openai\"", "name = \"played\"", &format!("key_file = \"{key}\"")] {
        assert!(config.contains(line) && out.contains(line), "{line}: {config}{out}");
    }
    for text in [&config, &out, &told.screen] {
        assert!(!text.contains(KEY), "the key is shown: {text}");
    }
}

#[test]
fn without_a_yes_nothing_is_written_or_sent() {
    let provider = StandIn::always(Act::Verdict("benign"));
    let world = World::new();
    let (url, key) = (provider.url(), key_file(&world, 0o600));
    let told = set_up(&world, &named(&url, &key, ""));
    assert!(told.output.status.success(), "{told:?}");
    assert_eq!((written(&world), provider.requests().len()), (None, 0));
}

#[test]
fn a_key_that_others_can_read_is_refused_before_anything_is_sent() {
    let provider = StandIn::always(Act::Verdict("benign"));
    let world = World::new();
    let (url, key) = (provider.url(), key_file(&world, 0o644));
    let told = set_up(&world, &named(&url, &key, "y"));
    let error = String::from_utf8(told.output.stderr.clone()).unwrap();
    assert!(!told.output.status.success() && error.contains("hint:"), "{told:?}");
    assert!(provider.requests().is_empty());
}

#[test]
fn no_provider_or_an_unknown_one_changes_nothing() {
    let world = World::new();
    let told = set_up(&world, &[("Provider", "oracle")]);
    let error = String::from_utf8(told.output.stderr.clone()).unwrap();
    assert!(!told.output.status.success() && error.contains("`oracle` is no provider"), "{told:?}");
    assert_eq!(written(&world), None);
    let told = set_up(&world, &[("Provider", ""), ("Write this?", "y")]);
    let out = String::from_utf8(told.output.stdout.clone()).unwrap();
    assert!(told.output.status.success() && out.contains("deterministic-only"), "{told:?}");
}
