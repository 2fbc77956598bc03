//! One seed: a log is written in groups of random size, then loses its end at a random byte.
//!
//! What was acknowledged before the cut is there, the log ends at the end of a transaction, its index is the one
//! that was published with that transaction, and it can be written on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use circinus::daemon::rebuilt;
use circinus::daemon::texts::Texts;
use circinus_core::authority::Secrecy;
use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event, Recorded};
use circinus_core::evidence::{EvidenceKey, Judgement, Level};
use circinus_core::id::SessionId;
use circinus_core::index::Snapshot;
use circinus_core::ingest::{self, Observation};
use circinus_core::operand::PathContext;
use circinus_core::origin::Origin;
use circinus_core::port::NoGrammar;
use circinus_core::time::{Clock, UnixMillis};
use circinus_store::{Reader, Store, Writer};

use super::check::{Broken, Tally};
use super::random::Random;
use super::{CrashError, Failure, database, io, unexpected};

/// Cuts of one log.
const CUTS: u64 = 3;

/// Groups of one log.
const GROUPS_MAX: u64 = 24;

/// Commits that are handed over together.
const GROUP_MAX: u64 = 6;

/// Time for one acknowledgement.
const PATIENCE: Duration = Duration::from_secs(60);

const SEAL: [u8; 32] = [7; 32];

#[derive(Debug)]
struct Now;

impl Clock for Now {
    fn now(&self) -> UnixMillis {
        UnixMillis(1_700_000_000_000)
    }
}

/// A log as it was written.
pub(super) struct Written {
    main: Vec<u8>,
    wal: Vec<u8>,
    /// Acknowledged, by the length of the write-ahead log at that time: the last event.
    acknowledged: Vec<(u64, u64)>,
    /// The index after each transaction, by its last event.
    published: BTreeMap<u64, Snapshot>,
}

pub(super) fn try_seed(seed: u64, folder: &Path, tally: &mut Tally) -> Result<(), Failure> {
    let mut random = Random::new(seed, 0);
    let home = folder.join("whole");
    let written = write(&database(&home), &mut random)?;
    tally.records += written.acknowledged.last().map_or(0, |(_, seq)| *seq);
    for number in 0..CUTS {
        let cut = random.below(written.wal.len() as u64 + 1);
        let home = folder.join(format!("cut-{number}"));
        fs::create_dir(&home).map_err(io("create a folder"))?;
        let path = database(&home);
        fs::write(&path, &written.main).map_err(io("write the database"))?;
        let kept = usize::try_from(cut).ok().and_then(|cut| written.wal.get(..cut)).unwrap_or_default();
        fs::write(wal_of(&path), kept).map_err(io("write the log"))?;
        tally.lives += 1;
        check(&path, cut, &written, tally)?;
    }
    Ok(())
}

