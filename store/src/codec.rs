//! Events as bytes.
//!
//! The kind and the version of its form stand beside the payload, so that a row says how it is to be read
//! before it is read. There is one pair of functions per version; a released pair is never changed, only
//! joined by the next, and its golden bytes (`codec/golden/`) hold it to that.

#[cfg(test)]
mod golden;
mod v1;

use circinus_core::digest::Digest;
use circinus_core::event::Event;

/// Number of each event kind as it is stored; never renumber.
pub(crate) mod kind {
    pub(crate) const SESSION_OPENED: u16 = 1;
    pub(crate) const INGESTED: u16 = 2;
    pub(crate) const JUDGED: u16 = 3;
    pub(crate) const DECIDED: u16 = 4;
    pub(crate) const SESSION_CLOSED: u16 = 5;
    pub(crate) const STATED: u16 = 6;
    pub(crate) const HOST_BOUND: u16 = 7;
    pub(crate) const IMPERSONATED: u16 = 8;
    pub(crate) const ASK_UNRELIABLE: u16 = 9;
    pub(crate) const REQUESTED: u16 = 10;
    pub(crate) const SETTLED: u16 = 11;
    pub(crate) const UNANSWERED: u16 = 12;
}

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Encoded {
    pub(crate) kind: u16,
    pub(crate) version: u16,
    /// What the chain covers; of an artifact everything but its operands, and their digest.
    pub(crate) payload: Vec<u8>,
    /// The operands of an artifact, packed; none for other events.
    pub(crate) operands: Option<Vec<u8>>,
}

/// A stored event, borrowed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stored<'a> {
    pub(crate) kind: u16,
    pub(crate) version: u16,
    pub(crate) payload: &'a [u8],
    pub(crate) operands: Option<&'a [u8]>,
}

/// Why bytes are not an event.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// Written by a newer build, or not by us.
    #[error("event kind {kind} in version {version} is unknown to this build")]
    Unknown {
        /// Stored kind.
        kind: u16,
        /// Stored version of its form.
        version: u16,
    },
    /// The bytes do not have the form of their kind and version.
    #[error("event kind {kind} in version {version} is malformed: {source}")]
    Malformed {
        /// Stored kind.
        kind: u16,
        /// Stored version of its form.
        version: u16,
        /// What the decoder said.
        source: postcard::Error,
    },
    /// Bytes are left over.
    #[error("event kind {kind} in version {version} has {count} bytes too many")]
    Trailing {
        /// Stored kind.
        kind: u16,
        /// Stored version of its form.
        version: u16,
        /// How many.
        count: usize,
    },
    /// The operands of an artifact are missing, or are not those that its event was recorded with.
    #[error("the packed operands are not those that the event was recorded with")]
    Operands {
        /// What the event says.
        wanted: Digest,
        /// What is there.
        found: Option<Digest>,
    },
}

/// The stored form of `event`, in the newest version.
pub(crate) fn encode(event: &mut Event) -> Result<Encoded, CodecError> {
    v1::encode(event)
}

/// The event that was stored.
pub(crate) fn decode(stored: Stored<'_>) -> Result<Event, CodecError> {
    match stored.version {
        1 => v1::decode(stored),
        version => Err(CodecError::Unknown { kind: stored.kind, version }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_version_or_kind_is_named() {
        for (kind, version) in [(kind::INGESTED, 2), (kind::UNANSWERED + 1, 1), (0, 0)] {
            let stored = Stored { kind, version, payload: b"", operands: None };
            assert_eq!(decode(stored), Err(CodecError::Unknown { kind, version }));
        }
    }
}
