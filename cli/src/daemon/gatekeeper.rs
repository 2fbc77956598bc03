//! From an announced call to the permit that answers it.

use circinus_analyzer::Surroundings;
use circinus_analyzer::call::{Who, understand};
use circinus_core::action::{Action, SlotValue};
use circinus_core::event::{Commit, DecisionRecord, Event};
use circinus_core::explain::Explanation;
use circinus_core::gate::{self, Circumstances, Decision, Permit};
use circinus_core::index::Snapshot;
use circinus_core::operand::{Kind, Operand};
use circinus_core::origin::Origin;
use circinus_core::policy::Profile;

use super::files;
use super::texts::Texts;
use crate::adapter::claude_code::response::{self, HookOutput};
use crate::host::{AnnouncedCall, HostEvent};
use crate::reason;

/// A call that asks for permission.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The event that announced it.
    pub event: HostEvent,
    /// What it would do.
    pub action: Action,
    /// How long it has waited for evidence, in milliseconds.
    pub waited_ms: u32,
}

impl Asked {
    /// Understands an announced call in the state as it is now; `seal` is the key under which the index holds
    /// secrets.
    pub fn new(
        event: HostEvent,
        call: &AnnouncedCall,
        around: &Surroundings,
        snapshot: &Snapshot,
        texts: &Texts,
        seal: &[u8; 32],
    ) -> Self {
        let who = Who {
            session: event.session.clone(),
            agent: event.agent.clone(),
            call: call.id.clone(),
            tool: call.tool.clone(),
        };
        let mut action = understand(&call.call, who, around).action.sealed(seal);
        action.settled = settled(&action, around, snapshot);
        action.sightings = texts.sightings(&action, snapshot);
        Self { event, action, waited_ms: 0 }
    }

    /// Decides on the state as it is now.
    pub fn decide(&self, snapshot: &Snapshot, profile: Profile, store_up: bool) -> Decision {
        gate::decide(&self.action, snapshot, Circumstances { profile, store_up })
    }

    /// The row that records a decision.
    pub fn record(&self, explanation: &Explanation) -> Commit {
        let record = DecisionRecord {
            session: self.event.session.clone(),
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
        response::gate(&self.event.name, permit, self.event.asks, &reason)
    }
}

/// Paths of the action that were there before: in the workspace since before the session, or made by the
/// agent itself.
fn settled(action: &Action, around: &Surroundings, snapshot: &Snapshot) -> Vec<Operand> {
    let paths = action.slots.iter().filter_map(|slot| match &slot.value {
        SlotValue::Operands(operands) => operands.first().filter(|operand| operand.kind() == Kind::Path),
        SlotValue::File(path) => Some(path),
        SlotValue::Remote(_) | SlotValue::Text(_) => None,
    });
    let made = |path: &Operand| {
        let bound = snapshot.binding(path).and_then(|bound| snapshot.artifact(bound.artifact));
        bound.is_some_and(|artifact| artifact.origin == Origin::AgentText)
    };
    let there = |path: &Operand| {
        files::is_inside(path.canonical(), &around.paths.workspace)
            && files::predates(path.canonical(), &action.session, snapshot)
    };
    paths.filter(|path| made(path) || there(path)).cloned().collect()
}
