//! Appending: order, duplicates, visibility, bounds.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Barrier, Mutex};
use std::time::{Duration, Instant};

use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event, Recorded};
use circinus_core::id::EventSeq;
use circinus_core::policy::Verdict;
use circinus_store::{AppendError, Invalid, SubmitError, Writer, limits};

use crate::harness::{Home, PATIENCE, append, open, submit};
use crate::sample;

/// One commit of every kind, and a second session.
fn one_of_each() -> Vec<Commit> {
    let rich = Commit {
        event: Event::Ingested(Box::new(sample::rich_artifact())),
        body: Some(b"rich".as_slice().into()),
        delivery: Some(Digest::of(b"delivery")),
    };
    vec![
        sample::commit(sample::opened("s-1")),
        sample::ingest("s-1", b"first", "call-1"),
        sample::ingest("s-2", b"second", "call-2"),
        rich,
        sample::commit(sample::judged(b"first", "cheap")),
        sample::commit(sample::decided("s-1", Verdict::Block)),
        sample::commit(sample::closed("s-1")),
    ]
}

#[test]
fn replay_equals_what_was_committed_in_order() {
    let home = Home::new();
    let events: Vec<Event> = one_of_each().into_iter().map(|commit| commit.event).collect();
    let acks = home.fill(one_of_each());
    assert!(acks.iter().zip(1..).all(|(ack, seq)| ack.seq == EventSeq(seq) && !ack.duplicate));

    let log = home.log();
    assert!(log.iter().zip(1..).all(|(recorded, seq)| recorded.seq == EventSeq(seq)));
    assert_eq!(log.into_iter().map(|recorded| recorded.event).collect::<Vec<_>>(), events);
    home.assert_sound();
}

#[test]
fn the_log_goes_on_where_it_ended() {
    let home = Home::new();
    home.fill(one_of_each());
    let again = home.fill([sample::ingest("s-1", b"third", "call-3")]);
    assert_eq!(again[0].seq, EventSeq(8));
    home.assert_sound();
}

#[test]
fn replay_from_the_middle_and_broken_off() {
    let home = Home::new();
    home.fill(one_of_each());
    let (store, recovered) = open(&home.path).expect("opens");
    assert_eq!(recovered.last_seq, EventSeq(7));
    let mut seen = Vec::new();
    let last = store.replay(EventSeq(3), &mut |recorded: Recorded| {
        seen.push(recorded.seq.0);
        if seen.len() == 2 { std::ops::ControlFlow::Break(()) } else { std::ops::ControlFlow::Continue(()) }
    });
    assert_eq!(last.expect("replays"), EventSeq(4));
    assert_eq!(seen, [3, 4]);
    let past = store.replay(EventSeq(8), &mut |_| std::ops::ControlFlow::Continue(()));
    assert_eq!(past.expect("replays"), EventSeq(7));
}

#[test]
fn a_task_is_queued_until_its_content_is_judged() {
    let home = Home::new();
    let typed = Commit {
        event: Event::Ingested(Box::new(circinus_core::artifact::Artifact {
            analysed: false,
            ..sample::artifact("s-1", b"typed")
        })),
        body: Some(b"typed".as_slice().into()),
        delivery: None,
    };
    home.fill([
        sample::ingest("s-1", b"judged", "1"),
        sample::commit(sample::judged(b"judged", "cheap")),
        // Content that has its verdict is not queued again.
        sample::ingest("s-2", b"judged", "2"),
        typed,
        sample::ingest("s-1", b"open", "3"),
        // The same content twice is one task, of the first artifact.
        sample::ingest("s-2", b"open", "4"),
    ]);
    let (_store, recovered) = open(&home.path).expect("opens");
    assert_eq!(recovered.unfinished, 1);
    let queued = home.reader().tasks(usize::MAX).expect("reads");
    let [task] = queued.as_slice() else { panic!("{queued:?}") };
    assert_eq!(task.artifact.0, EventSeq(5));
    assert_eq!(task.facts.content, Digest::of(b"open"));
    let body = home.reader().body(task.facts.content).expect("reads");
    assert_eq!(body.as_deref(), Some(b"open".as_slice()));
}

