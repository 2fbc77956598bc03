//! The hot index: everything the gate looks up, as one immutable snapshot per state of the log.
//!
//! A snapshot is a pure fold of the event log ([`Snapshot::apply`]); the same log gives the same snapshot,
//! so recovery is a replay and "the index equals a rebuild" is true by construction. Snapshots share
//! structure: making the next one costs about what changed. One writer publishes; readers take the current
//! snapshot without waiting and keep a consistent view for as long as they hold it.

mod activity;
mod acts;
mod files;
mod hot;
mod identity;
mod judged;
mod segment;
mod shared;
mod sight;
mod spend;
mod standing;
mod stated;

use std::collections::BTreeSet;
use std::sync::Arc;

use imbl::{HashMap, HashSet, OrdMap, OrdSet};

pub use self::acts::{InForce, Viewpoint};
pub use self::files::Bound;
pub use self::hot::Hot;
pub use self::sight::{Occurrence, Sight};
pub use self::standing::{Owed, Required};

pub(crate) use self::acts::stated_at;

use self::activity::Activity;
use self::acts::Acts;
use self::files::Files;
use self::segment::{Postings, Prints};
use self::shared::Shared;
use self::spend::Spend;
use self::standing::Standing;
use crate::action::Flag;
use crate::artifact::Artifact;
use crate::authority::Authority;
use crate::copied;
use crate::digest::Digest;
use crate::event::{DecisionRecord, Event, HostBound, Recorded, Repository, SessionOpened};
use crate::evidence::Level;
use crate::id::{ActId, ArtifactId, CallId, EventSeq, EvidenceId, SessionId, WorkspaceId};
use crate::limits;
use crate::lineage::Step;
use crate::operand::Operand;
use crate::origin::Origin;
use crate::policy::{self, Verdict};
use crate::time::UnixMillis;

/// A session as the index knows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The session whose grants and visibility it shares.
    pub root: SessionId,
    /// Where it works.
    pub workspace: WorkspaceId,
    /// When it was first seen; what a file held before is older than anything the session did.
    pub opened: UnixMillis,
    /// The processes that speak for it, newest last; several when it was resumed.
    pub hosts: Vec<HostBound>,
    /// The last event that claimed the session and came from elsewhere, until a decision has refused for it.
    pub impersonated: Option<EventSeq>,
    /// Number of the event by which it was first seen.
    pub since: EventSeq,
    /// The repository of the workspace as it was then.
    pub repository: Option<Repository>,
    /// Whether it has ended and was not resumed since.
    pub closed: bool,
}

/// What the sessions of one root see.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Horizon {
    postings: Postings,
    prints: Prints,
    /// Digests of the unexplained pieces that went to each site, with their lengths in bytes.
    carried: HashMap<Operand, OrdMap<u64, u32>>,
    /// Everything the sessions of the root have read or written, by arrival.
    artifacts: OrdSet<ArtifactId>,
    /// Artifacts of other roots that became visible because these sessions read what came of them.
    imported: OrdSet<ArtifactId>,
}

/// One state of everything the gate needs to know.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    last: EventSeq,
    artifacts: OrdMap<ArtifactId, Arc<Artifact>>,
    operands: usize,
    /// By root session, so that a look-up costs what its own session holds, however many there are.
    horizons: HashMap<SessionId, Horizon>,
    workspaces: HashMap<WorkspaceId, Shared>,
    sessions: HashMap<SessionId, Session>,
    calls: HashMap<(SessionId, CallId), ArtifactId>,
    files: Files,
    activity: Activity,
    standing: Standing,
    spend: Spend,
    acts: Acts,
    /// Host programs that were seen to answer questions by themselves.
    unreliable: HashSet<Box<str>>,
}

impl Snapshot {
    /// The state before the first event; `required` are the analysers whose verdict every content needs.
    pub fn new(required: impl Into<Arc<[Required]>>) -> Self {
        Self { standing: Standing::new(required.into(), None), ..Self::default() }
    }

    /// As [`Snapshot::new`]; `strong` is the analyser whose verdict a content needs if it was routed to one.
    pub fn with_strong(required: impl Into<Arc<[Required]>>, strong: Option<Required>) -> Self {
        Self { standing: Standing::new(required.into(), strong), ..Self::default() }
    }

