//! The gate: one action, one snapshot, one decision.
//!
//! INVARIANT (decision-is-a-function): [`decide`] reads nothing but its arguments; equal input gives an
//! equal decision with an equal explanation.
//!
//! INVARIANT (findings-fold): every slot and every influence is looked at before the verdict is taken, and
//! the strictest wins; no rule can end the evaluation early.

mod permit;
mod reach;

pub use self::permit::{Heavy, Permit, Weighed};

use crate::action::{Action, Flag, Flags, SlotValue, Tier};
use crate::digest::Digest;
use crate::evidence::Level;
use crate::explain::{Explanation, Fired, Influence};
use crate::index::Snapshot;
use crate::limits;
use crate::operand::Kind;
use crate::policy::{self, Cell, Gap, Profile, Verdict};

use self::reach::Reach;

/// What the gate must know besides the action and the index.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// The profile in force.
    pub profile: Profile,
    /// Whether the decision could be recorded.
    pub store_up: bool,
}

/// The answer of the gate. Only [`decide`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Decision {
    explanation: Explanation,
    pending: Vec<Digest>,
}

impl Decision {
    /// The verdict.
    pub const fn verdict(&self) -> Verdict {
        self.explanation.verdict
    }

    /// Why.
    pub const fn explanation(&self) -> &Explanation {
        &self.explanation
    }

    /// Contents whose missing judgement raised the verdict: worth a bounded wait, then a second [`decide`].
    pub fn pending(&self) -> &[Digest] {
        &self.pending
    }

    /// Whether the decision must be durable before it is given: T2 and above, and whatever is not allowed.
    pub fn durable_first(&self) -> bool {
        self.explanation.tier >= Tier::T2 || self.explanation.verdict > Verdict::Allow
    }

    /// Whether there is something to record at all: a plain ALLOW at T0 or T1 that no influence, gap or flag
    /// touched leaves no row.
    pub fn is_flagged(&self) -> bool {
        self.durable_first() || !self.explanation.influences.is_empty() || !self.explanation.flags.is_empty()
    }

    /// The decision without its working.
    pub fn into_explanation(self) -> Explanation {
        self.explanation
    }
}

/// Decides what an action may do.
pub fn decide(action: &Action, snapshot: &Snapshot, circumstances: Circumstances) -> Decision {
    let reached: Vec<Reach> = action.slots.iter().map(|slot| reach::of(slot, action, snapshot)).collect();
    let flags = flags(action, &reached, circumstances);
    let tier = policy::tier_with_flags(tier(action, &reached), flags);
    let mut influences: Vec<Influence> = reached.into_iter().flat_map(|reach| reach.influences).collect();
    influences.sort_by_key(|influence| std::cmp::Reverse((influence.gap, influence.level)));

    let base = Cell { tier, gap: Gap::None, evidence: Level::None, profile: circumstances.profile, flags };
    // All influences count; one beyond what an explanation could name is only not pointed at.
    let reached = influences.iter().enumerate().map(|(place, influence)| {
        let cell = Cell { gap: influence.gap, evidence: influence.level, ..base };
        (u16::try_from(place).ok(), cell)
    });
    let cells = std::iter::once((None, base)).chain(reached);
    let mut fired: Vec<(Verdict, Fired)> = Vec::new();
    for (influence, cell) in cells {
        for (rule, row) in policy::firing(cell) {
            if fired.iter().all(|(_, known)| known.rule != rule) {
                fired.push((row.result, Fired { rule, influence }));
            }
        }
    }
    fired.sort_by_key(|(result, fired)| (std::cmp::Reverse(*result), fired.rule));
    let verdict = fired.first().map(|(result, _)| *result).unwrap_or_default();
    let pending = pending(&influences, tier, snapshot);
    let explained = explained(&mut influences, fired);
    Decision {
        explanation: Explanation {
            verdict,
            profile: circumstances.profile,
            tier,
            flags,
            effects: action.effects,
            fired: explained,
            influences,
        },
        pending,
    }
}

/// The tier after what lineage adds: a slot with a gap may raise it, and so may a copied command line.
fn tier(action: &Action, reached: &[Reach]) -> Tier {
    let raised = action.slots.iter().zip(reached).filter(|(_, reach)| reach.gap > Gap::None);
    raised.map(|(slot, _)| slot.tier_on_gap).fold(action.tier, Tier::max)
}

fn flags(action: &Action, reached: &[Reach], circumstances: Circumstances) -> Flags {
    let slots = action.slots.iter().zip(reached);
    let mut flags = slots
        .clone()
        .filter(|(_, reach)| !reach.granted)
        .fold(action.flags, |flags, (slot, _)| flags.union(slot.flags_unless_granted));
    if slots.clone().any(|(slot, reach)| !reach.found && explains_itself(&slot.value)) {
        flags = flags.with(Flag::Unexplained);
    }
    if !circumstances.store_up {
        flags = flags.with(Flag::StoreDown);
    }
    flags
}

/// Whether a value of this kind should stand in something that was read: names of things outside do, paths
/// and command lines are the agent's own to compose.
fn explains_itself(value: &SlotValue) -> bool {
    let SlotValue::Operands(operands) = value else { return false };
    operands.first().is_some_and(|operand| {
        matches!(
            operand.kind(),
            Kind::Url | Kind::Host | Kind::Ip | Kind::Email | Kind::Package | Kind::Git | Kind::Image
        )
    })
}

/// Which contents are worth waiting for. T0 and T1 never wait.
fn pending(influences: &[Influence], tier: Tier, snapshot: &Snapshot) -> Vec<Digest> {
    if tier < Tier::T2 {
        return Vec::new();
    }
    let waiting = influences.iter().filter(|influence| influence.level == Level::Pending);
    let mut contents: Vec<_> = waiting
        .filter_map(|influence| influence.artifact.and_then(|id| snapshot.artifact(id)))
        .map(|artifact| artifact.content)
        .collect();
    contents.sort_unstable();
    contents.dedup();
    contents
}

/// Cuts the influences to what is kept and drops references to those that were cut.
fn explained(influences: &mut Vec<Influence>, fired: Vec<(Verdict, Fired)>) -> Vec<Fired> {
    influences.truncate(limits::INFLUENCES_EXPLAINED_MAX);
    let kept = influences.len();
    fired
        .into_iter()
        .map(|(_, fired)| Fired {
            rule: fired.rule,
            influence: fired.influence.filter(|place| usize::from(*place) < kept),
        })
        .collect()
}
