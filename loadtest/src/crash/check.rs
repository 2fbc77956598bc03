//! The checker: what was promised against what is on disk.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use circinus::daemon::rebuilt;
use circinus_core::digest::Digest;
use circinus_core::event::Event;
use circinus_core::id::EventSeq;
use circinus_core::time::{Clock, UnixMillis};
use circinus_store::{Reader, Store};
use thiserror::Error;

use super::load::Promise;
use super::{CrashError, Failure, database, unexpected};

/// Sums over what was tried.
#[derive(Clone, Debug, Default)]
pub struct Tally {
    /// Daemons that were started and ended.
    pub lives: u64,
    /// Tool results acknowledged.
    pub records: u64,
    /// Decisions that were promised to be on disk.
    pub decisions: u64,
    /// States of an index that were compared with one folded from the log.
    pub comparisons: u64,
    /// Acknowledged and not there.
    pub lost: u64,
    /// Logs that do not verify.
    pub broken: u64,
    /// States of the index that differ.
    pub differing: u64,
}

impl Tally {
    pub(super) fn add(&mut self, other: &Self) {
        let Self { lives, records, decisions, comparisons, lost, broken, differing } = other;
        self.lives += lives;
        self.records += records;
        self.decisions += decisions;
        self.comparisons += comparisons;
        self.lost += lost;
        self.broken += broken;
        self.differing += differing;
    }

    pub(super) fn promised(&mut self, promises: &[Promise]) {
        for promise in promises {
            match promise {
                Promise::Record(_) => self.records += 1,
                Promise::Decision(_) => self.decisions += 1,
            }
        }
    }
}

/// A promise that does not hold.
#[derive(Debug, Error)]
pub(super) enum Broken {
    /// Acknowledged and not there.
    #[error("{count} acknowledged are lost, among them {first}")]
    Lost {
        /// How many.
        count: u64,
        /// One of them.
        first: String,
    },
    /// The log does not verify.
    #[error("the log does not verify: {0}")]
    Log(String),
    /// Tasks are not those of the log.
    #[error("{found} contents wait for analysis, the log says {wanted}")]
    Tasks {
        /// What the log says.
        wanted: usize,
        /// What the store says.
        found: u64,
    },
    /// An index is not what its log gives.
    #[error("the index at event {seq} was not what the log gives")]
    Index {
        /// The last event of that state.
        seq: u64,
    },
}

#[derive(Debug)]
struct Now;

impl Clock for Now {
    fn now(&self) -> UnixMillis {
        UnixMillis(0)
    }
}

/// A state of an index: its last event and its identity.
pub(super) type Sample = (u64, String);

/// Opens the store as a start would and checks everything that was promised of it.
pub(super) fn check(
    home: &Path,
    promised: &BTreeSet<Promise>,
    samples: &[Sample],
    tally: &mut Tally,
) -> Result<(), Failure> {
    let path = database(home);
    if !path.exists() && promised.is_empty() {
        return Ok(());
    }
    let (store, recovered) = Store::open(&path, Arc::new(Now)).map_err(|error| {
        tally.broken += 1;
        Broken::Log(error.to_string())
    })?;
    let wanted: BTreeMap<u64, &str> = samples.iter().map(|(seq, identity)| (*seq, &**identity)).collect();
    let mut snapshot = rebuilt::empty(None);
    let mut there = BTreeSet::new();
    let (mut analysed, mut judged) = (BTreeSet::new(), BTreeSet::<Digest>::new());
    let mut differing = Vec::new();
    let replayed = store.replay(EventSeq(1), &mut |recorded| {
        snapshot.apply(&recorded);
        if let Some(identity) = wanted.get(&recorded.seq.0) {
            tally.comparisons += 1;
            if *identity != snapshot.identity().to_string() {
                differing.push(recorded.seq.0);
            }
        }
        match recorded.event {
            Event::Ingested(artifact) => {
                there.extend(names(&artifact.label).map(Promise::Record));
                if artifact.analysed {
                    analysed.insert(artifact.content);
                }
            }
            Event::Decided(record) => there.extend(names(&record.summary).map(Promise::Decision)),
            Event::Judged { judgement, .. } => _ = judged.insert(judgement.key.content),
            _ => {}
        }
        ControlFlow::Continue(())
    });
    drop(store);
    if let Err(error) = replayed {
        tally.broken += 1;
        return Err(Broken::Log(error.to_string()).into());
    }
    verify(&path, tally)?;
    differs(differing, tally)?;
    let lost: Vec<_> = promised.difference(&there).collect();
    if let Some(first) = lost.first() {
        tally.lost += lost.len() as u64;
        return Err(Broken::Lost { count: lost.len() as u64, first: format!("{first:?}") }.into());
    }
    let waiting = analysed.difference(&judged).count();
    if recovered.unfinished != waiting as u64 {
        return Err(Broken::Tasks { wanted: waiting, found: recovered.unfinished }.into());
    }
    Ok(())
}

