//! Sessions, by their beginning.

use circinus_core::event::{Event, Recorded};
use circinus_core::id::SessionId;
use circinus_core::time::UnixMillis;
use rusqlite::{OptionalExtension, params};

use super::page::page;
use super::{QueryError, Reader, StoredSession};
use crate::row::SELECT;

impl Reader {
    /// Up to `count` sessions whose id begins with `beginning`, the last opened first; at most
    /// `limits::PAGE_ROWS_MAX`.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn sessions(&self, beginning: &str, count: usize) -> Result<Vec<StoredSession>, QueryError> {
        let sql = format!(
            "{SELECT} JOIN sessions s ON s.opened = e.seq
             WHERE substr(s.session, 1, length(?1)) = ?1 ORDER BY e.seq DESC LIMIT ?2"
        );
        let events = self.collect(&sql, params![beginning, page(count)], "read the sessions of")?;
        let session = |Recorded { seq, at, event }| {
            let Event::SessionOpened(opened) = event else {
                return Err(QueryError::WrongKind { seq: seq.0, wanted: "the opening of a session" });
            };
            let closed_at = self.closed_at(&opened.session)?;
            Ok(StoredSession { first: seq, opened_at: at, opened, closed_at })
        };
        events.into_iter().map(session).collect()
    }

    fn closed_at(&self, session: &SessionId) -> Result<Option<UnixMillis>, QueryError> {
        let failed = self.failed("read the sessions of");
        let sql = "SELECT e.at_ms FROM sessions s JOIN events e ON e.seq = s.closed WHERE s.session = ?1";
        let mut statement = self.conn.prepare_cached(sql).map_err(&failed)?;
        let row = statement.query_row([session.as_str()], |row| row.get(0)).optional();
        Ok(row.map_err(&failed)?.map(UnixMillis))
    }
}
