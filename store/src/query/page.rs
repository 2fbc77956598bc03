//! Questions whose answer is a page.

use circinus_core::digest::Digest;
use circinus_core::event::{Event, Recorded};
use circinus_core::id::{DecisionId, EventSeq};
use rusqlite::{Params, params};

use super::{Decision, DecisionFilter, Evidence, QueryError, Reader};
use crate::limits::PAGE_ROWS_MAX;
use crate::recover::{self, Task};
use crate::row::SELECT;

impl Reader {
    /// Up to `count` decisions that pass `filter`, newest first; at most `limits::PAGE_ROWS_MAX`.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn decisions(&self, filter: &DecisionFilter, count: usize) -> Result<Vec<Decision>, QueryError> {
        const OPERATION: &str = "read the decisions of";
        // Conditions are written out only where they are asked for, so that each form has its index.
        let mut sql = format!("{SELECT} JOIN decisions d ON d.seq = e.seq WHERE TRUE");
        if filter.session.is_some() {
            sql.push_str(" AND d.session = (SELECT id FROM sessions WHERE session = ?1)");
        }
        if filter.verdict.is_some() {
            sql.push_str(" AND d.verdict = ?2");
        }
        if filter.since.is_some() {
            sql.push_str(" AND d.at_ms >= ?3");
        }
        if filter.before.is_some() {
            sql.push_str(" AND d.seq < ?4");
        }
        sql.push_str(" ORDER BY d.seq DESC LIMIT ?5");
        let parameters = params![
            filter.session.as_ref().map(|session| session.as_str()),
            filter.verdict.map(|verdict| verdict as u8),
            filter.since.map(|since| since.0),
            filter.before.map(|before| before.0.0),
            page(count),
        ];
        let mut decisions = Vec::new();
        for Recorded { seq, at, event } in self.collect(&sql, parameters, OPERATION)? {
            let Event::Decided(record) = event else {
                return Err(QueryError::WrongKind { seq: seq.0, wanted: "a decision" });
            };
            decisions.push(Decision { id: DecisionId(seq), at, record });
        }
        Ok(decisions)
    }

    /// Every verdict on a content, oldest first; at most `limits::PAGE_ROWS_MAX`.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn evidence(&self, content: Digest) -> Result<Vec<Evidence>, QueryError> {
        let sql =
            format!("{SELECT} JOIN evidence v ON v.seq = e.seq WHERE v.content = ?1 ORDER BY e.seq LIMIT ?2");
        let mut evidence = Vec::new();
        let parameters = params![content.0, page(PAGE_ROWS_MAX)];
        for Recorded { seq, at, event } in self.collect(&sql, parameters, "read the evidence of")? {
            let Event::Judged { judgement, routing } = event else {
                return Err(QueryError::WrongKind { seq: seq.0, wanted: "a verdict on a content" });
            };
            evidence.push(Evidence { seq, at, judgement, routing });
        }
        Ok(evidence)
    }

    /// Up to `count` events from `from` on, in order; at most `limits::PAGE_ROWS_MAX`.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn events(&self, from: EventSeq, count: usize) -> Result<Vec<Recorded>, QueryError> {
        let sql = format!("{SELECT} WHERE e.seq >= ?1 ORDER BY e.seq LIMIT ?2");
        self.collect(&sql, params![from.0, page(count)], "read the log of")
    }

    /// Up to `count` contents that wait for their verdict, oldest first; at most `limits::PAGE_ROWS_MAX`.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn tasks(&self, count: usize) -> Result<Vec<Task>, QueryError> {
        recover::tasks(&self.conn, count.min(PAGE_ROWS_MAX))
            .map_err(self.replay_failed("read unfinished tasks of"))
    }

    pub(super) fn collect(
        &self,
        sql: &str,
        parameters: impl Params,
        operation: &'static str,
    ) -> Result<Vec<Recorded>, QueryError> {
        let failed = self.failed(operation);
        let mut statement = self.conn.prepare_cached(sql).map_err(&failed)?;
        let mut rows = statement.query(parameters).map_err(&failed)?;
        let mut events = Vec::new();
        while let Some(row) = rows.next().map_err(&failed)? {
            events.push(self.event(row, operation)?);
        }
        Ok(events)
    }
}

/// A page is never longer than the bound, whatever is asked for.
pub(super) fn page(count: usize) -> i64 {
    i64::try_from(count.min(PAGE_ROWS_MAX)).unwrap_or(i64::MAX)
}
