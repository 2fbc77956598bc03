//! What the sessions of a workspace share, and what copies of code and unexplained payloads add up to.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use imbl::{OrdMap, OrdSet};

use super::Snapshot;
use super::segment::{Postings, Prints};
use crate::artifact::{Artifact, Binding};
use crate::copied;
use crate::event::DecisionRecord;
use crate::id::{ArtifactId, SessionId};
use crate::limits;
use crate::lineage::Inferred;
use crate::operand::Operand;
use crate::policy::Verdict;

/// What every session of one workspace sees of the others.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Shared {
    /// Roots among its files: they grant in every session of it.
    pub(super) postings: Postings,
    prints: Prints,
    /// Files that the agent wrote with copied code and that a build or test tool may run.
    copied: OrdSet<Operand>,
}

impl Snapshot {
    /// Adds what an artifact means for every session of its workspace.
    pub(super) fn share(&mut self, id: ArtifactId, artifact: &Artifact) {
        let Some(session) = self.sessions.get(&artifact.session) else { return };
        let name = session.workspace.clone();
        let copies = self.holds_copies(id);
        let shared = self.workspaces.entry(name.clone()).or_default();
        if artifact.root && artifact.origin.is_workspace_file() {
            shared.postings = shared.postings.with(id, artifact);
            shared.prints = shared.prints.with(id, artifact);
        }
        for Binding { path, .. } in artifact.bindings.iter().filter(|binding| !binding.tree) {
            if copies && copied::may_run(path, &name) {
                shared.copied.insert(path.clone());
            } else {
                shared.copied.remove(path);
            }
        }
    }

    /// Whether an artifact, or one that it was copied from, is agent text with copied code in it.
    fn holds_copies(&self, id: ArtifactId) -> bool {
        let chain = std::iter::once(id).chain(self.whole_ancestors(id));
        chain.filter_map(|id| self.artifact(id)).any(|artifact| self.copies(artifact).next().is_some())
    }

    /// Counts what a decided call may have carried away. One that was asked about may have run all the same.
    pub(super) fn carry(&mut self, record: &DecisionRecord) {
        let explanation = &record.explanation;
        if explanation.payloads.is_empty() || explanation.verdict == Verdict::Block {
            return;
        }
        let horizon = self.horizons.entry(self.root_of(&record.session).clone()).or_default();
        for payload in &explanation.payloads {
            let pieces = horizon.carried.entry(payload.site.clone()).or_default();
            for piece in &payload.pieces {
                if pieces.len() < limits::CARRIED_PIECES_MAX {
                    pieces.insert(piece.digest, piece.bytes);
                }
            }
        }
    }

    /// What the sessions of a session's workspace share.
    pub(super) fn shared(&self, session: &SessionId) -> Option<&Shared> {
        self.sessions.get(session).and_then(|session| self.workspaces.get(&session.workspace))
    }

    /// Artifacts that share fingerprints with a text, and how many: what the session sees, and roots among
    /// the files of its workspace. Those that share most come first.
    pub fn sharing(&self, prints: &HashSet<u32>, session: &SessionId) -> Vec<(ArtifactId, usize)> {
        let seen = self.horizons.get(self.root_of(session)).map(|horizon| &horizon.prints);
        let filed = self.shared(session).map(|shared| &shared.prints);
        let mut counts: BTreeMap<ArtifactId, usize> = BTreeMap::new();
        for print in prints {
            let holders = seen.into_iter().chain(filed).flat_map(|prints| prints.holders(*print));
            // An artifact that is both seen and filed counts once.
            let holders: BTreeSet<ArtifactId> = holders.collect();
            holders.into_iter().for_each(|id| *counts.entry(id).or_default() += 1);
        }
        let mut shared: Vec<_> = counts.into_iter().collect();
        shared.sort_by_key(|(id, count)| (std::cmp::Reverse(*count), *id));
        shared
    }

    /// Edges of what the agent composed to artifacts whose code it copied, where they bring code at all.
    pub fn copies<'a>(&'a self, artifact: &'a Artifact) -> impl Iterator<Item = &'a Inferred> {
        let brought =
            |edge: &&Inferred| self.artifact(edge.parent).is_some_and(|parent| copied::brings(parent, self));
        artifact.inferred.iter().filter(|edge| copied::is_copy(edge)).filter(brought)
    }

    /// Files of a session's workspace that hold copied code and that a build or test tool may run, whichever
    /// session wrote them.
    pub fn copied_files(&self, session: &SessionId) -> impl Iterator<Item = &Operand> {
        self.shared(session).into_iter().flat_map(|shared| shared.copied.iter())
    }

    /// The unexplained pieces that went to a site in this session and its kin: digest and length in bytes.
    pub fn carried(&self, site: &Operand, session: &SessionId) -> Option<&OrdMap<u64, u32>> {
        self.horizons.get(self.root_of(session)).and_then(|horizon| horizon.carried.get(site))
    }
}