/// INVARIANT (first-verdict-wins).
#[test]
fn a_second_verdict_under_the_same_key_adds_nothing() {
    let home = Home::new();
    let mut other = sample::judged(b"x", "cheap");
    if let Event::Judged { judgement, .. } = &mut other {
        judgement.level = circinus_core::evidence::Level::Benign;
    }
    let acks = home.fill([
        sample::commit(sample::judged(b"x", "cheap")),
        sample::commit(other),
        sample::commit(sample::judged(b"x", "deep")),
    ]);
    assert_eq!(
        acks.iter().map(|ack| (ack.seq.0, ack.duplicate)).collect::<Vec<_>>(),
        [(1, false), (1, true), (2, false)]
    );
    let evidence = home.reader().evidence(Digest::of(b"x")).expect("reads");
    assert_eq!(evidence.len(), 2);
    assert_eq!(evidence[0].judgement.level, circinus_core::evidence::Level::Suspicious);
    home.assert_sound();
}

/// A writer whose first transaction waits in its observer, so that what is submitted meanwhile forms one group.
struct Held {
    writer: Writer,
    gate: Arc<Barrier>,
    groups: Receiver<Vec<Recorded>>,
}

impl Held {
    fn new(home: &Home) -> Self {
        let (store, _) = open(&home.path).expect("opens");
        let (gate, (sender, groups)) = (Arc::new(Barrier::new(2)), channel());
        let (inner, mut first) = (Arc::clone(&gate), true);
        let observer = Box::new(move |recorded: &[Recorded]| {
            sender.send(recorded.to_vec()).expect("the test listens");
            if std::mem::take(&mut first) {
                inner.wait();
            }
        });
        let writer = Writer::start(store, observer).expect("starts");
        let held = Self { writer, gate, groups };
        drop(submit(&held.writer, sample::commit(sample::opened("held"))));
        assert_eq!(held.groups.recv_timeout(PATIENCE).expect("observed").len(), 1);
        held
    }

    fn release(&self) {
        self.gate.wait();
    }
}

#[test]
fn a_delivery_twice_in_one_group_is_one_artifact() {
    let home = Home::new();
    let held = Held::new(&home);
    let acks: Vec<_> =
        (0..3).map(|_| submit(&held.writer, sample::ingest("s-1", b"same", "call-1"))).collect();
    held.release();
    let acks: Vec<_> =
        acks.iter().map(|ack| ack.recv_timeout(PATIENCE).expect("called").expect("acknowledged")).collect();
    assert_eq!(
        acks.iter().map(|ack| (ack.seq.0, ack.duplicate)).collect::<Vec<_>>(),
        [(2, false), (2, true), (2, true)]
    );
    assert_eq!(held.groups.recv_timeout(PATIENCE).expect("observed").len(), 1, "one group, one new event");
    // And once more in a later transaction.
    let late = append(&held.writer, sample::ingest("s-1", b"same", "call-1")).expect("acknowledged");
    assert_eq!((late.seq.0, late.duplicate), (2, true));
    drop(held);
    assert_eq!(home.log().len(), 2);
    home.assert_sound();
}

/// INVARIANT (durable-before-visible), INVARIANT (visible-before-ack).
#[test]
fn events_are_durable_when_observed_and_observed_when_acknowledged() {
    let home = Home::new();
    let (store, _) = open(&home.path).expect("opens");
    let visible = Arc::new(Mutex::new(Vec::new()));
    let (path, publish) = (home.path.clone(), Arc::clone(&visible));
    let observer = Box::new(move |recorded: &[Recorded]| {
        // Another connection sees it, so it is committed.
        let reader = circinus_store::Reader::open(&path).expect("opens");
        for event in recorded {
            assert_eq!(reader.event_at(event.seq).expect("reads").as_ref(), Some(event));
            publish.lock().expect("not poisoned").push(event.seq);
        }
    });
    let writer = Arc::new(Writer::start(store, observer).expect("starts"));
    let clients: Vec<_> = (0..8)
        .map(|client| {
            let (writer, visible) = (Arc::clone(&writer), Arc::clone(&visible));
            std::thread::spawn(move || {
                for n in 0..20 {
                    let name = format!("{client}-{n}");
                    let ack =
                        append(&writer, sample::ingest("s", name.as_bytes(), &name)).expect("acknowledged");
                    assert!(visible.lock().expect("not poisoned").contains(&ack.seq));
                }
            })
        })
        .collect();
    for client in clients {
        client.join().expect("client succeeds");
    }
    let visible = visible.lock().expect("not poisoned");
    assert_eq!(*visible, (1..=160).map(EventSeq).collect::<Vec<_>>(), "published in order");
}

