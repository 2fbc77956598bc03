//! A log that is folded as it grows, with the texts of what it recorded.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use circinus_core::action::{Action, Facts, Flags, Role, Slot, SlotValue, Tier};
use circinus_core::artifact::Binding;
use circinus_core::authority::Secrecy;
use circinus_core::digest::Digest;
use circinus_core::effect::{Effect, Effects};
use circinus_core::event::{Event, Recorded, SessionOpened};
use circinus_core::evidence::{Judgement, Level};
use circinus_core::gate::{Circumstances, Decision, decide};
use circinus_core::id::{ArtifactId, EventSeq, SessionId, WorkspaceId};
use circinus_core::index::{Required, Snapshot};
use circinus_core::ingest::{self, Observation};
use circinus_core::lineage::{Observed, Step};
use circinus_core::operand::{Hit, Kind, Operand, PathContext};
use circinus_core::origin::Origin;
use circinus_core::policy::Profile;
use circinus_core::port::{self, Grammar};
use circinus_core::time::UnixMillis;
use circinus_core::view::ViewChain;

#[derive(Debug, Default)]
pub(crate) struct Texts(Mutex<HashMap<Digest, Arc<str>>>);

impl Texts {
    /// As if newer texts and retention had pushed everything out.
    pub(crate) fn forget(&self) {
        self.0.lock().unwrap().clear();
    }
}

impl port::Texts for Texts {
    fn text(&self, content: &Digest) -> Option<Arc<str>> {
        self.0.lock().unwrap().get(content).cloned()
    }
}

/// Something to record.
#[derive(Clone, Debug)]
pub(crate) struct Seen<'a> {
    pub(crate) session: &'a str,
    pub(crate) origin: Origin,
    pub(crate) text: &'a str,
    pub(crate) derived: bool,
    pub(crate) parents: Vec<Observed>,
    pub(crate) file: Option<&'a str>,
    pub(crate) read_from: Option<&'a str>,
    pub(crate) command: Option<&'a Operand>,
}

impl<'a> Seen<'a> {
    pub(crate) const fn new(origin: Origin, text: &'a str) -> Self {
        Self {
            session: "s",
            origin,
            text,
            derived: false,
            parents: Vec::new(),
            file: None,
            read_from: None,
            command: None,
        }
    }
}

pub(crate) struct Log {
    pub(crate) snapshot: Snapshot,
    pub(crate) texts: Texts,
    pub(crate) events: Vec<Recorded>,
}

/// A grammar that finds one command line.
#[derive(Debug)]
struct Lines<'a>(Option<&'a Operand>);

impl Grammar for Lines<'_> {
    fn command_lines(&self, text: &str) -> Vec<(String, Range<usize>)> {
        let found = self.0.and_then(|line| Some((line, text.find(line.canonical())?)));
        found
            .map(|(line, at)| (line.canonical().to_owned(), at..at + line.canonical().len()))
            .into_iter()
            .collect()
    }
}

pub(crate) fn cheap() -> Required {
    Required { analyser: "cheap".into(), version: 1, config: Digest::of(b"") }
}

pub(crate) fn paths() -> PathContext {
    PathContext { cwd: "/w".into(), home: "/home/u".into(), workspace: "/w".into(), case_sensitive: true }
}

pub(crate) fn operand(kind: Kind, text: &str) -> Operand {
    Operand::parse(kind, text, &paths()).unwrap()
}

pub(crate) fn hit(operand: &Operand) -> Hit {
    Hit { operand: operand.clone(), views: ViewChain::default(), start: 3, end: 9 }
}

pub(crate) fn whole(parent: ArtifactId) -> Vec<Observed> {
    vec![Observed { parent, step: Step::Whole }]
}

impl Log {
    pub(crate) fn new() -> Self {
        let mut log =
            Self { snapshot: Snapshot::new([cheap()]), texts: Texts::default(), events: Vec::new() };
        log.open_in("s", "s", "/w");
        log
    }

