//! The full check: every link of the chain, every projection, every page.

use std::fmt;

use circinus_core::digest::Digest;
use rusqlite::Connection;

use crate::chain::GENESIS;
use crate::codec::kind;
use crate::limits::PROBLEMS_MAX;
use crate::query::Reader;
use crate::row::{EventRow, SELECT};

/// SQLite cannot read at all.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(#[from] rusqlite::Error);

/// Something that is not as it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Problem {
    /// Events are missing between these two places.
    Gap {
        /// The last one that is there.
        after: u64,
        /// The next one that is there.
        found: u64,
    },
    /// The event's hash does not follow from it and from the event before.
    Broken {
        /// Its place in the log.
        seq: u64,
    },
    /// The event cannot be decoded.
    Undecodable {
        /// Its place in the log.
        seq: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// A projection has more or fewer rows than there are events behind it.
    Count {
        /// The table.
        table: &'static str,
        /// What the log says.
        wanted: u64,
        /// What is there.
        found: u64,
    },
    /// A stored body is not the content of its digest.
    Body {
        /// The digest.
        digest: String,
    },
    /// SQLite finds the file damaged.
    Damaged {
        /// What it says.
        reason: String,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Gap { after, found } => write!(f, "events are missing between {after} and {found}"),
            Self::Broken { seq } => write!(f, "event {seq}: the hash chain is broken"),
            Self::Undecodable { seq, reason } => write!(f, "event {seq}: {reason}"),
            Self::Count { table, wanted, found } => {
                write!(f, "table {table}: {found} rows where the log says {wanted}")
            }
            Self::Body { digest } => write!(f, "body {digest}: the bytes are others"),
            Self::Damaged { reason } => write!(f, "database file: {reason}"),
        }
    }
}

impl Reader {
    /// Checks everything that can be checked from the file alone; an empty list means that it is as written.
    /// Stops after `limits::PROBLEMS_MAX` problems. Takes time in proportion to the file.
    ///
    /// What it cannot see: a log that was cut off at its end, or rewritten from some event to the end with
    /// all hashes anew. Only a copy of a later hash kept elsewhere shows that.
    ///
    /// # Errors
    /// Only when SQLite cannot read at all; damage that it can name is a [`Problem`].
    pub fn verify(&self) -> Result<Vec<Problem>, Error> {
        // One read transaction, so that the parts are compared as of one moment.
        let snapshot = self.conn.unchecked_transaction()?;
        let mut problems = Vec::new();
        for step in [check_pages, check_log, check_tasks, check_bodies] {
            match step(&snapshot, &mut problems) {
                Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseCorrupt) => {
                    problems.push(Problem::Damaged { reason: error.to_string() });
                }
                other => other.map_err(Error)?,
            }
        }
        problems.truncate(PROBLEMS_MAX);
        Ok(problems)
    }
}

fn check_pages(conn: &Connection, problems: &mut Vec<Problem>) -> rusqlite::Result<()> {
    let mut statement = conn.prepare(&format!("PRAGMA integrity_check({PROBLEMS_MAX})"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let reason: String = row.get(0)?;
        if reason != "ok" {
            problems.push(Problem::Damaged { reason });
        }
    }
    let mut statement = conn.prepare("PRAGMA foreign_key_check")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()?
        && problems.len() < PROBLEMS_MAX
    {
        let (table, parent): (String, String) = (row.get(0)?, row.get(2)?);
        problems.push(Problem::Damaged { reason: format!("a row of {table} refers to no row of {parent}") });
    }
    Ok(())
}

/// Walks the log: no gap, every hash, every event decodable, and as many of each kind as projected.
fn check_log(conn: &Connection, problems: &mut Vec<Problem>) -> rusqlite::Result<()> {
    let (mut artifacts, mut judgements, mut decisions) = (0, 0, 0);
    let (mut last, mut prev) = (0, GENESIS);
    let mut statement = conn.prepare(&format!("{SELECT} ORDER BY e.seq"))?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let row = EventRow::read(row)?;
        let seq = row.link.seq.0;
        if problems.len() >= PROBLEMS_MAX {
            return Ok(());
        }
        if seq != last + 1 {
            problems.push(Problem::Gap { after: last, found: seq });
        }
        if row.link.hash(prev) != row.hash {
            problems.push(Problem::Broken { seq });
        }
        match row.link.kind {
            kind::INGESTED => artifacts += 1,
            kind::JUDGED => judgements += 1,
            kind::DECIDED => decisions += 1,
            _ => {}
        }
        if let Err(error) = row.decode() {
            problems.push(Problem::Undecodable { seq, reason: error.to_string() });
        }
        (last, prev) = (seq, row.hash);
    }
    for (table, wanted) in [("artifacts", artifacts), ("evidence", judgements), ("decisions", decisions)] {
        compare(conn, table, wanted, problems)?;
    }
    Ok(())
}

fn compare(
    conn: &Connection,
    table: &'static str,
    wanted: u64,
    problems: &mut Vec<Problem>,
) -> rusqlite::Result<()> {
    let found = conn.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0))?;
    if found != wanted {
        problems.push(Problem::Count { table, wanted, found });
    }
    Ok(())
}

/// Projections among themselves: no task for content that has a verdict.
fn check_tasks(conn: &Connection, problems: &mut Vec<Problem>) -> rusqlite::Result<()> {
    let judged: u64 = conn.query_row(
        "SELECT count(*) FROM tasks t JOIN contents c ON c.id = t.content
          WHERE EXISTS (SELECT 1 FROM evidence v WHERE v.content = c.digest)",
        [],
        |row| row.get(0),
    )?;
    if judged > 0 {
        let found: u64 = conn.query_row("SELECT count(*) FROM tasks", [], |row| row.get(0))?;
        problems.push(Problem::Count { table: "tasks", wanted: found - judged, found });
    }
    Ok(())
}

fn check_bodies(conn: &Connection, problems: &mut Vec<Problem>) -> rusqlite::Result<()> {
    let mut statement = conn.prepare("SELECT digest, body FROM contents WHERE body IS NOT NULL")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()?
        && problems.len() < PROBLEMS_MAX
    {
        let digest = Digest(row.get(0)?);
        if Digest::of(row.get_ref(1)?.as_blob()?) != digest {
            problems.push(Problem::Body { digest: digest.to_string() });
        }
    }
    Ok(())
}
