//! Reading, beside the writer: separate connections that cannot write.
//!
//! Every method ends its statement before it returns, so no reader holds a snapshot, and with it the
//! write-ahead log, while its caller is at work.

mod page;
mod point;
mod session;

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use circinus_core::artifact::Artifact;
use circinus_core::enquiry::Routing;
use circinus_core::event::{DecisionRecord, Recorded, SessionOpened};
use circinus_core::evidence::Judgement;
use circinus_core::id::{ArtifactId, DecisionId, EventSeq, SessionId};
use circinus_core::lineage::{Inferred, Observed};
use circinus_core::policy::Verdict;
use circinus_core::time::UnixMillis;
use rusqlite::{Connection, Row};

use crate::codec::CodecError;
use crate::open::{self, OpenError};
use crate::recover::{self, ReplayError};
use crate::row::EventRow;
use crate::schema;

/// A connection that only reads. It may be opened while a writer runs, in this process or in another.
pub struct Reader {
    pub(crate) conn: Connection,
    path: PathBuf,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Reader").field("path", &self.path).finish_non_exhaustive()
    }
}

/// Why a question has no answer.
#[derive(Debug, thiserror::Error)]
pub enum QueryError {
    /// SQLite failed.
    #[error("{operation} {path}: {source}")]
    Sqlite {
        /// The database.
        path: PathBuf,
        /// What was tried.
        operation: &'static str,
        /// What SQLite answered.
        source: rusqlite::Error,
    },
    /// A stored event cannot be decoded.
    #[error("event {seq}: {source}\nhint: `circinus doctor` checks the whole log")]
    Undecodable {
        /// Its place in the log.
        seq: u64,
        /// What is wrong with it.
        source: CodecError,
    },
    /// A projection refers to an event of another kind.
    #[error(
        "event {seq}: not {wanted}, though a projection says so\nhint: `circinus doctor` checks the whole log"
    )]
    WrongKind {
        /// Its place in the log.
        seq: u64,
        /// What it should be.
        wanted: &'static str,
    },
}

/// A recorded decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decision {
    /// Its id.
    pub id: DecisionId,
    /// When it was recorded.
    pub at: UnixMillis,
    /// What was asked and answered, with the explanation.
    pub record: Box<DecisionRecord>,
}

/// A recorded artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredArtifact {
    /// Its id.
    pub id: ArtifactId,
    /// When it was recorded.
    pub at: UnixMillis,
    /// All of it, operands included.
    pub artifact: Box<Artifact>,
}

/// A recorded verdict on a content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Evidence {
    /// Its place in the log.
    pub seq: EventSeq,
    /// When it was recorded.
    pub at: UnixMillis,
    /// The verdict.
    pub judgement: Judgement,
    /// What was decided with it about asking a stronger analyser.
    pub routing: Option<Routing>,
}

/// Where an artifact comes from, and what came of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Provenance {
    /// Observed parents.
    pub observed: Vec<Observed>,
    /// Inferred parents.
    pub inferred: Vec<Inferred>,
    /// Artifacts with an observed edge to it, oldest first, at most `limits::PAGE_ROWS_MAX`.
    pub observed_children: Vec<ArtifactId>,
    /// Artifacts with an inferred edge to it, oldest first, at most `limits::PAGE_ROWS_MAX`.
    pub inferred_children: Vec<ArtifactId>,
}

/// A recorded session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredSession {
    /// The event of its first opening.
    pub first: EventSeq,
    /// When it was first opened.
    pub opened_at: UnixMillis,
    /// As what it was first opened.
    pub opened: SessionOpened,
    /// When it was closed; none while it is open, or open again.
    pub closed_at: Option<UnixMillis>,
}

/// Which decisions are asked for; the default asks for all of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DecisionFilter {
    /// Only of this session.
    pub session: Option<SessionId>,
    /// Only with this verdict.
    pub verdict: Option<Verdict>,
    /// Only recorded at this time or later.
    pub since: Option<UnixMillis>,
    /// Only older than this one: the last of the page before.
    pub before: Option<DecisionId>,
}

/// How much of everything there is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Events in the log.
    pub events: u64,
    /// Artifacts.
    pub artifacts: u64,
    /// Distinct contents.
    pub contents: u64,
    /// Bytes of all bodies that are kept.
    pub body_bytes: u64,
    /// Verdicts on contents.
    pub evidence: u64,
    /// Contents that wait for a verdict.
    pub tasks: u64,
    /// Sessions seen.
    pub sessions: u64,
    /// Sessions opened and not closed.
    pub sessions_open: u64,
    /// Decisions that allowed.
    pub allowed: u64,
    /// Decisions that asked a person.
    pub reviewed: u64,
    /// Decisions that refused.
    pub blocked: u64,
}

impl Reader {
    /// Opens the database at `path`, which must exist.
    ///
    /// # Errors
    /// See [`OpenError`]; nothing is created or changed.
    pub fn open(path: &Path) -> Result<Self, OpenError> {
        let absent = || OpenError::Absent { path: path.to_owned() };
        if !path.exists() {
            return Err(absent());
        }
        let (conn, found) = open::open_known(path)?;
        // Schema 0 is a file whose creation was cut off before its first transaction.
        if found < schema::VERSION { Err(absent()) } else { Ok(Self { conn, path: path.to_owned() }) }
    }

    /// As [`crate::Store::replay`], beside a writer: the log as it is at this moment.
    ///
    /// # Errors
    /// See [`ReplayError`]; everything before the fault has been handed over.
    pub fn replay(
        &self,
        from: EventSeq,
        fold: &mut dyn FnMut(Recorded) -> ControlFlow<()>,
    ) -> Result<EventSeq, ReplayError> {
        recover::replay(&self.conn, from, fold)
    }

    fn failed(&self, operation: &'static str) -> impl Fn(rusqlite::Error) -> QueryError {
        let path = self.path.clone();
        move |source| QueryError::Sqlite { path: path.clone(), operation, source }
    }

    fn replay_failed(&self, operation: &'static str) -> impl Fn(ReplayError) -> QueryError {
        let failed = self.failed(operation);
        move |error| match error {
            ReplayError::Sqlite(source) => failed(source),
            ReplayError::Undecodable { seq, source } => QueryError::Undecodable { seq, source },
            ReplayError::NotAnArtifact { seq } | ReplayError::Broken { seq } => {
                QueryError::WrongKind { seq, wanted: "an artifact" }
            }
        }
    }

    /// The event of a row, with SQLite's failures told under `operation`.
    fn event(&self, row: &Row<'_>, operation: &'static str) -> Result<Recorded, QueryError> {
        let row = EventRow::read(row).map_err(self.failed(operation))?;
        row.decode().map_err(|source| QueryError::Undecodable { seq: row.link.seq.0, source })
    }
}
