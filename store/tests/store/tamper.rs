//! What is changed behind the store's back is refused or found.

use circinus_core::policy::Verdict;
use circinus_store::verify::Problem;
use circinus_store::{OpenError, ReplayError};
use rusqlite::Connection;

use crate::harness::{Home, open};
use crate::sample;

fn filled() -> Home {
    let home = Home::new();
    home.fill([
        sample::ingest("s-1", b"one", "1"),
        sample::commit(sample::judged(b"one", "cheap")),
        sample::commit(sample::decided("s-1", Verdict::Block)),
        sample::ingest("s-1", b"two", "2"),
    ]);
    home
}

/// Edits the file as somebody would who has read the schema.
fn edit(home: &Home, sql: &str) {
    let conn = Connection::open(&home.path).expect("opens");
    conn.execute_batch(
        "PRAGMA foreign_keys = OFF; DROP TRIGGER events_no_update; DROP TRIGGER events_no_delete;",
    )
    .expect("drops the triggers");
    conn.execute_batch(sql).expect("edits");
}

fn problems(home: &Home) -> Vec<Problem> {
    home.reader().verify().expect("verifies")
}

#[test]
fn events_cannot_be_updated_or_deleted() {
    let home = filled();
    let conn = Connection::open(&home.path).expect("opens");
    for sql in [
        "UPDATE events SET at_ms = 0 WHERE seq = 2",
        "DELETE FROM events WHERE seq = 2",
        "DELETE FROM events",
        "INSERT OR REPLACE INTO events SELECT seq, 0, kind, version, payload, hash FROM events WHERE seq = 2",
    ] {
        let refused = conn.execute_batch(&format!("PRAGMA recursive_triggers = ON; {sql}")).expect_err(sql);
        assert!(refused.to_string().contains("append-only"), "{sql}: {refused}");
    }
    drop(conn);
    home.assert_sound();
}

/// INVARIANT (replay-is-the-log).
#[test]
fn an_edited_event_is_found_and_not_replayed() {
    let home = filled();
    edit(&home, "UPDATE events SET at_ms = 7 WHERE seq = 2");
    assert_eq!(problems(&home), [Problem::Broken { seq: 2 }]);
    let (store, _) = open(&home.path).expect("the last link is whole");
    let mut seen = 0;
    let replayed = store.replay(circinus_core::id::EventSeq(1), &mut |_| {
        seen += 1;
        std::ops::ControlFlow::Continue(())
    });
    assert!(matches!(replayed, Err(ReplayError::Broken { seq: 2 })), "{replayed:?}");
    assert_eq!(seen, 1);
}

#[test]
fn a_rewritten_hash_breaks_the_next_link() {
    let home = filled();
    edit(&home, "UPDATE events SET hash = zeroblob(32) WHERE seq = 2");
    assert_eq!(problems(&home), [Problem::Broken { seq: 2 }, Problem::Broken { seq: 3 }]);
}

#[test]
fn a_broken_last_link_refuses_the_open() {
    let home = filled();
    edit(&home, "UPDATE events SET payload = CAST(payload || x'00' AS BLOB) WHERE seq = 4");
    let refused = open(&home.path).expect_err("refused");
    assert!(matches!(refused, OpenError::Corrupt { .. }), "{refused}");
}

#[test]
fn a_removed_event_leaves_a_gap_and_rows_without_events() {
    let home = filled();
    edit(&home, "DELETE FROM events WHERE seq = 3");
    let problems = problems(&home);
    assert!(problems.contains(&Problem::Gap { after: 2, found: 4 }), "{problems:?}");
    assert!(problems.contains(&Problem::Broken { seq: 4 }), "{problems:?}");
    assert!(problems.contains(&Problem::Count { table: "decisions", wanted: 0, found: 1 }), "{problems:?}");
}

/// INVARIANT (operands-are-chained).
#[test]
fn edited_operands_are_found() {
    let home = filled();
    edit(&home, "UPDATE artifacts SET operands = x'01' WHERE seq = 1");
    assert!(matches!(problems(&home).as_slice(), [Problem::Undecodable { seq: 1, .. }]));
}

#[test]
fn edited_bodies_and_projections_are_found() {
    let home = filled();
    edit(
        &home,
        "UPDATE contents SET body = x'00' WHERE id = 1; DELETE FROM decisions; INSERT INTO tasks VALUES (1, 1)",
    );
    let problems = problems(&home);
    assert!(problems.contains(&Problem::Count { table: "decisions", wanted: 1, found: 0 }), "{problems:?}");
    assert!(problems.contains(&Problem::Count { table: "tasks", wanted: 1, found: 2 }), "{problems:?}");
    assert!(problems.iter().any(|problem| matches!(problem, Problem::Body { .. })), "{problems:?}");
}
