//! What the gate and the daemon ask about statements of persons and about hosts.

use super::Snapshot;
use super::acts::{InForce, Viewpoint};
use crate::digest::Digest;
use crate::endorsement::Statement;
use crate::event::Process;
use crate::id::{ActId, EvidenceId, SessionId};
use crate::operand::Operand;
use crate::policy::Profile;
use crate::time::UnixMillis;

impl Snapshot {
    /// From where `session` looks at what was stated.
    pub fn viewpoint<'a>(&'a self, session: &'a SessionId, now: UnixMillis) -> Viewpoint<'a> {
        let known = self.sessions.get(session);
        Viewpoint {
            root: known.map_or(session, |known| &known.root),
            workspace: known.map(|known| &known.workspace),
            now,
        }
    }

    /// Endorsements of a value that hold from there.
    pub fn endorsements(&self, operand: &Operand, at: Viewpoint<'_>) -> Vec<InForce<'_>> {
        self.acts.of_operand(operand, at)
    }

    /// Endorsements of exact bytes that hold from there.
    pub fn endorsements_of_content(&self, content: &Digest, at: Viewpoint<'_>) -> Vec<InForce<'_>> {
        self.acts.of_content(content, at)
    }

    /// The newest trust in a directory that holds `path`, if one is in force. It covers what was recorded
    /// before it, and files that were there when a later session began.
    pub fn trust(&self, path: &Operand, now: UnixMillis) -> Option<InForce<'_>> {
        self.acts.trust(path, now)
    }

    /// What answers a question about an action: the act, and whether it is used up by answering.
    pub fn answer(&self, question: &Digest, identity: &Digest, at: Viewpoint<'_>) -> Option<(ActId, bool)> {
        self.acts.answer(question, identity, at)
    }

    /// Everything that was stated, is not revoked and not used up, oldest first.
    pub fn statements(&self) -> impl Iterator<Item = (ActId, &Statement)> {
        self.acts.standing()
    }

    /// Whether an act was stated, is not revoked and not used up.
    pub fn is_standing(&self, act: ActId) -> bool {
        self.acts.is_standing(act)
    }

    /// This state without some acts that can be used once: for whoever lost the race for one.
    #[must_use]
    pub fn without(&self, acts: &[ActId]) -> Self {
        let mut other = self.clone();
        acts.iter().for_each(|act| other.acts.spend(*act));
        other
    }

    /// The profile that a person chose over the configured one.
    pub fn profile(&self) -> Option<Profile> {
        self.acts.profile()
    }

    /// Whether the host of a session was never seen to answer its own questions.
    pub fn asks_reliably(&self, session: &SessionId) -> bool {
        let hosts = self.sessions.get(session).map(|session| session.hosts.as_slice()).unwrap_or_default();
        hosts.iter().all(|host| !self.unreliable.contains(&host.program))
    }

    /// Whether a process speaks for any session.
    pub fn is_host(&self, process: Process) -> bool {
        self.sessions.values().any(|session| session.hosts.iter().any(|host| host.process == process))
    }

    /// Host programs that were seen to answer questions by themselves.
    pub fn unreliable_hosts(&self) -> impl Iterator<Item = &str> {
        self.unreliable.iter().map(AsRef::as_ref)
    }

    /// The content that an adverse judgement is about.
    pub fn adverse(&self, evidence: EvidenceId) -> Option<Digest> {
        self.standing.adverse(evidence)
    }
}
