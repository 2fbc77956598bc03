//! INVARIANT (durable-before-ack): what was acknowledged is there after the process was killed, or after the
//! end of the write-ahead log was lost.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use circinus_core::digest::Digest;
use circinus_core::event::{Event, Recorded};
use circinus_core::id::EventSeq;
use circinus_store::limits::PAGE_ROWS_MAX;

use crate::child::{self, body};
use crate::harness::{Home, append, open, replay};
use crate::sample;

const KILLS: u64 = 30;

/// What a child said: sequence number -> (artifact or judgement, content).
type Said = BTreeMap<u64, (char, Digest)>;

fn parse(line: &str, said: &mut Said) {
    let words: Vec<&str> = line.split(' ').collect();
    let [what, seq, run, client, n] = words.as_slice() else { panic!("unexpected: {line}") };
    let number = |text: &str| text.parse::<u64>().expect("a number");
    let content = Digest::of(&body(run, number(client), number(n)));
    said.insert(number(seq), (what.chars().next().expect("a letter"), content));
}

#[test]
fn everything_acknowledged_survives_a_kill() {
    let home = Home::new();
    let mut said = Said::new();
    for kill in 0..KILLS {
        let mut child = child::command(&child::this_exe(), "ingest", &home.path).spawn().expect("starts");
        let mut lines = child::lines(&mut child);
        // A different amount of work each time; where in a commit the kill falls is up to the scheduler.
        for line in lines.by_ref().take(usize::try_from(5 + kill * 7 % 60).expect("small")) {
            parse(&line, &mut said);
        }
        child.kill().expect("is killed");
        child.wait().expect("has ended");
        // Said before the kill, read after it: acknowledged all the same.
        lines.for_each(|line| parse(&line, &mut said));
        check(&home, &said);
    }
    assert!(said.len() > 500, "only {} acknowledgements", said.len());
    home.assert_sound();
}

/// Every acknowledged event is in the log, and a task is open exactly where no verdict is.
fn check(home: &Home, said: &Said) {
    let (store, recovered) = open(&home.path).expect("opens after a kill");
    let log = replay(&store);
    assert_eq!(log.len() as u64, recovered.last_seq.0);
    let by_seq: BTreeMap<u64, &Event> =
        log.iter().map(|recorded| (recorded.seq.0, &recorded.event)).collect();
    for (seq, (what, content)) in said {
        let found = match (what, by_seq.get(seq)) {
            ('a', Some(Event::Ingested(artifact))) => artifact.content,
            ('j', Some(Event::Judged { judgement, .. })) => judgement.key.content,
            (_, other) => panic!("event {seq} was acknowledged and is {other:?}"),
        };
        assert_eq!(found, *content);
    }
    let (mut open_contents, mut judged) = (BTreeSet::new(), BTreeSet::new());
    for Recorded { event, .. } in &log {
        match event {
            Event::Ingested(artifact) => _ = open_contents.insert(artifact.content),
            Event::Judged { judgement, .. } => _ = judged.insert(judgement.key.content),
            _ => {}
        }
    }
    let wanted: BTreeSet<Digest> = open_contents.difference(&judged).copied().collect();
    drop(store);
    let reader = home.reader();
    let queued = reader.tasks(usize::MAX).expect("reads");
    let found: BTreeSet<Digest> = queued.iter().map(|task| task.facts.content).collect();
    assert_eq!(recovered.unfinished, wanted.len() as u64, "unfinished tasks");
    assert!(found.is_subset(&wanted) && found.len() == wanted.len().min(PAGE_ROWS_MAX), "unfinished tasks");
    for task in queued.iter().take(20) {
        let body = reader.body(task.facts.content).expect("reads").expect("is kept");
        assert_eq!(Digest::of(&body), task.facts.content);
    }
}

fn beside(home: &Home, suffix: &str) -> PathBuf {
    let mut name = home.path.clone().into_os_string();
    name.push(suffix);
    name.into()
}

/// INVARIANT (one-transaction): a log that was cut at any byte opens as the events whose commit was whole before the cut.
#[test]
fn a_cut_log_is_a_prefix() {
    const HEADER_BYTES: u64 = 32;
    const FRAME_BYTES: u64 = circinus_store::limits::PAGE_BYTES as u64 + 24;

    let home = Home::new();
    // The schema goes into the main file, so that every cut falls into events.
    drop(home.writer());
    let writer = home.writer();
    let mut ends = Vec::new();
    for n in 0..30_u64 {
        append(&writer, sample::ingest("s", &body("cut", 0, n), &n.to_string())).expect("acknowledged");
        ends.push(std::fs::metadata(beside(&home, "-wal")).expect("there is a log").len());
    }
    let (main, wal) =
        (std::fs::read(&home.path).expect("reads"), std::fs::read(beside(&home, "-wal")).expect("reads"));
    drop(writer);

    let len = wal.len() as u64;
    let frames = (len - HEADER_BYTES) / FRAME_BYTES;
    assert_eq!(len, HEADER_BYTES + frames * FRAME_BYTES, "the log is whole frames");
    assert!(frames > 60, "{frames} frames");
    let at_frames = (0..=frames).map(|frame| HEADER_BYTES + frame * FRAME_BYTES);
    let in_frames =
        (0..frames).step_by(5).map(|frame| HEADER_BYTES + frame * FRAME_BYTES + 1 + frame * 61 % 2_000);
    for cut in at_frames.chain(in_frames).chain([0, 1, 31]) {
        let copy = Home::new();
        std::fs::create_dir(copy.path.parent().expect("has a directory")).expect("creates");
        std::fs::write(&copy.path, &main).expect("writes");
        std::fs::write(beside(&copy, "-wal"), &wal[..usize::try_from(cut).expect("fits")]).expect("writes");
        let whole = ends.iter().filter(|end| **end <= cut).count() as u64;
        let (store, recovered) = open(&copy.path).expect("opens after a cut");
        assert_eq!(recovered.last_seq, EventSeq(whole), "cut at byte {cut}");
        assert_eq!(replay(&store).len() as u64, whole);
        assert_eq!(recovered.unfinished, whole);
        drop(store);
        copy.assert_sound();
    }
}

/// Bytes of the log turned over: what comes from there on is not taken for events.
#[test]
fn a_damaged_log_frame_ends_the_prefix() {
    let home = Home::new();
    drop(home.writer());
    let writer = home.writer();
    let mut ends = Vec::new();
    for n in 0..10_u64 {
        append(&writer, sample::ingest("s", &body("flip", 0, n), &n.to_string())).expect("acknowledged");
        ends.push(std::fs::metadata(beside(&home, "-wal")).expect("there is a log").len());
    }
    let (main, wal) =
        (std::fs::read(&home.path).expect("reads"), std::fs::read(beside(&home, "-wal")).expect("reads"));
    for at in (40..wal.len()).step_by(wal.len() / 12) {
        let copy = Home::new();
        std::fs::create_dir(copy.path.parent().expect("has a directory")).expect("creates");
        let mut damaged = wal.clone();
        damaged[at] ^= 0x40;
        std::fs::write(&copy.path, &main).expect("writes");
        std::fs::write(beside(&copy, "-wal"), &damaged).expect("writes");
        let whole = ends.iter().filter(|end| **end <= at as u64).count() as u64;
        let (store, recovered) = open(&copy.path).expect("opens after damage");
        assert_eq!(recovered.last_seq, EventSeq(whole), "byte {at}");
        drop(store);
        copy.assert_sound();
    }
}
