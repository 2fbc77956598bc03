//! Backups beside a running writer, and restores in its absence.

use std::os::unix::fs::PermissionsExt;

use circinus_store::{CopyError, OpenError, Reader, backup, restore};

use crate::harness::{Home, append};
use crate::sample;

fn commits(count: u32) -> impl Iterator<Item = circinus_core::event::Commit> {
    (0..count).map(|n| sample::ingest("s", &n.to_le_bytes(), &n.to_string()))
}

#[test]
fn a_copy_beside_a_writer_is_one_state_and_private() {
    let home = Home::new();
    let writer = home.writer();
    for commit in commits(20) {
        append(&writer, commit).expect("acknowledged");
    }
    let copy = home.dir.path().join("copy.db");
    backup(&home.path, &copy).expect("copies");
    append(&writer, sample::ingest("s", b"later", "later")).expect("acknowledged");
    drop(writer);
    let reader = Reader::open(&copy).expect("opens");
    assert_eq!(reader.counts().expect("counts").events, 20);
    assert_eq!(reader.verify().expect("verifies"), []);
    assert_eq!(copy.metadata().expect("is there").permissions().mode() & 0o777, 0o600);
    assert!(!home.dir.path().join("copy.db.part").exists());
    assert!(matches!(backup(&home.path, &copy), Err(CopyError::Exists { .. })));
}

#[test]
fn a_restore_takes_the_place_and_keeps_what_was_there() {
    let home = Home::new();
    home.fill(commits(3));
    let copy = home.dir.path().join("copy.db");
    backup(&home.path, &copy).expect("copies");
    home.fill([sample::ingest("s", b"later", "later")]);
    let writer = home.writer();
    assert!(matches!(restore(&copy, &home.path), Err(CopyError::Open(OpenError::Locked { .. }))));
    drop(writer);
    let former = restore(&copy, &home.path).expect("restores").expect("one was there");
    assert_eq!(home.log().len(), 3);
    assert_eq!(Reader::open(&former).expect("opens").counts().expect("counts").events, 4);
    home.assert_sound();
    // It is the store now, in every respect.
    append(&home.writer(), sample::ingest("s", b"more", "more")).expect("acknowledged");
    home.assert_sound();
}

/// The log of a database that was killed must not become the log of the one that takes its place.
#[test]
fn a_log_that_was_left_behind_goes_with_its_database() {
    let home = Home::new();
    home.fill(commits(3));
    let copy = home.dir.path().join("copy.db");
    backup(&home.path, &copy).expect("copies");
    let wal = home.path.with_extension("db-wal");
    let writer = home.writer();
    append(&writer, sample::ingest("s", b"later", "later")).expect("acknowledged");
    let left = std::fs::read(&wal).expect("there is a log");
    let main = std::fs::read(&home.path).expect("reads");
    drop(writer);
    std::fs::write(&home.path, main).expect("writes");
    std::fs::write(&wal, left).expect("writes");
    let former = restore(&copy, &home.path).expect("restores").expect("one was there");
    assert_eq!(home.log().len(), 3);
    home.assert_sound();
    assert_eq!(Reader::open(&former).expect("opens").counts().expect("counts").events, 4);
}

#[test]
fn a_damaged_copy_changes_nothing() {
    let home = Home::new();
    home.fill(commits(50));
    let copy = home.dir.path().join("copy.db");
    let mut bytes = std::fs::read(&home.path).expect("reads");
    let middle = bytes.len() / 2;
    bytes[middle..middle + 64].fill(0xa5);
    std::fs::write(&copy, &bytes).expect("writes");
    let before = std::fs::read(&home.path).expect("reads");
    let refused = restore(&copy, &home.path).expect_err("is refused");
    assert!(refused.to_string().contains("hint: "), "{refused}");
    assert_eq!(std::fs::read(&home.path).expect("reads"), before);
}
