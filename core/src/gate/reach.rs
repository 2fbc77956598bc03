//! What reached one slot: the artifacts behind its value, and whether roots grant what it would do.

mod code;
mod transfer;

use crate::action::{Action, Role, Rooted, Slot, SlotValue};
use crate::artifact::Artifact;
use crate::authority::Authority;
use crate::effect::Effect;
use crate::endorsement::Scope;
use crate::evidence::Level;
use crate::explain::{Influence, Path};
use crate::id::{ActId, ArtifactId, SessionId};
use crate::index::{InForce, Occurrence, Sight, Snapshot, Viewpoint, stated_at};
use crate::operand::{Kind, Operand};
use crate::origin::Origin;
use crate::payload::Payload;
use crate::policy::{Gap, origin_row};

/// The outcome for one slot.
#[derive(Debug)]
pub(super) struct Reach {
    /// Everything that reached it.
    pub(super) influences: Vec<Influence>,
    /// The greatest gap.
    pub(super) gap: Gap,
    /// Whether roots grant the effect for the value itself.
    pub(super) granted: bool,
    /// Whether the value stands in anything visible.
    pub(super) found: bool,
    /// Operands whose gap is inferred.
    pub(super) lacking: Vec<Operand>,
    /// Endorsements that were needed, and whether using one uses it up.
    pub(super) endorsed: Vec<(ActId, bool)>,
    /// What a plain read carries to a place that no root grants sending to.
    pub(super) payload: Option<Payload>,
    /// Whether that makes the read a transfer.
    pub(super) sends: bool,
}

impl Reach {
    const NOTHING: Self = Self {
        influences: Vec::new(),
        gap: Gap::None,
        granted: false,
        found: false,
        lacking: Vec::new(),
        endorsed: Vec::new(),
        payload: None,
        sends: false,
    };

    /// Adds an influence. An artifact that holds a value also holds its expansions: of its quotes with the
    /// same gap the first, most specific one stands for all.
    fn add(&mut self, influence: Influence) {
        self.gap = self.gap.max(influence.gap);
        let quote = |other: &Influence| matches!(other.path, Path::Quote(_));
        let stands = |other: &Influence| {
            other.artifact == influence.artifact && other.gap >= influence.gap && quote(other)
        };
        if !(quote(&influence) && self.influences.iter().any(stands)) {
            self.influences.push(influence);
        }
    }
}

/// What endorsements do for one slot.
#[derive(Clone)]
struct Cover {
    acts: Vec<(ActId, bool)>,
    accepted: Level,
}

impl Cover {
    /// Of the endorsements found, those that give the effect.
    fn of(mut found: Vec<InForce<'_>>, effect: Effect) -> Self {
        found.retain(|one| one.endorsement.grants().allows(effect));
        let once = |one: &InForce<'_>| matches!(one.endorsement.scope, Scope::Once(_));
        Self {
            accepted: found.iter().map(|one| one.endorsement.level).max().unwrap_or_default(),
            acts: found.iter().map(|one| (one.id, once(one))).collect(),
        }
    }

    /// Whether the effect is given at all.
    const fn grants(&self) -> bool {
        !self.acts.is_empty()
    }

    /// Whether evidence of this level was accepted with the endorsement; what became worse since was not.
    fn accepts(&self, level: Level) -> bool {
        self.grants() && level <= self.accepted.max(Level::Benign)
    }
}

/// Follows the lineage of one slot.
pub(super) fn of(
    slot: &Slot,
    place: usize,
    action: &Action,
    snapshot: &Snapshot,
    sight: Sight<'_>,
    at: Viewpoint<'_>,
) -> Reach {
    if slot.role == Role::Content {
        return Reach { granted: true, found: true, ..Reach::NOTHING };
    }
    let view = Viewer { slot, place, effect: slot.effect, action, snapshot, sight, at };
    match &slot.value {
        SlotValue::Operands(operands) => view.designator(operands),
        SlotValue::File(path) => view.file(path),
        SlotValue::Remote(source) => view.remote(source),
        SlotValue::Text(_) => view.text(),
        SlotValue::Workspace => view.workspace(),
    }
}

