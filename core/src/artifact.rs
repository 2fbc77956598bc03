//! Artifacts: one occurrence of content that reached the agent or left it.

use serde::{Deserialize, Serialize};

use crate::authority::{Authority, Secrecy};
use crate::digest::Digest;
use crate::id::{AgentId, CallId, SessionId};
use crate::limits::{EXTRACT_BYTES_MAX, OPERANDS_PER_ARTIFACT_MAX};
use crate::lineage::{Inferred, Observed};
use crate::operand::{Hit, Operand};
use crate::origin::Origin;

/// An artifact as it is written to the log. Its id is the sequence number it gets there.
///
/// INVARIANT (occurrence-labels): the labels belong to this occurrence; only evidence is shared by content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Artifact {
    /// The session that saw it.
    pub session: SessionId,
    /// The subagent that saw it, if one did.
    pub agent: Option<AgentId>,
    /// The call that produced it, if one did.
    pub call: Option<CallId>,
    /// Where it came from.
    pub origin: Origin,
    /// Whether its bytes entered from outside the agent at a watched boundary. Only roots grant.
    pub root: bool,
    /// What it may cause.
    pub authority: Authority,
    /// Whether it is confidential.
    pub secrecy: Secrecy,
    /// What it is, for people: `WebFetch https://example.org/`, `Read src/main.rs`. Bounded, escaped on output.
    pub label: Box<str>,
    /// Digest of its exact bytes.
    pub content: Digest,
    /// Length of its bytes.
    pub bytes: u64,
    /// Observed parents.
    pub observed: Vec<Observed>,
    /// Inferred parents.
    pub inferred: Vec<Inferred>,
    /// Distinctive operands in it, by position; bounded by `limits::OPERANDS_PER_ARTIFACT_MAX`.
    pub operands: Vec<Hit>,
    /// Fingerprints of its text, sorted, by which copies of its code are found; none of what cannot be their
    /// source. Bounded by `limits::PRINTS_PER_ARTIFACT_MAX`.
    pub prints: Vec<u32>,
    /// Files whose bytes it is; a tree binds everything below.
    pub bindings: Vec<Binding>,
    /// The file that it was read from, in whole or in part.
    pub read_from: Option<Operand>,
    /// Whether its content must be analysed (a typed prompt must not).
    pub analysed: bool,
}

impl Artifact {
    /// Whether its text may hold operands that the extraction did not get to: it holds as many as are kept, or is
    /// longer than what is searched.
    pub const fn is_partly_read(&self) -> bool {
        self.operands.len() >= OPERANDS_PER_ARTIFACT_MAX || self.bytes > EXTRACT_BYTES_MAX as u64
    }
}

/// "This file had these bytes": connects a path and a content with the artifact that explains them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Binding {
    /// The path.
    pub path: Operand,
    /// Digest of the bytes at that moment; none for a tree, and for a file that could not be read.
    pub content: Option<Digest>,
    /// Everything below the path is bound too.
    pub tree: bool,
}
