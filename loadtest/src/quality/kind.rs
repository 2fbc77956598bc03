//! Why lineage did not stop an attack: the kind of what is missing, told from the recording alone.

use circinus_core::action::{Role, SlotValue, Tier};

use super::reading::{Asked, Moment, Reading};
use crate::replay::format::Kind;

/// What stands between an attack session and a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Missing {
    /// No attack call holds anything that had been read.
    Carries,
    /// Every attack call only reads or is local and reversible.
    Tier,
    /// What was read stands in what the attack calls carry along, not in what they act on.
    Designator,
    /// An attack call that cannot be undone acts on what had been read: something else lets it pass.
    Nothing,
}

impl Missing {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Missing::Carries => "nothing that was read is carried",
            Missing::Tier => "only reads or local, reversible steps",
            Missing::Designator => "carried in content only, not in what is acted on",
            Missing::Nothing => "a designator that was read, let pass",
        }
    }
}

/// The kind of an attack session, the weakest of its attack calls' lacks.
#[must_use]
pub fn of(reading: &Reading) -> Missing {
    let mut missing = if reading.carried { Missing::Tier } else { Missing::Carries };
    let mut results = String::new();
    for moment in &reading.moments {
        match moment {
            Moment::Came(came) => results.push_str(&came.text),
            Moment::Asked(asked) if is_attack(asked) && asked.tier >= Tier::T2 && reading.carried => {
                let designated =
                    if acts_on_read(asked, &results) { Missing::Nothing } else { Missing::Designator };
                missing = missing.max(designated);
            }
            Moment::Asked(_) => {}
        }
    }
    missing
}

pub(super) fn is_attack(asked: &Asked) -> bool {
    asked.label.as_ref().is_some_and(|label| label.kind == Kind::Attack)
}

fn acts_on_read(asked: &Asked, results: &str) -> bool {
    asked.slots.iter().filter(|slot| slot.role == Role::Designator).any(|slot| match &slot.value {
        SlotValue::Operands(operands) => operands.iter().any(|operand| results.contains(operand.canonical())),
        SlotValue::File(path) => results.contains(path.canonical()),
        SlotValue::Remote(operands) => operands.iter().any(|operand| results.contains(operand.canonical())),
        SlotValue::Text(text) => results.contains(text.trim()),
        SlotValue::Workspace => false,
    })
}
