//! Which texts are kept. Only bodies go: hashes, operands, edges, evidence and decisions are the record itself, and
//! what a file or a value may cause depends on them and never on a body.

use circinus_core::time::UnixMillis;
use rusqlite::{Connection, Row, Transaction, TransactionBehavior, params};

use crate::limits;

/// How long texts are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// Since they were last recorded, in milliseconds.
    pub age_ms_max: u64,
    /// All of them together, in bytes; beyond it the oldest go.
    pub bytes_max: u64,
}

impl Default for Retention {
    fn default() -> Self {
        Self { age_ms_max: limits::BODY_AGE_MS_MAX, bytes_max: limits::BODIES_BYTES_MAX }
    }
}

/// A sweep over all texts, oldest first, in slices between which others may commit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Sweep {
    /// The last content that was looked at.
    after: i64,
    /// Bytes kept so far in this sweep.
    kept_bytes: u64,
    /// By how much the last whole sweep found too much, less what has gone since.
    excess_bytes: u64,
}

/// One content with a text.
struct Kept {
    id: i64,
    bytes: u64,
    /// When it was last recorded.
    at: UnixMillis,
    /// Whether its analysis is queued.
    queued: bool,
}

impl Kept {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let at = row.get::<_, Option<u64>>(2)?.unwrap_or_default();
        Ok(Self { id: row.get(0)?, bytes: row.get(1)?, at: UnixMillis(at), queued: row.get(3)? })
    }
}

impl Sweep {
    /// Looks at the next slice; gives whether the sweep has come to its end.
    pub(crate) fn slice(
        &mut self,
        conn: &mut Connection,
        retention: Retention,
        now: UnixMillis,
    ) -> rusqlite::Result<bool> {
        let tx = Transaction::new(conn, TransactionBehavior::Immediate)?;
        let found = contents(&tx, self.after)?;
        for kept in &found {
            let old = kept.at.0.saturating_add(retention.age_ms_max) < now.0;
            if (old || self.excess_bytes > 0) && !kept.queued {
                self.excess_bytes = self.excess_bytes.saturating_sub(kept.bytes);
                tx.prepare_cached("UPDATE contents SET body = NULL WHERE id = ?1")?.execute([kept.id])?;
            } else {
                self.kept_bytes += kept.bytes;
            }
            self.after = kept.id;
        }
        tx.commit()?;
        if found.len() == limits::SWEPT_MAX {
            return Ok(false);
        }
        *self = Self { excess_bytes: self.kept_bytes.saturating_sub(retention.bytes_max), ..Self::default() };
        Ok(self.excess_bytes == 0)
    }
}

fn contents(tx: &Transaction<'_>, after: i64) -> rusqlite::Result<Vec<Kept>> {
    let mut statement = tx.prepare_cached(
        "SELECT c.id, length(c.body),
                (SELECT e.at_ms FROM artifacts a JOIN events e ON e.seq = a.seq
                  WHERE a.content = c.id ORDER BY a.seq DESC LIMIT 1),
                EXISTS (SELECT 1 FROM tasks t WHERE t.content = c.id)
           FROM contents c WHERE c.id > ?1 AND c.body IS NOT NULL ORDER BY c.id LIMIT ?2",
    )?;
    statement.query_map(params![after, limits::SWEPT_MAX], Kept::read)?.collect()
}
