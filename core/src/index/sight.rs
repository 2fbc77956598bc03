//! Looking operands up.

use super::Snapshot;
use super::segment::Postings;
use crate::artifact::Artifact;
use crate::id::{ArtifactId, SessionId};
use crate::operand::{Hit, Operand};

/// An occurrence of an operand in an artifact.
#[derive(Clone, Copy, Debug)]
pub struct Occurrence<'a> {
    /// Which artifact.
    pub id: ArtifactId,
    /// The artifact itself.
    pub artifact: &'a Artifact,
    /// Where and through which views.
    pub hit: &'a Hit,
    /// It was found by a search in the text, not by the extraction, which alone knows where a designator ends.
    pub sighted: bool,
}

/// What one session sees, for whoever looks several operands up.
#[derive(Clone, Copy, Debug)]
pub struct Sight<'a> {
    snapshot: &'a Snapshot,
    seen: Option<&'a Postings>,
    filed: Option<&'a Postings>,
}

impl Snapshot {
    /// What a session sees.
    pub fn sight(&self, session: &SessionId) -> Sight<'_> {
        let horizon = self.horizons.get(self.root_of(session));
        Sight {
            snapshot: self,
            seen: horizon.map(|horizon| &horizon.postings),
            filed: self.shared(session).map(|shared| &shared.postings),
        }
    }

    /// Every artifact that a session sees, in the order of arrival, that holds `operand` exactly or through a
    /// view.
    pub fn visible(&self, operand: &Operand, session: &SessionId) -> Vec<Occurrence<'_>> {
        self.sight(session).visible(operand)
    }
}

impl<'a> Sight<'a> {
    /// Every artifact that the session sees, in the order of arrival, that holds `operand` exactly or through a
    /// view.
    pub fn visible(&self, operand: &Operand) -> Vec<Occurrence<'a>> {
        self.occurrences(self.seen, operand)
    }

    /// Roots among the files of the session's workspace that hold `operand`, whichever session read them.
    pub fn workspace_roots(&self, operand: &Operand) -> Vec<Occurrence<'a>> {
        self.occurrences(self.filed, operand)
    }

    fn occurrences(&self, postings: Option<&'a Postings>, operand: &Operand) -> Vec<Occurrence<'a>> {
        let candidates = postings.into_iter().flat_map(|postings| postings.candidates(operand));
        let mut found: Vec<_> = candidates
            .filter_map(|posting| {
                let (id, sighted) = (posting.artifact, false);
                let artifact = self.snapshot.artifact(id)?;
                let hit = artifact.operands.get(usize::try_from(posting.hit).ok()?)?;
                (hit.operand == *operand).then_some(Occurrence { id, artifact, hit, sighted })
            })
            .collect();
        found.sort_by_key(|occurrence| occurrence.id);
        found
    }
}
