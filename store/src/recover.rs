//! What a start needs from the last run: every event in order, and the analysis that was not finished.

use std::ops::ControlFlow;

use circinus_core::artifact::Artifact;
use circinus_core::digest::Digest;
use circinus_core::event::{Event, Recorded};
use circinus_core::id::{ArtifactId, EventSeq};
use circinus_core::time::UnixMillis;
use rusqlite::{Connection, OptionalExtension, Row};

use crate::chain::GENESIS;
use crate::codec::CodecError;
use crate::open::Store;
use crate::row::{EventRow, SELECT};

/// Why the log cannot be read to its end. What came before was handed over.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// An event cannot be decoded.
    #[error("event {seq}: {source}")]
    Undecodable {
        /// Its place in the log.
        seq: u64,
        /// What is wrong with it.
        source: CodecError,
    },
    /// An event does not follow from the one before.
    #[error(
        "event {seq}: the hash chain is broken: the log was edited or is damaged\nhint: `circinus doctor` lists every broken place"
    )]
    Broken {
        /// Its place in the log.
        seq: u64,
    },
    /// An artifact that something refers to is not in the log.
    #[error("event {seq}: not an artifact, though a task refers to it as one")]
    NotAnArtifact {
        /// Its place in the log.
        seq: u64,
    },
    /// SQLite failed.
    #[error("read the log: {0}")]
    Sqlite(#[from] rusqlite::Error),
}

/// Content that waits for analysis, with what its place in the queue depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// The first artifact that asked for it.
    pub artifact: ArtifactId,
    /// When that artifact was recorded.
    pub at: UnixMillis,
    /// That artifact itself: content digest, origin, session, authority, length; without its operands, which
    /// analysis does not use. The body is read by its digest, see [`crate::Reader::body`].
    pub facts: Box<Artifact>,
}

impl Store {
    /// Hands every event from `from` on to `fold`, in order, until it breaks off; returns the last
    /// sequence number handed over (`from - 1` when there was none).
    ///
    /// INVARIANT (replay-is-the-log): the hash chain is checked on the way, so an index is never built
    /// from events that were changed, reordered or taken out.
    ///
    /// # Errors
    /// See [`ReplayError`]; everything before the fault has been handed over.
    pub fn replay(
        &self,
        from: EventSeq,
        fold: &mut dyn FnMut(Recorded) -> ControlFlow<()>,
    ) -> Result<EventSeq, ReplayError> {
        replay(&self.conn, from, fold)
    }
}

pub(crate) fn replay(
    conn: &Connection,
    from: EventSeq,
    fold: &mut dyn FnMut(Recorded) -> ControlFlow<()>,
) -> Result<EventSeq, ReplayError> {
    let from = EventSeq(from.0.max(1));
    let mut last = EventSeq(from.0 - 1);
    let mut prev = hash_of(conn, last)?;
    let mut statement = conn.prepare(&format!("{SELECT} WHERE e.seq >= ?1 ORDER BY e.seq"))?;
    let mut rows = statement.query([from.0])?;
    while let Some(row) = rows.next()? {
        let row = EventRow::read(row)?;
        let seq = row.link.seq;
        if seq.0 != last.0 + 1 || row.link.hash(prev) != row.hash {
            return Err(ReplayError::Broken { seq: seq.0 });
        }
        let recorded = row.decode().map_err(|source| ReplayError::Undecodable { seq: seq.0, source })?;
        (last, prev) = (seq, row.hash);
        if fold(recorded).is_break() {
            break;
        }
    }
    Ok(last)
}

/// The stored hash of an event; of the place before the first one when `seq` is 0 or absent.
fn hash_of(conn: &Connection, seq: EventSeq) -> rusqlite::Result<Digest> {
    conn.query_row("SELECT hash FROM events WHERE seq = ?1", [seq.0], |row| row.get(0))
        .optional()
        .map(|hash| hash.map_or(GENESIS, Digest))
}

/// Up to `max` unfinished tasks, oldest first.
pub(crate) fn tasks(conn: &Connection, max: usize) -> Result<Vec<Task>, ReplayError> {
    let mut statement =
        conn.prepare(&format!("{SELECT} JOIN tasks t ON t.artifact = e.seq ORDER BY e.seq LIMIT ?1"))?;
    let mut rows = statement.query([i64::try_from(max).unwrap_or(i64::MAX)])?;
    let mut tasks = Vec::new();
    while let Some(row) = rows.next()? {
        tasks.push(task(row)?);
    }
    Ok(tasks)
}

fn task(row: &Row<'_>) -> Result<Task, ReplayError> {
    let row = EventRow::read(row)?;
    let seq = row.link.seq;
    match row.decode() {
        Ok(Recorded { at, event: Event::Ingested(mut facts), .. }) => {
            facts.operands = Vec::new();
            Ok(Task { artifact: ArtifactId(seq), at, facts })
        }
        Ok(_) => Err(ReplayError::NotAnArtifact { seq: seq.0 }),
        Err(source) => Err(ReplayError::Undecodable { seq: seq.0, source }),
    }
}

/// How many tasks are unfinished.
pub(crate) fn task_count(conn: &Connection) -> rusqlite::Result<u64> {
    conn.query_row("SELECT count(*) FROM tasks", [], |row| row.get(0))
}