    /// The state after one more event. Events must come in the order of their numbers.
    pub fn apply(&mut self, recorded: &Recorded) {
        self.last = recorded.seq;
        // A person who states something is at a terminal, and no agent need be at work.
        if !matches!(recorded.event, Event::Stated(_)) {
            self.activity.note(recorded.at);
        }
        match &recorded.event {
            Event::SessionOpened(opened) => self.open(opened, recorded),
            Event::Ingested(artifact) => {
                self.ingest(ArtifactId(recorded.seq), Arc::new((**artifact).clone()), recorded.at);
            }
            Event::Judged { judgement, routing } => {
                self.standing.record(EvidenceId(recorded.seq), judgement, routing.as_ref());
            }
            Event::Requested(requested) => self.spend.reserve(recorded.seq, recorded.at, requested),
            Event::Settled(settled) => self.spend.settle(settled),
            Event::Unanswered(unanswered) => self.standing.unanswered(unanswered),
            Event::Stated(statement) => self.acts.state(ActId(recorded.seq), statement),
            Event::Decided(record) => self.decided(record),
            Event::HostBound(bound) => self.bind(bound),
            Event::Impersonated(impersonated) => match impersonated.prompt {
                Some(prompt) => self.disown(prompt),
                None => {
                    let session = self.sessions.get_mut(&impersonated.session);
                    session.into_iter().for_each(|session| session.impersonated = Some(recorded.seq));
                }
            },
            Event::AskUnreliable { program, .. } => {
                self.unreliable.insert(program.clone());
            }
            Event::SessionClosed { session } => {
                if let Some(session) = self.sessions.get_mut(session) {
                    session.closed = true;
                }
            }
        }
    }

    /// As [`Snapshot::apply`], for whoever needs the event no longer: the artifact of a long log is not copied.
    pub fn absorb(&mut self, recorded: Recorded) {
        match recorded.event {
            Event::Ingested(artifact) => {
                self.last = recorded.seq;
                self.activity.note(recorded.at);
                self.ingest(ArtifactId(recorded.seq), Arc::from(artifact), recorded.at);
            }
            _ => self.apply(&recorded),
        }
    }

    /// INVARIANT (approved-once): what a decision used up is out of force as soon as the decision is in the
    /// log, and a decision that lets something run is in the log before it is answered.
    fn decided(&mut self, record: &DecisionRecord) {
        self.carry(record);
        let spent = record.explanation.relied.iter().filter(|relied| relied.spent);
        spent.for_each(|relied| self.acts.spend(relied.act));
        if record.explanation.verdict == Verdict::Block && record.explanation.flags.contains(Flag::Guard) {
            let session = self.sessions.get_mut(&record.session);
            session.into_iter().for_each(|session| session.impersonated = None);
        }
    }

    /// Takes its authority from a prompt that no person gave.
    fn disown(&mut self, prompt: ArtifactId) {
        if let Some(artifact) = self.artifacts.get_mut(&prompt) {
            let artifact = Arc::make_mut(artifact);
            artifact.origin = Origin::Opaque;
            artifact.root = false;
            artifact.authority = Authority::new(policy::origin_row(Origin::Opaque).effects);
        }
    }

    fn bind(&mut self, bound: &HostBound) {
        if let Some(session) = self.sessions.get_mut(&bound.session) {
            session.hosts.retain(|host| host.process != bound.process);
            if session.hosts.len() >= limits::HOSTS_PER_SESSION_MAX {
                session.hosts.remove(0);
            }
            session.hosts.push(bound.clone());
        }
    }

    fn open(&mut self, opened: &SessionOpened, recorded: &Recorded) {
        let before = self.root_of(&opened.session).clone();
        let known = self.sessions.get(&opened.session);
        let session = Session {
            root: opened.root.clone(),
            workspace: opened.workspace.clone(),
            opened: known.map_or(recorded.at, |known| known.opened),
            since: known.map_or(recorded.seq, |known| known.since),
            repository: known.map_or_else(|| opened.repository.clone(), |known| known.repository.clone()),
            hosts: known.map_or_else(Vec::new, |known| known.hosts.clone()),
            impersonated: known.and_then(|known| known.impersonated),
            closed: false,
        };
        self.sessions.insert(opened.session.clone(), session);
        if before == opened.session && before != opened.root {
            self.join(&before, &opened.root);
        }
    }