/// What holds an operand.
struct Seen<'o> {
    operand: &'o Operand,
    /// What the session sees, by arrival.
    occurrences: Vec<Occurrence<'o>>,
    /// Roots among the files of its workspace, whichever session read them.
    filed: Vec<Occurrence<'o>>,
}

/// One slot looked at from one session.
struct Viewer<'a> {
    slot: &'a Slot,
    /// Its place among the slots.
    place: usize,
    /// The slot's effect; a plain read that carries something away is a transfer.
    effect: Effect,
    action: &'a Action,
    snapshot: &'a Snapshot,
    /// What the session sees of it.
    sight: Sight<'a>,
    at: Viewpoint<'a>,
}

impl<'a> Viewer<'a> {
    /// A designator: each of its operands (the value and its expansions) counts by itself.
    ///
    /// An endorsement covers the whole designator when it is of the value or of what the value belongs to:
    /// whoever lets a host be used lets its pages be used.
    fn operands(&self, operands: &[Operand]) -> Reach {
        let found = operands.iter().flat_map(|operand| self.snapshot.endorsements(operand, self.at));
        self.covered(operands, Cover::of(found.collect(), self.effect))
    }

    fn covered(&self, operands: &[Operand], cover: Cover) -> Reach {
        let mut reach = Reach::NOTHING;
        let seen: Vec<Seen<'_>> = operands.iter().map(|operand| self.seen(operand)).collect();
        let rooted = seen.first().is_some_and(|value| self.grant(value).allows(self.effect));
        reach.granted = rooted || cover.grants();
        reach.found = cover.grants();
        reach.endorsed.clone_from(&cover.acts);
        // Whoever sends the agent to a host sends it to the pages of that host: for a plain read the host is
        // what is designated, and a link that a page of the host gives adds nothing.
        let host = seen.iter().find(|seen| matches!(seen.operand.kind(), Kind::Host | Kind::Ip));
        if let Some(host) = host.filter(|host| self.effect == Effect::Fetch && self.user_named_first(host)) {
            self.operand(host, &cover, &mut reach);
            return reach;
        }
        for seen in &seen {
            self.operand(seen, &cover, &mut reach);
        }
        reach
    }

    /// Whether the first thing that held the operand is the user's own prompt.
    fn user_named_first(&self, seen: &Seen<'_>) -> bool {
        let first = seen.occurrences.first();
        first.is_some_and(|first| self.grants(first) && first.artifact.origin == Origin::UserPrompt)
    }

    /// Influences of one operand, by first arrival: what brought it before any root with benign evidence
    /// granted the effect.
    fn operand(&self, seen: &Seen<'_>, cover: &Cover, reach: &mut Reach) {
        let Seen { operand, occurrences, filed } = seen;
        // A file of the workspace counts as far as any session has read or searched it.
        reach.found |= !occurrences.is_empty() || !filed.is_empty() || self.rooted(operand).next().is_some();
        let effect = self.effect;
        let brought = occurrences.iter().any(|occurrence| self.brings(occurrence.artifact, operand));
        let granted = cover.grants() || self.grant(seen).allows(effect);
        let gap = if brought && !granted { Gap::Inferred } else { Gap::None };
        reach.lacking.extend((gap == Gap::Inferred).then(|| (*operand).clone()));
        let first_root = occurrences
            .iter()
            .filter(|o| self.grants(o) && o.artifact.authority.allows(effect))
            .filter(|o| self.level(o.artifact) <= Level::Benign)
            .map(|o| arrival(o.id, o.artifact))
            .min();
        for occurrence in occurrences {
            let Occurrence { id, artifact, hit, .. } = *occurrence;
            if first_root.is_some_and(|root| arrival(id, artifact) >= root) {
                continue;
            }
            let level = self.level(artifact);
            if !cover.accepts(level) && counts(artifact, level, gap) {
                reach.add(self.influence((id, artifact), gap, level, Path::Quote(hit.clone())));
            }
        }
    }

