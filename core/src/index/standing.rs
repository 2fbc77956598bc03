//! Standing evidence: the judgements of each content, and the level that counts now.

use imbl::HashMap;

use crate::digest::Digest;
use crate::evidence::{EvidenceKey, Judgement, Level};
use crate::id::EvidenceId;

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

/// All judgements, by content. Append-only: the first verdict for a key wins.
#[derive(Clone, Debug, Default)]
pub(super) struct Standing {
    by_content: HashMap<Digest, Vec<Judgement>>,
    /// Adverse judgements by id: those that a person must name to endorse in spite of them.
    adverse: HashMap<EvidenceId, Digest>,
}

impl Standing {
    pub(super) fn record(&mut self, id: EvidenceId, judgement: &Judgement) {
        if judgement.level == Level::Adverse {
            self.adverse.insert(id, judgement.key.content);
        }
        let rows = self.by_content.entry(judgement.key.content).or_default();
        if rows.iter().all(|row| row.key != judgement.key) {
            rows.push(judgement.clone());
        }
    }

    /// The content that an adverse judgement is about.
    pub(super) fn adverse(&self, id: EvidenceId) -> Option<Digest> {
        self.adverse.get(&id).copied()
    }

    /// The judgements of `content`, oldest first.
    pub(super) fn of(&self, content: &Digest) -> &[Judgement] {
        self.by_content.get(content).map_or(&[], Vec::as_slice)
    }

    /// The level that counts: the worst over the required analysers.
    ///
    /// INVARIANT (upgrade-never-relaxes): while a required judgement is missing, an older one of the same
    /// analyser still counts, and never as less than pending.
    pub(super) fn level(&self, content: &Digest, required: &[Required]) -> Level {
        let rows = self.of(content);
        let of_one = |required: &Required| {
            let current = rows.iter().find(|row| required.is_of(&row.key)).map(|row| row.level);
            current.unwrap_or_else(|| {
                let older = rows.iter().filter(|row| row.key.analyser == required.analyser);
                older.map(|row| row.level).fold(Level::Pending, Level::max)
            })
        };
        required.iter().map(of_one).max().unwrap_or(Level::Benign)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::EventSeq;

    const ID: EvidenceId = EvidenceId(EventSeq(1));

    fn required(version: u32) -> Required {
        Required { analyser: "cheap".into(), version, config: Digest::of(b"") }
    }

    fn judged(version: u32, level: Level) -> Judgement {
        let key = required(version).key(Digest::of(b"text"));
        Judgement { key, level, findings: Vec::new(), reason: "".into() }
    }

    #[test]
    fn the_first_verdict_for_a_key_wins() {
        let mut standing = Standing::default();
        standing.record(ID, &judged(1, Level::Suspicious));
        standing.record(ID, &judged(1, Level::Benign));
        assert_eq!(standing.level(&Digest::of(b"text"), &[required(1)]), Level::Suspicious);
    }

    #[test]
    fn an_upgrade_never_relaxes_in_between() {
        for old in Level::ALL {
            let mut standing = Standing::default();
            standing.record(ID, &judged(1, old));
            let between = standing.level(&Digest::of(b"text"), &[required(2)]);
            assert!(between >= old.max(Level::Pending), "{old}");
            standing.record(ID, &judged(2, Level::Benign));
            assert_eq!(standing.level(&Digest::of(b"text"), &[required(2)]), Level::Benign);
        }
    }

    #[test]
    fn nothing_judged_is_pending() {
        assert_eq!(Standing::default().level(&Digest::of(b"x"), &[required(1)]), Level::Pending);
    }
}
