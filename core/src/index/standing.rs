//! Standing evidence: the judgements of each content, and the level that counts now.

use std::sync::Arc;

use imbl::{HashMap, OrdMap};

use super::identity;
use crate::digest::Digest;
use crate::enquiry::{Cause, Routing, TRIES_MAX, Unanswered};
use crate::evidence::{EvidenceKey, Judgement, Level};
use crate::id::{ArtifactId, EvidenceId};

/// An analyser whose judgement every analysed artifact needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Required {
    /// Its name.
    pub analyser: Box<str>,
    /// Version of its code and data.
    pub version: u32,
    /// Digest of its configuration.
    pub config: Digest,
}

impl Required {
    /// The key of its judgement of `content`.
    pub fn key(&self, content: Digest) -> EvidenceKey {
        EvidenceKey { content, analyser: self.analyser.clone(), version: self.version, config: self.config }
    }

    pub(super) fn is_of(&self, key: &EvidenceKey) -> bool {
        self.analyser == key.analyser && self.version == key.version && self.config == key.config
    }
}

/// How often a provider gave no verdict under a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Tries {
    count: u8,
    cause: Cause,
}

impl Tries {
    const fn exhausted(self) -> bool {
        self.count >= TRIES_MAX || self.cause.is_final()
    }
}

/// A verdict that is still to be had.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owed {
    /// Of which content.
    pub content: Digest,
    /// The newest occurrence that needs it.
    pub artifact: ArtifactId,
}

/// Contents that wait for a verdict, each once, in the order of the occurrence that needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Queue {
    places: HashMap<Digest, ArtifactId>,
    contents: OrdMap<ArtifactId, Digest>,
}

impl Queue {
    /// Adds a content, or moves it to the place of its newest occurrence.
    fn insert(&mut self, artifact: ArtifactId, content: Digest) {
        self.remove(&content);
        self.places.insert(content, artifact);
        self.contents.insert(artifact, content);
    }

    fn remove(&mut self, content: &Digest) {
        if let Some(place) = self.places.remove(content) {
            self.contents.remove(&place);
        }
    }

    fn holds(&self, content: &Digest) -> bool {
        self.places.contains_key(content)
    }

    fn newest_first(&self) -> impl Iterator<Item = Owed> {
        self.contents.iter().rev().map(|(artifact, content)| Owed { content: *content, artifact: *artifact })
    }
}

/// All judgements, by content. Append-only: the first verdict for a key wins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Standing {
    required: Arc<[Required]>,
    strong: Option<Required>,
    by_content: HashMap<Digest, Vec<Judgement>>,
    /// Adverse judgements by id: those that a person must name to endorse in spite of them.
    adverse: HashMap<EvidenceId, Digest>,
    /// Contents that a required analyser has not judged.
    unjudged: Queue,
    /// Contents that were put to the strong analyser, with the key whose verdict counts.
    asked: HashMap<Digest, EvidenceKey>,
    /// Those of them that a provider may still be asked about.
    owed: Queue,
    tries: HashMap<EvidenceKey, Tries>,
}

impl Standing {
    /// `required` must judge everything, `strong` what was routed to its analyser.
    pub(super) fn new(required: Arc<[Required]>, strong: Option<Required>) -> Self {
        Self { required, strong, ..Self::default() }
    }

    /// An artifact with this content was recorded.
    pub(super) fn expect(&mut self, id: ArtifactId, content: Digest) {
        if !self.is_judged(&content) {
            self.unjudged.insert(id, content);
        }
    }

    pub(super) fn record(&mut self, id: EvidenceId, judgement: &Judgement, routing: Option<&Routing>) {
        let content = judgement.key.content;
        if judgement.level == Level::Adverse {
            self.adverse.insert(id, content);
        }
        let rows = self.by_content.entry(content).or_default();
        if rows.iter().any(|row| row.key == judgement.key) {
            return;
        }
        rows.push(judgement.clone());
        if self.is_judged(&content) {
            self.unjudged.remove(&content);
        }
        if let Some(routing) = routing {
            self.route(content, routing);
        }
        if self.asked(&content) == Some(&judgement.key) {
            self.owed.remove(&content);
        }
    }

    /// The newest routing of a content is the one that counts.
    fn route(&mut self, content: Digest, routing: &Routing) {
        self.owed.remove(&content);
        let Some(key) = &routing.key else {
            self.asked.remove(&content);
            return;
        };
        // An analyser that was upgraded since is asked in its present version.
        let strong = self.strong.as_ref().filter(|strong| strong.analyser == key.analyser);
        let key = strong.map_or_else(|| key.clone(), |strong| strong.key(content));
        if !self.has(&key) && !self.tries.get(&key).is_some_and(|tries| tries.exhausted()) {
            self.owed.insert(routing.artifact, content);
        }
        self.asked.insert(content, key);
    }

