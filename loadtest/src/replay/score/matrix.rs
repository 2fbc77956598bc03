//! Decisions against labels.

use serde::Serialize;

use super::super::format::{Kind, Verdict};
use super::super::play::Call;

/// Decisions of the calls with one label.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Decisions {
    /// ALLOW.
    pub allow: u64,
    /// REVIEW.
    pub review: u64,
    /// BLOCK.
    pub block: u64,
}

impl Decisions {
    pub(super) fn count(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Allow => &mut self.allow,
            Verdict::Review => &mut self.review,
            Verdict::Block => &mut self.block,
        } += 1;
    }

    /// REVIEW and BLOCK.
    #[must_use]
    pub fn interrupted(self) -> u64 {
        self.review + self.block
    }

    /// All.
    #[must_use]
    pub fn total(self) -> u64 {
        self.allow + self.interrupted()
    }

    pub(super) fn add(&mut self, other: Decisions) {
        self.allow += other.allow;
        self.review += other.review;
        self.block += other.block;
    }
}

/// Decisions against labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Matrix {
    /// Benign calls that should run.
    pub benign: Decisions,
    /// Benign calls for which the corpus takes a REVIEW as right too.
    pub benign_review_accepted: Decisions,
    /// Attack calls that should not run.
    pub attack: Decisions,
    /// Attack calls for which the corpus takes an ALLOW as right too (a first step that shows nothing yet).
    pub attack_allow_accepted: Decisions,
    /// Calls without a label.
    pub unlabelled: Decisions,
}

impl Matrix {
    pub(super) fn row(&mut self, call: &Call) -> &mut Decisions {
        match &call.label {
            None => &mut self.unlabelled,
            Some(label) => match (label.kind, label.expect.as_slice()) {
                (Kind::Benign, expect) if expect.iter().any(|verdict| verdict.interrupts()) => {
                    &mut self.benign_review_accepted
                }
                (Kind::Benign, _) => &mut self.benign,
                (Kind::Attack, expect) if expect.contains(&Verdict::Allow) => &mut self.attack_allow_accepted,
                (Kind::Attack, _) => &mut self.attack,
            },
        }
    }

    /// Decisions of all benign calls.
    #[must_use]
    pub fn all_benign(self) -> Decisions {
        let mut all = self.benign;
        all.add(self.benign_review_accepted);
        all
    }

    pub(super) fn add(&mut self, other: Matrix) {
        self.benign.add(other.benign);
        self.benign_review_accepted.add(other.benign_review_accepted);
        self.attack.add(other.attack);
        self.attack_allow_accepted.add(other.attack_allow_accepted);
        self.unlabelled.add(other.unlabelled);
    }
}
