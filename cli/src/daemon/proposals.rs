//! Statements that persons want to make: resolved, shown with a challenge, and recorded when it is answered.

mod resolve;

use std::collections::VecDeque;
use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use circinus_core::endorsement::{Act, Statement};
use circinus_core::event::{Commit, Event, Process};
use circinus_core::id::ActId;
use circinus_core::port::Receipt;
use circinus_ipc::Peer;
use rustix::rand::{GetRandomFlags, getrandom};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::journal::JournalError;
use super::persons::{NobodyError, person};
use super::service::Service;
use crate::stated;

pub(super) use resolve::ResolveError;

/// Proposals that wait for their challenge; the oldest is forgotten first.
const OPEN_MAX: usize = 16;

/// How long a challenge may be answered.
const ANSWER_WAIT: Duration = Duration::from_secs(300);

/// Letters of a challenge: none that looks like another.
const LETTERS: &[u8; 32] = b"abcdefghijkmnpqrstuvwxyz23456789";

/// Letters in a challenge.
const CHALLENGE_LEN: usize = 6;

/// What a person wants to state, in their own words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "state", rename_all = "snake_case", deny_unknown_fields)]
pub enum Proposal {
    /// An action that was asked about may run, once.
    Approve {
        /// Its decision, such as `d42`.
        decision: String,
    },
    /// Something may cause more than its sources allow.
    Endorse {
        /// A value, a file, an artifact or a digest.
        subject: String,
        /// Names of effects.
        effects: Vec<String>,
        /// `once`, `session` or `workspace`.
        scope: String,
        /// The session meant by scope `session`; the newest of the workspace when it is not named.
        session: Option<String>,
        /// How long it holds, in seconds; for ever when it is not said.
        expires_s: Option<u64>,
        /// The adverse judgement that the person has read, such as `v12`.
        acknowledge: Option<String>,
        /// The person's working directory.
        cwd: String,
    },
    /// An earlier act no longer holds.
    Revoke {
        /// Its id, such as `e7`.
        act: String,
    },
    /// What is below a directory is the person's own.
    Trust {
        /// The directory.
        path: String,
        /// The person's working directory.
        cwd: String,
    },
    /// A content is harmless.
    Acknowledge {
        /// An artifact such as `a17`, or a digest or the first digits of one.
        subject: String,
        /// The person's working directory.
        cwd: String,
    },
    /// Another profile is in force.
    Profile {
        /// Its name; none returns to the configured one.
        name: Option<String>,
    },
}

/// A statement that waits for the answer to its challenge.
#[derive(Clone, Debug)]
struct Open {
    /// Who was asked.
    person: Process,
    challenge: String,
    statement: Statement,
    at: Instant,
}

/// Statements that wait.
#[derive(Debug, Default)]
pub(super) struct Proposals {
    open: Mutex<VecDeque<Open>>,
}

/// Why a statement is not recorded.
#[derive(Debug, Error)]
pub(super) enum StateError {
    /// No person is behind the process.
    #[error(transparent)]
    Nobody(#[from] NobodyError),
    /// The words mean nothing that can be stated.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The answer is none to an open challenge.
    #[error("that is not what was to be typed; nothing was recorded; hint: run the command again")]
    Wrong,
    /// The system gives no random bytes.
    #[error("cannot make a challenge: {0}")]
    Challenge(io::Error),
    /// The store.
    #[error("not recorded: {0}; hint: run `circinus doctor`")]
    Journal(#[from] JournalError),
}

impl Service {
    /// Resolves what a person wants to state; gives what to show them and what they must type.
    pub(super) fn propose(
        &self,
        peer: Peer,
        proposal: &Proposal,
    ) -> Result<(Vec<String>, String), StateError> {
        let snapshot = self.hot.load();
        let person = person(peer, &snapshot)?;
        let (act, shown) = self.resolve(proposal, &snapshot)?;
        let challenge = challenge().map_err(StateError::Challenge)?;
        let statement = Statement { author: person.author, act };
        let asked =
            Open { person: person.process, challenge: challenge.clone(), statement, at: Instant::now() };
        let mut open = self.proposals.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= OPEN_MAX {
            open.pop_front();
        }
        open.push_back(asked);
        Ok((shown, challenge))
    }

    /// Records what was proposed, for whoever typed the challenge. Each challenge has one answer.
    pub(super) fn confirm(&self, peer: Peer, typed: &str) -> Result<(ActId, String), StateError> {
        let person = person(peer, &self.hot.load())?;
        let mut open = self.proposals.open.lock().unwrap_or_else(PoisonError::into_inner);
        let place = open.iter().position(|asked| asked.person == person.process);
        let asked = place.and_then(|place| open.remove(place)).ok_or(StateError::Wrong)?;
        drop(open);
        if asked.challenge != typed.trim() || asked.at.elapsed() > ANSWER_WAIT {
            return Err(StateError::Wrong);
        }
        let line = stated::line(&asked.statement);
        let event = Event::Stated(Box::new(asked.statement));
        let receipt = self.journal.commit(Commit { event, body: None, delivery: None })?;
        Ok((ActId(receipt.seq()), line))
    }
}

/// Random letters that a person types.
fn challenge() -> io::Result<String> {
    let mut bytes = [0_u8; CHALLENGE_LEN];
    if getrandom(&mut bytes, GetRandomFlags::empty())? != bytes.len() {
        return Err(io::Error::other("the system gave too few random bytes"));
    }
    let letter = |byte: &u8| LETTERS.get(usize::from(*byte) % LETTERS.len()).copied().map(char::from);
    Ok(bytes.iter().filter_map(letter).collect())
}

/// Whether an act is one that a later one can take back.
pub(super) const fn is_revocable(act: &Act) -> bool {
    matches!(act, Act::Endorsed(_) | Act::Acknowledged(_) | Act::Approved(_) | Act::Confirmed(_))
}
