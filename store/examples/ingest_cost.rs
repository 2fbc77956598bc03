//! What a durable ingest costs, beside the bare write and sync that no store can avoid.
//!
//! `cargo run --release -p circinus-store --example ingest_cost [DIRECTORY]` prints, from one run with the
//! parts interleaved: 4 KB `pwrite` + `fdatasync`; one ingest (4 KB body, 20 operands) at a time; the same from
//! 64 clients; bytes of write-ahead log per ingest over the logical bytes.
#![allow(
    clippy::print_stdout,
    clippy::expect_used,
    clippy::indexing_slicing,
    reason = "a measurement that a person starts and reads"
)]

#[path = "../tests/store/sample.rs"]
mod sample;

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event};
use circinus_core::id::CallId;
use circinus_core::operand::Kind;
use circinus_core::time::{Clock, UnixMillis};
use circinus_store::{Store, Writer, limits};

const BODY_BYTES: usize = 4_096;
const OPERANDS: u64 = 20;
const ROUNDS: u64 = 20;
const PER_ROUND: u64 = 100;
const CLIENTS: u64 = 64;

struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UnixMillis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

fn ingest(n: u64) -> Commit {
    let mut body = vec![b' '; BODY_BYTES];
    body[..8].copy_from_slice(&n.to_le_bytes());
    let mut artifact = sample::artifact("7f1c9f0e-52a5-4ad7-9f0b-0b6f4f7a2c11", &body);
    artifact.call = Some(CallId::new(format!("toolu_{n:024}")));
    artifact.operands = (0..OPERANDS)
        .map(|i| sample::hit(Kind::Url, &format!("https://docs-{i}.example.org/guide/{n}/page"), &[]))
        .collect();
    Commit {
        event: Event::Ingested(Box::new(artifact)),
        body: Some(body.into()),
        delivery: Some(Digest::of(&n.to_be_bytes())),
    }
}

/// Bytes that the caller means: body and operands as text with their places, and the event beside them.
fn logical_bytes(commit: &Commit) -> usize {
    let body = commit.body.as_ref().map_or(0, |body| body.len());
    let event = match &commit.event {
        Event::Ingested(artifact) => postcard::to_stdvec(artifact).expect("encodes").len(),
        _ => 0,
    };
    body + event
}

fn open(path: &Path) -> Writer {
    let (store, _) = Store::open(path, Arc::new(SystemClock)).expect("opens");
    Writer::start(store, Box::new(|_| {})).expect("starts")
}

fn timed_append(writer: &Writer, commit: Commit) -> Duration {
    let (sender, receiver) = channel();
    let start = Instant::now();
    writer.submit(commit, Box::new(move |outcome| drop(sender.send(outcome)))).expect("has room");
    let outcome = receiver.recv().expect("is called");
    let took = start.elapsed();
    outcome.expect("is acknowledged").get();
    took
}

fn bare_sync(file: &File, n: u64) -> io::Result<Duration> {
    let block = [u8::try_from(n % 251).unwrap_or(0); 4_096];
    let start = Instant::now();
    // Over blocks that exist, as the write-ahead log does once it has its length.
    file.write_all_at(&block, n % 256 * 4_096)?;
    file.sync_data()?;
    Ok(start.elapsed())
}

fn show(what: &str, times: &mut [Duration]) -> (f64, f64) {
    times.sort_unstable();
    let at = |per_mille: usize| times[(times.len() - 1) * per_mille / 1_000].as_secs_f64() * 1e6;
    println!(
        "{what:34} n {:6}  p50 {:8.1} us  p95 {:8.1}  p99 {:8.1}",
        times.len(),
        at(500),
        at(950),
        at(990)
    );
    (at(500), at(990))
}

fn grouped(writer: &Arc<Writer>, first: u64) -> (f64, Vec<Duration>) {
    let start = Instant::now();
    let clients: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let writer = Arc::clone(writer);
            std::thread::spawn(move || -> Vec<Duration> {
                (0..PER_ROUND)
                    .map(|n| timed_append(&writer, ingest(first + client * PER_ROUND + n)))
                    .collect()
            })
        })
        .collect();
    let times: Vec<Duration> = clients.into_iter().flat_map(|c| c.join().expect("client ends")).collect();
    (times.len() as f64 / start.elapsed().as_secs_f64(), times)
}

fn wal_ratio(dir: &Path) -> f64 {
    const INGESTS: u64 = 500;
    let path = dir.join("wal.db");
    let writer = open(&path);
    let wal = PathBuf::from(format!("{}-wal", path.display()));
    // The first ones fill empty trees, and are left out.
    for n in 0..200 {
        timed_append(&writer, ingest(n));
    }
    let before = wal.metadata().expect("is there").len();
    for n in 200..200 + INGESTS {
        timed_append(&writer, ingest(n));
    }
    let after = wal.metadata().expect("is there").len();
    // A log that was copied back starts over and no longer grows; its length would say too little.
    assert!(after < limits::WAL_FORCED_BYTES, "the log was copied back during the measurement");
    let bytes = (after - before) as f64 / INGESTS as f64;
    let logical = logical_bytes(&ingest(1)) as f64;
    println!("write-ahead log {bytes:.0} B per ingest, logical {logical:.0} B: {:.2}x", bytes / logical);
    bytes / logical
}

fn main() {
    let base = std::env::args_os().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let dir = tempfile::tempdir_in(base).expect("temporary directory");
    let file =
        File::options().read(true).write(true).create(true).truncate(true).open(dir.path().join("bare"));
    let file = file.expect("creates");
    file.write_all_at(&vec![0; 1 << 20], 0).expect("writes");
    file.sync_all().expect("syncs");

    let writer = Arc::new(open(&dir.path().join("single.db")));
    let (mut bare, mut single) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        for n in 0..PER_ROUND {
            bare.push(bare_sync(&file, n).expect("syncs"));
            single.push(timed_append(&writer, ingest(round * PER_ROUND + n)));
        }
    }
    let single_rate = single.len() as f64 / single.iter().sum::<Duration>().as_secs_f64();
    let (group_rate, mut group) = grouped(&writer, 1 << 32);
    let (bare_p50, _) = show("4 KB pwrite + fdatasync", &mut bare);
    let (p50, p99) = show("ingest, one at a time", &mut single);
    show("ingest, 64 clients", &mut group);
    println!("L5 ingest p50 / sync p50     {:6.2}", p50 / bare_p50);
    println!("L6 ingest p99 / ingest p50   {:6.2}", p99 / p50);
    println!(
        "L7 64 clients / one at a time {:5.2}  ({group_rate:.0} / {single_rate:.0} per second)",
        group_rate / single_rate
    );
    println!("L8 log bytes / logical bytes {:6.2}", wal_ratio(dir.path()));
}
