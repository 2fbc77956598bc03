//! Events: the closed, versioned list of what the log can hold.

use serde::{Deserialize, Serialize};

use crate::artifact::Artifact;
use crate::digest::Digest;
use crate::endorsement::Statement;
use crate::enquiry::{Requested, Routing, Settled, Unanswered};
use crate::evidence::Judgement;
use crate::id::{ArtifactId, DecisionId, EventSeq, SessionId, WorkspaceId};
use crate::time::UnixMillis;

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Event {
    /// A session began, or was seen for the first time.
    SessionOpened(SessionOpened),
    /// Content was recorded, with its provenance, operands and analysis task.
    Ingested(Box<Artifact>),
    /// Content was judged.
    Judged {
        /// The judgement.
        judgement: Judgement,
        /// Whether a stronger analyser is asked too; none where that is no question: the strong analyser's own
        /// verdict, and everything while no provider is configured.
        routing: Option<Routing>,
    },
    /// A request to a provider is about to leave.
    Requested(Requested),
    /// A request to a provider has been paid for.
    Settled(Settled),
    /// A provider gave no verdict.
    Unanswered(Unanswered),
    /// The gate decided.
    Decided(Box<DecisionRecord>),
    /// A session ended.
    SessionClosed {
        /// Which.
        session: SessionId,
    },
    /// A person changed what is allowed.
    Stated(Box<Statement>),
    /// A session was tied to the process of its host.
    HostBound(HostBound),
    /// Something that is not the host of a session spoke in its name.
    Impersonated(Impersonated),
    /// A host was seen to answer a question that no person can have answered.
    AskUnreliable {
        /// The program, as in [`HostBound::program`].
        program: Box<str>,
        /// The decision whose question was answered too early.
        decision: DecisionId,
    },
}

/// A process, told from later ones with the same number by its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Process {
    /// Its number.
    pub pid: u32,
    /// When it started, in clock ticks since the system booted (`starttime` of proc_pid_stat(5)).
    pub started: u64,
}

/// The process that speaks for a session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostBound {
    /// The session.
    pub session: SessionId,
    /// The host's process.
    pub process: Process,
    /// Which program it runs, told from other versions of it: path and time of the last change.
    pub program: Box<str>,
    /// Whether it was started by the agent of another session: then nobody types into it.
    pub nested: bool,
}

/// An event that claimed a session and came from elsewhere.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Impersonated {
    /// The session that was claimed.
    pub session: SessionId,
    /// The host's name of the event.
    pub event: Box<str>,
    /// The process that sent it; none when it had ended.
    pub process: Option<Process>,
    /// One line about that process, for people. Bounded, escaped on output.
    pub program: Box<str>,
    /// The prompt that was recorded as a person's, where the host itself says later that it came from elsewhere;
    /// it keeps no authority. Nobody need be warned of the session then.
    pub prompt: Option<ArtifactId>,
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
    /// The repository that the workspace is, as it was then; none when it is no repository.
    pub repository: Option<Repository>,
}

/// The repository of a workspace at the beginning of a session. Both facts decide authority, so they are
/// recorded and never looked up again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repository {
    /// Object id of the commit in HEAD, 40 (SHA-1) or 64 (SHA-256) lower-case hexadecimal digits; none when
    /// there is no commit yet or HEAD could not be read.
    pub head: Option<Box<str>>,
    /// Whether the local reflog shows a commit that the user made: one that falls into no recorded activity.
    /// A reflog is not transferred by a clone.
    pub own: bool,
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
