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

/// What entries are sorted by first: the first bits of a hash, and so spread evenly.
trait Keyed: Copy + Ord {
    fn key(&self) -> u32;
}

impl Keyed for Posting {
    fn key(&self) -> u32 {
        self.hash
    }
}

/// Entries of one bucket of a directory, on average: two cache lines of postings.
const PER_BUCKET: usize = 8;

/// Where the entries of an equal share of all keys are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Bucket {
    /// Place of the first; the next bucket begins where they end.
    begin: u32,
    /// A bit for each of them, by the last bits of its key: of the keys that are not there four in five are
    /// turned away here, without a look at an entry.
    marks: u32,
}

/// Sorted entries with a directory. A binary search in a million entries waits for memory ten times; the directory
/// leads to a few neighbouring ones at once.
#[derive(Debug, PartialEq, Eq)]
struct Segment<T> {
    entries: Vec<T>,
    /// The buckets, and an empty one at the end.
    directory: Vec<Bucket>,
}

impl<T: Keyed> Segment<T> {
    /// Of entries in order; four thousand million, which a place can count, would take 64 GB.
    fn new(entries: Vec<T>) -> Self {
        let buckets = entries.len() / PER_BUCKET + 1;
        let mut directory: Vec<Bucket> = Vec::with_capacity(buckets + 1);
        for (entry, begin) in entries.iter().zip(0_u32..) {
            let known = bucket_of(entry.key(), buckets) + 1;
            // Its bucket, where it is the first of it, and the empty ones before that.
            directory.resize(known.max(directory.len()), Bucket { begin, marks: 0 });
            directory.last_mut().into_iter().for_each(|bucket| bucket.marks |= mark_of(entry.key()));
        }
        directory.resize(buckets + 1, Bucket { begin: entries.len() as u32, marks: 0 });
        Self { entries, directory }
    }

    /// All entries with a key. Keys that somebody crafted into one bucket cost a search in that.
    fn of(&self, key: u32) -> &[T] {
        let bucket = bucket_of(key, self.directory.len() - 1);
        let Some([bucket, next]) = self.directory.get(bucket..bucket + 2) else { return &[] };
        if bucket.marks & mark_of(key) == 0 {
            return &[];
        }
        let entries = self.entries.get(bucket.begin as usize..next.begin as usize).unwrap_or_default();
        let (_, from) = entries.split_at(entries.partition_point(|entry| entry.key() < key));
        from.split_at(from.partition_point(|entry| entry.key() == key)).0
    }
}

/// The bucket of a key among so many; a greater key has no lesser one.
fn bucket_of(key: u32, buckets: usize) -> usize {
    ((u64::from(key) * buckets as u64) >> u32::BITS) as usize
}

/// The mark of a key in its bucket.
fn mark_of(key: u32) -> u32 {
    1 << (key % u32::BITS)
}

/// Segments by falling size, newest last.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Segments<T>(Arc<[Arc<Segment<T>>]>);

impl<T> Default for Segments<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Keyed> Segments<T> {
    /// These entries and some more.
    fn with(&self, mut fresh: Vec<T>) -> Self {
        if fresh.is_empty() {
            return self.clone();
        }
        fresh.sort_unstable();
        let mut kept = &*self.0;
        while let Some((last, before)) = kept.split_last()
            && last.entries.len() <= fresh.len().saturating_mul(2)
        {
            fresh = merge(&last.entries, &fresh);
            kept = before;
        }
        let fresh = Arc::new(Segment::new(fresh));
        Self(kept.iter().cloned().chain([fresh]).collect())
    }

    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All entries with a key.
    fn of(&self, key: u32) -> impl Iterator<Item = T> + '_ {
        self.0.iter().flat_map(move |segment| segment.of(key).iter().copied())
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
    pub(super) fn candidates<'a>(&'a self, operand: &Operand) -> impl Iterator<Item = Posting> + use<'a> {
        // Many a workspace has none, and then the hash is for nothing.
        let key = if self.0.is_empty() { 0 } else { hash_of(operand) };
        self.0.of(key)
    }
}

/// A fingerprint and the artifact that has it.
type Printed = (u32, ArtifactId);

impl Keyed for Printed {
    fn key(&self) -> u32 {
        self.0
    }
}

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
        self.0.of(print).map(|(_, id)| id)
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
    use proptest::prelude::*;

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

    /// Hashes as they come, and hashes that somebody crafted to stand close together.
    fn hashes() -> impl Strategy<Value = Vec<u32>> {
        let crafted = prop_oneof![Just(0), Just(1), Just(u32::MAX - 1), Just(u32::MAX), 7_000..7_040_u32];
        prop_oneof![prop::collection::vec(any::<u32>(), 0..80), prop::collection::vec(crafted, 0..80)]
    }

    proptest! {
        #[test]
        fn what_was_added_is_found_and_nothing_else(
            adds in prop::collection::vec(hashes(), 0..12),
            others in prop::collection::vec(any::<u32>(), 20),
        ) {
            let adds: Vec<Vec<Posting>> =
                adds.iter().zip(0..).map(|(add, seq)| add.iter().map(|hash| posting(*hash, seq)).collect()).collect();
            let segments = adds.iter().cloned().fold(Segments::default(), |all, add| all.with(add));
            let all = adds.concat();
            let neighbours = all.iter().flat_map(|one| [one.hash.wrapping_sub(1), one.hash, one.hash.wrapping_add(1)]);
            for key in neighbours.chain(others) {
                let mut found: Vec<_> = segments.of(key).collect();
                found.sort_unstable();
                let mut wanted: Vec<_> = all.iter().copied().filter(|one| one.hash == key).collect();
                wanted.sort_unstable();
                prop_assert_eq!(found, wanted);
            }
        }
    }
}
