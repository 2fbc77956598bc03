//! Lineage: how artifacts follow from one another. Observed and inferred edges are different types and are
//! never merged.

use serde::{Deserialize, Serialize};

use crate::id::ArtifactId;
use crate::operand::Hit;

/// A step that Circinus saw happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Step {
    /// Bytes copied or mechanically transformed (W3C PROV wasDerivedFrom): download to file, copy, edit,
    /// read-back.
    Whole,
    /// The artifact was an input of the call that made the child (PROV used).
    Used,
}

/// An observed edge from a parent to the artifact that holds the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Observed {
    /// The earlier artifact.
    pub parent: ArtifactId,
    /// What was seen.
    pub step: Step,
}

/// An inferred edge: the child contains an operand that the parent held earlier (PROV wasQuotedFrom).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inferred {
    /// The earlier artifact.
    pub parent: ArtifactId,
    /// The operand, with place and view chain in the parent.
    pub quote: Hit,
}
