//! What the command line may ask the daemon.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use circinus_ipc::{ErrorCode, Peer, Reply, Responder};
use serde::{Deserialize, Serialize};

use super::proposals::{Proposal, is_revocable};
use super::reconcile::Coverage;
use super::service::Service;
use crate::stated;

/// A question to the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case", deny_unknown_fields)]
pub enum ControlRequest {
    /// How it is.
    Status,
    /// To finish what it holds and end.
    Stop,
    /// To state something: it says what that means and what must be typed.
    Propose {
        /// What.
        proposal: Proposal,
    },
    /// To record what this process proposed.
    Confirm {
        /// What the person typed.
        typed: String,
    },
    /// What is in force.
    Statements,
}

/// An answer of the daemon.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "reply", rename_all = "snake_case")]
pub enum ControlReply {
    /// How it is.
    Status(Box<Status>),
    /// It ends now.
    Stopping {
        /// Its process id.
        pid: u32,
    },
    /// What was proposed, as the daemon understands it.
    Proposed {
        /// Lines for the person.
        shown: Vec<String>,
        /// What they must type.
        challenge: String,
    },
    /// It is recorded.
    Stated {
        /// Its id.
        id: String,
        /// What holds now.
        line: String,
    },
    /// What is in force, oldest first: id, line, author.
    Statements {
        /// One row each.
        rows: Vec<[String; 3]>,
    },
    /// It is not recorded.
    Refused {
        /// Why.
        reason: String,
    },
}

/// How the daemon is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Status {
    /// Version of the running binary.
    pub version: String,
    /// Its process id.
    pub pid: u32,
    /// The profile in force.
    pub profile: String,
    /// The command table in force, in one line.
    pub commands: String,
    /// Why the user's additions to it are refused, if they are; the built-in table holds.
    pub commands_refused: Option<String>,
    /// Number of the last recorded event.
    pub last_event: u64,
    /// Sessions known.
    pub sessions: usize,
    /// Artifacts known.
    pub artifacts: usize,
    /// Operand postings in the index.
    pub operands: usize,
    /// Decisions since the start: allowed.
    pub allowed: u64,
    /// Of these, touched by an influence or a flag.
    pub flagged: u64,
    /// Decisions since the start: asked.
    pub asked: u64,
    /// Decisions since the start: refused.
    pub refused: u64,
    /// Weighty decisions whose evidence was ready.
    pub evidence_ready: u64,
    /// Weighty decisions that waited for evidence and got it.
    pub evidence_waited: u64,
    /// Weighty decisions whose evidence was not ready in time.
    pub evidence_not_ready: u64,
    /// Microseconds from an announced call to its answer, waits included: the median since the start; none
    /// before the first.
    pub gate_p50_us: Option<u64>,
    /// The 95th percentile of the same.
    pub gate_p95_us: Option<u64>,
    /// Payloads that were no event.
    pub malformed: u64,
    /// Events that could not be recorded.
    pub unrecorded: u64,
    /// Hosts whose descendants will not be known by a mark.
    pub unmarked: u64,
    /// How much of what each followed session read is accounted for, by session.
    pub coverage: Vec<SessionCoverage>,
    /// Sessions that something else than their host spoke for, and that no refusal has told of yet.
    pub impersonated: Vec<String>,
    /// Hosts that were seen to answer questions by themselves.
    pub unreliable_hosts: Vec<String>,
}

/// The coverage of one session.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionCoverage {
    /// The session.
    pub session: String,
    /// What its transcripts show.
    #[serde(flatten)]
    pub coverage: Coverage,
}

/// Answers a question.
pub(super) fn answer(service: &Arc<Service>, request: &[u8], peer: Peer, responder: Responder) {
    let reply = match serde_json::from_slice(request) {
        Ok(ControlRequest::Status) => ControlReply::Status(Box::new(status(service))),
        Ok(ControlRequest::Propose { proposal }) => match service.propose(peer, &proposal) {
            Ok((shown, challenge)) => ControlReply::Proposed { shown, challenge },
            Err(error) => ControlReply::Refused { reason: error.to_string() },
        },
        Ok(ControlRequest::Confirm { typed }) => match service.confirm(peer, &typed) {
            Ok((id, line)) => ControlReply::Stated { id: id.to_string(), line },
            Err(error) => ControlReply::Refused { reason: error.to_string() },
        },
        Ok(ControlRequest::Statements) => ControlReply::Statements { rows: statements(service) },
        Ok(ControlRequest::Stop) => ControlReply::Stopping { pid: std::process::id() },
        Err(error) => return responder.send(Reply::error(ErrorCode::BadKind, error.to_string())),
    };
    let stopping = matches!(reply, ControlReply::Stopping { .. });
    match serde_json::to_vec(&reply) {
        Ok(json) => responder.send(Reply::Control(json)),
        Err(error) => responder.send(Reply::error(ErrorCode::Internal, error.to_string())),
    }
    if stopping {
        service.stop.request();
    }
}

fn covered(service: &Service) -> Vec<SessionCoverage> {
    let all = service.reconciler.covered().into_iter();
    all.map(|(session, coverage)| SessionCoverage { session: session.as_str().to_owned(), coverage })
        .collect()
}

fn statements(service: &Service) -> Vec<[String; 3]> {
    let snapshot = service.hot.load();
    let rows = snapshot.statements().filter(|(_, statement)| is_revocable(&statement.act));
    rows.map(|(id, statement)| [id.to_string(), stated::line(statement), stated::author(&statement.author)])
        .collect()
}

fn status(service: &Service) -> Status {
    let snapshot = service.hot.load();
    let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
    let [allowed, asked, refused] = service.decided();
    let counters = &service.counters;
    Status {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        pid: std::process::id(),
        profile: service.profile_in(&snapshot).to_string(),
        commands: service.site.commands.describe(),
        commands_refused: service.site.commands.refused.as_deref().map(str::to_owned),
        last_event: snapshot.last().0,
        sessions: snapshot.sessions().count(),
        artifacts: snapshot.artifacts_len(),
        operands: snapshot.operands_len(),
        allowed,
        flagged: count(&counters.flagged),
        asked,
        refused,
        evidence_ready: count(&counters.ready),
        evidence_waited: count(&counters.waited),
        evidence_not_ready: count(&counters.not_ready),
        gate_p50_us: counters.latency.percentile_us(50),
        gate_p95_us: counters.latency.percentile_us(95),
        malformed: count(&counters.malformed),
        unrecorded: count(&counters.unrecorded),
        unmarked: count(&counters.unmarked),
        coverage: covered(service),
        impersonated: snapshot
            .sessions()
            .filter(|(_, session)| session.impersonated.is_some())
            .map(|(id, _)| id.to_string())
            .collect(),
        unreliable_hosts: snapshot.unreliable_hosts().map(str::to_owned).collect(),
    }
}
