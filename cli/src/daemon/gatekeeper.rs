//! From an announced call to the permit that answers it.

use std::time::Instant;

use circinus_analyzer::Surroundings;
use circinus_analyzer::call::{Who, understand};
use circinus_core::action::{Action, FileWrite};
use circinus_core::event::{Commit, DecisionRecord, Event};
use circinus_core::explain::Explanation;
use circinus_core::gate::{self, Circumstances, Decision, Permit, Weighed};
use circinus_core::index::Snapshot;
use circinus_core::operand::PathContext;
use circinus_core::policy::Profile;

use super::facts;
use super::files::{Listings, Scene};
use super::search::Searches;
use super::texts::Texts;
use crate::adapter::claude_code::response::{self, HookOutput};
use crate::clock;
use crate::host::{AnnouncedCall, Asks, HostEvent};
use crate::reason;

/// A call that asks for permission.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The host's name of the event that announced it.
    event: Box<str>,
    /// Whether the host can put a question to a person now.
    pub asks: Asks,
    /// What it would do.
    pub action: Action,
    /// The files that it would write.
    pub writes: Vec<FileWrite>,
    /// How its paths are read.
    paths: PathContext,
    /// When it came.
    pub began: Instant,
    /// How long it has waited for evidence, in milliseconds.
    pub waited_ms: u32,
}

impl Asked {
    /// Understands an announced call in the state as it is now; `seal` is the key under which the index holds
    /// secrets.
    pub fn new(
        event: &HostEvent,
        call: &AnnouncedCall,
        around: &Surroundings,
        snapshot: &Snapshot,
        texts: &Texts,
        seal: &[u8; 32],
    ) -> Self {
        let understood = understand(&call.call, who(event, call), around);
        let (mut action, writes) = (understood.action.sealed(seal), understood.writes);
        action.facts = facts::of(&action, around, snapshot, texts, seal);
        Self {
            event: event.name.clone(),
            asks: event.asks,
            action,
            writes,
            paths: around.paths.clone(),
            began: Instant::now(),
            waited_ms: 0,
        }
    }

    /// Looks once for what would spare the user the question that a decision asks; says whether it found any.
    pub(super) fn search(
        &mut self,
        decision: &Decision,
        snapshot: &Snapshot,
        profile: Profile,
        (searches, listings): (&Searches, &Listings),
    ) -> bool {
        if decision.searchable().is_empty() || !self.action.facts.rooted.is_empty() {
            return false;
        }
        let session = snapshot.session(&self.action.session);
        let scene = Scene { paths: &self.paths, session, snapshot, listings };
        self.action.facts.rooted = searches.run(decision.searchable(), &scene, profile);
        !self.action.facts.rooted.is_empty()
    }

    /// Decides on the state as it is now.
    pub fn decide(&self, snapshot: &Snapshot, profile: Profile, store_up: bool) -> Decision {
        let now = clock::now();
        gate::decide(&self.action, snapshot, Circumstances { profile, store_up, now })
    }

    /// The row that records a decision.
    pub fn record(&self, explanation: &Explanation) -> Commit {
        let record = DecisionRecord {
            session: self.action.session.clone(),
            tool: self.action.tool.clone(),
            summary: self.action.summary.clone(),
            identity: self.action.identity,
            explanation: explanation.clone(),
            waited_ms: self.waited_ms,
            supersedes: None,
        };
        Commit { event: Event::Decided(Box::new(record)), body: None, delivery: None }
    }

    /// The host's answer.
    pub fn answer(&self, permit: &Permit, snapshot: &Snapshot) -> HookOutput {
        let reason = reason::of_permit(permit, &self.action, snapshot);
        response::gate(&self.event, permit, self.asks_in(snapshot), &reason)
    }

    /// Whether a question reaches a person: the mode says so, and this host was never seen to answer by itself.
    pub fn asks_in(&self, snapshot: &Snapshot) -> Asks {
        if snapshot.asks_reliably(&self.action.session) { self.asks } else { Asks::No }
    }

    /// The host's answer when the decision cannot be recorded: decided with that fact, which asks or refuses
    /// at T2 and above.
    pub fn answer_unrecorded(&self, snapshot: &Snapshot, profile: Profile) -> HookOutput {
        match self.decide(snapshot, profile, false).weigh() {
            Weighed::Light(permit) => self.answer(&permit, snapshot),
            Weighed::Heavy(heavy) => match heavy.refuse() {
                Ok(permit) => self.answer(&permit, snapshot),
                Err(_) => HookOutput::refuse("the decision cannot be recorded; hint: run `circinus doctor`"),
            },
        }
    }
}

/// Who makes an announced call.
pub(super) fn who(event: &HostEvent, call: &AnnouncedCall) -> Who {
    Who {
        session: event.session.clone(),
        agent: event.agent.clone(),
        call: call.id.clone(),
        tool: call.tool.clone(),
    }
}
