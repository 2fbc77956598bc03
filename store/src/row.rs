//! One stored event as SQLite hands it over.

use circinus_core::digest::Digest;
use circinus_core::event::Recorded;
use circinus_core::id::EventSeq;
use circinus_core::time::UnixMillis;

use crate::chain::Link;
use crate::codec::{self, CodecError, Stored};

/// The columns that [`EventRow::read`] expects, to be followed by conditions on `e`.
pub(crate) const SELECT: &str = "SELECT e.seq, e.at_ms, e.kind, e.version, e.payload, e.hash, a.operands
     FROM events e LEFT JOIN artifacts a ON a.seq = e.seq";

/// A row of the log, borrowed from the statement that found it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EventRow<'a> {
    pub(crate) link: Link<'a>,
    pub(crate) hash: Digest,
    operands: Option<&'a [u8]>,
}

impl<'a> EventRow<'a> {
    pub(crate) fn read(row: &'a rusqlite::Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            link: Link {
                seq: EventSeq(row.get(0)?),
                at: UnixMillis(row.get(1)?),
                kind: row.get(2)?,
                version: row.get(3)?,
                payload: row.get_ref(4)?.as_blob()?,
            },
            hash: Digest(row.get(5)?),
            operands: row.get_ref(6)?.as_blob_or_null()?,
        })
    }

    /// Length of what it holds besides its numbers.
    pub(crate) fn bytes(&self) -> usize {
        self.link.payload.len() + self.operands.map_or(0, <[u8]>::len)
    }

    pub(crate) fn decode(&self) -> Result<Recorded, CodecError> {
        let Link { seq, at, kind, version, payload } = self.link;
        let event = codec::decode(Stored { kind, version, payload, operands: self.operands })?;
        Ok(Recorded { seq, at, event })
    }
}
