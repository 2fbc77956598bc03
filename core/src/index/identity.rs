//! What identifies a state of the index: one digest of everything in it.
//!
//! Two processes of one build compare their states by it: the daemon's, which grew event by event, and one that was
//! folded from the log anew. It is no stored form.

use std::fmt::{self, Debug, Write};

use super::{Horizon, Snapshot};
use crate::digest::{Digest, Digester};

/// Feeds what is formatted to a digest.
struct Feed(Digester);

impl Write for Feed {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.0.update(text.as_bytes());
        Ok(())
    }
}

/// The digest of a value whose debug form has one order. That form is derived everywhere and so names every field.
pub(super) fn of(value: impl Debug) -> Digest {
    let mut feed = Feed(Digester::default());
    // A digester takes everything, and a derived form does not fail by itself.
    let formatted = write!(feed, "{value:?}");
    debug_assert!(formatted.is_ok(), "a debug form that fails is no identity");
    feed.0.finish()
}

/// The digest of entries in whatever order they come.
pub(super) fn of_unordered<T: Debug>(entries: impl IntoIterator<Item = T>) -> Digest {
    let mut digests: Vec<Digest> = entries.into_iter().map(of).collect();
    digests.sort_unstable();
    of_all(digests)
}

/// The digest of digests.
pub(super) fn of_all(digests: impl IntoIterator<Item = Digest>) -> Digest {
    let mut all = Digester::default();
    digests.into_iter().for_each(|digest| all.update(&digest.0));
    all.finish()
}

impl Horizon {
    fn identity(&self) -> Digest {
        let Self { postings, prints, carried, artifacts, imported } = self;
        of_all([of(postings), of(prints), of_unordered(carried), of(artifacts), of(imported)])
    }
}

impl Snapshot {
    /// The digest of everything in this state; equal exactly for equal states, within one build. Takes time in
    /// proportion to the index.
    pub fn identity(&self) -> Digest {
        let Self {
            last,
            artifacts,
            operands,
            horizons,
            workspaces,
            sessions,
            calls,
            files,
            activity,
            standing,
            spend,
            acts,
            unreliable,
        } = self;
        of_all([
            of((last, operands, activity)),
            of(artifacts),
            of_unordered(horizons.iter().map(|(root, horizon)| (root, horizon.identity()))),
            of_unordered(workspaces),
            of_unordered(sessions),
            of_unordered(calls),
            files.identity(),
            standing.identity(),
            spend.identity(),
            acts.identity(),
            of_unordered(unreliable),
        ])
    }
}
