//! Keeping the write-ahead log short without making a commit wait for it.

use std::cell::Cell;

use rusqlite::Connection;

use crate::limits;

thread_local! {
    /// Frames in the log after the last commit of this thread, as SQLite reports them. The hook cannot
    /// carry state; the writer thread has exactly one connection, so a thread-local is that connection's.
    static FRAMES: Cell<u64> = const { Cell::new(0) };
}

/// Watches the length of the log and copies it back.
#[derive(Debug)]
pub(super) struct Wal {
    /// Length at which a busy writer copies back; moves up while readers hold the log.
    forced_at_bytes: u64,
}

impl Wal {
    pub(super) fn watch(conn: &Connection) -> Self {
        conn.wal_hook(Some(|_, frames| {
            FRAMES.set(u64::try_from(frames).unwrap_or(0));
            Ok(())
        }));
        Self { forced_at_bytes: limits::WAL_FORCED_BYTES }
    }

    /// Whether an idle writer should copy back.
    pub(super) fn is_long(&self) -> bool {
        bytes() > limits::WAL_IDLE_BYTES
    }

    /// Whether even a busy writer must.
    pub(super) fn is_too_long(&self) -> bool {
        bytes() > self.forced_at_bytes
    }

    /// Copies back what no reader needs, without waiting for any of them.
    ///
    /// PASSIVE, not TRUNCATE: the next commit starts over in the same file, and overwriting blocks that
    /// exist syncs faster than growing a file. A reader that holds the log makes this partial; it is tried
    /// again when the log has grown by as much once more. Readers of this crate end every statement
    /// before they return, so none holds it for long.
    pub(super) fn copy_back(&mut self, conn: &Connection) -> rusqlite::Result<()> {
        let (busy, in_log, copied): (bool, i64, i64) =
            conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        if !busy && in_log == copied {
            FRAMES.set(0);
            self.forced_at_bytes = limits::WAL_FORCED_BYTES;
        } else {
            self.forced_at_bytes = bytes() + limits::WAL_FORCED_BYTES;
        }
        Ok(())
    }
}

/// Length of the log in use.
fn bytes() -> u64 {
    /// Bytes in front of each page in the log (SQLite file format, section 4.1).
    const FRAME_HEADER_BYTES: u64 = 24;
    FRAMES.get() * (u64::from(limits::PAGE_BYTES) + FRAME_HEADER_BYTES)
}
