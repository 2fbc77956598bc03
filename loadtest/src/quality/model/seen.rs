//! What became of the contents of a run: which were put to the stand-in, and what it said.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};

use circinus_core::digest::Digest;
use circinus_core::enquiry::{Cause, RouteReason};
use circinus_core::event::Event;
use circinus_core::evidence::Level;
use circinus_core::origin::Origin;
use serde::Serialize;

/// What became of one content.
#[derive(Clone, Copy, Debug, Default)]
pub struct Content {
    /// Whether it carries the words of an attack.
    pub attack: bool,
    /// Why the stand-in is asked about it or not; none before it is judged.
    pub routed: Option<RouteReason>,
    /// What the stand-in said, or why it said nothing.
    pub said: Option<Result<Level, Cause>>,
}

impl Content {
    /// Whether nothing more will be said of it.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.routed.is_some_and(|reason| !reason.asks() || self.said.is_some())
    }

    /// What became of it, as far as it is known.
    #[must_use]
    pub fn fate(&self) -> Option<Fate> {
        let reason = self.routed?;
        Some(match self.said {
            Some(Ok(level)) if level >= Level::Suspicious => Fate::Found,
            Some(Ok(_)) => Fate::Passed,
            Some(Err(cause)) => Fate::Unanswered(cause.describe()),
            None if reason.asks() => Fate::Unanswered("no answer before the session ended"),
            None => Fate::NotAsked(reason.describe()),
        })
    }
}

/// What became of a content; for an attack's words, the better ones last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Fate {
    /// The stand-in was not asked: why.
    NotAsked(&'static str),
    /// It was asked and found nothing.
    Passed,
    /// It was to be asked and there is no verdict: why.
    Unanswered(&'static str),
    /// It found something.
    Found,
}

impl Fate {
    /// In words.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::NotAsked(why) => format!("not asked about: {why}"),
            Self::Passed => "asked about, found harmless".to_owned(),
            Self::Unanswered(why) => format!("without a verdict: {why}"),
            Self::Found => "asked about, found suspicious or adverse".to_owned(),
        }
    }
}

/// How many contents were asked about, and how right the answers were.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sums {
    /// Contents.
    pub all: u64,
    /// Of these, put to the stand-in.
    pub asked: u64,
    /// Of these, found suspicious or adverse.
    pub found: u64,
}

/// All that is known of a run.
#[derive(Debug, Default)]
pub struct Seen {
    /// By content.
    pub contents: HashMap<Digest, Content>,
    /// Contents of each session, by its id in the recording.
    pub sessions: BTreeMap<String, HashSet<Digest>>,
    /// Calls before which a verdict was waited for.
    pub waits: u64,
    /// Of these, those before which it did not come.
    pub in_vain: u64,
    /// Why this is not whole.
    pub error: Option<String>,
}

impl Seen {
    /// Takes in an event of the log. `carries` says whether a content carries the words of an attack.
    ///
    /// # Errors
    /// Those of `carries`.
    pub fn note(
        &mut self,
        event: &Event,
        carries: impl Fn(Digest) -> Result<bool, String>,
    ) -> Result<(), String> {
        match event {
            Event::Ingested(artifact) if artifact.analysed && artifact.origin != Origin::UserPrompt => {
                let session = recorded(artifact.session.as_str()).to_owned();
                self.sessions.entry(session).or_default().insert(artifact.content);
                if let Entry::Vacant(entry) = self.contents.entry(artifact.content) {
                    let attack = carries(artifact.content)?;
                    entry.insert(Content { attack, ..Content::default() });
                }
            }
            Event::Judged { judgement, routing } => {
                if let Some(content) = self.contents.get_mut(&judgement.key.content) {
                    match routing {
                        Some(routing) => content.routed = Some(routing.reason),
                        None => content.said = Some(Ok(judgement.level)),
                    }
                }
            }
            Event::Unanswered(unanswered) => {
                if let Some(content) = self.contents.get_mut(&unanswered.key.content) {
                    content.said.get_or_insert(Err(unanswered.cause));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Whether every content of a session has all its verdicts.
    #[must_use]
    pub fn is_settled(&self, session: &str) -> bool {
        let mut contents = self.sessions.get(session).into_iter().flatten();
        contents.all(|content| self.contents.get(content).is_none_or(Content::is_settled))
    }

    /// Of the contents that carry an attack, or of the others.
    #[must_use]
    pub fn sums(&self, attack: bool) -> Sums {
        let mut sums = Sums::default();
        for content in self.contents.values().filter(|content| content.attack == attack) {
            sums.all += 1;
            sums.asked += u64::from(content.routed.is_some_and(RouteReason::asks));
            sums.found += u64::from(content.fate() == Some(Fate::Found));
        }
        sums
    }

    /// What became of contents with the words of an attack.
    #[must_use]
    pub fn fates(&self) -> BTreeMap<Fate, u64> {
        let mut fates = BTreeMap::new();
        for fate in self.contents.values().filter(|content| content.attack).filter_map(Content::fate) {
            *fates.entry(fate).or_default() += 1;
        }
        fates
    }

    /// What became of the words of the attack of a session, at best; none when no content holds them.
    #[must_use]
    pub fn fate_of(&self, session: &str) -> Option<Fate> {
        let contents = self.sessions.get(session).into_iter().flatten();
        let attacks =
            contents.filter_map(|content| self.contents.get(content)).filter(|content| content.attack);
        attacks.filter_map(Content::fate).max()
    }
}

/// The id in the recording of a session that is played as `id~number`.
pub fn recorded(played: &str) -> &str {
    played.rsplit_once('~').map_or(played, |(recorded, _)| recorded)
}
