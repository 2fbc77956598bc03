//! Opening what is not there, not ours, damaged, newer, or in use.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use circinus_core::id::EventSeq;
use circinus_store::OpenError;
use rusqlite::Connection;

use crate::harness::{Home, append, open};
use crate::sample;

fn mode(path: &Path) -> u32 {
    path.metadata().expect("is there").permissions().mode() & 0o777
}

/// Opening is refused, and no byte of the file changes.
fn refused(home: &Home) -> OpenError {
    let before = std::fs::read(&home.path).expect("reads");
    let error = open(&home.path).and_then(|(store, _)| store.checked()).expect_err("is refused");
    assert_eq!(std::fs::read(&home.path).expect("reads"), before, "changed in spite of: {error}");
    let text = error.to_string();
    assert!(text.contains(&home.path.display().to_string()) && text.contains("\nhint: "), "{text}");
    error
}

fn with_file(bytes: &[u8]) -> Home {
    let home = Home::new();
    std::fs::create_dir(home.path.parent().expect("has a directory")).expect("creates");
    std::fs::write(&home.path, bytes).expect("writes");
    home
}

#[test]
fn a_new_store_is_private_and_empty() {
    let home = Home::new();
    let (store, recovered) = open(&home.path).expect("opens");
    assert_eq!((recovered.last_seq, recovered.unfinished), (EventSeq(0), 0));
    assert_eq!(mode(home.path.parent().expect("has a directory")), 0o700);
    let writer = circinus_store::Writer::start(store, Box::new(|_| {})).expect("starts");
    append(&writer, sample::ingest("s", b"x", "1")).expect("acknowledged");
    for entry in std::fs::read_dir(home.path.parent().expect("has a directory")).expect("lists") {
        let path = entry.expect("lists").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn an_empty_file_is_a_new_store() {
    let home = with_file(b"");
    assert_eq!(home.fill([sample::ingest("s", b"x", "1")])[0].seq, EventSeq(1));
}

/// What a process that was killed while it made a database leaves.
#[test]
fn a_creation_that_was_cut_off_is_begun_anew() {
    let home = Home::new();
    let directory = home.path.parent().expect("has a directory");
    std::fs::create_dir(directory).expect("creates");
    for left in ["circinus.db.new", "circinus.db.new-journal", "circinus.db.new-wal"] {
        std::fs::write(directory.join(left), b"half").expect("writes");
    }
    assert_eq!(home.fill([sample::ingest("s", b"x", "1")])[0].seq, EventSeq(1));
    home.assert_sound();
    let names = std::fs::read_dir(directory).expect("lists").map(|entry| entry.expect("lists").file_name());
    let left: Vec<_> = names.filter(|name| name.to_string_lossy().contains(".new")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn a_second_store_on_one_path_is_refused_and_disturbs_nothing() {
    let home = Home::new();
    let writer = home.writer();
    append(&writer, sample::ingest("s", b"x", "1")).expect("acknowledged");
    let second = open(&home.path).expect_err("is refused");
    assert!(matches!(second, OpenError::Locked { .. }), "{second}");
    append(&writer, sample::ingest("s", b"y", "2")).expect("acknowledged");
    drop(writer);
    assert_eq!(home.log().len(), 2, "and the lock is free again");
}

#[test]
fn text_is_not_a_database() {
    let home = with_file(&b"not a database, only some text. ".repeat(100));
    assert!(matches!(refused(&home), OpenError::NotADatabase { .. }));
}

#[test]
fn another_programs_database_is_left_alone() {
    let home = with_file(b"");
    Connection::open(&home.path).expect("opens").execute_batch("CREATE TABLE notes (text)").expect("creates");
    assert!(matches!(refused(&home), OpenError::NotADatabase { .. }));
}

#[test]
fn a_newer_schema_is_left_alone() {
    let home = Home::new();
    home.fill([sample::ingest("s", b"x", "1")]);
    Connection::open(&home.path).expect("opens").pragma_update(None, "user_version", 99).expect("sets");
    let error = refused(&home);
    assert!(matches!(error, OpenError::TooNew { found: 99, known: 1, .. }), "{error}");
    assert!(matches!(circinus_store::Reader::open(&home.path), Err(OpenError::TooNew { .. })));
}

#[test]
fn a_damaged_file_is_left_alone() {
    let whole = {
        let home = Home::new();
        home.fill((0..50_u32).map(|n| sample::ingest("s", &n.to_le_bytes(), &n.to_string())));
        std::fs::read(&home.path).expect("reads")
    };
    let page = usize::try_from(circinus_store::limits::PAGE_BYTES).expect("fits");
    let mut zeroed = whole.clone();
    zeroed[page..4 * page].fill(0);
    let mut noise = whole.clone();
    for (n, byte) in (0..=u8::MAX).cycle().take(noise.len()).zip(&mut noise).skip(2 * page) {
        *byte ^= n.wrapping_mul(37) | 1;
    }
    for damaged in [zeroed, noise, whole[..whole.len() / 2].to_vec(), whole[..3 * page + 100].to_vec()] {
        let error = refused(&with_file(&damaged));
        assert!(matches!(error, OpenError::Corrupt { .. }), "{error:?}");
    }
}

#[test]
fn a_path_that_is_a_directory_or_below_a_file_is_an_error() {
    let home = Home::new();
    std::fs::create_dir_all(&home.path).expect("creates");
    assert!(open(&home.path).is_err());
    let below = with_file(b"");
    assert!(matches!(open(&below.path.join("circinus.db")), Err(OpenError::Io { .. })));
}
