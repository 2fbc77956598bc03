//! Wrong configurations and homes: a clear error, a hint, and hooks that stay safe.

use std::fs;

use super::answer::Answer;
use super::payloads::Session;
use super::process::circinus;
use super::world::World;

#[test]
fn a_wrong_configuration_is_shown_with_line_and_caret() {
    for (text, words) in [
        ("# mine\nprofil = \"strict\"\n", ["unknown key `profil`", "config.toml:2:1", "^^^^^^"]),
        ("profile = \"paranoid\"\n", ["unknown profile", "config.toml:1:11", "^^^^^^^^^^"]),
    ] {
        let world = World::new();
        world.start();
        world.stop();
        fs::write(world.home().join("config.toml"), text).unwrap();
        let start = world.circinus(&["daemon", "start"]);
        assert!(start.code == 3 && start.err.contains("hint:"), "{start:?}");
        let run = world.circinus(&["daemon", "run"]);
        assert_eq!(run.code, 4, "{run:?}");
        for said in [&run.err, &world.daemon_log()] {
            assert!(words.iter().all(|word| said.contains(word)) && said.contains("hint:"), "{said}");
        }
        let session = Session::new("s", &world.project());
        assert_eq!(world.send(&session.bash("t0", "ls")), Answer::Silent);
        world.send(&session.bash("t2", "git push origin main")).stopped();
        assert_eq!(world.send(&session.page("p", "https://kept.example.dev/", "x")), Answer::Silent);
        fs::write(world.home().join("config.toml"), "profile = \"strict\"\n").unwrap();
        world.start();
        assert_eq!(world.status()["profile"], "strict");
        assert!(world.labels().iter().any(|label| label.contains("kept.example.dev")));
    }
}

#[test]
fn a_home_that_cannot_be_made_is_an_error_with_a_hint() {
    let world = World::with_home("user/deep/home").bound_by_permissions();
    World::mode(&world.at("user"), 0o500);
    let start = world.circinus(&["daemon", "start"]);
    assert!(start.code == 3 && start.err.contains("hint: set CIRCINUS_HOME"), "{start:?}");
    let session = Session::new("s", &world.project());
    // What cannot even be kept passes only where it reads.
    for command in ["ls", "npm install left-pad"] {
        assert!(matches!(world.send(&session.bash("t", command)), Answer::Refuses(_)), "{command}");
    }
    assert_eq!(
        world.send(&session.before("r", "Grep", serde_json::json!({ "pattern": "x" }))),
        Answer::Silent
    );
    let lost = world.send(&session.page("p", "https://lost.example.dev/", "x"));
    assert!(matches!(lost, Answer::Reports(_)), "{lost:?}");
    World::mode(&world.at("user"), 0o700);
    assert_eq!(world.send(&session.page("p", "https://there.example.dev/", "x")), Answer::Silent);
    assert!(world.labels().iter().any(|label| label.contains("there.example.dev")));
}

#[test]
fn without_any_home_each_command_says_what_to_set() {
    let world = World::new();
    for (name, value) in [("CIRCINUS_HOME", Some("relative")), ("HOME", None)] {
        let mut command = world.command(circinus());
        command.args(["daemon", "start"]).env_remove("CIRCINUS_HOME").env_remove(name);
        value.map(|value| command.env(name, value));
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("CIRCINUS_HOME") && said.contains("hint:"), "{said}");
    }
}

#[test]
fn a_home_too_long_for_a_socket_has_it_elsewhere() {
    let world = World::with_home(&format!("{}/{}", "h".repeat(90), "o".repeat(90)));
    world.start();
    let socket = world.place().socket();
    assert!(socket.starts_with(world.at("runtime")) && socket.exists(), "{}", socket.display());
    let session = Session::new("s", &world.project());
    assert_eq!(world.send(&session.page("p", "https://long.example.dev/", "x")), Answer::Silent);
    assert!(world.labels().iter().any(|label| label.contains("long.example.dev")));
    assert_eq!(world.circinus(&["daemon", "run"]).code, 2, "the lock is in the home, wherever the socket is");
    world.stop();
    assert!(!socket.exists());
}

#[test]
fn a_home_that_others_can_enter_is_refused() {
    let world = World::new();
    world.start();
    world.stop();
    World::mode(world.home(), 0o755);
    let start = world.circinus(&["daemon", "start"]);
    assert!(start.code == 3 && start.err.contains("hint: chmod 700"), "{start:?}");
    let session = Session::new("s", &world.project());
    world.send(&session.bash("t2", "git push origin main")).stopped();
    World::mode(world.home(), 0o700);
    world.start();
}
