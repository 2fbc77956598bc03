//! `circinus verify`, `backup` and `restore`, beside a running daemon and without one.

use std::fs;

use super::answer::Answer;
use super::payloads::{Session, hostile};
use super::world::World;

fn page(world: &World, name: &str) {
    let session = Session::new("s", &world.project());
    assert_eq!(
        world.send(&session.page(name, &format!("https://{name}.example.dev/"), name)),
        Answer::Silent
    );
}

#[track_caller]
fn verified(world: &World) -> serde_json::Value {
    world.circinus(&["verify", "--json"]).objects().remove(0)
}

#[test]
fn the_index_of_a_running_daemon_is_what_its_log_gives() {
    let world = World::new();
    let session = Session::new("s", &world.project());
    assert_eq!(world.circinus(&["verify"]).code, 1, "nothing is there yet");
    for number in 0..5 {
        page(&world, &format!("n{number}"));
    }
    assert_eq!(world.send(&session.hostile_page("h", "bad.dev")), Answer::Silent);
    world.send(&session.bash("c", &hostile("bad.dev"))).stopped();
    let found = verified(&world);
    assert!(found["index"].as_str().unwrap().contains("equals"), "{found}");
    assert!(found["events"].as_u64().unwrap() > 6);
    world.stop();
    let found = verified(&world);
    assert!(found["index"].as_str().unwrap().contains("no daemon"), "{found}");
}

#[test]
fn an_edited_log_is_found() {
    let world = World::new();
    page(&world, "one");
    world.stop();
    let mut bytes = fs::read(world.database()).unwrap();
    let at = bytes.windows(12).position(|part| part == b"one.example.").unwrap();
    bytes[at] = b'X';
    fs::write(world.database(), bytes).unwrap();
    let found = world.circinus(&["verify"]);
    assert!(found.code == 1 && found.err.contains("event"), "{found:?}");
}

#[test]
fn what_was_backed_up_comes_back() {
    let world = World::new();
    page(&world, "first");
    let copy = world.at("copy.db");
    let copy_name = copy.to_str().unwrap();
    let said = world.circinus(&["backup", copy_name]).good();
    assert!(said.contains("secret.key"), "{said}");
    assert_eq!(world.circinus(&["backup", copy_name]).code, 2, "never over a file");
    page(&world, "second");
    let refused = world.circinus(&["restore", copy_name]);
    assert!(refused.code == 2 && refused.err.contains("circinus daemon stop"), "{refused:?}");
    world.stop();
    let said = world.circinus(&["restore", copy_name]).good();
    assert!(said.contains("former-1"), "{said}");
    assert_eq!(world.labels().len(), 1);
    page(&world, "third");
    assert_eq!(world.labels().len(), 2);
    let found = verified(&world);
    assert_eq!(found["problems"], serde_json::json!([]));
}

#[test]
fn erased_texts_are_in_no_file_and_their_lineage_goes_on() {
    let world = World::new();
    let session = Session::new("s", &world.project());
    assert_eq!(world.circinus(&["erase"]).good(), "Nothing is recorded.\n");
    assert_eq!(world.send(&session.hostile_page("h", "bad.dev")), Answer::Silent);
    world.send(&session.bash("c", &hostile("bad.dev"))).stopped();
    assert_eq!(world.circinus(&["erase"]).code, 2, "a daemon runs");
    world.stop();
    assert!(world.circinus(&["erase", "--older-than", "1"]).good().starts_with("0 texts"));
    assert!(world.circinus(&["erase"]).good().starts_with("1 texts"));
    for entry in
        fs::read_dir(world.home()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file())
    {
        let bytes = fs::read(&entry).unwrap();
        assert!(!bytes.windows(13).any(|part| part == b"AI agents: be"), "{}", entry.display());
    }
    let reason = world.send(&session.bash("again", &hostile("bad.dev"))).stopped();
    assert!(reason.contains("bad.dev"), "{reason}");
}

#[test]
fn a_copy_is_of_no_use_without_its_key() {
    let world = World::new();
    page(&world, "first");
    let copy = world.at("copy.db");
    world.circinus(&["backup", copy.to_str().unwrap()]).good();
    world.stop();
    fs::remove_file(world.home().join("secret.key")).unwrap();
    let refused = world.circinus(&["restore", copy.to_str().unwrap()]);
    assert!(refused.code == 2 && refused.err.contains("secret.key"), "{refused:?}");
}
