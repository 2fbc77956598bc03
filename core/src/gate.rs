//! The gate: one action, one snapshot, one decision.
//!
//! INVARIANT (decision-is-a-function): [`decide`] reads nothing but its arguments; equal input gives an
//! equal decision with an equal explanation.
//!
//! INVARIANT (findings-fold): every slot and every influence is looked at before the verdict is taken, and
//! the strictest wins; no rule can end the evaluation early.

mod permit;
mod question;
mod reach;

pub use self::permit::{Heavy, Permit, Weighed};

use std::collections::{BTreeMap, BTreeSet};

use crate::action::{Action, Flag, Flags, SlotValue, Tier};
use crate::digest::Digest;
use crate::effect::Effect;
use crate::evidence::Level;
use crate::explain::{Explanation, Fired, Influence};
use crate::id::ActId;
use crate::index::Snapshot;
use crate::limits;
use crate::operand::{Kind, Operand, is_common_anywhere};
use crate::policy::{self, Cell, Gap, Profile, Verdict};
use crate::time::UnixMillis;

use self::question::{Answered, Questions};
use self::reach::Reach;

/// What the gate must know besides the action and the index.
#[derive(Clone, Copy, Debug)]
pub struct Circumstances {
    /// The profile in force.
    pub profile: Profile,
    /// Whether the decision could be recorded.
    pub store_up: bool,
    /// The present time: endorsements and approvals end by themselves.
    pub now: UnixMillis,
}

/// The answer of the gate. Only [`decide`] makes one.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Decision {
    explanation: Explanation,
    pending: Vec<Digest>,
    searchable: Vec<Operand>,
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

    /// Operands worth one search in what was there before the session: the answer interrupts, and rests on their
    /// standing in nothing that may cause the effect. What is found goes into `Facts::rooted` of a second
    /// [`decide`].
    pub fn searchable(&self) -> &[Operand] {
        &self.searchable
    }

    /// Whether the decision must be durable before it is given: T2 and above, whatever is not allowed, and what
    /// uses up an act of a person.
    pub fn durable_first(&self) -> bool {
        let used_up = self.explanation.relied.iter().any(|relied| relied.spent);
        self.explanation.tier >= Tier::T2 || self.explanation.verdict > Verdict::Allow || used_up
    }

    /// Whether there is something to record at all: a plain ALLOW at T0 or T1 that no influence, gap or flag
    /// touched leaves no row.
    pub fn is_flagged(&self) -> bool {
        let explanation = &self.explanation;
        let touched = !explanation.influences.is_empty() || !explanation.flags.is_empty();
        let rests = !explanation.relied.is_empty() || !explanation.rooted.is_empty();
        self.durable_first() || touched || rests || !explanation.payloads.is_empty()
    }

    /// The decision without its working.
    pub fn into_explanation(self) -> Explanation {
        self.explanation
    }
}

/// Decides what an action may do.
pub fn decide(action: &Action, snapshot: &Snapshot, circumstances: Circumstances) -> Decision {
    let at = snapshot.viewpoint(&action.session, circumstances.now);
    let sight = snapshot.sight(&action.session);
    let slots = action.slots.iter().enumerate();
    let mut reached: Vec<Reach> =
        slots.map(|(place, slot)| reach::of(slot, place, action, snapshot, sight, at)).collect();
    let flags = flags(action, &reached, snapshot, circumstances);
    let tier = policy::tier_with_flags(tier(action, &reached), flags);
    let endorsed: BTreeMap<ActId, bool> = reached.iter().flat_map(|reach| reach.endorsed.clone()).collect();
    let sends = reached.iter().any(|reach| reach.sends);
    let payloads = reached.iter().filter_map(|reach| reach.payload.clone()).collect();
    let influences = reached.iter_mut().map(|reach| std::mem::take(&mut reach.influences));
    let mut influences: Vec<Influence> = influences.flatten().collect();
    influences.sort_by_key(|influence| std::cmp::Reverse((influence.gap, influence.level)));

    let base = Cell { tier, gap: Gap::None, evidence: Level::None, profile: circumstances.profile, flags };
    // All influences count; one beyond what an explanation could name is only not pointed at.
    let influenced = influences.iter().enumerate().map(|(place, influence)| {
        let cell = Cell { gap: influence.gap, evidence: influence.level, ..base };
        (Some((place, influence)), cell)
    });
    let mut asked = Questions::new(action, snapshot, at, endorsed);
    for (influence, cell) in std::iter::once((None, base)).chain(influenced) {
        for (rule, row) in policy::firing(cell) {
            asked.fire(rule, row.result, influence);
        }
    }
    let answered = asked.answered();
    // What runs all the same waits for nothing.
    let runs = answered.verdict == Verdict::Allow;
    let pending = if runs { Vec::new() } else { pending(&influences, tier, snapshot) };
    let searchable = searchable(&answered, action, &reached);
    let fired = explained(&mut influences, answered.fired);
    Decision {
        explanation: Explanation {
            verdict: answered.verdict,
            profile: circumstances.profile,
            tier,
            flags,
            effects: if sends { action.effects.with(Effect::Send) } else { action.effects },
            fired,
            influences,
            questions: answered.questions,
            relied: answered.relied,
            payloads,
            rooted: action.facts.rooted.clone(),
        },
        pending,
        searchable,
    }
}

