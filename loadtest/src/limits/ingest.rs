//! L5 to L8: what durability costs, beside the bare write and sync that no store can avoid.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use circinus_core::event::Commit;
use circinus_core::time::{Clock, UnixMillis};
use circinus_store::{Store, Writer, limits};

use super::promise::all;
use super::sample::{Sample, in_words};
use super::{LimitsError, Row, Setting};
use crate::workload::commits::{ingest, logical_bytes};

const CLIENTS: u64 = 64;
const SYNC_BYTES: usize = 4_096;

/// The wall clock.
#[derive(Clone, Copy, Debug)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> UnixMillis {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        UnixMillis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
    }
}

/// Measures L5 to L8.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Row>, LimitsError> {
    let folder = setting.folder("ingest")?;
    let writer = Arc::new(open(&folder.join("ingest.db"))?);
    let path = folder.join("bare");
    let bare_file = bare_file(&path).map_err(LimitsError::io("prepare", &path))?;
    let (mut bare, mut single) = (Vec::new(), Vec::new());
    let mut rates = [0.0; 2];
    let rounds = setting.rounds(20, 5) as u64;
    for round in 0..rounds {
        for n in 0..100 {
            bare.push(bare_sync(&bare_file, n).map_err(LimitsError::io("sync", &path))?);
            single.push(timed_append(&writer, ingest(round * 100 + n))?);
        }
        // Both rates in each round, so that a slow moment of the disk falls on both.
        let began = Instant::now();
        for n in 0..50 {
            timed_append(&writer, ingest((1 << 40) + round * 50 + n))?;
        }
        let alone = 50.0 / began.elapsed().as_secs_f64();
        let together = grouped(&writer, (round + 1) << 32)?;
        rates = [rates[0] + alone, rates[1] + together];
    }
    let (bare, single) = (Sample::new(bare), Sample::new(single));
    let [alone, together] = rates.map(|sum| sum / rounds as f64);
    let told =
        format!("ingest {}, sync {}, {} each", in_words(single.p50()), in_words(bare.p50()), single.len());
    Ok(vec![
        Row::of(all::L5, single.p50() / bare.p50(), told),
        Row::of(all::L6, single.p99() / single.p50(), format!("p99 {}", in_words(single.p99()))),
        Row::of(all::L7, together / alone, format!("{together:.0} and {alone:.0} a second")),
        log_bytes(&folder)?,
    ])
}

/// A store with its writer.
///
/// # Errors
/// The store's.
pub fn open(path: &Path) -> Result<Writer, LimitsError> {
    let (store, _) = Store::open(path, Arc::new(SystemClock))?;
    Ok(Writer::start(store, Box::new(|_| {}))?)
}

/// Commits and waits for the receipt; gives how long that took.
///
/// # Errors
/// When it was not taken, or not acknowledged.
pub fn timed_append(writer: &Writer, commit: Commit) -> Result<Duration, LimitsError> {
    let (sender, receiver) = channel();
    let began = Instant::now();
    writer.submit(commit, Box::new(move |outcome| drop(sender.send(outcome))))?;
    let outcome = receiver.recv().map_err(|_| LimitsError::Lost)?;
    let took = began.elapsed();
    outcome?.get();
    Ok(took)
}

fn bare_file(path: &Path) -> io::Result<File> {
    let file = File::options().read(true).write(true).create(true).truncate(true).open(path)?;
    file.write_all_at(&vec![0; 1 << 20], 0)?;
    file.sync_all()?;
    Ok(file)
}

/// Over blocks that exist, as the write-ahead log does once it has its length.
fn bare_sync(file: &File, n: u64) -> io::Result<Duration> {
    let block = [u8::try_from(n % 251).unwrap_or(0); SYNC_BYTES];
    let began = Instant::now();
    file.write_all_at(&block, n % 256 * SYNC_BYTES as u64)?;
    file.sync_data()?;
    Ok(began.elapsed())
}

/// Ingests a second with [`CLIENTS`] clients that each wait for their own receipt.
fn grouped(writer: &Arc<Writer>, first: u64) -> Result<f64, LimitsError> {
    const PER_CLIENT: u64 = 20;
    let commits: Vec<Vec<Commit>> = (0..CLIENTS)
        .map(|client| (0..PER_CLIENT).map(|n| ingest(first + client * PER_CLIENT + n)).collect())
        .collect();
    let began = Instant::now();
    let clients: Vec<_> = commits
        .into_iter()
        .map(|commits| {
            let writer = Arc::clone(writer);
            thread::spawn(move || {
                commits.into_iter().try_for_each(|commit| timed_append(&writer, commit).map(drop))
            })
        })
        .collect();
    for client in clients {
        client.join().map_err(|_| LimitsError::Lost)??;
    }
    Ok((CLIENTS * PER_CLIENT) as f64 / began.elapsed().as_secs_f64())
}

/// L8: growth of the log over what was meant.
fn log_bytes(folder: &Path) -> Result<Row, LimitsError> {
    /// The first ones fill empty trees, and are left out.
    const BEFORE: u64 = 200;
    const COUNTED: u64 = 500;
    let writer = open(&folder.join("log.db"))?;
    let log = folder.join("log.db-wal");
    let length = || log.metadata().map(|log| log.len()).map_err(LimitsError::io("look at", &log));
    for n in 0..BEFORE {
        timed_append(&writer, ingest(n))?;
    }
    let before = length()?;
    for n in BEFORE..BEFORE + COUNTED {
        timed_append(&writer, ingest(n))?;
    }
    let after = length()?;
    if after >= limits::WAL_FORCED_BYTES {
        // A log that was copied back starts over and no longer grows; its length would say too little.
        return Ok(Row::skipped(all::L8, "the log was copied back during the measurement"));
    }
    let (bytes, logical) = ((after - before) as f64 / COUNTED as f64, logical_bytes(&ingest(1)) as f64);
    Ok(Row::of(all::L8, bytes / logical, format!("log {bytes:.0} B, logical {logical:.0} B per ingest")))
}
