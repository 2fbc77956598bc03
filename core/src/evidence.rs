//! Evidence: what analysis says about content, independent of where the content came from.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;

/// How bad the content looks, in the order in which it counts in the gate.
///
/// `None` is the level of an influence that needs no analysis (a typed prompt); `Pending` and `Failed` are
/// states of the analysis and rank above `Benign`, because not knowing is never permission.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Level {
    /// Nothing to judge.
    #[default]
    None,
    /// Judged, and nothing was found.
    Benign,
    /// Not judged yet.
    Pending,
    /// Could not be judged.
    Failed,
    /// Looks like an instruction to the agent.
    Suspicious,
    /// Looks like an attack.
    Adverse,
}

impl Level {
    /// All levels, least first.
    pub const ALL: [Self; 6] =
        [Self::None, Self::Benign, Self::Pending, Self::Failed, Self::Suspicious, Self::Adverse];

    /// The name used in the policy data and in explanations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Benign => "benign",
            Self::Pending => "pending",
            Self::Failed => "failed",
            Self::Suspicious => "suspicious",
            Self::Adverse => "adverse",
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What identifies a judgement: the same key always means the same question.
///
/// INVARIANT (evidence-is-origin-blind): nothing about origin, path, session, action, profile or time is
/// part of the key or of the analyser's input.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct EvidenceKey {
    /// Digest of the exact bytes judged.
    pub content: Digest,
    /// Which analyser judged, for example `cheap`.
    pub analyser: Box<str>,
    /// Version of its code and data.
    pub version: u32,
    /// Digest of its configuration.
    pub config: Digest,
}

/// One thing that an analyser saw in the content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// Signal id, for example `M1` (overrides prior instructions) or `H2` (hidden in a comment).
    pub signal: Box<str>,
    /// Byte range in the judged bytes, half open.
    pub start: u32,
    /// End of the byte range.
    pub end: u32,
}

/// The outcome of judging one content.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[must_use]
pub struct Judgement {
    /// What was asked.
    pub key: EvidenceKey,
    /// The answer.
    pub level: Level,
    /// What it rests on, in order of position; bounded by the analyser.
    pub findings: Vec<Finding>,
    /// One machine-written sentence on why, without any text of the content.
    pub reason: Box<str>,
}
