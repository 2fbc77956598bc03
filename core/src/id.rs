//! One newtype per identifier, so that two of them can never be confused.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Position of an event in the log: 1 for the first event, then without gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct EventSeq(pub u64);

macro_rules! numbered {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        ///
        /// It is the sequence number of the event that created the thing, so the id alone finds the
        /// event in the log and a greater id means later.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub EventSeq);

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($prefix, "{}"), self.0.0)
            }
        }

        impl FromStr for $name {
            type Err = ParseIdError;

            fn from_str(text: &str) -> Result<Self, ParseIdError> {
                let digits = text.strip_prefix($prefix).ok_or(ParseIdError)?;
                if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
                    return Err(ParseIdError);
                }
                digits.parse().map(|n| Self(EventSeq(n))).map_err(|_| ParseIdError)
            }
        }
    };
}

numbered!(
    /// An artifact: one occurrence of content that reached the agent or left it. Written `a17`.
    ArtifactId, "a");
numbered!(
    /// A decision of the gate. Written `d42`.
    DecisionId, "d");
numbered!(
    /// An act of a person that changes what is allowed: an endorsement, an approval, an acknowledgement.
    /// Written `e7`.
    ActId, "e");
numbered!(
    /// A judgement of a content. Written `v9`.
    EvidenceId, "v");

/// The text is not an id of the expected form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ParseIdError;

impl fmt::Display for ParseIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an id: expected a letter and digits, such as d42 or a17")
    }
}

impl std::error::Error for ParseIdError {}

macro_rules! named {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub struct $name(pub Arc<str>);

        impl $name {
            /// Wraps the text as it came.
            pub fn new(text: impl AsRef<str>) -> Self {
                Self(Arc::from(text.as_ref()))
            }

            /// The text as it came.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

named!(
    /// A host session, as the host names it.
    SessionId);
named!(
    /// A subagent inside a session, as the host names it.
    AgentId);
named!(
    /// One tool call, as the host names it (`tool_use_id`).
    CallId);
named!(
    /// The canonical path of the directory that a session works in.
    WorkspaceId);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_ids_round_trip_through_their_text() {
        let id = DecisionId(EventSeq(42));
        assert_eq!(id.to_string(), "d42");
        assert_eq!("d42".parse(), Ok(id));
    }

    #[test]
    fn foreign_or_signed_text_is_not_an_id() {
        for text in ["", "d", "a42", "d+4", "d-4", "d4x", "D4", "d99999999999999999999999"] {
            assert_eq!(text.parse::<DecisionId>(), Err(ParseIdError), "{text}");
        }
    }
}