    /// Whether an artifact brought the operand without the authority for the effect. What merely lists a file
    /// that was there before did not bring its path.
    fn brings(&self, artifact: &Artifact, operand: &Operand) -> bool {
        let lists = artifact.origin == Origin::CmdLocal || is_of_the_workspace(artifact.origin);
        let excused =
            artifact.authority.allows(self.effect) || lists && self.action.facts.settled.contains(operand);
        !excused
    }

    /// A file as a whole: its own artifact and what it was copied from; for what runs or persists also what
    /// its author quoted, as evidence only.
    fn file(&self, path: &Operand) -> Reach {
        let recognised = self.action.facts.recognised.iter().find(|(known, _)| known == path);
        let id = self.snapshot.binding(path).map(|bound| bound.artifact);
        let id = id.or(recognised.map(|(_, id)| *id));
        let own = id.and_then(|id| self.snapshot.artifact(id).map(|artifact| (id, artifact)));
        let Some((id, own)) = own else { return self.operands(std::slice::from_ref(path)) };
        let cover = self.cover_of_whole(path, id, own);
        let mut reach = if cover.grants() {
            self.covered(std::slice::from_ref(path), cover.clone())
        } else {
            self.operands(std::slice::from_ref(path))
        };
        let allowed = cover.grants() || own.authority.allows(self.effect);
        let gap = if allowed { Gap::None } else { Gap::Observed };
        reach.found = true;
        reach.granted &= gap == Gap::None;
        let mut hops = Vec::new();
        for id in std::iter::once(id).chain(self.snapshot.whole_ancestors(id)) {
            let Some(artifact) = self.snapshot.artifact(id) else { continue };
            hops.push(id);
            let level = self.level(artifact);
            if !cover.accepts(level) {
                let path = Path::Whole { file: path.clone(), hops: hops.clone() };
                reach.add(self.influence((id, artifact), gap, level, path));
            }
            if matches!(self.effect, Effect::Exec | Effect::Persist) {
                self.quoted_by(artifact, &cover, &mut reach);
                self.copied_by(id, artifact, path, &cover, &mut reach);
            }
        }
        reach
    }

    /// Endorsements of a file's exact bytes, and trust in a directory above it that is younger than what is
    /// recorded of the file: what comes into a trusted directory later is not covered.
    fn cover_of_whole(&self, path: &Operand, id: ArtifactId, own: &Artifact) -> Cover {
        let mut found = self.snapshot.endorsements_of_content(&own.content, self.at);
        let trust = self.snapshot.trust(path, self.at.now);
        found.extend(trust.filter(|trust| stated_at(trust.id) > id.0));
        Cover::of(found, self.effect)
    }

    fn quoted_by(&self, artifact: &Artifact, cover: &Cover, reach: &mut Reach) {
        for edge in &artifact.inferred {
            let Some(parent) = self.snapshot.artifact(edge.parent) else { continue };
            let level = self.level(parent);
            if !cover.accepts(level) {
                let path = Path::Quote(edge.quote.clone());
                reach.add(self.influence((edge.parent, parent), Gap::None, level, path));
            }
        }
    }

    /// Bytes from outside that were never recorded: an observed gap by definition, unless a root grants the
    /// effect for their source.
    fn remote(&self, source: &[Operand]) -> Reach {
        let mut reach = self.operands(source);
        if let Some(value) = source.first().filter(|_| !reach.granted) {
            reach.add(Influence {
                artifact: None,
                origin: Origin::CmdRemote,
                place: self.slot.place.clone(),
                effect: self.effect,
                gap: Gap::Observed,
                level: Level::None,
                signals: Vec::new(),
                path: Path::Remote(value.clone()),
            });
        } else if source.is_empty() {
            reach.gap = Gap::Observed;
        }
        reach
    }

    fn influence(
        &self,
        (id, artifact): (ArtifactId, &Artifact),
        gap: Gap,
        level: Level,
        path: Path,
    ) -> Influence {
        let judgements = self.snapshot.judgements(&artifact.content).iter();
        let mut signals: Vec<Box<str>> =
            judgements.flat_map(|row| row.findings.iter()).map(|finding| finding.signal.clone()).collect();
        signals.sort_unstable();
        signals.dedup();
        Influence {
            artifact: Some(id),
            origin: artifact.origin,
            place: self.slot.place.clone(),
            effect: self.effect,
            gap,
            level,
            signals,
            path,
        }
    }

