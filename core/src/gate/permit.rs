//! From a decision to an answer: what weighs must be on disk first.
//!
//! INVARIANT (recorded-before-answered): an answer to a T2 or T3 action that lets it run cannot be made
//! without the receipt of its recorded decision; there is no other constructor.

use crate::explain::Explanation;
use crate::gate::Decision;
use crate::id::DecisionId;
use crate::policy::Verdict;
use crate::port::Receipt;

/// An answer that may be given.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Permit {
    explanation: Explanation,
    id: Option<DecisionId>,
}

impl Permit {
    /// The verdict.
    pub const fn verdict(&self) -> Verdict {
        self.explanation.verdict
    }

    /// Why.
    pub const fn explanation(&self) -> &Explanation {
        &self.explanation
    }

    /// The recorded decision; none when a light one is recorded later or the store is down.
    pub const fn id(&self) -> Option<DecisionId> {
        self.id
    }
}

/// A decision, by whether it may be answered before it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Weighed {
    /// T0 or T1 and allowed: answer now, record soon after.
    Light(Permit),
    /// Record first.
    Heavy(Heavy),
}

/// A decision that must be recorded before it is answered.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Heavy(Box<Explanation>);

impl Decision {
    /// Splits by weight.
    pub fn weigh(self) -> Weighed {
        if self.durable_first() {
            Weighed::Heavy(Heavy(Box::new(self.into_explanation())))
        } else {
            Weighed::Light(Permit { explanation: self.into_explanation(), id: None })
        }
    }
}

impl Heavy {
    /// Why.
    pub const fn explanation(&self) -> &Explanation {
        &self.0
    }

    /// The answer, now that the decision is recorded.
    pub fn seal(self, receipt: &impl Receipt) -> Permit {
        Permit { explanation: *self.0, id: Some(DecisionId(receipt.seq())) }
    }

    /// The answer without a record: only a refusal or a question can do without.
    ///
    /// # Errors
    ///
    /// Gives the decision back when it would let the action run.
    pub fn refuse(self) -> Result<Permit, Self> {
        if self.0.verdict > Verdict::Allow {
            Ok(Permit { explanation: *self.0, id: None })
        } else {
            Err(self)
        }
    }
}
