//! Policy: the rules as data, and their evaluation over one cell.
//!
//! A rule fires when everything it asks for is met: tier, gap, evidence and profile at least as high, and
//! all its flags present. Rules are therefore up-sets, and the decision (the greatest result of those that
//! fire, ALLOW if none does) is total, deterministic and monotone by construction.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::action::{Flag, Flags, Tier};
use crate::effect::{Effect, Effects};
use crate::evidence::Level;
use crate::origin::Origin;

/// How far an effect exceeds what roots grant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Gap {
    /// Granted, or nothing to grant.
    #[default]
    None,
    /// An operand of the slot stands in an artifact, and no root that holds it grants the effect.
    Inferred,
    /// The slot is an artifact (or remote bytes) as a whole, and that artifact may not cause the effect.
    Observed,
}

impl Gap {
    /// All gaps, least first.
    pub const ALL: [Self; 3] = [Self::None, Self::Inferred, Self::Observed];

    /// The name used in the policy data and in explanations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Inferred => "inferred",
            Self::Observed => "observed",
        }
    }
}

impl fmt::Display for Gap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How much the user wants to be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[repr(u8)]
pub enum Profile {
    /// Shortest waits.
    Realtime,
    /// The default.
    #[default]
    Balanced,
    /// Asks about inferred gaps and unexplained targets.
    Strict,
    /// Refuses where the others ask.
    Critical,
}

impl Profile {
    /// All profiles, most permissive first.
    pub const ALL: [Self; 4] = [Self::Realtime, Self::Balanced, Self::Strict, Self::Critical];

    /// The name used in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Realtime => "realtime",
            Self::Balanced => "balanced",
            Self::Strict => "strict",
            Self::Critical => "critical",
        }
    }

    /// How long a T2 or T3 action may wait for pending evidence, in milliseconds.
    pub const fn wait_ms_max(self) -> u32 {
        match self {
            Self::Realtime => 100,
            Self::Balanced => 750,
            Self::Strict => 3_000,
            Self::Critical => 10_000,
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The answer of the gate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[must_use]
#[repr(u8)]
pub enum Verdict {
    /// Nothing stands against it.
    #[default]
    Allow,
    /// A person must decide.
    Review,
    /// Refused.
    Block,
}

impl Verdict {
    /// All verdicts, least severe first.
    pub const ALL: [Self; 3] = [Self::Allow, Self::Review, Self::Block];

    /// The name used in the policy data and in explanations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "ALLOW",
            Self::Review => "REVIEW",
            Self::Block => "BLOCK",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A rule by its place in the table. The place is stored; rules are only ever appended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct RuleId(pub u8);

/// One rule. Every condition must hold for it to fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// Short name, for example `E2`.
    pub name: &'static str,
    /// Least tier.
    pub tier: Tier,
    /// Least gap.
    pub gap: Gap,
    /// Least evidence.
    pub evidence: Level,
    /// Least profile.
    pub profile: Profile,
    /// Flags that must all be present.
    pub flags: Flags,
    /// The result.
    pub result: Verdict,
    /// Why the rule exists, in one line for people.
    pub reason: &'static str,
    /// What would change the answer, in one line for people; `{target}` and `{source}` stand for what the rule
    /// fired for, see [`Rule::remedy`].
    pub remedy_template: &'static str,
}

/// What content of one origin may cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OriginRow {
    /// The origin.
    pub origin: Origin,
    /// What its content may cause.
    pub effects: Effects,
    /// Whether such content is a root.
    pub root: bool,
}

include!(concat!(env!("OUT_DIR"), "/policy_table.rs"));

/// One point of the policy's domain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cell {
    /// Tier of the action.
    pub tier: Tier,
    /// Gap of the influence.
    pub gap: Gap,
    /// Evidence of the influence.
    pub evidence: Level,
    /// Profile in force.
    pub profile: Profile,
    /// Flags of the action.
    pub flags: Flags,
}

impl Rule {
    /// Whether the rule fires in `cell`.
    pub const fn fires(&self, cell: &Cell) -> bool {
        cell.tier as u8 >= self.tier as u8
            && cell.gap as u8 >= self.gap as u8
            && cell.evidence as u8 >= self.evidence as u8
            && cell.profile as u8 >= self.profile as u8
            && self.flags.is_subset(cell.flags)
    }

    /// What would change the answer, with the target and the source named where they are known.
    pub fn remedy(&self, target: Option<&str>, source: Option<&str>) -> String {
        let remedy = self.remedy_template.replace("{target}", target.unwrap_or("the target"));
        remedy.replace("{source}", source.unwrap_or("the cited source"))
    }
}

impl RuleId {
    /// The rule, if the id is of this table (a log written by a newer version may hold others).
    pub fn rule(self) -> Option<&'static Rule> {
        RULES.get(usize::from(self.0))
    }
}

impl fmt::Display for RuleId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rule() {
            Some(rule) => f.write_str(rule.name),
            None => write!(f, "rule#{}", self.0),
        }
    }
}

/// The rules that fire in `cell`, in table order.
pub fn firing(cell: Cell) -> impl Iterator<Item = (RuleId, &'static Rule)> {
    RULES
        .iter()
        .zip(0_u8..)
        .filter(move |(rule, _)| rule.fires(&cell))
        .map(|(rule, place)| (RuleId(place), rule))
}

/// The verdict for `cell`: the greatest result of the rules that fire.
pub fn evaluate(cell: Cell) -> Verdict {
    firing(cell).map(|(_, rule)| rule.result).max().unwrap_or_default()
}

/// The row of `origin`.
pub fn origin_row(origin: Origin) -> OriginRow {
    // INVARIANT (origins-total): the build refuses a policy without a row for each origin, so the fallback
    // (nothing allowed, grants nothing) is never taken; it is the strict one all the same.
    ORIGINS.iter().copied().find(|row| row.origin == origin).unwrap_or(OriginRow {
        origin,
        effects: Effects::NONE.with(Effect::Inform),
        root: false,
    })
}

/// Flags that imply a tier by themselves: a catastrophe is never less than T2.
pub fn tier_with_flags(tier: Tier, flags: Flags) -> Tier {
    if flags.contains(Flag::Catastrophic) { tier.max(Tier::T2) } else { tier }
}
