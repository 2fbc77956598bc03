//! The explanation of a decision: what the evaluation recorded while it decided.
//!
//! INVARIANT (one-decision-path): there is no second evaluator; an explanation is the by-product of the
//! very evaluation that gave the verdict.

use serde::{Deserialize, Serialize};

use crate::action::{Flags, Rooted, Tier};
use crate::digest::Digest;
use crate::effect::{Effect, Effects};
use crate::evidence::Level;
use crate::id::{ActId, ArtifactId};
use crate::operand::{Hit, Operand};
use crate::origin::Origin;
use crate::payload::Payload;
use crate::policy::{Gap, Profile, RuleId, Verdict};

/// Why a verdict is what it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// The answer.
    pub verdict: Verdict,
    /// The profile it was given under.
    pub profile: Profile,
    /// The tier that counted, after what lineage added.
    pub tier: Tier,
    /// The flags that counted, after what lineage added.
    pub flags: Flags,
    /// The effects of the action.
    pub effects: Effects,
    /// Every rule that fired; the primary one (greatest severity, then lowest in the table) first.
    pub fired: Vec<Fired>,
    /// Every artifact (or unrecorded remote source) that reached a slot; bounded, worst first.
    pub influences: Vec<Influence>,
    /// What a person is asked, one entry for each rule that asks and what it asks about; empty when more
    /// than `limits::QUESTIONS_MAX` would be needed.
    pub questions: Vec<Digest>,
    /// What a person did before that this verdict rests on.
    pub relied: Vec<Relied>,
    /// What plain reads carry to other machines beyond what anything explains.
    pub payloads: Vec<Payload>,
    /// What a search in files from before the session found, because the answer would have interrupted.
    pub rooted: Vec<Rooted>,
}

/// An act of a person that a verdict rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Relied {
    /// Which.
    pub act: ActId,
    /// Whether this decision used it up.
    pub spent: bool,
}

/// A rule that fired.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fired {
    /// Which.
    pub rule: RuleId,
    /// Index into `influences` of the influence it fired for; none when it fired for the action itself.
    pub influence: Option<u16>,
}

/// One source that reached one slot of the action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Influence {
    /// The artifact; none when the bytes come straight from a remote source and were never recorded.
    pub artifact: Option<ArtifactId>,
    /// Its origin.
    pub origin: Origin,
    /// Where in the action, for people.
    pub place: Box<str>,
    /// What it chooses there.
    pub effect: Effect,
    /// Whether the effect exceeds what roots grant.
    pub gap: Gap,
    /// What analysis says about the artifact.
    pub level: Level,
    /// Signals behind the level, for example `M1`.
    pub signals: Vec<Box<str>>,
    /// How it got there.
    pub path: Path,
}

/// How an artifact reached a slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Path {
    /// Inferred: the artifact holds the operand at this place, seen through these views.
    Quote(Hit),
    /// Observed: the file's bytes are the artifact, or were copied from it by recorded steps.
    Whole {
        /// The file.
        file: Operand,
        /// Recorded copies between the file's own artifact (first) and the influencing one (last).
        hops: Vec<ArtifactId>,
    },
    /// Inferred: code of the artifact was retyped into what runs or persists.
    Copied {
        /// The file that it was written to, and the artifact of that writing; none for code in the call itself.
        file: Option<(Operand, ArtifactId)>,
        /// The command line or span, with its place in the influencing artifact.
        quote: Hit,
    },
    /// Observed: the bytes flow from the remote source into the slot within the call.
    Remote(Operand),
}