fn verify(path: &Path, tally: &mut Tally) -> Result<(), Failure> {
    let reader = Reader::open(path).map_err(unexpected)?;
    let problems = reader.verify().map_err(unexpected)?;
    if problems.is_empty() {
        return Ok(());
    }
    tally.broken += 1;
    let problems: Vec<_> = problems.iter().map(ToString::to_string).collect();
    Err(Broken::Log(problems.join("; ")).into())
}

fn differs(differing: Vec<u64>, tally: &mut Tally) -> Result<(), Broken> {
    tally.differing += differing.len() as u64;
    differing.first().map_or(Ok(()), |seq| Err(Broken::Index { seq: *seq }))
}

/// Compares the index of a running daemon with one folded from its log.
pub(super) fn compare(home: &Path, (seq, identity): &Sample, tally: &mut Tally) -> Result<(), Failure> {
    let reader = Reader::open(&database(home)).map_err(unexpected)?;
    let snapshot = rebuilt::of_reader(&reader, EventSeq(*seq), None).map_err(unexpected)?;
    if snapshot.last().0 != *seq {
        return Err(
            CrashError::Unexpected(format!("the index is at event {seq}, the log ends before it")).into()
        );
    }
    tally.comparisons += 1;
    let differing = if snapshot.identity().to_string() == *identity { Vec::new() } else { vec![*seq] };
    Ok(differs(differing, tally)?)
}

/// The names of the load in a label or summary.
fn names(text: &str) -> impl Iterator<Item = String> + '_ {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric());
    words.filter(|word| word.starts_with("life") && word.contains('n')).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::super::cut;
    use super::super::random::Random;
    use super::*;

    /// A home with a written log.
    fn home() -> tempfile::TempDir {
        let home = tempfile::tempdir().unwrap();
        cut::write(&database(home.path()), &mut Random::new(3, 0)).unwrap();
        home
    }

    #[track_caller]
    fn broken(home: &Path, promised: &[Promise], samples: &[Sample]) -> Broken {
        let promised = promised.iter().cloned().collect();
        match check(home, &promised, samples, &mut Tally::default()) {
            Err(Failure::Broken(broken)) => broken,
            other => panic!("nothing was found: {other:?}"),
        }
    }

    #[test]
    fn a_whole_log_passes_and_what_is_missing_is_found() {
        let home = home();
        check(home.path(), &BTreeSet::new(), &[], &mut Tally::default()).unwrap();
        let lost = broken(home.path(), &[Promise::Record("life9c9n9".to_owned())], &[]);
        assert!(matches!(lost, Broken::Lost { count: 1, .. }), "{lost}");
        let other = broken(home.path(), &[], &[(1, "00".to_owned())]);
        assert!(matches!(other, Broken::Index { seq: 1 }), "{other}");
    }

    #[test]
    fn a_changed_byte_is_found() {
        let home = home();
        let path = database(home.path());
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 64].fill(0xa5);
        std::fs::write(&path, bytes).unwrap();
        let found = broken(home.path(), &[], &[]);
        assert!(matches!(found, Broken::Log(_)), "{found}");
    }
}
