//! The index, built anew from the log: at the start, and to compare a running one with.

use std::ops::ControlFlow;

use circinus_analyzer::content;
use circinus_analyzer::provider::EndpointError;
use circinus_analyzer::strong::Strong;
use circinus_core::event::Recorded;
use circinus_core::id::EventSeq;
use circinus_core::index::{Required, Snapshot};
use circinus_store::{Reader, ReplayError, Store};

use super::strong::StrongTier;
use crate::config::Config;

/// The index of a store that was just opened: a fold of the log and nothing else.
///
/// # Errors
///
/// See [`ReplayError`].
pub fn of_store(store: &Store, strong: Option<Required>) -> Result<Snapshot, ReplayError> {
    let mut snapshot = empty(strong);
    store.replay(EventSeq(1), &mut folding(&mut snapshot, EventSeq(u64::MAX)))?;
    Ok(snapshot)
}

/// The index as it was after the event `last`, or as it is where the log is shorter.
///
/// # Errors
///
/// See [`ReplayError`].
pub fn of_reader(reader: &Reader, last: EventSeq, strong: Option<Required>) -> Result<Snapshot, ReplayError> {
    let mut snapshot = empty(strong);
    reader.replay(EventSeq(1), &mut folding(&mut snapshot, last))?;
    Ok(snapshot)
}

/// The index of an empty log; `strong` is the model's analyser, where one is configured.
pub fn empty(strong: Option<Required>) -> Snapshot {
    let (analyser, version, config) = content::analyser();
    Snapshot::with_strong([Required { analyser: analyser.into(), version, config }], strong)
}

/// The analyser of the model that a configuration names.
///
/// # Errors
///
/// When its endpoint cannot be one.
pub fn strong(config: &Config) -> Result<Option<Required>, EndpointError> {
    let settings = config.model.settings()?;
    Ok(settings.map(|(settings, _)| StrongTier::required(&Strong::new(settings))))
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