    /// Gives what a session saw before it was known to continue another one to the sessions of that root.
    fn join(&mut self, session: &SessionId, root: &SessionId) {
        let Some(own) = self.horizons.remove(session) else { return };
        let mut joined = self.horizons.remove(root).unwrap_or_default();
        for id in &own.artifacts {
            let Some(artifact) = self.artifacts.get(id) else { continue };
            if joined.artifacts.insert(*id).is_none() {
                joined.postings = joined.postings.with(*id, artifact);
                joined.prints = joined.prints.with(*id, artifact);
            }
        }
        joined.imported.extend(own.imported);
        for (site, pieces) in own.carried {
            let known = joined.carried.entry(site).or_default();
            *known = std::mem::take(known).union(pieces);
        }
        self.horizons.insert(root.clone(), joined);
    }

    fn ingest(&mut self, id: ArtifactId, artifact: Arc<Artifact>, at: UnixMillis) {
        self.operands += artifact.operands.len();
        self.artifacts.insert(id, Arc::clone(&artifact));
        if artifact.analysed {
            self.standing.expect(id, artifact.content);
        }
        if let Some(call) = &artifact.call {
            self.calls.insert((artifact.session.clone(), call.clone()), id);
        }
        for binding in &artifact.bindings {
            self.files.bind(id, binding, at);
        }
        self.share(id, &artifact);
        let foreign: Vec<_> = self
            .sources(id)
            .into_iter()
            .filter(|ancestor| !self.is_visible(*ancestor, &artifact.session))
            .filter_map(|ancestor| Some((ancestor, Arc::clone(self.artifacts.get(&ancestor)?))))
            .collect();
        let horizon = self.horizons.entry(self.root_of(&artifact.session).clone()).or_default();
        horizon.postings = horizon.postings.with(id, &artifact);
        horizon.prints = horizon.prints.with(id, &artifact);
        horizon.artifacts.insert(id);
        for (ancestor, artifact) in foreign {
            horizon.postings = horizon.postings.with(ancestor, &artifact);
            horizon.prints = horizon.prints.with(ancestor, &artifact);
            horizon.artifacts.insert(ancestor);
            horizon.imported.insert(ancestor);
        }
    }

    /// What a session that reads an artifact may be influenced by: what it was copied from, and what the
    /// authors of that quoted and may not run. Whoever takes a value from the artifact takes it from there.
    fn sources(&self, id: ArtifactId) -> BTreeSet<ArtifactId> {
        let wholes = self.whole_ancestors(id);
        let quoting = wholes.iter().filter_map(|whole| self.artifact(*whole)).flat_map(|it| &it.inferred);
        let quoted = quoting
            .map(|edge| edge.parent)
            .filter(|parent| self.artifact(*parent).is_some_and(|parent| copied::brings(parent, self)));
        quoted.take(limits::ANCESTORS_MAX).chain(wholes.iter().copied()).collect()
    }

    /// The root of a session; a session that was never opened is its own.
    pub fn root_of<'a>(&'a self, session: &'a SessionId) -> &'a SessionId {
        self.sessions.get(session).map_or(session, |session| &session.root)
    }

    /// Number of the last event that this state holds.
    pub const fn last(&self) -> EventSeq {
        self.last
    }

    /// Every artifact, newest first.
    pub fn artifacts(&self) -> impl Iterator<Item = (ArtifactId, &Artifact)> {
        self.artifacts.iter().rev().map(|(id, artifact)| (*id, artifact.as_ref()))
    }

    /// Number of artifacts.
    pub fn artifacts_len(&self) -> usize {
        self.artifacts.len()
    }

    /// Number of operands in all artifacts.
    pub const fn operands_len(&self) -> usize {
        self.operands
    }

    /// The session of that id.
    pub fn session(&self, id: &SessionId) -> Option<&Session> {
        self.sessions.get(id)
    }

    /// All known sessions.
    pub fn sessions(&self) -> impl Iterator<Item = (&SessionId, &Session)> {
        self.sessions.iter()
    }