pub(super) fn write(path: &Path, random: &mut Random) -> Result<Written, CrashError> {
    if random.below(2) == 0 {
        // Otherwise the schema itself is in the part that may be cut off.
        drop(open(path)?);
    }
    let published = Arc::new(Mutex::new(BTreeMap::from([(0, rebuilt::empty(None))])));
    let observer = {
        let published = Arc::clone(&published);
        move |events: &[Recorded]| {
            publish(&mut published.lock().unwrap_or_else(PoisonError::into_inner), events)
        }
    };
    let writer = Writer::start(open(path)?, Box::new(observer)).map_err(unexpected)?;
    let mut acknowledged = Vec::new();
    for group in 0..1 + random.below(GROUPS_MAX) {
        let snapshot = newest(&published.lock().unwrap_or_else(PoisonError::into_inner));
        let (send, receive) = mpsc::channel();
        let count = 1 + random.below(GROUP_MAX);
        for number in 0..count {
            let send = send.clone();
            let commit = commit(&format!("g{group}n{number}"), random, &snapshot);
            // A group that waits in vain says so itself.
            let ack = Box::new(move |outcome| drop(send.send(outcome)));
            writer.submit(commit, ack).map_err(unexpected)?;
        }
        let mut last = 0;
        for _ in 0..count {
            let outcome = receive.recv_timeout(PATIENCE).map_err(unexpected)?;
            last = last.max(outcome.map_err(unexpected)?.get().seq.0);
        }
        let length = fs::metadata(wal_of(path)).map_err(io("look at the log"))?.len();
        acknowledged.push((length, last));
    }
    // Before the writer ends, because it copies the log back then.
    let main = fs::read(path).map_err(io("read the database"))?;
    let wal = fs::read(wal_of(path)).map_err(io("read the log"))?;
    drop(writer);
    let published = std::mem::take(&mut *published.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(Written { main, wal, acknowledged, published })
}

fn publish(published: &mut BTreeMap<u64, Snapshot>, events: &[Recorded]) {
    let mut next = newest(published);
    events.iter().for_each(|event| next.apply(event));
    published.insert(next.last().0, next);
}

fn newest(published: &BTreeMap<u64, Snapshot>) -> Snapshot {
    published.last_key_value().map_or_else(|| rebuilt::empty(None), |(_, snapshot)| snapshot.clone())
}

fn check(path: &Path, cut: u64, written: &Written, tally: &mut Tally) -> Result<(), Failure> {
    let store = open(path).map_err(|error| {
        tally.broken += 1;
        Broken::Log(error.to_string())
    })?;
    let rebuilt = rebuilt::of_store(&store, None).map_err(|error| {
        tally.broken += 1;
        Broken::Log(error.to_string())
    })?;
    let last = rebuilt.last().0;
    let promised = written.acknowledged.iter().take_while(|(length, _)| *length <= cut).map(|(_, seq)| *seq);
    let promised = promised.last().unwrap_or(0);
    if last < promised {
        tally.lost += promised - last;
        return Err(Broken::Lost { count: promised - last, first: format!("event {}", last + 1) }.into());
    }
    tally.comparisons += 1;
    if written.published.get(&last) != Some(&rebuilt) {
        tally.differing += 1;
        return Err(Broken::Index { seq: last }.into());
    }
    // It can be written on.
    let writer = Writer::start(store, Box::new(|_| {})).map_err(unexpected)?;
    let (send, receive) = mpsc::channel();
    let more = commit("more", &mut Random::new(cut, 0), &rebuilt);
    writer.submit(more, Box::new(move |outcome| drop(send.send(outcome)))).map_err(unexpected)?;
    let outcome = receive.recv_timeout(PATIENCE).map_err(unexpected)?;
    let next = outcome.map_err(unexpected)?.get().seq.0;
    drop(writer);
    let problems = Reader::open(path).map_err(unexpected)?.verify().map_err(unexpected)?;
    if next != last + 1 || !problems.is_empty() {
        tally.broken += 1;
        return Err(Broken::Log(format!("after a cut at byte {cut}: event {next}, {problems:?}")).into());
    }
    Ok(())
}

fn open(path: &Path) -> Result<Store, CrashError> {
    Store::open(path, Arc::new(Now)).map(|(store, _)| store).map_err(unexpected)
}

fn wal_of(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

/// Something to record: mostly a page, sometimes a judgement of one.
fn commit(name: &str, random: &mut Random, snapshot: &Snapshot) -> Commit {
    let judged = snapshot.artifacts().next().filter(|_| random.below(4) == 0);
    if let Some((_, artifact)) = judged {
        let key = EvidenceKey {
            content: artifact.content,
            analyser: name.into(),
            version: 1,
            config: Digest::of(b"config"),
        };
        let judgement = Judgement { key, level: Level::Benign, findings: Vec::new(), reason: "".into() };
        return Commit { event: Event::Judged { judgement, routing: None }, body: None, delivery: None };
    }
    let lines = if random.below(10) == 0 { 400 } else { random.below(20) };
    let text: String = (0..lines)
        .map(|line| format!("{name}: https://{name}.example.dev/{line} {}\n", random.below(1_000)))
        .collect();
    let paths =
        PathContext { cwd: "/w".into(), home: "/h".into(), workspace: "/w".into(), case_sensitive: true };
    let observation = Observation {
        session: &SessionId::new("s"),
        agent: None,
        call: None,
        event: name,
        origin: Origin::WebFetch,
        label: name,
        bytes: text.as_bytes(),
        text: &text,
        derived: false,
        parents: &[],
        bindings: Vec::new(),
        read_from: None,
        secrecy: Secrecy::Public,
        seal: &SEAL,
        paths: &paths,
        analysed: true,
        grammar: &NoGrammar,
        composed: None,
        texts: &Texts::default(),
    };
    ingest::admit(observation, snapshot)
}
