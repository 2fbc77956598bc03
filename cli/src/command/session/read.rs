//! Takes the account of one session from the log. What is kept in memory is bounded by the number of entries
//! that are shown, whatever the length of the log.

use std::collections::{BTreeMap, VecDeque};

use circinus_core::artifact::Artifact;
use circinus_core::event::{DecisionRecord, Event, Recorded};
use circinus_core::evidence::Level;
use circinus_core::id::{ArtifactId, DecisionId, EventSeq};
use circinus_core::origin::Origin;
use circinus_core::policy::Verdict;
use circinus_core::time::UnixMillis;
use circinus_store::limits::PAGE_ROWS_MAX;
use circinus_store::query::StoredSession;
use circinus_store::{QueryError, Reader};

/// Decisions named beside one entry; an entry that reached more is shown with the newest.
const DECISIONS_PER_ENTRY_MAX: usize = 100;

/// Something that entered the session.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) id: ArtifactId,
    pub(super) at: UnixMillis,
    pub(super) origin: Origin,
    pub(super) root: bool,
    pub(super) label: Box<str>,
    /// The worst that analysis says about its content; none where nothing needs to be said.
    pub(super) level: Level,
    pub(super) signals: Vec<Box<str>>,
    /// Artifacts with a recorded or inferred way from it, of any session.
    pub(super) children: Vec<ArtifactId>,
    /// Decisions, of any session, that it had an influence on.
    pub(super) decisions: Vec<(DecisionId, Verdict)>,
}

/// A decision of the session.
#[derive(Clone, Debug)]
pub(super) struct Decided {
    pub(super) id: DecisionId,
    pub(super) at: UnixMillis,
    pub(super) record: Box<DecisionRecord>,
}

/// The newest things of one kind, and how many there are in all.
#[derive(Clone, Debug)]
pub(super) struct Newest<T> {
    pub(super) kept: VecDeque<T>,
    pub(super) all: usize,
    most: usize,
}

impl<T> Newest<T> {
    const fn new(most: usize) -> Self {
        Self { kept: VecDeque::new(), all: 0, most }
    }

    fn push(&mut self, one: T) {
        self.all += 1;
        self.kept.push_back(one);
        if self.kept.len() > self.most {
            self.kept.pop_front();
        }
    }
}

/// What one session saw and decided.
#[derive(Clone, Debug)]
pub(super) struct Account {
    pub(super) session: StoredSession,
    pub(super) entered: Newest<Entry>,
    /// Artifacts that the agent composed.
    pub(super) composed: usize,
    pub(super) decided: Newest<Decided>,
}

impl Account {
    pub(super) fn read(told: StoredSession, reader: &Reader, most: usize) -> Result<Self, QueryError> {
        let session = &told.opened.session;
        let mut entered = Newest::new(most);
        let mut decided = Newest::new(most);
        let mut composed = 0;
        let mut influenced: BTreeMap<ArtifactId, VecDeque<(DecisionId, Verdict)>> = BTreeMap::new();
        scan(reader, told.first, |recorded| {
            let (seq, at) = (recorded.seq, recorded.at);
            match recorded.event {
                Event::Ingested(artifact) if artifact.session == *session => {
                    if artifact.origin == Origin::AgentText {
                        composed += 1;
                    } else {
                        influenced.insert(ArtifactId(seq), VecDeque::new());
                        entered.push((ArtifactId(seq), at, artifact));
                        forget_older(&mut influenced, &entered);
                    }
                }
                Event::Decided(record) => {
                    note(&mut influenced, DecisionId(seq), &record);
                    if record.session == *session {
                        decided.push(Decided { id: DecisionId(seq), at, record });
                    }
                }
                _ => {}
            }
        })?;
        let all = entered.all;
        let mut kept = VecDeque::with_capacity(entered.kept.len());
        for (id, at, artifact) in entered.kept {
            let decisions = influenced.remove(&id).unwrap_or_default();
            kept.push_back(Entry::read(id, at, &artifact, decisions.into(), reader)?);
        }
        let entered = Newest { kept, all, most };
        Ok(Self { session: told, entered, composed, decided })
    }
}

type Held = (ArtifactId, UnixMillis, Box<Artifact>);

/// An entry that is no longer shown is no longer followed.
fn forget_older(
    influenced: &mut BTreeMap<ArtifactId, VecDeque<(DecisionId, Verdict)>>,
    entered: &Newest<Held>,
) {
    while influenced.len() > entered.kept.len() {
        influenced.pop_first();
    }
}

fn note(
    influenced: &mut BTreeMap<ArtifactId, VecDeque<(DecisionId, Verdict)>>,
    id: DecisionId,
    record: &DecisionRecord,
) {
    let verdict = record.explanation.verdict;
    for artifact in record.explanation.influences.iter().filter_map(|influence| influence.artifact) {
        let Some(decisions) = influenced.get_mut(&artifact) else { continue };
        if decisions.back().is_none_or(|(last, _)| *last != id) {
            decisions.push_back((id, verdict));
        }
        if decisions.len() > DECISIONS_PER_ENTRY_MAX {
            decisions.pop_front();
        }
    }
}

impl Entry {
    fn read(
        id: ArtifactId,
        at: UnixMillis,
        artifact: &Artifact,
        decisions: Vec<(DecisionId, Verdict)>,
        reader: &Reader,
    ) -> Result<Self, QueryError> {
        let evidence = reader.evidence(artifact.content)?;
        let worst = evidence.into_iter().map(|evidence| evidence.judgement).max_by_key(|worst| worst.level);
        let level = match &worst {
            Some(judgement) => judgement.level,
            None if artifact.analysed => Level::Pending,
            None => Level::None,
        };
        let findings = worst.map(|judgement| judgement.findings).unwrap_or_default();
        let mut signals: Vec<_> = findings.into_iter().map(|finding| finding.signal).collect();
        signals.sort();
        signals.dedup();
        let edges = reader.provenance(id)?.unwrap_or_default();
        let mut children = edges.observed_children;
        children.extend(edges.inferred_children);
        children.sort_unstable();
        children.dedup();
        let Artifact { origin, root, label, .. } = artifact;
        Ok(Self {
            id,
            at,
            origin: *origin,
            root: *root,
            label: label.clone(),
            level,
            signals,
            children,
            decisions,
        })
    }
}

/// Shows every event of the log from one on, a page at a time.
fn scan(reader: &Reader, mut from: EventSeq, mut each: impl FnMut(Recorded)) -> Result<(), QueryError> {
    loop {
        let page = reader.events(from, PAGE_ROWS_MAX)?;
        let Some(last) = page.last() else { return Ok(()) };
        from = EventSeq(last.seq.0.saturating_add(1));
        page.into_iter().for_each(&mut each);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_newest_are_kept_and_all_are_counted() {
        let mut newest = Newest::new(2);
        (1..=5).for_each(|n| newest.push(n));
        assert_eq!((newest.all, Vec::from(newest.kept)), (5, vec![4, 5]));
    }
}
