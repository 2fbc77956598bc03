//! The words in which a case is written.

use std::collections::BTreeMap;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use crate::daemon::answer::Answer;

/// One case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Case {
    /// The number of the worked case, where it is one.
    #[serde(rename = "case", default)]
    _number: Option<String>,
    /// The threat that it shows.
    pub(super) threat: String,
    /// What happens, for people.
    pub(super) story: String,
    pub(super) steps: Vec<Step>,
}

/// What happens next. `PROJECT` and `HOME` stand for the folders of the world that it happens in.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "snake_case")]
pub(super) enum Step {
    /// The user types.
    Prompt(String),
    /// A page was fetched.
    Page {
        url: String,
        text: String,
        #[serde(default)]
        agent: Option<String>,
    },
    /// A call ran.
    Did {
        tool: String,
        input: Value,
        response: Value,
        #[serde(default)]
        agent: Option<String>,
    },
    /// Another event of the host.
    Event { name: String, fields: Value },
    /// Files of the project hold these bytes from now on.
    Disk(BTreeMap<String, String>),
    /// Another session begins.
    Session(String),
    /// The daemon crashes; the next event starts it again.
    Restart(Always),
    /// The daemon ends and cannot be started again.
    Outage(Always),
    /// The agent announces a call.
    Ask(Ask),
}

/// A step without words of its own, written as `true`.
#[derive(Debug)]
pub(super) struct Always;

impl<'de> Deserialize<'de> for Always {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if bool::deserialize(deserializer)? {
            Ok(Self)
        } else {
            Err(D::Error::custom("only `true` has a meaning"))
        }
    }
}

/// An announced call and what comes of it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Ask {
    pub(super) tool: String,
    pub(super) input: Value,
    /// Part of the label of a source that the explanation names.
    #[serde(default)]
    pub(super) from: Option<String>,
    pub(super) balanced: Expected,
    pub(super) strict: Expected,
}

/// What the host is answered.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Expected {
    /// Nothing is said.
    Allow,
    /// Nothing is said, and the decision is on record with what touched it.
    Flagged,
    /// The call does not simply run: the verdict, and the rules in the order in which they are told.
    Stopped(String),
}

impl<'de> Deserialize<'de> for Expected {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Ok(match &*text {
            "ALLOW" => Self::Allow,
            "FLAGGED" => Self::Flagged,
            _ => Self::Stopped(text),
        })
    }
}

impl Expected {
    /// What an answer is in the words of a case; `None` for what is no answer of the gate. `Flagged` cannot
    /// be told from `Allow` by the answer.
    pub(super) fn given(answer: &Answer) -> Option<Self> {
        let reason = match answer {
            Answer::Silent => return Some(Self::Allow),
            Answer::Asks(reason) | Answer::Denies(reason) => reason,
            Answer::Keeps(_) | Answer::Refuses(_) | Answer::Reports(_) | Answer::Tells(_) => return None,
        };
        // `Circinus REVIEW d42 [A1 A2]: ...`, without the id where nothing could be recorded.
        let (head, rest) = reason.strip_prefix("Circinus ")?.split_once(" [")?;
        let (verdict, rules) = (head.split(' ').next()?, rest.split_once(']')?.0);
        Some(Self::Stopped(format!("{verdict} {rules}")))
    }
}
