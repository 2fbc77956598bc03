//! Questions that rules ask, and the answers that a person gave before.
//!
//! A question is a rule and what it fired for: the value or the bytes, the effect, and how the evidence
//! stands. An answer covers that question and no other, so worse evidence, other bytes under the same name or
//! a further rule are asked about anew. A refusal is no question.

use std::collections::{BTreeMap, BTreeSet};

use crate::action::Action;
use crate::digest::Digest;
use crate::explain::{Fired, Influence, Path, Relied};
use crate::id::ActId;
use crate::index::{Snapshot, Viewpoint};
use crate::limits;
use crate::policy::{RuleId, Verdict};

/// The outcome of all rules.
pub(super) struct Answered {
    pub(super) verdict: Verdict,
    /// Each rule once, the primary one first.
    pub(super) fired: Vec<Fired>,
    /// Questions without an answer.
    pub(super) questions: Vec<Digest>,
    pub(super) relied: Vec<Relied>,
}

/// Rules that fired so far.
pub(super) struct Questions<'a> {
    action: &'a Action,
    snapshot: &'a Snapshot,
    at: Viewpoint<'a>,
    /// What an earlier answer does not take back, with the result that still counts.
    fired: Vec<(Verdict, Verdict, Fired)>,
    open: BTreeSet<Digest>,
    relied: BTreeMap<ActId, bool>,
}

impl<'a> Questions<'a> {
    /// Starts with the endorsements that were needed, and whether using them uses them up.
    pub(super) const fn new(
        action: &'a Action,
        snapshot: &'a Snapshot,
        at: Viewpoint<'a>,
        endorsed: BTreeMap<ActId, bool>,
    ) -> Self {
        Self { action, snapshot, at, fired: Vec::new(), open: BTreeSet::new(), relied: endorsed }
    }

    /// Adds a rule that fired, for an influence or for the action itself.
    pub(super) fn fire(&mut self, rule: RuleId, result: Verdict, influence: Option<(usize, &Influence)>) {
        let place = influence.and_then(|(place, _)| u16::try_from(place).ok());
        let counts = if result == Verdict::Review { self.ask(rule, influence) } else { result };
        let fired = Fired { rule, influence: place };
        match self.fired.iter_mut().find(|(_, _, known)| known.rule == rule) {
            // Where only some of what a rule fired for was answered, the rest is what is shown.
            Some(known) if known.0 < counts => *known = (counts, result, fired),
            Some(_) => {}
            None => self.fired.push((counts, result, fired)),
        }
    }

    fn ask(&mut self, rule: RuleId, influence: Option<(usize, &Influence)>) -> Verdict {
        let question = self.question(rule, influence.map(|(_, influence)| influence));
        match self.snapshot.answer(&question, &self.action.identity, self.at) {
            Some((act, spent)) => {
                self.relied.insert(act, spent);
                Verdict::Allow
            }
            None => {
                self.open.insert(question);
                Verdict::Review
            }
        }
    }

    fn question(&self, rule: RuleId, influence: Option<&Influence>) -> Digest {
        let Some(influence) = influence else {
            return Digest::of_parts([[rule.0].as_slice(), self.action.identity.0.as_slice()]);
        };
        let (kind, text) = match &influence.path {
            Path::Quote(hit) => (hit.operand.kind() as u8, hit.operand.canonical()),
            Path::Whole { file, .. } => (file.kind() as u8, file.canonical()),
            Path::Copied { quote, .. } => (quote.operand.kind() as u8, quote.operand.canonical()),
            Path::Remote(source) => (source.kind() as u8, source.canonical()),
        };
        // A file is asked about with its bytes: others under the same name are another question.
        let bytes = match &influence.path {
            Path::Whole { hops, .. } => hops.first().and_then(|own| self.snapshot.artifact(*own)),
            Path::Copied { file: Some((_, by)), .. } => self.snapshot.artifact(*by),
            Path::Quote(_) | Path::Copied { file: None, .. } | Path::Remote(_) => None,
        };
        let bytes = bytes.map_or([0; 32], |artifact| artifact.content.0);
        Digest::of_parts([
            [rule.0, kind, influence.effect as u8, influence.level as u8].as_slice(),
            text.as_bytes(),
            bytes.as_slice(),
        ])
    }

    /// The verdict, the strictest of what still counts.
    pub(super) fn answered(mut self) -> Answered {
        self.fired.sort_by_key(|(counts, result, fired)| {
            (std::cmp::Reverse(*counts), std::cmp::Reverse(*result), fired.rule)
        });
        let verdict = self.fired.first().map(|(counts, _, _)| *counts).unwrap_or_default();
        let asks = verdict == Verdict::Review && self.open.len() <= limits::QUESTIONS_MAX;
        // What does not run has used nothing up.
        let runs = verdict == Verdict::Allow;
        let relied = self.relied.into_iter().map(|(act, once)| Relied { act, spent: once && runs });
        Answered {
            verdict,
            fired: self.fired.into_iter().map(|(_, _, fired)| fired).collect(),
            questions: if asks { self.open.into_iter().collect() } else { Vec::new() },
            relied: relied.collect(),
        }
    }
}