    fn level(&self, artifact: &Artifact) -> Level {
        self.snapshot.level_in(artifact, self.at.workspace)
    }

    /// Looks an operand up, once for everything that is asked about it.
    fn seen<'o>(&self, operand: &'o Operand) -> Seen<'o>
    where
        'a: 'o,
    {
        let filed = self.sight.workspace_roots(operand);
        Seen { operand, occurrences: self.visible(operand), filed }
    }

    /// What holds the operand: by the index, and by the search in texts that the index does not cover.
    fn visible(&self, operand: &Operand) -> Vec<Occurrence<'a>> {
        let mut found = self.sight.visible(operand);
        let known = found.len();
        for sighting in self.action.facts.sightings.iter().filter(|one| one.hit.operand == *operand) {
            let indexed = found.iter().take(known).any(|occurrence| occurrence.id == sighting.artifact);
            let artifact = self.snapshot.artifact(sighting.artifact).filter(|_| !indexed);
            let Some(artifact) = artifact else { continue };
            found.push(Occurrence { id: sighting.artifact, artifact, hit: &sighting.hit, sighted: true });
        }
        found.sort_by_key(|occurrence| occurrence.id);
        found
    }

    /// Whether an occurrence grants here: what came into view because something made from it was read has
    /// its say in the sessions that it entered.
    fn grants(&self, occurrence: &Occurrence<'_>) -> bool {
        let own = |session: &SessionId| {
            *session == self.action.session || self.snapshot.root_of(session) == self.at.root
        };
        grants(occurrence) && own(&occurrence.artifact.session)
    }

    /// G(o): the join over the roots that hold the operand exactly and whose scope covers this session: all
    /// that it sees, and files of its workspace whoever read them.
    fn grant(&self, seen: &Seen<'_>) -> Authority {
        let Seen { operand, occurrences, filed } = seen;
        let own = occurrences.iter().filter(|occurrence| self.grants(occurrence));
        let granting = own.chain(filed.iter().filter(|occurrence| grants(occurrence)));
        let recorded =
            granting.fold(Authority::BOTTOM, |grant, occurrence| grant.join(occurrence.artifact.authority));
        self.rooted(operand)
            .fold(recorded, |grant, rooted| grant.join(Authority::new(origin_row(rooted.origin).effects)))
    }

    /// What the search found of the operand.
    fn rooted<'b>(&self, operand: &'b Operand) -> impl Iterator<Item = &'a Rooted> + use<'a, 'b> {
        self.action.facts.rooted.iter().filter(move |rooted| rooted.operand == *operand)
    }
}

/// Whether an early occurrence is an influence: the user's own words and the agent's own clean text are not,
/// unless evidence stands against them.
fn counts(artifact: &Artifact, level: Level, gap: Gap) -> bool {
    match artifact.origin {
        Origin::UserPrompt | Origin::HumanCli => level > Level::Benign,
        Origin::AgentText => gap > Gap::None && level > Level::Benign,
        _ => true,
    }
}

/// INVARIANT (views-never-grant): only an exact hit in a root grants. A plain value has no form that an
/// extraction could find; another designator counts as named where the extraction says so.
fn grants(occurrence: &Occurrence<'_>) -> bool {
    let whole = !occurrence.sighted || occurrence.hit.operand.kind() == Kind::Value;
    occurrence.artifact.root && whole && occurrence.hit.views.is_exact()
}

fn is_of_the_workspace(origin: Origin) -> bool {
    origin.is_workspace_file() || origin == Origin::DepTree
}

/// What was there before the session counts as time minus infinity.
fn arrival(id: ArtifactId, artifact: &Artifact) -> u64 {
    if artifact.origin.is_workspace_file() || artifact.origin == Origin::UserConfig { 0 } else { id.0.0 }
}
