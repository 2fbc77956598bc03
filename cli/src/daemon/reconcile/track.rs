//! One transcript followed: which results it shows, and which of them an event had reported.

use std::collections::HashMap;
use std::fmt;

use circinus_core::id::CallId;
use serde::{Deserialize, Serialize};

use super::tail::Tail;
use crate::host::{AnnouncedCall, Told, TranscriptEntry};

/// Calls whose results are awaited, and results whose batch has not ended. A batch of a host has under a
/// hundred; beyond it the oldest are counted as not observed.
const OPEN_MAX: usize = 4_096;

/// How much of what the transcript shows had been reported.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// Results of calls that the transcript shows.
    pub results: u64,
    /// Of these, reported by an event.
    pub observed: u64,
    /// Bytes of everything that the transcript shows to have been read.
    pub bytes: u64,
    /// Of these, with a known origin: reported, attached by the user, or printed by their own command.
    pub bytes_known: u64,
    /// Lines that could not be read.
    pub unread: u64,
}

impl Coverage {
    /// Whether something was read that no event reported, or could not be looked at.
    pub fn has_gap(&self) -> bool {
        self.observed < self.results || self.unread > 0
    }

    /// Adds what another transcript shows.
    pub fn add(&mut self, other: &Self) {
        self.results += other.results;
        self.observed += other.observed;
        self.bytes += other.bytes;
        self.bytes_known += other.bytes_known;
        self.unread += other.unread;
    }
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { results, observed, bytes, bytes_known, unread } = self;
        write!(
            f,
            "{observed} of {results} tool results reported, {bytes_known} of {bytes} bytes of known origin"
        )?;
        if *unread > 0 { write!(f, ", {unread} lines unreadable") } else { Ok(()) }
    }
}

/// A call that the transcript shows, with the message of the model that made it.
#[derive(Debug)]
struct Call {
    message: Box<str>,
    announced: AnnouncedCall,
}

/// A result whose batch has ended, so that every event of it has been answered.
#[derive(Debug)]
pub(super) struct Settled {
    pub(super) call: CallId,
    pub(super) announced: Option<AnnouncedCall>,
    pub(super) text: Box<str>,
}

/// One transcript.
#[derive(Debug, Default)]
pub(super) struct Track {
    pub(super) tail: Tail,
    pub(super) coverage: Coverage,
    /// The first entry's id, once it was read.
    pub(super) first: Option<Box<str>>,
    calls: HashMap<CallId, Call>,
    open: Vec<(CallId, Box<str>)>,
}

impl Track {
    /// A track that begins with what `tail` reads next.
    pub(super) fn reading(tail: Tail) -> Self {
        Self { tail, ..Self::default() }
    }

    /// Takes in one entry and gives the results that are settled by it.
    ///
    /// A hook is answered before the host goes on, and the model is asked again only after the batch; so the
    /// events of a result have come when a later message of the model stands in the transcript. A message
    /// with several calls is written part by part and settles none of its own.
    pub(super) fn take(&mut self, entry: &TranscriptEntry) -> Vec<Settled> {
        if self.first.is_none() {
            self.first.clone_from(&entry.id);
        }
        let mut settled = Vec::new();
        for told in &entry.told {
            match told {
                Told::Called { message, call } => self.called(message, call),
                Told::Received { call, text } => self.open.push((call.clone(), text.clone())),
                Told::Answered { message } => settled.extend(self.settle(Some(message))),
                Told::Entered { .. } | Told::Relayed { .. } => {}
            }
        }
        if self.open.len() > OPEN_MAX {
            settled.extend(self.settle(None));
        }
        settled
    }

    fn called(&mut self, message: &str, call: &AnnouncedCall) {
        if self.calls.len() >= OPEN_MAX {
            // Their results, if any come, are recorded without the name of the tool.
            self.calls.clear();
        }
        if let Some(id) = &call.id {
            self.calls.insert(id.clone(), Call { message: message.into(), announced: call.clone() });
        }
    }

    /// Results of calls that another message than `answer` made.
    fn settle(&mut self, answer: Option<&str>) -> Vec<Settled> {
        let mut settled = Vec::new();
        let mut left = Vec::new();
        for (call, text) in std::mem::take(&mut self.open) {
            if answer.is_some() && self.calls.get(&call).is_some_and(|known| Some(&*known.message) == answer)
            {
                left.push((call, text));
                continue;
            }
            let announced = self.calls.remove(&call).map(|known| known.announced);
            settled.push(Settled { call, announced, text });
        }
        self.open = left;
        settled
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use circinus_core::action::ToolCall;

    fn entry(told: Vec<Told>) -> TranscriptEntry {
        TranscriptEntry { id: None, agent: None, told }
    }

    fn answered(message: &str) -> Told {
        Told::Answered { message: message.into() }
    }

    fn called(message: &str, id: &str) -> Told {
        let call = ToolCall::Other { tool: "T".into(), arguments: Vec::new() };
        let call = AnnouncedCall { id: Some(CallId::new(id)), tool: "T".into(), call };
        Told::Called { message: message.into(), call }
    }

    fn received(id: &str) -> Told {
        Told::Received { call: CallId::new(id), text: "text".into() }
    }

    fn ids(settled: &[Settled]) -> Vec<&str> {
        settled.iter().map(|result| result.call.as_str()).collect()
    }

    #[test]
    fn a_result_is_settled_by_the_next_message_and_not_by_its_own() {
        let mut track = Track::default();
        assert!(track.take(&entry(vec![answered("m1"), called("m1", "a")])).is_empty());
        assert!(track.take(&entry(vec![received("a")])).is_empty());
        assert!(
            track.take(&entry(vec![answered("m1"), called("m1", "b")])).is_empty(),
            "written part by part"
        );
        assert!(track.take(&entry(vec![received("b")])).is_empty());
        assert_eq!(ids(&track.take(&entry(vec![answered("m2")]))), ["a", "b"]);
        assert!(track.take(&entry(vec![answered("m3")])).is_empty(), "each once");
    }

    #[test]
    fn a_flood_of_results_is_settled_and_not_kept() {
        let mut track = Track::default();
        let settled: usize =
            (0..3 * OPEN_MAX).map(|n| track.take(&entry(vec![received(&n.to_string())])).len()).sum();
        assert!(settled >= OPEN_MAX && track.open.len() <= OPEN_MAX);
    }
}
