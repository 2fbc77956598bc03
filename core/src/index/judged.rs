//! What the daemon and the explanations ask about judgements and what they have cost.

use super::Snapshot;
use super::standing::Owed;
use crate::digest::Digest;
use crate::enquiry::{Cause, Cost};
use crate::evidence::{EvidenceKey, Judgement};
use crate::id::SessionId;
use crate::time::UnixMillis;

impl Snapshot {
    /// The judgements of `content`, oldest first.
    pub fn judgements(&self, content: &Digest) -> &[Judgement] {
        self.standing.of(content)
    }

    /// Whether every required analyser has judged `content`; the strong one is asked only after that.
    pub fn is_judged(&self, content: &Digest) -> bool {
        self.standing.is_judged(content)
    }

    /// Whether nothing about `content` is waited for: each analyser that it needs has judged it or said that it
    /// cannot.
    pub fn is_settled(&self, content: &Digest) -> bool {
        let strong = self.standing.asked(content).is_none_or(|key| {
            self.standing.cause(content).is_some()
                || self.judgements(content).iter().any(|row| row.key == *key)
        });
        self.is_judged(content) && strong
    }

    /// Contents that a required analyser has not judged, newest occurrence first: the queue of that analyser.
    pub fn unjudged(&self) -> impl Iterator<Item = Owed> {
        self.standing.unjudged()
    }

    /// Contents that were put to the strong analyser and may still be asked about, newest first: its queue.
    pub fn owed(&self) -> impl Iterator<Item = Owed> {
        self.standing.owed()
    }

    /// Whether `content` is in that queue.
    pub fn is_owed(&self, content: &Digest) -> bool {
        self.standing.is_owed(content)
    }

    /// The key of the strong verdict that `content` needs; none when it was put to no model.
    pub fn asked(&self, content: &Digest) -> Option<&EvidenceKey> {
        self.standing.asked(content)
    }

    /// Why the strong analyser gave no verdict on `content` the last time; none when it gave one or was not
    /// asked yet.
    pub fn unanswered(&self, content: &Digest) -> Option<Cause> {
        self.standing.cause(content)
    }

    /// What requests to providers have cost on the day (UTC) of `now`.
    pub fn spent_today(&self, now: UnixMillis) -> Cost {
        self.spend.of_day(now)
    }

    /// What requests to providers have cost for a session.
    pub fn spent_by(&self, session: &SessionId) -> Cost {
        self.spend.of_session(session)
    }
}
