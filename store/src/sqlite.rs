//! Connections, and what is demanded of every one of them.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::types::FromSql;
use rusqlite::{Connection, OpenFlags};

use crate::limits;

/// A pragma that could not be brought to the demanded value.
#[derive(Debug)]
pub(crate) enum ConfigureError {
    /// SQLite answered something else when asked back.
    Refused { pragma: &'static str, wanted: String, found: String },
    /// SQLite failed.
    Sqlite(rusqlite::Error),
}

impl From<rusqlite::Error> for ConfigureError {
    fn from(source: rusqlite::Error) -> Self {
        Self::Sqlite(source)
    }
}

/// The one connection that writes.
pub(crate) fn open_writer(path: &Path) -> Result<Connection, ConfigureError> {
    let conn = Connection::open_with_flags(path, flags(OpenFlags::SQLITE_OPEN_READ_WRITE))?;
    demand(&conn, "busy_timeout", limits::BUSY_MS_MAX)?;
    // Without effect on a file that has pages already, so it is not asked back.
    conn.pragma_update(None, "page_size", limits::PAGE_BYTES)?;
    demand(&conn, "journal_mode", "wal".to_owned())?;
    // FULL: the log is synced on every commit. NORMAL would survive a crash of the process, not of power.
    demand(&conn, "synchronous", 2_u32)?;
    // Macs answer fsync before the platter has it unless asked with F_FULLFSYNC.
    demand(&conn, "fullfsync", 1_u32)?;
    demand(&conn, "checkpoint_fullfsync", 1_u32)?;
    // The writer copies back when it is idle; a commit must never pay for it.
    demand(&conn, "wal_autocheckpoint", 0_u32)?;
    // What retention or a person erases is overwritten and not only freed.
    demand(&conn, "secure_delete", 1_u32)?;
    demand(&conn, "foreign_keys", 1_u32)?;
    demand(&conn, "recursive_triggers", 1_u32)?;
    harden(&conn)?;
    Ok(conn)
}

/// A connection that cannot write, whatever is executed on it.
pub(crate) fn open_reader(path: &Path) -> Result<Connection, ConfigureError> {
    let conn = Connection::open_with_flags(path, flags(OpenFlags::SQLITE_OPEN_READ_ONLY))?;
    demand(&conn, "busy_timeout", limits::BUSY_MS_MAX)?;
    demand(&conn, "query_only", 1_u32)?;
    harden(&conn)?;
    Ok(conn)
}

/// No URI names, no symbolic link in place of the file, and no mutex: a connection stays on one thread.
fn flags(access: OpenFlags) -> OpenFlags {
    access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE
}

/// The file may have been edited by the agent it guards: nothing in its schema is trusted.
fn harden(conn: &Connection) -> Result<(), ConfigureError> {
    demand(conn, "trusted_schema", 0_u32)?;
    demand(conn, "cell_size_check", 1_u32)?;
    demand(conn, "mmap_size", 0_u32)?;
    demand(conn, "temp_store", 2_u32)?;
    let defensive = conn.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    if !defensive {
        let (wanted, found) = (true.to_string(), defensive.to_string());
        return Err(ConfigureError::Refused { pragma: "defensive", wanted, found });
    }
    conn.set_prepared_statement_cache_capacity(limits::STATEMENTS_CACHED);
    Ok(())
}

/// Sets a pragma and asks it back: SQLite ignores in silence what it does not know or cannot do.
fn demand<T>(conn: &Connection, pragma: &'static str, wanted: T) -> Result<(), ConfigureError>
where
    T: rusqlite::ToSql + FromSql + PartialEq + ToString,
{
    conn.pragma_update(None, pragma, &wanted)?;
    let found: T = conn.pragma_query_value(None, pragma, |row| row.get(0))?;
    if found == wanted {
        return Ok(());
    }
    let (wanted, found) = (wanted.to_string(), found.to_string());
    Err(ConfigureError::Refused { pragma, wanted, found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pragma_that_does_not_take_is_an_error() {
        // A database in memory has no write-ahead log; SQLite says so only when asked back.
        let conn = Connection::open_in_memory().unwrap();
        let refused = demand(&conn, "journal_mode", "wal".to_owned());
        let Err(ConfigureError::Refused { pragma, wanted, found }) = refused else {
            panic!("took: {refused:?}");
        };
        assert_eq!((pragma, wanted.as_str(), found.as_str()), ("journal_mode", "wal", "memory"));
    }

    #[test]
    fn a_reader_cannot_write() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("reader.db");
        std::fs::write(&path, b"").unwrap();
        open_writer(&path).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
        let refused = open_reader(&path).unwrap().execute_batch("INSERT INTO t VALUES (1)");
        assert_eq!(refused.unwrap_err().sqlite_error_code(), Some(rusqlite::ErrorCode::ReadOnly));
    }
}
