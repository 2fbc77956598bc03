//! Postings of operands and of fingerprints, as a short list of immutable sorted segments.
//!
//! Each ingest adds one small segment; neighbours of similar size are merged, so that there are at most
//! about log2(n) of them and each posting is moved about log2(n) times in its life (the logarithmic method
//! of Bentley and Saxe, 1980). A reader holds the list by reference count and never waits for the writer.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use crate::artifact::Artifact;
use crate::id::ArtifactId;
use crate::operand::Operand;

/// Where one operand stands: the artifact and the place of the hit in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Posting {
    /// Half of the operand's hash: a posting takes 16 bytes, and of a million one in four thousand look-ups
    /// meets a stranger, which the caller's comparison turns away.
    hash: u32,
    /// Index into `Artifact::operands`.
    pub(super) hit: u32,
    /// The artifact that holds the operand.
    pub(super) artifact: ArtifactId,
}

/// Sorted entries, newest segment last.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Segments<T>(Arc<[Arc<[T]>]>);

impl<T> Default for Segments<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Copy + Ord> Segments<T> {
    /// These entries and some more.
    fn with(&self, mut fresh: Vec<T>) -> Self {
        if fresh.is_empty() {
            return self.clone();
        }
        fresh.sort_unstable();
        let mut segments: Vec<Arc<[T]>> = self.0.to_vec();
        while segments.last().is_some_and(|last| last.len() <= fresh.len().saturating_mul(2)) {
            if let Some(last) = segments.pop() {
                fresh = merge(&last, &fresh);
            }
        }
        segments.push(fresh.into());
        Self(segments.into())
    }

    /// All entries with a key, which is what entries are sorted by first.
    fn of<'a, K: Ord + Copy + 'a>(
        &'a self,
        key: K,
        key_of: impl Fn(&T) -> K + Copy + 'a,
    ) -> impl Iterator<Item = T> + 'a {
        self.0.iter().flat_map(move |segment| {
            let from = segment.partition_point(|entry| key_of(entry) < key);
            segment.iter().skip(from).take_while(move |entry| key_of(entry) == key).copied()
        })
    }
}

/// All postings of operands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Postings(Segments<Posting>);

fn hash_of(operand: &Operand) -> u32 {
    // Fixed keys: equal input gives an equal index on every run. A crafted collision only lengthens a scan;
    // the caller compares the operand itself.
    let mut hasher = DefaultHasher::new();
    operand.kind().hash(&mut hasher);
    operand.canonical().hash(&mut hasher);
    (hasher.finish() >> 32) as u32
}

impl Postings {
    /// These postings and those of one more artifact.
    pub(super) fn with(&self, id: ArtifactId, artifact: &Artifact) -> Self {
        let hits = artifact.operands.iter().zip(0_u32..);
        let fresh =
            hits.map(|(hit, place)| Posting { hash: hash_of(&hit.operand), artifact: id, hit: place });
        Self(self.0.with(fresh.collect()))
    }

    /// Postings that may be of `operand`; the caller compares.
    pub(super) fn candidates(&self, operand: &Operand) -> impl Iterator<Item = Posting> + '_ {
        self.0.of(hash_of(operand), |posting| posting.hash)
    }
}

/// A fingerprint and the artifact that has it.
type Printed = (u32, ArtifactId);

/// All fingerprints.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Prints(Segments<Printed>);

impl Prints {
    /// These fingerprints and those of one more artifact.
    pub(super) fn with(&self, id: ArtifactId, artifact: &Artifact) -> Self {
        Self(self.0.with(artifact.prints.iter().map(|print| (*print, id)).collect()))
    }

    /// The artifacts that have a fingerprint.
    pub(super) fn holders(&self, print: u32) -> impl Iterator<Item = ArtifactId> + '_ {
        self.0.of(print, |entry: &Printed| entry.0).map(|(_, id)| id)
    }
}

fn merge<T: Copy + Ord>(left: &[T], right: &[T]) -> Vec<T> {
    let mut out = Vec::with_capacity(left.len() + right.len());
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
        out.extend(if a <= b { left.next() } else { right.next() });
    }
    out.extend(left);
    out.extend(right);
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::EventSeq;

    fn posting(hash: u32, seq: u64) -> Posting {
        Posting { hash, artifact: ArtifactId(EventSeq(seq)), hit: 0 }
    }

    #[test]
    fn a_merge_keeps_everything_in_order() {
        let merged = merge(&[posting(1, 1), posting(5, 1)], &[posting(1, 2), posting(3, 2), posting(9, 2)]);
        let order: Vec<_> = merged.iter().map(|p| (p.hash, p.artifact.0.0)).collect();
        assert_eq!(order, [(1, 1), (1, 2), (3, 2), (5, 1), (9, 2)]);
    }
}
