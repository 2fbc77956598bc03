//! Events: the closed, versioned list of what the log can hold.

use serde::{Deserialize, Serialize};

use crate::artifact::Artifact;
use crate::digest::Digest;
use crate::evidence::Judgement;
use crate::id::{DecisionId, EventSeq, SessionId, WorkspaceId};
use crate::time::UnixMillis;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// A session began, or was seen for the first time.
    SessionOpened(SessionOpened),
    /// Content was recorded, with its provenance, operands and analysis task.
    Ingested(Box<Artifact>),
    /// Content was judged.
    Judged(Judgement),
    /// The gate decided.
    Decided(Box<DecisionRecord>),
    /// A session ended.
    SessionClosed {
        /// Which.
        session: SessionId,
    },
}

/// The beginning of a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionOpened {
    /// Its id.
    pub session: SessionId,
    /// The session whose grants and visibility it shares: itself unless resumed or forked.
    pub root: SessionId,
    /// Where it works.
    pub workspace: WorkspaceId,
    /// Version of the host, if it said.
    pub host_version: Option<Box<str>>,
}

/// An event with its place in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Its sequence number.
    pub seq: EventSeq,
    /// When it was recorded.
    pub at: UnixMillis,
    /// What happened.
    pub event: Event,
}

/// What is committed together: an event, and the content that it speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// What happened.
    pub event: Event,
    /// Exact bytes of an ingested artifact; kept as long as retention says.
    pub body: Option<Box<[u8]>>,
    /// Identity of the delivery (session, call, event, content): a second commit with the same identity is
    /// the same artifact and is acknowledged with the first one's sequence number.
    pub delivery: Option<Digest>,
}

/// A decision as it is kept: what was asked, what was answered, and everything the answer rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DecisionRecord {
    /// The session that asked.
    pub session: SessionId,
    /// Tool name.
    pub tool: Box<str>,
    /// One line of what would be done.
    pub summary: Box<str>,
    /// Digest of tool and canonical arguments.
    pub identity: Digest,
    /// The explanation, produced by the evaluation itself.
    pub explanation: crate::explain::Explanation,
    /// How long the gate waited for pending evidence, in milliseconds.
    pub waited_ms: u32,
    /// A decision that this one repeats or replaces, if any.
    pub supersedes: Option<DecisionId>,
}