    /// The artifact of that id.
    pub fn artifact(&self, id: ArtifactId) -> Option<&Artifact> {
        self.artifacts.get(&id).map(Arc::as_ref)
    }

    /// The newest artifact that a call of the session, or of another session of its root, produced.
    pub fn produced_by(&self, session: &SessionId, call: &CallId) -> Option<ArtifactId> {
        let of = |session: &SessionId| self.calls.get(&(session.clone(), call.clone())).copied();
        of(session).or_else(|| {
            let root = self.root_of(session);
            let kin = self.sessions.iter().filter(|(_, other)| other.root == *root);
            kin.filter_map(|(id, _)| of(id)).max()
        })
    }

    /// Every artifact that a session sees, newest first.
    pub fn seen(&self, session: &SessionId) -> impl Iterator<Item = (ArtifactId, &Artifact)> {
        let horizon = self.horizons.get(self.root_of(session));
        let ids = horizon.into_iter().flat_map(|horizon| horizon.artifacts.iter().rev());
        ids.filter_map(|id| Some((*id, self.artifact(*id)?)))
    }

    /// Whether a session may be influenced by an artifact: it belongs to the same root session, or one of
    /// that root's sessions has read what came of it.
    pub fn is_visible(&self, id: ArtifactId, session: &SessionId) -> bool {
        let Some(artifact) = self.artifact(id) else { return false };
        let root = self.root_of(session);
        self.root_of(&artifact.session) == root
            || self.horizons.get(root).is_some_and(|horizon| horizon.imported.contains(&id))
    }

    /// The binding that explains the bytes at a path.
    pub fn binding(&self, path: &Operand) -> Option<Bound> {
        self.files.at(path)
    }

    /// Whether agents were at work at that moment, as far as the log tells: what happened then may be theirs.
    pub fn was_active(&self, at: UnixMillis) -> bool {
        self.activity.covers(at)
    }

    /// The artifact that first explained these bytes, at whatever path.
    pub fn holding(&self, content: &Digest) -> Option<ArtifactId> {
        self.files.holding(content)
    }

    /// What analysis says about an artifact now.
    ///
    /// Evidence is origin-blind; its use is not. A typed prompt is the user's own words and may command, so
    /// only what no person types counts against it: hidden channels (H) and role markers (R), which mean
    /// that something was pasted. Nothing waits for that.
    ///
    /// `viewer` is the session that acts: what a person acknowledged in its workspace counts as benign there,
    /// unless evidence has become worse since.
    pub fn level(&self, artifact: &Artifact, viewer: &SessionId) -> Level {
        self.level_in(artifact, self.sessions.get(viewer).map(|session| &session.workspace))
    }

    /// As [`Snapshot::level`], for whoever knows the workspace of the session that acts.
    pub(crate) fn level_in(&self, artifact: &Artifact, workspace: Option<&WorkspaceId>) -> Level {
        if !artifact.analysed {
            return Level::None;
        }
        let level = self.standing.level(&artifact.content);
        if self.acts.accepted(&artifact.content, workspace).is_some_and(|accepted| level <= accepted) {
            return level.min(Level::Benign);
        }
        if artifact.origin == Origin::UserPrompt {
            let mut findings = self.standing.of(&artifact.content).iter().flat_map(|row| row.findings.iter());
            let pasted = findings.any(|finding| finding.signal.starts_with(['H', 'R']));
            return if pasted { level } else { Level::None };
        }
        level
    }

    /// The artifact's ancestors over whole edges, itself excluded, nearest first and each once.
    pub fn whole_ancestors(&self, id: ArtifactId) -> Vec<ArtifactId> {
        let mut seen = BTreeSet::from([id]);
        let mut order = Vec::new();
        let mut next = vec![id];
        while let Some(current) = next.pop() {
            let Some(artifact) = self.artifact(current) else { continue };
            for edge in artifact.observed.iter().filter(|edge| edge.step == Step::Whole) {
                if order.len() < limits::ANCESTORS_MAX && seen.insert(edge.parent) {
                    order.push(edge.parent);
                    next.push(edge.parent);
                }
            }
        }
        order
    }
}
