//! The index, built anew from the log: at the start, and to compare a running one with.

use std::ops::ControlFlow;

use circinus_analyzer::content;
use circinus_core::event::Recorded;
use circinus_core::id::EventSeq;
use circinus_core::index::{Required, Snapshot};
use circinus_store::{Reader, ReplayError, Store};

/// The index of a store that was just opened: a fold of the log and nothing else.
///
/// # Errors
///
/// See [`ReplayError`].
pub fn of_store(store: &Store) -> Result<Snapshot, ReplayError> {
    let mut snapshot = empty();
    store.replay(EventSeq(1), &mut folding(&mut snapshot, EventSeq(u64::MAX)))?;
    Ok(snapshot)
}

/// The index as it was after the event `last`, or as it is where the log is shorter.
///
/// # Errors
///
/// See [`ReplayError`].
pub fn of_reader(reader: &Reader, last: EventSeq) -> Result<Snapshot, ReplayError> {
    let mut snapshot = empty();
    reader.replay(EventSeq(1), &mut folding(&mut snapshot, last))?;
    Ok(snapshot)
}

/// The index of an empty log.
pub fn empty() -> Snapshot {
    let (analyser, version, config) = content::analyser();
    Snapshot::new([Required { analyser: analyser.into(), version, config }])
}

fn folding(snapshot: &mut Snapshot, last: EventSeq) -> impl FnMut(Recorded) -> ControlFlow<()> {
    move |recorded| {
        if recorded.seq > last {
            return ControlFlow::Break(());
        }
        snapshot.absorb(recorded);
        ControlFlow::Continue(())
    }
}
