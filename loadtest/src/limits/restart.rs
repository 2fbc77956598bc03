//! L13: the way back after a stop.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use circinus_core::id::EventSeq;
use circinus_core::index::Snapshot;
use circinus_store::{Reader, Store};

use super::ingest::{self, SystemClock};
use super::promise::all;
use super::sample::{Sample, in_words};
use super::{LimitsError, Row, Setting};
use crate::workload::commits;

/// Commits that wait together while the store is filled.
const AHEAD: u64 = 256;

/// Measures L13.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Row>, LimitsError> {
    let path = setting.folder("restart")?.join("restart.db");
    let ingests = setting.rounds(1_000_000, 200_000) / commits::OPERANDS;
    fill(&path, ingests as u64)?;
    let (mut scans, mut restarts) = (Vec::new(), Vec::new());
    for _ in 0..setting.rounds(7, 3) {
        scans.push(scan(&path)?);
        restarts.push(restart(&path)?);
    }
    let (scan, restart) = (Sample::new(scans), Sample::new(restarts));
    let bytes = std::fs::metadata(&path).map_err(LimitsError::io("look at", &path))?.len();
    let operands = ingests * commits::OPERANDS;
    let told = format!(
        "restart {}, scan {}, {} k operands in {:.0} MB",
        in_words(restart.p50()),
        in_words(scan.p50()),
        operands / 1_000,
        bytes as f64 / 1e6
    );
    let mut rows = vec![Row::of(all::L13_RATIO, restart.p50() / scan.p50(), told)];
    rows.push(if setting.quick {
        Row::skipped(all::L13_TIME, "the quick run has fewer operands")
    } else {
        Row::of(all::L13_TIME, restart.p50(), "opened, checked, every event in the index".into())
    });
    Ok(rows)
}

/// A store with so many ingests, closed in order.
pub(super) fn fill(path: &Path, ingests: u64) -> Result<(), LimitsError> {
    let writer = ingest::open(path)?;
    let mut number = 0;
    while number < ingests {
        let (sender, receiver) = channel();
        let until = ingests.min(number + AHEAD);
        for number in number..until {
            let sender = sender.clone();
            writer.submit(
                commits::ingest(number),
                Box::new(move |outcome| drop(sender.send(outcome.map(|receipt| receipt.get().seq)))),
            )?;
        }
        drop(sender);
        receiver.iter().try_for_each(|outcome| outcome.map(drop))?;
        number = until;
    }
    Ok(())
}

/// Reads the rows that a restart reads, and does nothing with them.
fn scan(path: &Path) -> Result<Duration, LimitsError> {
    let began = Instant::now();
    let reader = Reader::open(path)?;
    std::hint::black_box(reader.scan()?);
    Ok(began.elapsed())
}

/// What the daemon does before it answers: the store is opened and the index built.
fn restart(path: &Path) -> Result<Duration, LimitsError> {
    let began = Instant::now();
    let (store, _) = Store::open(path, Arc::new(SystemClock))?;
    let mut snapshot = Snapshot::new([]);
    store.replay(EventSeq(1), &mut |recorded| {
        snapshot.absorb(recorded);
        ControlFlow::Continue(())
    })?;
    std::hint::black_box(snapshot.operands_len());
    store.checked()?;
    let took = began.elapsed();
    Ok(took)
}
