//! What the command line may ask the daemon.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use circinus_analyzer::strong::Ledger as _;
use circinus_core::enquiry::{Cause, Cost, Settled};
use circinus_core::event::{Commit, Event};
use circinus_core::evidence::EvidenceKey;
use circinus_core::id::EventSeq;
use circinus_core::index::Snapshot;
use circinus_ipc::{ErrorCode, Peer, Reply, Responder};
use serde::{Deserialize, Serialize};

use super::proposals::{Proposal, is_revocable};
use super::reconcile::Coverage;
use super::service::Service;
use super::strong::StrongTier;
use crate::clock;
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
    /// To take the cost of a person's own request to the model out of the budget of the day.
    Reserve {
        /// What is asked.
        key: EvidenceKey,
        /// The most that it can cost.
        most: Cost,
    },
    /// To say what that request has cost.
    Settle {
        /// The reservation.
        settled: Settled,
    },
    /// The identity of its index.
    Index,
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
    /// The cost is reserved.
    Reserved {
        /// The reservation.
        request: EventSeq,
    },
    /// The cost is written down.
    Settled,
    /// There is no budget for it.
    Unpaid {
        /// Why.
        why: String,
    },
    /// The state of its index, see [`circinus_core::index::Snapshot::identity`].
    Index {
        /// Version of the running binary; only the same one can compare.
        version: String,
        /// Number of the last event in it.
        last: u64,
        /// The digest of everything in it, in hexadecimal digits.
        identity: String,
    },
    /// It is not recorded, or not done.
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
    /// The user's model; none while analysis is deterministic only.
    pub model: Option<ModelStatus>,
    /// Where counters go; nowhere while telemetry is off.
    pub telemetry: Option<String>,
}

/// How the user's model is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelStatus {
    /// The kind of provider.
    pub provider: String,
    /// The model.
    pub name: String,
    /// Where it is.
    pub endpoint: String,
    /// Why it cannot be asked although it is configured.
    pub unavailable: Option<String>,
    /// Whether it is left alone for a while because it has failed too often in a row.
    pub left_alone: bool,
    /// Contents that wait for its verdict.
    pub waiting: usize,
    /// Contents that it gave no verdict on and that are asked again.
    pub unanswered: usize,
    /// What it has cost today (UTC).
    pub spent_today: Cost,
    /// What it may cost in a day.
    pub day_max: Cost,
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
        Ok(ControlRequest::Reserve { key, most }) => match &service.strong {
            None => ControlReply::Unpaid { why: Cause::NotConfigured.to_string() },
            Some(strong) => match strong.ledger(service, key, None).reserve(most) {
                Ok(request) => ControlReply::Reserved { request },
                Err(cause) => ControlReply::Unpaid { why: cause.to_string() },
            },
        },
        Ok(ControlRequest::Settle { settled }) => {
            let commit = Commit { event: Event::Settled(settled), body: None, delivery: None };
            match service.journal.commit(commit) {
                Ok(_) => ControlReply::Settled,
                Err(error) => ControlReply::Refused { reason: error.to_string() },
            }
        }
        Ok(ControlRequest::Statements) => ControlReply::Statements { rows: statements(service) },
        Ok(ControlRequest::Index) => index(service),
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

fn model(strong: &StrongTier, snapshot: &Snapshot) -> ModelStatus {
    let settings = strong.strong().settings();
    let (unanswered, waiting): (Vec<_>, Vec<_>) =
        snapshot.owed().partition(|owed| snapshot.unanswered(&owed.content).is_some());
    ModelStatus {
        provider: settings.kind.name().to_owned(),
        name: settings.model.to_string(),
        endpoint: settings.endpoint.to_string(),
        unavailable: strong.unavailable().map(str::to_owned),
        left_alone: strong.is_left_alone(),
        waiting: waiting.len(),
        unanswered: unanswered.len(),
        spent_today: snapshot.spent_today(clock::now()),
        day_max: strong.caps().day,
    }
}

/// Takes time in proportion to the index, so that one worker at most is at it.
fn index(service: &Service) -> ControlReply {
    let Ok(_one) = service.comparing.try_lock() else {
        return ControlReply::Refused { reason: "it is being compared already; hint: try again".into() };
    };
    let snapshot = service.hot.load();
    ControlReply::Index {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        last: snapshot.last().0,
        identity: snapshot.identity().to_string(),
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

pub(super) fn status(service: &Service) -> Status {
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
        model: service.strong.as_ref().map(|strong| model(strong, &snapshot)),
        telemetry: service.telemetry.as_ref().map(ToString::to_string),
    }
}
