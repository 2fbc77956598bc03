//! A person's additions to the command table: used by daemon and fail-safe, or refused aloud.

use std::fs;

use super::answer::Answer;
use super::payloads::Session;
use super::world::World;

fn write(world: &World, text: &str) {
    fs::write(world.home().join("commands.toml"), text).unwrap();
}

#[test]
fn additions_reach_the_gate_with_and_without_a_daemon() {
    let world = World::new();
    let session = Session::new("s", &world.project());
    world.start();
    assert_eq!(world.status()["commands"], "the built-in table");
    assert_eq!(world.send(&session.bash("before", "shipit --all")), Answer::Silent);
    world.stop();
    write(&world, "[shipit]\nflags = [\"catastrophic\"]\n");
    world.start();
    assert_eq!(world.status()["commands"], "the built-in table, 1 program tightened by commands.toml");
    world.send(&session.bash("c", "sudo shipit --all")).stopped();
    let last = world.circinus(&["explain", "--json"]).objects().remove(0);
    assert_eq!(
        (&last["rules"][0]["id"], &last["flags"][0]),
        (&"S6".into(), &"catastrophic".into()),
        "{last}"
    );
    assert_eq!(world.send(&session.bash("d", "echo shipit")), Answer::Silent);
    world.stop();
    // A configuration that stops the daemon leaves the fail-safe.
    fs::write(world.home().join("config.toml"), "profil = 1\n").unwrap();
    world.send(&session.bash("e", "shipit --all")).stopped();
    write(&world, "");
    assert_eq!(world.send(&session.bash("f", "shipit --all")), Answer::Silent);
    fs::remove_file(world.home().join("config.toml")).unwrap();
}

#[test]
fn what_would_loosen_is_refused_and_said_everywhere() {
    let world = World::new();
    world.start();
    world.stop();
    write(&world, "[git.subs.push]\n# trust me\ntier = 0\n");
    world.start();
    let status = world.status();
    let refused = status["commands_refused"].as_str().unwrap();
    for word in ["tier 0 would loosen `push`", "commands.toml:3:8", " 3 | tier = 0", "^", "hint:"] {
        assert!(refused.contains(word) && world.daemon_log().contains(word), "`{word}`: {refused}");
    }
    assert!(world.circinus(&["status"]).good().contains("commands.toml is refused"));
    let doctor = world.circinus(&["doctor"]);
    assert!(doctor.code == 1 && doctor.out.contains("would loosen"), "{doctor:?}");
    let session = Session::new("s", &world.project());
    let push = world.circinus(&["analyze", "command", "--json", "git push"]);
    assert!(
        push.code == 0 && push.out.contains("\"tier\":\"T2\"") && push.err.contains("would loosen"),
        "{push:?}"
    );
    assert_eq!(world.send(&session.bash("c", "ls")), Answer::Silent);
}
