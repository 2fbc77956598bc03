//! The schema and its forward-only migrations.

use rusqlite::{Connection, Transaction, TransactionBehavior};

/// Marks the file as ours in its header (`CIRC`), so that a stranger's database is never migrated.
pub(crate) const APPLICATION_ID: i32 = 0x4349_5243;

/// Migration `n` (counted from 1) leads from version `n - 1` to `n`.
const MIGRATIONS: [&str; 1] = [include_str!("migrations/0001-log-and-projections.sql")];

/// The schema version that this build writes.
pub(crate) const VERSION: u32 = MIGRATIONS.len() as u32;

/// Brings the schema to [`VERSION`] in one transaction; a failure changes nothing.
pub(crate) fn migrate(conn: &mut Connection) -> rusqlite::Result<()> {
    // Even with nothing to do the write lock is taken: it shows now, not at the first ingest, that the
    // file cannot be written.
    let tx = Transaction::new(conn, TransactionBehavior::Immediate)?;
    let found = version(&tx)?;
    for (sql, number) in MIGRATIONS.iter().zip(1_u32..) {
        if number > found {
            tx.execute_batch(sql)?;
            tx.pragma_update(None, "user_version", number)?;
        }
    }
    if found < VERSION {
        tx.pragma_update(None, "application_id", APPLICATION_ID)?;
    }
    tx.commit()
}

/// The schema version of the file; 0 for an empty one.
pub(crate) fn version(conn: &Connection) -> rusqlite::Result<u32> {
    conn.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Whether the file is empty or carries our mark.
pub(crate) fn is_ours(conn: &Connection) -> rusqlite::Result<bool> {
    let id: i32 = conn.pragma_query_value(None, "application_id", |row| row.get(0))?;
    let tables: u32 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    Ok(id == APPLICATION_ID || tables == 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrating_twice_changes_nothing() {
        let mut conn = Connection::open_in_memory().unwrap();
        migrate(&mut conn).unwrap();
        let schema = |conn: &Connection| -> i64 {
            conn.pragma_query_value(None, "schema_version", |row| row.get(0)).unwrap()
        };
        let before = schema(&conn);
        migrate(&mut conn).unwrap();
        assert_eq!(schema(&conn), before);
        assert_eq!(version(&conn).unwrap(), VERSION);
        assert!(is_ours(&conn).unwrap());
    }

    #[test]
    fn a_strangers_database_is_not_ours() {
        let conn = Connection::open_in_memory().unwrap();
        conn.execute_batch("CREATE TABLE notes (text)").unwrap();
        assert!(!is_ours(&conn).unwrap());
    }
}
