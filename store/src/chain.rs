//! The hash chain of the log.

use circinus_core::digest::Digest;
use circinus_core::id::EventSeq;
use circinus_core::time::UnixMillis;

/// What the first event is chained to.
pub(crate) const GENESIS: Digest = Digest([0; 32]);

/// The last event of the log, as far as the next one needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub(crate) seq: EventSeq,
    pub(crate) hash: Digest,
}

impl Head {
    /// The head of an empty log.
    pub(crate) const EMPTY: Self = Self { seq: EventSeq(0), hash: GENESIS };
}

/// One row of `events`, borrowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Link<'a> {
    pub(crate) seq: EventSeq,
    pub(crate) at: UnixMillis,
    pub(crate) kind: u16,
    pub(crate) version: u16,
    pub(crate) payload: &'a [u8],
}

impl Link<'_> {
    /// The hash of this row after a row of hash `prev`.
    ///
    /// Everything before the payload has a fixed width, so no two rows share an input. The hash of the row
    /// before is not stored a second time: sequence numbers have no gaps, so it is always one row away.
    pub(crate) fn hash(&self, prev: Digest) -> Digest {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&prev.0);
        hasher.update(&self.seq.0.to_le_bytes());
        hasher.update(&self.at.0.to_le_bytes());
        hasher.update(&self.kind.to_le_bytes());
        hasher.update(&self.version.to_le_bytes());
        hasher.update(self.payload);
        Digest(*hasher.finalize().as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINK: Link<'static> =
        Link { seq: EventSeq(7), at: UnixMillis(9), kind: 2, version: 1, payload: b"payload" };

    #[test]
    fn every_field_and_the_previous_hash_count() {
        let changed = [
            Link { seq: EventSeq(8), ..LINK },
            Link { at: UnixMillis(10), ..LINK },
            Link { kind: 3, ..LINK },
            Link { version: 2, ..LINK },
            Link { payload: b"payloae", ..LINK },
        ];
        let hash = LINK.hash(GENESIS);
        assert!(changed.iter().all(|link| link.hash(GENESIS) != hash));
        assert_ne!(LINK.hash(Digest([1; 32])), hash);
        assert_eq!(LINK.hash(GENESIS), hash);
    }
}
