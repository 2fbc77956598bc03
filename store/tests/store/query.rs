//! Reading beside the writer.

use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event};
use circinus_core::id::{ArtifactId, DecisionId, EventSeq, SessionId};
use circinus_core::policy::Verdict;
use circinus_core::time::UnixMillis;
use circinus_store::query::{Counts, DecisionFilter};
use circinus_store::{OpenError, Reader};

use crate::harness::{Home, append};
use crate::sample;

fn ids(reader: &Reader, filter: &DecisionFilter, count: usize) -> Vec<u64> {
    reader.decisions(filter, count).expect("reads").iter().map(|decision| decision.id.0.0).collect()
}

#[test]
fn decisions_by_id_session_verdict_time_and_page() {
    let home = Home::new();
    let decided = |session, verdict| sample::commit(sample::decided(session, verdict));
    home.fill([
        decided("s-1", Verdict::Allow),
        decided("s-2", Verdict::Block),
        decided("s-1", Verdict::Block),
        sample::commit(sample::closed("s-1")),
        decided("s-2", Verdict::Review),
    ]);
    let reader = home.reader();
    let all = DecisionFilter::default();
    assert_eq!(ids(&reader, &all, 10), [5, 3, 2, 1]);
    assert_eq!(ids(&reader, &all, 2), [5, 3]);
    let before = DecisionFilter { before: Some(DecisionId(EventSeq(3))), ..all.clone() };
    assert_eq!(ids(&reader, &before, 10), [2, 1]);
    let session = DecisionFilter { session: Some(SessionId::new("s-1")), ..all.clone() };
    assert_eq!(ids(&reader, &session, 10), [3, 1]);
    let blocked = DecisionFilter { verdict: Some(Verdict::Block), ..session.clone() };
    assert_eq!(ids(&reader, &blocked, 10), [3]);
    let third = reader.decision(DecisionId(EventSeq(3))).expect("reads").expect("is there");
    let since = DecisionFilter { since: Some(third.at), ..all };
    assert_eq!(ids(&reader, &since, 10), [5, 3]);

    assert_eq!(Event::Decided(third.record), sample::decided("s-1", Verdict::Block));
    assert_eq!(reader.decision(DecisionId(EventSeq(4))).expect("reads"), None, "another kind of event");
    assert_eq!(reader.decision(DecisionId(EventSeq(99))).expect("reads"), None);
    let last = |session: Option<&str>| {
        let session = session.map(SessionId::new);
        reader.last_decision(session.as_ref()).expect("reads").map(|decision| decision.id.0.0)
    };
    assert_eq!((last(None), last(Some("s-1")), last(Some("nobody"))), (Some(5), Some(3), None));
}

#[test]
fn sessions_by_their_beginning_and_when_they_ended() {
    let home = Home::new();
    let commits = [
        sample::opened("s-1"),
        sample::opened("s-2"),
        sample::closed("s-1"),
        sample::opened("t-1"),
        sample::closed("s-2"),
        sample::opened("s-2"),
    ];
    home.fill(commits.map(sample::commit));
    let reader = home.reader();
    let told = |beginning: &str, count| {
        let sessions = reader.sessions(beginning, count).expect("reads").into_iter();
        sessions.map(|one| (one.first.0, one.closed_at.is_some())).collect::<Vec<_>>()
    };
    assert_eq!(
        told("", 10),
        [(4, false), (2, false), (1, true)],
        "opened again is open, since its first opening"
    );
    assert_eq!(told("", 1), [(4, false)]);
    assert_eq!(told("s-", 10), [(2, false), (1, true)]);
    assert_eq!((told("s-2", 10), told("_", 10), told("%", 10)), (vec![(2, false)], vec![], vec![]));
    let first = reader.sessions("s-1", 1).expect("reads").remove(0);
    assert_eq!(Event::SessionOpened(first.opened), sample::opened("s-1"));
}

#[test]
fn artifacts_bodies_edges_and_counts() {
    let home = Home::new();
    let rich = Commit {
        event: Event::Ingested(Box::new(sample::rich_artifact())),
        body: Some(b"rich".as_slice().into()),
        delivery: None,
    };
    home.fill([
        sample::ingest("s-1", b"one", "1"),
        sample::ingest("s-1", b"two", "2"),
        rich,
        sample::commit(sample::opened("s-1")),
        sample::commit(sample::judged(b"one", "cheap")),
        sample::commit(sample::decided("s-1", Verdict::Review)),
    ]);
    let reader = home.reader();
    let id = |n| ArtifactId(EventSeq(n));
    assert_eq!(*reader.artifact(id(3)).expect("reads").expect("is there").artifact, sample::rich_artifact());
    assert_eq!(reader.artifact(id(4)).expect("reads"), None, "another kind of event");
    assert_eq!(reader.body(Digest::of(b"two")).expect("reads").as_deref(), Some(b"two".as_slice()));
    assert_eq!(reader.body(Digest::of(b"never")).expect("reads"), None);

    let edges = reader.provenance(id(3)).expect("reads").expect("is there");
    assert_eq!((edges.observed.len(), edges.inferred.len()), (1, 1));
    assert_eq!(reader.provenance(id(1)).expect("reads").expect("is there").observed_children, [id(3)]);
    assert_eq!(reader.provenance(id(2)).expect("reads").expect("is there").inferred_children, [id(3)]);

    let tasks: Vec<_> = reader.tasks(10).expect("reads").iter().map(|task| task.artifact).collect();
    assert_eq!(tasks, [id(2), id(3)]);
    let wanted = Counts {
        events: 6,
        artifacts: 3,
        contents: 3,
        body_bytes: 10,
        evidence: 1,
        tasks: 2,
        sessions: 1,
        sessions_open: 1,
        allowed: 0,
        reviewed: 1,
        blocked: 0,
    };
    assert_eq!(reader.counts().expect("counts"), wanted);
    let page: Vec<_> = reader.events(EventSeq(2), 3).expect("reads").iter().map(|e| e.seq.0).collect();
    assert_eq!(page, [2, 3, 4]);
}

#[test]
fn the_same_bytes_are_kept_once_and_a_late_body_is_filled_in() {
    let home = Home::new();
    home.fill([
        Commit { body: None, ..sample::ingest("s-1", b"same", "1") },
        sample::ingest("s-1", b"same", "2"),
        sample::ingest("s-2", b"same", "3"),
    ]);
    let counts = home.reader().counts().expect("counts");
    assert_eq!((counts.artifacts, counts.contents, counts.body_bytes), (3, 1, 4));
}

#[test]
fn a_reader_sees_each_acknowledged_event_and_its_time() {
    let home = Home::new();
    let writer = home.writer();
    let reader = home.reader();
    for n in 1..=20_u64 {
        let ack =
            append(&writer, sample::ingest("s", &n.to_le_bytes(), &n.to_string())).expect("acknowledged");
        let event = reader.event_at(ack.seq).expect("reads").expect("is there");
        assert!(event.at >= UnixMillis(1_000));
    }
}

#[test]
fn a_reader_creates_nothing() {
    let home = Home::new();
    assert!(matches!(Reader::open(&home.path), Err(OpenError::Absent { .. })));
    assert!(!home.path.exists());
}