#[test]
fn a_full_queue_is_reported_and_a_deadline_is_kept() {
    let home = Home::new();
    let held = Held::new(&home);
    // The held commit still occupies its place.
    let waiting: Vec<_> = (1..limits::QUEUE_COMMITS_MAX)
        .map(|n| submit(&held.writer, sample::ingest("s", b"x", &n.to_string())))
        .collect();
    let one_more = || sample::ingest("s", b"x", "more");
    let uncalled = || -> circinus_store::Ack { Box::new(|_| panic!("called in spite of the refusal")) };
    let full = held.writer.submit(one_more(), uncalled());
    assert!(matches!(full, Err(SubmitError::Full { commits: limits::QUEUE_COMMITS_MAX, .. })), "{full:?}");
    let soon = Instant::now() + Duration::from_millis(10);
    assert!(matches!(held.writer.submit_before(soon, one_more(), uncalled()), Err(SubmitError::Full { .. })));
    held.release();
    for ack in waiting {
        ack.recv_timeout(PATIENCE).expect("called").expect("what was taken is kept");
    }
    let patient = Instant::now() + PATIENCE;
    held.writer.submit_before(patient, one_more(), Box::new(|_| {})).expect("has room again");
}

#[test]
fn what_can_never_be_stored_is_refused_at_the_door() {
    let home = Home::new();
    let writer = home.writer();
    let refuse = |commit: Commit| match writer.submit(commit, Box::new(|_| {})) {
        Err(SubmitError::Invalid(invalid)) => invalid,
        other => panic!("{other:?}"),
    };
    let with_body = Commit { body: Some(b"x".as_slice().into()), ..sample::commit(sample::closed("s")) };
    assert_eq!(refuse(with_body), Invalid::BodyWithoutArtifact);
    let other_body = Commit { body: Some(b"y".as_slice().into()), ..sample::ingest("s", b"x", "1") };
    assert!(matches!(refuse(other_body), Invalid::BodyMismatch { .. }));
    let mut long = sample::artifact("s", b"x");
    long.label = "x".repeat(circinus_core::limits::LABEL_CHARS_MAX + 1).into();
    assert!(matches!(refuse(sample::commit(Event::Ingested(Box::new(long)))), Invalid::TooLarge { .. }));
    append(&writer, sample::ingest("s", b"x", "1")).expect("and the writer goes on");
}

/// INVARIANT (ack-exactly-once).
#[test]
fn a_panic_in_the_observer_abandons_its_group_and_ends_the_writer() {
    let home = Home::new();
    let (store, _) = open(&home.path).expect("opens");
    let writer = Writer::start(store, Box::new(|_| panic!("observer of a test"))).expect("starts");
    let outcome = append(&writer, sample::ingest("s", b"x", "1"));
    assert!(matches!(outcome, Err(AppendError::Abandoned)), "{outcome:?}");
    let deadline = Instant::now() + PATIENCE;
    loop {
        let submitted = writer.submit(sample::ingest("s", b"y", "2"), Box::new(|_| {}));
        if submitted == Err(SubmitError::Ended) {
            break;
        }
        assert!(Instant::now() < deadline, "a writer without its thread answers {submitted:?}");
        std::thread::yield_now();
    }
    drop(writer);
    // It was committed before it was published; only the promise was never made.
    assert_eq!(home.log().len(), 1);
}

#[test]
fn dropping_the_writer_commits_what_is_queued() {
    let home = Home::new();
    let writer = home.writer();
    let acks: Vec<_> = (0..200)
        .map(|n: u32| submit(&writer, sample::ingest("s", &n.to_le_bytes(), &n.to_string())))
        .collect();
    drop(writer);
    assert!(acks.iter().all(|ack| ack.try_recv().is_ok_and(|outcome| outcome.is_ok())));
    assert_eq!(home.log().len(), 200);
}

#[test]
fn the_write_ahead_log_does_not_grow_without_bound() {
    let home = Home::new();
    let writer = home.writer();
    let body = |n: u32| [n.to_le_bytes().as_slice(), &vec![7; 1 << 20]].concat();
    for n in 0..80 {
        append(&writer, sample::ingest("s", &body(n), &n.to_string())).expect("acknowledged");
    }
    let mut wal = home.path.clone().into_os_string();
    wal.push("-wal");
    let len = std::fs::metadata(wal).expect("there is a log").len();
    // 80 MiB went in; one forced copy-back per 32 MiB, and one group may go beyond.
    assert!(len < limits::WAL_FORCED_BYTES + 2 * limits::GROUP_BYTES_MAX as u64, "{len} bytes");
    drop(writer);
    home.assert_sound();
}
