//! A database that cannot be used: the start fails with a reason, nothing is changed, hooks stay safe, and what
//! came meanwhile is taken in afterwards.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use super::answer::Answer;
use super::payloads::Session;
use super::process::daemons;
use super::world::World;

/// Offset of the four bytes of `user_version` in a SQLite file (file format, section 1.3).
const USER_VERSION_AT: usize = 60;

/// A world whose daemon has recorded one page and was stopped, and the bytes of its database.
fn recorded() -> (World, Session, Vec<u8>) {
    let world = World::new().bound_by_permissions();
    let session = Session::new("before", &world.project());
    assert_eq!(world.send(&session.page("1", "https://first.example.dev/", "one")), Answer::Silent);
    world.stop();
    let bytes = fs::read(world.database()).unwrap();
    assert!(!world.home().join("circinus.db-wal").exists(), "a stop leaves one file");
    (world, session, bytes)
}

/// A start fails, says why and what to do, and leaves no process.
#[track_caller]
fn assert_refused(world: &World, words: &[&str]) {
    let start = world.circinus(&["daemon", "start"]);
    assert_eq!((start.code, start.out.as_str()), (3, ""), "{start:?}");
    assert!(start.err.contains("hint:"), "{start:?}");
    let said = format!("{}{}", start.err, world.daemon_log());
    assert!(words.iter().all(|word| said.contains(word)), "{words:?} not in {said}");
    assert!(said.matches("hint:").count() >= 2, "the reason has a hint of its own: {said}");
    assert_eq!(daemons(world.home()), [0_i32; 0]);
    assert_eq!(world.circinus(&["status", "--json"]).code, 3);
    let status = world.circinus(&["status"]);
    assert!(status.code == 3 && words.iter().all(|word| status.err.contains(word)), "{status:?}");
}

/// Without a store: reading and local work pass without a word, weighty calls do not pass.
#[track_caller]
fn assert_fail_safe(world: &World, session: &Session) {
    for command in ["ls -la", "cat README.md", "cargo test"] {
        assert_eq!(world.send(&session.bash("t0", command)), Answer::Silent, "{command}");
    }
    let edit = json!({ "file_path": world.project().join("a.rs"), "content": "fn a() {}" });
    assert_eq!(world.send(&session.before("t1", "Write", edit)), Answer::Silent);
    for command in ["git push origin main", "npm install left-pad"] {
        let reason = world.send(&session.bash("t2", command)).stopped();
        assert!(reason.contains("record") || reason.contains("store"), "{command}: {reason}");
    }
    let kept = session.page("kept", "https://meanwhile.example.dev/", "two");
    assert_eq!(world.send(&kept), Answer::Silent);
    let lines = fs::read_to_string(world.unrecorded()).unwrap();
    let kept = kept.to_string();
    assert!(lines.lines().any(|line| line == kept), "{lines}");
    assert_eq!(fs::metadata(world.unrecorded()).unwrap().permissions().mode() & 0o777, 0o600);
}

/// After the repair everything is there, in order.
#[track_caller]
fn assert_taken_in(world: &World) {
    world.start();
    let labels = world.labels();
    let pages: Vec<_> = labels.iter().filter(|label| label.contains("example.dev")).collect();
    assert_eq!(pages.len(), 2, "{labels:?}");
    assert!(
        pages[0].contains("first.example.dev") && pages[1].contains("meanwhile.example.dev"),
        "{labels:?}"
    );
    let decided = world.log().iter().filter(|row| row["kind"] == "decision").count();
    assert!(decided >= 2, "what the fail-safe stopped is in the log");
    assert!(!world.unrecorded().exists());
}

#[test]
fn read_only() {
    let (world, session, bytes) = recorded();
    World::mode(&world.database(), 0o400);
    assert_refused(&world, &["not writable"]);
    assert_fail_safe(&world, &session);
    assert_eq!(fs::read(world.database()).unwrap(), bytes);
    World::mode(&world.database(), 0o600);
    assert_taken_in(&world);
}

#[test]
fn in_a_read_only_folder() {
    let (world, session, bytes) = recorded();
    World::mode(world.home(), 0o500);
    let start = world.circinus(&["daemon", "start"]);
    assert!(start.code == 3 && start.err.contains("hint:"), "{start:?}");
    let read = json!({ "file_path": world.project().join("a.rs") });
    assert_eq!(world.send(&session.before("r", "Read", read)), Answer::Silent);
    // What cannot even be kept passes only where it reads.
    for command in ["ls", "git push origin main"] {
        let refused = world.send(&session.bash("t", command));
        assert!(matches!(&refused, Answer::Refuses(why) if why.contains("cannot be kept")), "{refused:?}");
    }
    let lost = world.send(&session.page("lost", "https://meanwhile.example.dev/", "two"));
    assert!(matches!(&lost, Answer::Reports(why) if why.contains("not recorded")), "{lost:?}");
    World::mode(world.home(), 0o700);
    assert_eq!(fs::read(world.database()).unwrap(), bytes);
    world.start();
}

/// Writes `bad` over the database, tries everything, and gives back the good bytes at the end.
#[track_caller]
fn with_database(bad: &[u8], words: &[&str]) {
    let (world, session, good) = recorded();
    fs::write(world.database(), bad).unwrap();
    assert_refused(&world, words);
    assert_fail_safe(&world, &session);
    assert_eq!(fs::read(world.database()).unwrap(), bad, "an unusable file is left as it is");
    fs::write(world.database(), good).unwrap();
    assert_taken_in(&world);
}

#[test]
fn garbage() {
    with_database(&b"this was never a database. ".repeat(400), &["not a circinus database"]);
}

#[test]
fn damaged_in_the_middle() {
    let (_, _, mut bytes) = recorded();
    let middle = bytes.len() / 2;
    bytes[middle..].fill(0xa5);
    with_database(&bytes, &["damaged"]);
}

#[test]
fn cut_short() {
    let (_, _, bytes) = recorded();
    with_database(&bytes[..bytes.len() / 2], &["damaged"]);
}

#[test]
fn newer_than_the_program() {
    let (_, _, mut bytes) = recorded();
    bytes[USER_VERSION_AT..USER_VERSION_AT + 4].copy_from_slice(&9_999_u32.to_be_bytes());
    with_database(&bytes, &["9999", "newer"]);
}

#[test]
fn a_folder_in_its_place() {
    let (world, session, good) = recorded();
    fs::remove_file(world.database()).unwrap();
    fs::create_dir(world.database()).unwrap();
    assert_refused(&world, &["circinus.db"]);
    assert_fail_safe(&world, &session);
    assert_eq!(fs::read_dir(world.database()).unwrap().count(), 0);
    fs::remove_dir(world.database()).unwrap();
    fs::write(world.database(), good).unwrap();
    World::mode(&world.database(), 0o600);
    assert_taken_in(&world);
}
