//! Adding one event and its projections to an open transaction.

use circinus_core::artifact::Artifact;
use circinus_core::digest::Digest;
use circinus_core::event::{DecisionRecord, Event, SessionOpened};
use circinus_core::evidence::{EvidenceKey, Judgement};
use circinus_core::id::{EventSeq, SessionId};
use circinus_core::time::UnixMillis;
use rusqlite::{OptionalExtension, Transaction, params};

use crate::chain::{Head, Link};
use crate::durable::Acknowledged;
use crate::prepare::Prepared;

/// Appends `prepared` after `head` and moves `head` on, unless it is a duplicate.
///
/// INVARIANT (one-transaction): the event, the artifact with its packed operands, its edges, its body and
/// its queued task are all written through `tx`, so that either all of them exist or none.
pub(crate) fn append(
    tx: &Transaction<'_>,
    head: &mut Head,
    at: UnixMillis,
    prepared: &Prepared,
) -> rusqlite::Result<Acknowledged> {
    let encoded = &prepared.encoded;
    let seq = EventSeq(head.seq.0 + 1);
    if let Some(seq) = recorded_before(tx, seq, prepared)? {
        return Ok(Acknowledged { seq, duplicate: true });
    }
    let link = Link { seq, at, kind: encoded.kind, version: encoded.version, payload: &encoded.payload };
    let hash = link.hash(head.hash);
    tx.prepare_cached(
        "INSERT INTO events (seq, at_ms, kind, version, payload, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![seq.0, at.0, link.kind, link.version, link.payload, hash.0])?;
    match &prepared.event {
        Event::SessionOpened(opened) => open_session(tx, seq, opened)?,
        Event::Ingested(artifact) => ingest(tx, seq, artifact, prepared)?,
        Event::Judged { judgement, .. } => judge(tx, seq, judgement)?,
        Event::Decided(record) => decide(tx, seq, at, record)?,
        Event::SessionClosed { session } => close_session(tx, seq, session)?,
        // The log itself is where these are looked up; the index folds them.
        Event::Stated(_)
        | Event::HostBound(_)
        | Event::Impersonated(_)
        | Event::AskUnreliable { .. }
        | Event::Requested(_)
        | Event::Settled(_)
        | Event::Unanswered(_) => {}
    }
    *head = Head { seq, hash };
    Ok(Acknowledged { seq, duplicate: false })
}

/// The event that already says what `prepared` says: the same delivery, or a verdict under the same key. Where
/// there is none, the delivery is now that of `seq`.
fn recorded_before(
    tx: &Transaction<'_>,
    seq: EventSeq,
    prepared: &Prepared,
) -> rusqlite::Result<Option<EventSeq>> {
    if let Event::Judged { judgement: Judgement { key, .. }, .. } = &prepared.event
        && let Some(first) = judged_before(tx, key)?
    {
        return Ok(Some(first));
    }
    if let Some(delivery) = prepared.delivery {
        // One statement tells whether it is new and enters it: nearly every delivery is.
        let entered = tx
            .prepare_cached("INSERT OR IGNORE INTO deliveries (delivery, seq) VALUES (?1, ?2)")?
            .execute(params![delivery.0, seq.0])?;
        if entered == 0 {
            return tx
                .prepare_cached("SELECT seq FROM deliveries WHERE delivery = ?1")?
                .query_row([delivery.0], |row| row.get(0))
                .map(|first| Some(EventSeq(first)));
        }
    }
    Ok(None)
}

fn judged_before(tx: &Transaction<'_>, key: &EvidenceKey) -> rusqlite::Result<Option<EventSeq>> {
    tx.prepare_cached(
        "SELECT seq FROM evidence WHERE content = ?1 AND analyser = ?2 AND version = ?3 AND config = ?4",
    )?
    .query_row(params![key.content.0, key.analyser, key.version, key.config.0], |row| row.get(0))
    .optional()
    .map(|first| first.map(EventSeq))
}

fn ingest(
    tx: &Transaction<'_>,
    seq: EventSeq,
    artifact: &Artifact,
    prepared: &Prepared,
) -> rusqlite::Result<()> {
    let session = session_row(tx, &artifact.session)?;
    let content = content_row(tx, artifact.content, prepared.body.as_deref())?;
    let operands = prepared.encoded.operands.as_deref().unwrap_or_default();
    tx.prepare_cached("INSERT INTO artifacts (seq, session, content, operands) VALUES (?1, ?2, ?3, ?4)")?
        .execute(params![seq.0, session, content, operands])?;

    let observed = artifact.observed.iter().map(|edge| (edge.parent, "observed"));
    let inferred = artifact.inferred.iter().map(|edge| (edge.parent, "inferred"));
    for (parent, mechanism) in observed.chain(inferred) {
        // Several quotes of one parent are one row here; the event holds each of them.
        tx.prepare_cached("INSERT OR IGNORE INTO provenance (parent, child, mechanism) VALUES (?1, ?2, ?3)")?
            .execute(params![parent.0.0, seq.0, mechanism])?;
    }
    if artifact.analysed {
        tx.prepare_cached(
            "INSERT OR IGNORE INTO tasks (content, artifact)
             SELECT ?1, ?2 WHERE NOT EXISTS (SELECT 1 FROM evidence WHERE content = ?3)",
        )?
        .execute(params![content, seq.0, artifact.content.0])?;
    }
    Ok(())
}

/// The row of a content, created when new; a body fills a row that has none and never replaces one.
fn content_row(tx: &Transaction<'_>, digest: Digest, body: Option<&[u8]>) -> rusqlite::Result<i64> {
    let entered = tx
        .prepare_cached("INSERT OR IGNORE INTO contents (digest, body) VALUES (?1, ?2)")?
        .execute(params![digest.0, body])?;
    if entered == 1 {
        return Ok(tx.last_insert_rowid());
    }
    let (id, absent): (i64, bool) = tx
        .prepare_cached("SELECT id, body IS NULL FROM contents WHERE digest = ?1")?
        .query_row([digest.0], |row| Ok((row.get(0)?, row.get(1)?)))?;
    if absent && body.is_some() {
        tx.prepare_cached("UPDATE contents SET body = ?2 WHERE id = ?1")?.execute(params![id, body])?;
    }
    Ok(id)
}

/// The row of a session, created when an event speaks of it before (or without) its opening.
fn session_row(tx: &Transaction<'_>, session: &SessionId) -> rusqlite::Result<i64> {
    let known = tx
        .prepare_cached("SELECT id FROM sessions WHERE session = ?1")?
        .query_row([session.as_str()], |row| row.get(0))
        .optional()?;
    if let Some(id) = known {
        return Ok(id);
    }
    tx.prepare_cached("INSERT INTO sessions (session) VALUES (?1)")?.execute([session.as_str()])?;
    Ok(tx.last_insert_rowid())
}

fn open_session(tx: &Transaction<'_>, seq: EventSeq, opened: &SessionOpened) -> rusqlite::Result<()> {
    let id = session_row(tx, &opened.session)?;
    // A resumed session is open again; it began with its first opening.
    tx.prepare_cached("UPDATE sessions SET opened = coalesce(opened, ?2), closed = NULL WHERE id = ?1")?
        .execute(params![id, seq.0])?;
    Ok(())
}

fn close_session(tx: &Transaction<'_>, seq: EventSeq, session: &SessionId) -> rusqlite::Result<()> {
    let id = session_row(tx, session)?;
    tx.prepare_cached("UPDATE sessions SET closed = ?2 WHERE id = ?1")?.execute(params![id, seq.0])?;
    Ok(())
}

/// INVARIANT (first-verdict-wins): a key is inserted once; a later verdict under it is a duplicate.
fn judge(tx: &Transaction<'_>, seq: EventSeq, judgement: &Judgement) -> rusqlite::Result<()> {
    let EvidenceKey { content, analyser, version, config } = &judgement.key;
    tx.prepare_cached(
        "INSERT INTO evidence (content, analyser, version, config, level, seq)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?
    .execute(params![content.0, analyser, version, config.0, judgement.level as u8, seq.0])?;
    tx.prepare_cached("DELETE FROM tasks WHERE content = (SELECT id FROM contents WHERE digest = ?1)")?
        .execute([content.0])?;
    Ok(())
}

fn decide(
    tx: &Transaction<'_>,
    seq: EventSeq,
    at: UnixMillis,
    record: &DecisionRecord,
) -> rusqlite::Result<()> {
    let session = session_row(tx, &record.session)?;
    let explanation = &record.explanation;
    let rule = explanation.fired.first().map(|fired| fired.rule.0);
    tx.prepare_cached(
        "INSERT INTO decisions (seq, session, verdict, rule, at_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
    )?
    .execute(params![seq.0, session, explanation.verdict as u8, rule, at.0])?;
    Ok(())
}
