//! Texts go by age and by size; what they were the text of stays.

use std::time::Instant;

use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event};
use circinus_store::{Retention, Store, Writer};

use crate::harness::{Home, PATIENCE, clock_at, open};
use crate::sample;

const BODY_BYTES: usize = 1_000;

fn body(number: u32) -> Vec<u8> {
    format!("{number:>BODY_BYTES$}").into_bytes()
}

/// A store with that many texts, all but the last few judged.
fn filled(count: u32, judged: u32) -> Home {
    let home = Home::new();
    let pages = (0..count).map(|number| sample::ingest("s", &body(number), &number.to_string()));
    let verdicts = (0..judged).map(|number| sample::commit(sample::judged(&body(number), "cheap")));
    home.fill(pages.chain(verdicts));
    home
}

fn kept(home: &Home, count: u32) -> Vec<u32> {
    let reader = home.reader();
    (0..count).filter(|number| reader.body(Digest::of(&body(*number))).expect("reads").is_some()).collect()
}

/// Waits until the texts are those.
#[track_caller]
fn assert_becomes(home: &Home, count: u32, wanted: &[u32]) {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let kept = kept(home, count);
        if kept == wanted {
            return;
        }
        assert!(Instant::now() < deadline, "{kept:?} are kept");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

fn retaining(home: &Home, retention: Retention) -> Writer {
    let (mut store, _) = open(&home.path).expect("opens");
    store.retain(retention);
    Writer::start(store, Box::new(|_| {})).expect("starts")
}

#[test]
fn beyond_the_size_the_oldest_go_and_what_is_queued_stays() {
    let home = filled(10, 9);
    let log = home.log();
    let retention = Retention { bytes_max: 4 * BODY_BYTES as u64, age_ms_max: u64::MAX };
    let writer = retaining(&home, retention);
    assert_becomes(&home, 10, &[6, 7, 8, 9]);
    drop(writer);
    assert_eq!(home.log(), log, "the record itself is as it was");
    home.assert_sound();
}

#[test]
fn beyond_the_age_all_go_but_what_is_queued() {
    let home = filled(6, 5);
    let (mut store, _) = Store::open(&home.path, clock_at(1_000_000)).expect("opens");
    store.retain(Retention { age_ms_max: 500_000, bytes_max: u64::MAX });
    let writer = Writer::start(store, Box::new(|_| {})).expect("starts");
    assert_becomes(&home, 6, &[5]);
    drop(writer);
    home.assert_sound();
}

#[test]
fn a_text_that_comes_again_is_kept_again() {
    let home = filled(1, 1);
    let (mut store, _) = open(&home.path).expect("opens");
    assert_eq!(store.forget(0).expect("forgets"), 1);
    assert_eq!(store.forget(0).expect("forgets"), 0);
    drop(store);
    assert_eq!(kept(&home, 1), [0_u32; 0]);
    let again = Commit { delivery: None, ..sample::ingest("s", &body(0), "again") };
    assert!(matches!(again.event, Event::Ingested(_)));
    home.fill([again]);
    assert_eq!(kept(&home, 1), [0]);
    home.assert_sound();
}

#[test]
fn what_was_erased_is_in_no_file() {
    let home = filled(3, 3);
    let (mut store, _) = open(&home.path).expect("opens");
    assert_eq!(store.forget(0).expect("forgets"), 3);
    drop(store);
    let needle = body(1);
    for entry in std::fs::read_dir(home.path.parent().expect("has a directory")).expect("lists") {
        let path = entry.expect("lists").path();
        let bytes = std::fs::read(&path).expect("reads");
        let found = bytes.windows(needle.len()).any(|window| window == needle);
        assert!(!found, "{}", path.display());
    }
}
