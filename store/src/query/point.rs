//! Questions with one answer.

use circinus_core::digest::Digest;
use circinus_core::event::{Event, Recorded};
use circinus_core::id::{ArtifactId, DecisionId, EventSeq, SessionId};
use rusqlite::{OptionalExtension, params};

use super::{Counts, Decision, DecisionFilter, Provenance, QueryError, Reader, StoredArtifact};
use crate::limits::PAGE_ROWS_MAX;
use crate::row::{EventRow, SELECT};

impl Reader {
    /// The event at a place in the log.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn event_at(&self, seq: EventSeq) -> Result<Option<Recorded>, QueryError> {
        const OPERATION: &str = "read an event of";
        let failed = self.failed(OPERATION);
        let mut statement =
            self.conn.prepare_cached(&format!("{SELECT} WHERE e.seq = ?1")).map_err(&failed)?;
        let mut rows = statement.query([seq.0]).map_err(&failed)?;
        rows.next().map_err(&failed)?.map(|row| self.event(row, OPERATION)).transpose()
    }

    /// Reads every row that a replay reads and does nothing with it; gives their number and bytes. It is the
    /// least that a restart can cost, and what one is measured against.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn scan(&self) -> Result<(u64, u64), QueryError> {
        let failed = self.failed("scan the log of");
        let mut statement = self.conn.prepare_cached(&format!("{SELECT} ORDER BY e.seq")).map_err(&failed)?;
        let mut rows = statement.query([]).map_err(&failed)?;
        let (mut count, mut bytes) = (0, 0);
        while let Some(row) = rows.next().map_err(&failed)? {
            count += 1;
            bytes += EventRow::read(row).map_err(&failed)?.bytes() as u64;
        }
        Ok((count, bytes))
    }

    /// A decision by its id; none when the id is unknown or is that of another kind of event.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn decision(&self, id: DecisionId) -> Result<Option<Decision>, QueryError> {
        Ok(self.event_at(id.0)?.and_then(|Recorded { at, event, .. }| match event {
            Event::Decided(record) => Some(Decision { id, at, record }),
            _ => None,
        }))
    }

    /// The last decision, of one session or of all.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn last_decision(&self, session: Option<&SessionId>) -> Result<Option<Decision>, QueryError> {
        let filter = DecisionFilter { session: session.cloned(), ..DecisionFilter::default() };
        Ok(self.decisions(&filter, 1)?.pop())
    }

    /// An artifact by its id; none when the id is unknown or is that of another kind of event.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn artifact(&self, id: ArtifactId) -> Result<Option<StoredArtifact>, QueryError> {
        Ok(self.event_at(id.0)?.and_then(|Recorded { at, event, .. }| match event {
            Event::Ingested(artifact) => Some(StoredArtifact { id, at, artifact }),
            _ => None,
        }))
    }

    /// The bytes of a content; none when they were never stored or are no longer kept.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn body(&self, content: Digest) -> Result<Option<Box<[u8]>>, QueryError> {
        let failed = self.failed("read a body of");
        self.conn
            .prepare_cached("SELECT body FROM contents WHERE digest = ?1")
            .map_err(&failed)?
            .query_row([content.0], |row| row.get::<_, Option<Box<[u8]>>>(0))
            .optional()
            .map(Option::flatten)
            .map_err(failed)
    }

    /// The edges of an artifact in both directions; none when the id is unknown.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn provenance(&self, id: ArtifactId) -> Result<Option<Provenance>, QueryError> {
        let Some(StoredArtifact { artifact, .. }) = self.artifact(id)? else { return Ok(None) };
        Ok(Some(Provenance {
            observed: artifact.observed,
            inferred: artifact.inferred,
            observed_children: self.children(id, "observed")?,
            inferred_children: self.children(id, "inferred")?,
        }))
    }

    fn children(&self, parent: ArtifactId, mechanism: &str) -> Result<Vec<ArtifactId>, QueryError> {
        let failed = self.failed("read the edges of");
        let mut statement = self
            .conn
            .prepare_cached(
                "SELECT child FROM provenance WHERE parent = ?1 AND mechanism = ?2
                  ORDER BY child LIMIT ?3",
            )
            .map_err(&failed)?;
        let children = statement
            .query_map(params![parent.0.0, mechanism, PAGE_ROWS_MAX as i64], |row| {
                Ok(ArtifactId(EventSeq(row.get(0)?)))
            })
            .map_err(&failed)?;
        children.collect::<Result<_, _>>().map_err(&failed)
    }

    /// How much of everything there is, as of one moment.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn counts(&self) -> Result<Counts, QueryError> {
        // One statement, so that all numbers come from one snapshot.
        self.conn
            .prepare_cached(
                "SELECT (SELECT count(*) FROM events), (SELECT count(*) FROM artifacts),
                        (SELECT count(*) FROM contents),
                        (SELECT coalesce(sum(length(body)), 0) FROM contents),
                        (SELECT count(*) FROM evidence), (SELECT count(*) FROM tasks),
                        (SELECT count(*) FROM sessions),
                        (SELECT count(*) FROM sessions WHERE opened IS NOT NULL AND closed IS NULL),
                        (SELECT count(*) FROM decisions WHERE verdict = 0),
                        (SELECT count(*) FROM decisions WHERE verdict = 1),
                        (SELECT count(*) FROM decisions WHERE verdict = 2)",
            )
            .and_then(|mut statement| {
                statement.query_row([], |row| {
                    Ok(Counts {
                        events: row.get(0)?,
                        artifacts: row.get(1)?,
                        contents: row.get(2)?,
                        body_bytes: row.get(3)?,
                        evidence: row.get(4)?,
                        tasks: row.get(5)?,
                        sessions: row.get(6)?,
                        sessions_open: row.get(7)?,
                        allowed: row.get(8)?,
                        reviewed: row.get(9)?,
                        blocked: row.get(10)?,
                    })
                })
            })
            .map_err(self.failed("count the rows of"))
    }
}