/// The operands that an interruption rests on and that a root could grant or explain: those with an inferred
/// gap, and those that should stand in something and stand in nothing.
fn searchable(answered: &Answered, action: &Action, reached: &[Reach]) -> Vec<Operand> {
    let mut rules = answered.fired.iter().filter_map(|fired| fired.rule.rule());
    let rests = rules.any(|rule| rule.gap == Gap::Inferred || rule.flags.contains(Flag::Unexplained));
    if answered.verdict == Verdict::Allow || !rests {
        return Vec::new();
    }
    let lacking = reached.iter().flat_map(|reach| &reach.lacking);
    let all: BTreeSet<&Operand> = lacking.chain(unexplained(action, reached).flatten()).collect();
    all.into_iter().take(limits::SEARCHED_OPERANDS_MAX).cloned().collect()
}

/// The tier after what lineage adds: a slot with a gap may raise it, and a read that turns out to be a transfer
/// to a place that only content named is one that cannot be undone.
fn tier(action: &Action, reached: &[Reach]) -> Tier {
    let raised = action.slots.iter().zip(reached).filter(|(_, reach)| reach.gap > Gap::None);
    let tiers = raised.map(|(slot, reach)| if reach.sends { Tier::T2 } else { slot.tier_on_gap });
    tiers.fold(action.tier, Tier::max)
}

fn flags(action: &Action, reached: &[Reach], snapshot: &Snapshot, circumstances: Circumstances) -> Flags {
    let slots = action.slots.iter().zip(reached);
    let mut flags = slots
        .filter(|(_, reach)| !reach.granted)
        .fold(action.flags, |flags, (slot, _)| flags.union(slot.flags_unless_granted));
    if unexplained(action, reached).next().is_some() {
        flags = flags.with(Flag::Unexplained);
    }
    // Something spoke in the session's name: until a refusal has told the user, nothing runs in it.
    let session = snapshot.session(&action.session);
    if session.is_some_and(|session| session.impersonated.is_some()) {
        flags = flags.with(Flag::Guard);
    }
    if !circumstances.store_up {
        flags = flags.with(Flag::StoreDown);
    }
    flags
}

/// The designators that should stand in something that was read, and stand in nothing: names of things outside
/// and accounts should; paths, command lines and other words are the agent's own to compose, and what is on the
/// static lists (this machine, its network, well-known services) needs no source.
fn unexplained<'a>(action: &'a Action, reached: &'a [Reach]) -> impl Iterator<Item = &'a [Operand]> {
    let lost = action.slots.iter().zip(reached).filter(|(_, reach)| !reach.found);
    let operands = lost.filter_map(|(slot, _)| match &slot.value {
        SlotValue::Operands(operands) => Some(operands.as_slice()),
        _ => None,
    });
    operands.filter(|operands| operands.first().is_some_and(names_something))
}

fn names_something(operand: &Operand) -> bool {
    let outside = matches!(
        operand.kind(),
        Kind::Url | Kind::Host | Kind::Ip | Kind::Email | Kind::Package | Kind::Git | Kind::Image
    );
    outside && !is_common_anywhere(operand) || operand.is_account()
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
fn explained(influences: &mut Vec<Influence>, fired: Vec<Fired>) -> Vec<Fired> {
    influences.truncate(limits::INFLUENCES_EXPLAINED_MAX);
    let kept = influences.len();
    fired
        .into_iter()
        .map(|fired| Fired {
            rule: fired.rule,
            influence: fired.influence.filter(|place| usize::from(*place) < kept),
        })
        .collect()
}