    pub(super) fn unanswered(&mut self, unanswered: &Unanswered) {
        let Unanswered { key, cause } = unanswered;
        let count = self.tries.get(key).map_or(0, |tries| tries.count);
        let tries = Tries { count: count.saturating_add(u8::from(cause.is_a_try())), cause: *cause };
        self.tries.insert(key.clone(), tries);
        if tries.exhausted() && self.asked(&key.content) == Some(key) {
            self.owed.remove(&key.content);
        }
    }

    fn has(&self, key: &EvidenceKey) -> bool {
        self.of(&key.content).iter().any(|row| row.key == *key)
    }

    /// See [`super::Snapshot::identity`].
    pub(super) fn identity(&self) -> Digest {
        let Self { required, strong, by_content, adverse, unjudged, asked, owed, tries } = self;
        identity::of_all([
            identity::of((required, strong, &unjudged.contents, &owed.contents)),
            identity::of_unordered(by_content),
            identity::of_unordered(adverse),
            identity::of_unordered(asked),
            identity::of_unordered(tries),
        ])
    }

    /// The content that an adverse judgement is about.
    pub(super) fn adverse(&self, id: EvidenceId) -> Option<Digest> {
        self.adverse.get(&id).copied()
    }

    /// The judgements of `content`, oldest first.
    pub(super) fn of(&self, content: &Digest) -> &[Judgement] {
        self.by_content.get(content).map_or(&[], Vec::as_slice)
    }

    /// Whether every required analyser has judged `content`.
    pub(super) fn is_judged(&self, content: &Digest) -> bool {
        let rows = self.of(content);
        self.required.iter().all(|required| rows.iter().any(|row| required.is_of(&row.key)))
    }

    /// What the required analysers still owe, newest occurrence first.
    pub(super) fn unjudged(&self) -> impl Iterator<Item = Owed> {
        self.unjudged.newest_first()
    }

    /// What the strong analyser may still be asked, newest occurrence first.
    pub(super) fn owed(&self) -> impl Iterator<Item = Owed> {
        self.owed.newest_first()
    }

    pub(super) fn is_owed(&self, content: &Digest) -> bool {
        self.owed.holds(content)
    }

    /// The key of the strong verdict that `content` needs, if it was put to that analyser.
    pub(super) fn asked(&self, content: &Digest) -> Option<&EvidenceKey> {
        self.asked.get(content)
    }

    /// Why the strong analyser gave no verdict the last time, if it gave none.
    pub(super) fn cause(&self, content: &Digest) -> Option<Cause> {
        let key = self.asked(content).filter(|key| !self.has(key))?;
        self.tries.get(key).map(|tries| tries.cause)
    }

    /// The level that counts: the worst over the required analysers and, where it was asked, the strong one.
    ///
    /// INVARIANT (a-model-never-relaxes): the strong verdict is one more in the worst of all, so it can raise
    /// the level and never lower it; while a provider fails to give one, the content counts as failed.
    pub(super) fn level(&self, content: &Digest) -> Level {
        let required = self.required.iter().map(|required| self.level_of(required, content)).max();
        let strong = self.asked(content).map(|key| {
            let missing = if self.tries.contains_key(key) { Level::Failed } else { Level::Pending };
            self.level_under(&key.analyser, content, |row| row == key, missing)
        });
        required.max(strong).unwrap_or(Level::Benign)
    }

    fn level_of(&self, required: &Required, content: &Digest) -> Level {
        self.level_under(&required.analyser, content, |row| required.is_of(row), Level::Pending)
    }

    /// INVARIANT (upgrade-never-relaxes): while the verdict under the present key is missing, an older one of
    /// the same analyser still counts, and never as less than pending.
    fn level_under(
        &self,
        analyser: &str,
        content: &Digest,
        is_current: impl Fn(&EvidenceKey) -> bool,
        missing: Level,
    ) -> Level {
        let rows = self.of(content);
        let current = rows.iter().find(|row| is_current(&row.key)).map(|row| row.level);
        current.unwrap_or_else(|| {
            let older = rows.iter().filter(|row| *row.key.analyser == *analyser);
            older.map(|row| row.level).fold(missing, Level::max)
        })
    }
}

#[cfg(test)]
mod tests;
