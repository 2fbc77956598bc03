//! What a person may state about authority: the only door through which it rises.
//!
//! Everything else in the log derives, and derivation never raises. A [`Statement`] comes from a person's own
//! terminal, or from their answer to a question of the host; it names what it is about, what it allows, where
//! and until when, and how the evidence stood when it was made.
//!
//! INVARIANT (no-self-endorsement): no statement carries GUARD, whoever wrote it: [`Endorsement::effects`]
//! is read through [`Endorsement::grants`], which takes it away.

use serde::{Deserialize, Serialize};

use crate::authority::Authority;
use crate::digest::Digest;
use crate::effect::{Effect, Effects};
use crate::evidence::Level;
use crate::id::{ActId, DecisionId, EvidenceId, SessionId, WorkspaceId};
use crate::operand::Operand;
use crate::policy::Profile;
use crate::time::UnixMillis;

/// Something a person stated. Its id is the sequence number of its event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Statement {
    /// Who stated it, and how that is known.
    pub author: Author,
    /// What.
    pub act: Act,
}

/// Who stated something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Author {
    /// A person at a terminal outside every agent.
    Terminal {
        /// Their user id.
        uid: u32,
        /// The terminal's device.
        tty: Box<str>,
    },
    /// A person who answered the host's question.
    Prompt,
}

/// What was stated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Act {
    /// Something may cause more than its sources allow.
    Endorsed(Endorsement),
    /// An earlier act no longer holds.
    Revoked {
        /// Which.
        act: ActId,
    },
    /// A content is harmless, whatever analysis says.
    Acknowledged(Acknowledgement),
    /// One action that was asked about may run, once.
    Approved(Approval),
    /// Questions that were answered with yes need not be asked again in the session.
    Confirmed(Confirmation),
    /// Another profile is in force; none returns to the configured one.
    ProfileChanged {
        /// Which.
        profile: Option<Profile>,
    },
}

/// Authority given to something beyond what its sources have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Endorsement {
    /// What is endorsed.
    pub subject: Subject,
    /// What it may cause.
    pub effects: Effects,
    /// Where that holds.
    pub scope: Scope,
    /// When it ends by itself.
    pub expires: Option<UnixMillis>,
    /// The worst evidence about the subject at that time: what the person accepted.
    pub level: Level,
    /// The adverse judgement that the person named, where there was one.
    pub acknowledged: Option<EvidenceId>,
}

/// What an endorsement is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Subject {
    /// A value, wherever it stands.
    Operand(Operand),
    /// These exact bytes as a whole.
    Content(Digest),
    /// A directory: what was recorded below it before counts as the user's own.
    Directory(Operand),
}

/// Where an endorsement holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scope {
    /// For one decision in a workspace.
    Once(WorkspaceId),
    /// In a session, its resumes, forks and subagents: the root session.
    Session(SessionId),
    /// In every session of a workspace.
    Workspace(WorkspaceId),
}

/// A content that a person looked at and found harmless, in one workspace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledgement {
    /// Which bytes.
    pub content: Digest,
    /// Where.
    pub workspace: WorkspaceId,
    /// What analysis said then; worse evidence that comes later counts again.
    pub level: Level,
}

/// Leave for one action, to be used once.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Approval {
    /// Digest of tool and canonical arguments.
    pub identity: Digest,
    /// The root session that asked.
    pub session: SessionId,
    /// The decision that asked.
    pub decision: DecisionId,
    /// What it asked; another question about the same action is not covered.
    pub questions: Vec<Digest>,
    /// When it ends by itself.
    pub expires: UnixMillis,
}

/// Questions that a person answered with yes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confirmation {
    /// The root session that asked.
    pub session: SessionId,
    /// The decision that asked.
    pub decision: DecisionId,
    /// What it asked.
    pub questions: Vec<Digest>,
}

impl Endorsement {
    /// What it really grants.
    pub const fn grants(&self) -> Authority {
        Authority::new(self.effects.without(Effect::Guard))
    }

    /// Whether it has ended by itself at `now`.
    pub fn has_expired(&self, now: UnixMillis) -> bool {
        self.expires.is_some_and(|expires| expires <= now)
    }

    /// Whether it may be stated at all.
    ///
    /// # Errors
    ///
    /// See [`EndorseError`].
    pub fn check(&self) -> Result<(), EndorseError> {
        if self.effects.contains(Effect::Guard) {
            return Err(EndorseError::Guard);
        }
        if self.effects.is_empty() {
            return Err(EndorseError::Nothing);
        }
        if self.level == Level::Adverse && self.acknowledged.is_none() {
            return Err(EndorseError::Unacknowledged);
        }
        Ok(())
    }
}

/// Why something cannot be endorsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndorseError {
    /// GUARD is nobody's to give.
    Guard,
    /// No effect was named.
    Nothing,
    /// The subject looks like an attack, and the person did not name the judgement.
    Unacknowledged,
}

impl std::fmt::Display for EndorseError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Guard => "GUARD cannot be given to anything",
            Self::Nothing => "no effect is named; hint: add --effects, for example --effects FETCH",
            Self::Unacknowledged => {
                "it looks like an attack; hint: read the judgement, then name it with --acknowledge"
            }
        })
    }
}

impl std::error::Error for EndorseError {}