    pub(crate) fn open_in(&mut self, session: &str, root: &str, workspace: &str) {
        self.event(Event::SessionOpened(SessionOpened {
            session: SessionId::new(session),
            root: SessionId::new(root),
            workspace: WorkspaceId::new(workspace),
            host_version: None,
            repository: None,
        }));
    }

    pub(crate) fn event(&mut self, event: Event) -> EventSeq {
        let seq = EventSeq(self.events.len() as u64 + 1);
        let recorded = Recorded { seq, at: UnixMillis(seq.0), event };
        self.snapshot.apply(&recorded);
        self.events.push(recorded);
        seq
    }

    /// The state after a restart: the same events, folded anew.
    pub(crate) fn replayed(&self) -> Snapshot {
        let mut snapshot = Snapshot::new([cheap()]);
        self.events.iter().for_each(|event| snapshot.apply(event));
        snapshot
    }

    pub(crate) fn record(&mut self, seen: Seen<'_>) -> ArtifactId {
        let session = SessionId::new(seen.session);
        let paths = paths();
        let content = Digest::of(seen.text.as_bytes());
        let bound =
            |path: &str| Binding { path: operand(Kind::Path, path), content: Some(content), tree: false };
        let observation = Observation {
            session: &session,
            agent: None,
            call: None,
            event: "test",
            origin: seen.origin,
            label: "test",
            bytes: seen.text.as_bytes(),
            text: seen.text,
            derived: seen.derived,
            parents: &seen.parents,
            bindings: seen.file.map(bound).into_iter().collect(),
            read_from: seen.read_from.map(|path| operand(Kind::Path, path)),
            secrecy: Secrecy::Public,
            seal: &[7; 32],
            paths: &paths,
            analysed: true,
            grammar: &Lines(seen.command),
            composed: None,
            texts: &self.texts,
        };
        let commit = ingest::admit(observation, &self.snapshot);
        self.texts.0.lock().unwrap().insert(content, seen.text.into());
        ArtifactId(self.event(commit.event))
    }

    /// Content of an origin that session `s` reads.
    pub(crate) fn observe(&mut self, origin: Origin, text: &str, command: Option<&Operand>) -> ArtifactId {
        self.record(Seen { command, ..Seen::new(origin, text) })
    }

    /// A file that the agent composes in session `s`.
    pub(crate) fn write(&mut self, path: &str, text: &str) -> ArtifactId {
        let seen = Seen { derived: true, file: Some(path), ..Seen::new(Origin::AgentText, text) };
        let id = self.record(seen);
        self.judge_last(Level::Benign);
        id
    }

    /// Judges what was recorded last.
    pub(crate) fn judge_last(&mut self, level: Level) {
        let last = self.snapshot.artifacts().next().map(|(_, artifact)| artifact.content).unwrap();
        let key = cheap().key(last);
        let judgement = Judgement { key, level, findings: Vec::new(), reason: "".into() };
        self.event(Event::Judged { judgement, routing: None });
    }

    pub(crate) fn decide(&self, action: &Action, profile: Profile) -> Decision {
        decide_on(&self.snapshot, action, profile)
    }
}

pub(crate) fn decide_on(snapshot: &Snapshot, action: &Action, profile: Profile) -> Decision {
    decide(action, snapshot, Circumstances { profile, store_up: true, now: UnixMillis(1 << 30) })
}

pub(crate) fn slot(effect: Effect, value: SlotValue) -> Slot {
    Slot {
        role: Role::Designator,
        effect,
        value,
        tier_on_gap: Tier::T0,
        flags_unless_granted: Flags::NONE,
        place: "test".into(),
    }
}

pub(crate) fn action(tier: Tier, slots: Vec<Slot>) -> Action {
    Action {
        session: SessionId::new("s"),
        agent: None,
        call: None,
        tool: "Bash".into(),
        summary: "test".into(),
        identity: Digest::of(b""),
        tier,
        effects: Effects::NONE,
        flags: Flags::NONE,
        slots,
        facts: Facts::default(),
    }
}
