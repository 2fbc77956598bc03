//! What the daemon does with one request.

use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use circinus_analyzer::Surroundings;
use circinus_analyzer::provider::Endpoint;
use circinus_core::action::{Flag, Tier, ToolCall};
use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event, SessionOpened};
use circinus_core::gate::{Decision, Heavy, Permit, Weighed};
use circinus_core::id::{ActId, SessionId, WorkspaceId};
use circinus_core::index::{Hot, Snapshot};
use circinus_core::policy::{Profile, Verdict};
use circinus_ipc::{Peer, Reply, Responder};

use super::batch::Batch;
use super::counters::Counters;
use super::evidence::Analysis;
use super::files::{self, Announced, Deferred, Listings, Prior, Scene};
use super::gatekeeper::Asked;
use super::hosts::Voice;
use super::journal::Journal;
use super::proposals::Proposals;
use super::questions::Questions;
use super::reconcile::Reconciler;
use super::recorder::Recorder;
use super::reservations::{self, Reservations};
use super::search::Searches;
use super::settings;
use super::site::Site;
use super::stop::Stop;
use super::strong::StrongTier;
use super::texts::Texts;
use super::waiting::{Parked, Waiting};
use crate::adapter::claude_code::event;
use crate::adapter::claude_code::response::HookOutput;
use crate::clock;
use crate::host::{AnnouncedCall, HostEvent, HostEventKind};

/// An action that waits for evidence, with the way back to its client.
#[derive(Debug)]
pub(super) struct Postponed {
    asked: Asked,
    /// Whether there was room to wait; without it the action is decided with what is known.
    patient: bool,
    responder: Responder,
}

/// Everything a request needs.
pub(super) struct Service {
    /// The published state.
    pub hot: Arc<Hot>,
    /// The way to disk.
    pub journal: Journal,
    /// Actions that wait for evidence.
    pub waiting: Arc<Waiting<Postponed>>,
    /// The configured profile.
    pub profile: Profile,
    /// The local key that seals secrets.
    pub seal: [u8; 32],
    /// What every call's surroundings share.
    pub site: Site,
    /// What the sessions have read.
    pub(super) texts: Texts,
    /// What the transcripts add.
    pub(super) reconciler: Reconciler,
    /// The analysis of what is recorded.
    pub analysis: Arc<Analysis>,
    /// The user's model, if one is configured.
    pub(super) strong: Option<Arc<StrongTier>>,
    /// What the repositories track.
    pub(super) listings: Arc<Listings>,
    /// What lay at the places of the announced calls.
    pub(super) announced: Announced,
    /// Searches before interruptions.
    pub(super) searches: Searches,
    /// Counters for `status`.
    pub counters: Counters,
    /// Acts that decisions on their way use up.
    pub(super) reservations: Reservations,
    /// Questions that were put to the host.
    pub(super) questions: Questions,
    /// Statements that persons were asked to confirm.
    pub(super) proposals: Proposals,
    /// The database, for what persons ask about.
    pub database: PathBuf,
    /// Where counters go, if anywhere.
    pub(super) telemetry: Option<Endpoint>,
    /// Held by the one worker that takes the identity of the index.
    pub(super) comparing: Mutex<()>,
    /// How to end.
    pub stop: Stop,
}

impl Service {
    /// Handles the raw input of a hook.
    pub(super) fn hook(self: &Arc<Self>, payload: &[u8], peer: Peer, responder: Responder) {
        let event = match event::parse(payload) {
            Ok(event) => event,
            Err(error) => {
                self.counters.malformed.fetch_add(1, Ordering::Relaxed);
                return respond(responder, HookOutput::refuse(&error.to_string()));
            }
        };
        self.open_session(&event);
        let voice = self.listen(peer, &event);
        if !voice.is_foreign() {
            self.notice(&event);
        }
        match &event.kind {
            HostEventKind::BeforeCall(_) if matches!(voice, Voice::Stranger(_)) => respond(
                responder,
                HookOutput::refuse(
                    "this process does not speak for the session; hint: run `circinus status`",
                ),
            ),
            HostEventKind::BeforeCall(call) => {
                let asked = self.understood(&event, call);
                self.look_before(&event, call, &asked);
                self.gate(Postponed { asked, patient: true, responder });
            }
            HostEventKind::SettingsChange { path } => {
                respond(responder, settings::change(path.as_deref(), &event.cwd, &self.site))
            }
            HostEventKind::Prompting(call) => {
                self.prompted(&event, call, &voice);
                respond(responder, HookOutput::silent());
            }
            _ => self.record(event, voice, responder),
        }
    }

    /// An announced call in the state as it is now. A weighty one is looked at again if the transcript shows
    /// something that no event reported.
    fn understood(&self, event: &HostEvent, call: &AnnouncedCall) -> Asked {
        let understand = || {
            let snapshot = self.hot.load();
            let around = self.around(event, &snapshot);
            Asked::new(event, call, &around, &snapshot, &self.texts, &self.seal)
        };
        let mut asked = understand();
        if asked.action.tier >= Tier::T2 && self.catch_up(event) {
            asked = understand();
        }
        let gap = self.reconciler.coverage(&event.session).is_some_and(|coverage| coverage.has_gap());
        if gap && self.profile_in(&self.hot.load()) >= Profile::Strict {
            asked.action.flags = asked.action.flags.with(Flag::StoreDown);
        }
        asked
    }

    /// Notes what lies at the places that a call would change, while it is still there.
    fn look_before(&self, event: &HostEvent, call: &AnnouncedCall, asked: &Asked) {
        let Some(id) = call.id.as_ref().filter(|_| !asked.writes.is_empty()) else { return };
        let snapshot = self.hot.load();
        let around = self.around(event, &snapshot);
        let session = snapshot.session(&event.session);
        let scene = Scene { paths: &around.paths, session, snapshot: &snapshot, listings: &self.listings };
        let edits = matches!(call.call, ToolCall::EditFile { .. });
        let prior = Prior::look(&asked.writes, edits, clock::now(), &scene);
        self.announced.remember(&event.session, id, prior);
    }

    /// Decides an action, parks it where a judgement is still worth waiting for, and answers it.
    pub(super) fn gate(self: &Arc<Self>, postponed: Postponed) {
        let Postponed { mut asked, patient, responder } = postponed;
        let snapshot = self.hot.load();
        let profile = self.profile_in(&snapshot);
        let (mut decision, mut used) = self.decide(&asked, &snapshot, profile);
        let budget = Duration::from_millis(profile.wait_ms_max().into());
        let waited = asked.began.elapsed();
        if patient && !decision.pending().is_empty() && waited < budget {
            let contents = decision.pending().to_vec();
            let deadline = asked.began + budget;
            return self.park(contents, Postponed { asked, patient, responder }, deadline);
        }
        if asked.search(&decision, &snapshot, profile, (&self.searches, &self.listings)) {
            // What interrupts has used nothing up.
            (decision, used) = self.decide(&asked, &snapshot, profile);
        }
        self.count_readiness(&asked, &decision);
        if asked.waited_ms > 0 {
            asked.waited_ms = u32::try_from(waited.as_millis()).unwrap_or(u32::MAX);
        }
        let flagged = decision.is_flagged();
        match decision.weigh() {
            Weighed::Light(permit) => {
                if flagged {
                    self.counters.flagged.fetch_add(1, Ordering::Relaxed);
                    self.post(asked.record(permit.explanation()));
                }
                self.give(&asked, &permit, &snapshot, responder);
            }
            Weighed::Heavy(heavy) => self.record_then_answer(asked, heavy, used, responder),
        }
    }

    /// Decides, and takes for this decision what it uses up; what another decision has taken is not there.
    fn decide(&self, asked: &Asked, snapshot: &Snapshot, profile: Profile) -> (Decision, Vec<ActId>) {
        let mut decision = asked.decide(snapshot, profile, true);
        let mut gone = Vec::new();
        // Each round leaves out at least one act more, so this ends.
        loop {
            let used = reservations::spent(decision.explanation());
            if used.is_empty() || self.reservations.take(&used, &self.hot) {
                return (decision, used);
            }
            gone.extend(used);
            decision = asked.decide(&snapshot.without(&gone), profile, true);
        }
    }

    /// The profile in force: the one that a person chose last, else the configured one.
    pub(super) fn profile_in(&self, snapshot: &Snapshot) -> Profile {
        snapshot.profile().unwrap_or(self.profile)
    }

    fn park(self: &Arc<Self>, contents: Vec<Digest>, mut postponed: Postponed, deadline: Instant) {
        postponed.asked.waited_ms = postponed.asked.waited_ms.max(1);
        self.analysis.urge(&contents);
        self.strong.iter().for_each(|strong| strong.urge(&contents));
        let parked = Parked { contents: contents.clone(), deadline, then: postponed };
        match self.waiting.park(parked) {
            Ok(()) => {
                // A judgement may have landed between the decision and the parking: look again.
                let snapshot = self.hot.load();
                let landed = contents.iter().filter(|content| snapshot.is_settled(content));
                landed.for_each(|content| self.waiting.judged(content));
            }
            Err(postponed) => self.gate(Postponed { patient: false, ..postponed }),
        }
    }

    /// INVARIANT (recorded-before-answered): the permit is made from the receipt, on the writer's thread.
    fn record_then_answer(
        self: &Arc<Self>,
        asked: Asked,
        heavy: Heavy,
        used: Vec<ActId>,
        responder: Responder,
    ) {
        let commit = asked.record(heavy.explanation());
        let service = Arc::clone(self);
        self.journal.submit(
            commit,
            Box::new(move |receipt| {
                let snapshot = service.hot.load();
                service.reservations.release(&used);
                match receipt {
                    Ok(receipt) => service.give(&asked, &heavy.seal(&receipt), &snapshot, responder),
                    Err(error) => {
                        service.unrecorded(&error);
                        respond(responder, asked.answer_unrecorded(&snapshot, service.profile_in(&snapshot)));
                    }
                }
            }),
        );
    }

    fn give(&self, asked: &Asked, permit: &Permit, snapshot: &Snapshot, responder: Responder) {
        if let Some(counter) = self.counters.verdicts.get(permit.verdict() as usize) {
            counter.fetch_add(1, Ordering::Relaxed);
        }
        self.counters.latency.record(asked.began.elapsed());
        self.remember_question(asked, permit, snapshot);
        respond(responder, asked.answer(permit, snapshot));
    }

    fn count_readiness(&self, asked: &Asked, decision: &Decision) {
        if !decision.durable_first() || decision.explanation().influences.is_empty() {
            return;
        }
        let counter = match (decision.pending().is_empty(), asked.waited_ms > 0) {
            (true, false) => &self.counters.ready,
            (true, true) => &self.counters.waited,
            (false, _) => &self.counters.not_ready,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    /// Records what an event brought and answers after all of it is durable.
    fn record(self: &Arc<Self>, event: HostEvent, voice: Voice, responder: Responder) {
        let snapshot = self.hot.load();
        let service = Arc::clone(self);
        let session = event.session.clone();
        let said = match event.kind {
            HostEventKind::SessionStart => settings::at_start(&event.cwd, &self.site),
            _ => HookOutput::silent(),
        };
        let record: Deferred = Box::new(move || {
            let mut commits = service.observations(&event, &voice);
            commits.extend(service.learn(&event, &voice));
            service.commit_all(commits, said, responder);
        });
        // What a file is depends on what was tracked when the session began: its listing comes first.
        let at_once = self.listings.defer(snapshot.session(&session), record);
        at_once.into_iter().for_each(|record| record());
    }

    /// What an event brought, ready to be committed.
    fn observations(&self, event: &HostEvent, voice: &Voice) -> Vec<Commit> {
        let snapshot = self.hot.load();
        let around = self.around(event, &snapshot);
        let recorder = Recorder {
            event,
            voice,
            around: &around,
            snapshot: &snapshot,
            seal: &self.seal,
            texts: &self.texts,
            listings: &self.listings,
            announced: &self.announced,
        };
        match &event.kind {
            HostEventKind::Prompt { text, author, id } => {
                recorder.prompt(text, author, id.as_ref(), &self.texts)
            }
            HostEventKind::Expanded { name, of_user } => recorder.body(name, *of_user),
            HostEventKind::AfterCall { call, outcome } => recorder.outcome(call, outcome),
            HostEventKind::AfterBatch(calls) => {
                calls.iter().flat_map(|(call, outcome)| recorder.batched(call, outcome)).collect()
            }
            HostEventKind::InstructionsLoaded { path, of_user } => recorder.instructions(path, *of_user),
            HostEventKind::Compacted { summary } => recorder.summary(summary),
            // Only its host ends a session.
            HostEventKind::SessionEnd if voice.is_foreign() => Vec::new(),
            HostEventKind::SessionEnd => {
                let event = Event::SessionClosed { session: event.session.clone() };
                vec![Commit { event, body: None, delivery: None }]
            }
            HostEventKind::SessionStart
            | HostEventKind::BeforeCall(_)
            | HostEventKind::SettingsChange { .. }
            | HostEventKind::AgentStopped { .. }
            | HostEventKind::Prompting(_)
            | HostEventKind::Other => Vec::new(),
        }
    }

    /// Commits all of them, then answers with `said`.
    fn commit_all(self: &Arc<Self>, commits: Vec<Commit>, said: HookOutput, responder: Responder) {
        if commits.is_empty() {
            return respond(responder, said);
        }
        let batch = Arc::new(Mutex::new(Batch::of(commits.len(), said, responder)));
        for commit in commits {
            let (batch, service) = (Arc::clone(&batch), Arc::clone(self));
            let held = self.hold(&commit);
            self.journal.submit(
                commit,
                Box::new(move |receipt| {
                    service.release(held);
                    let failure = receipt.err().map(|error| {
                        service.unrecorded(&error);
                        format!("not recorded: {error}")
                    });
                    batch.lock().unwrap_or_else(PoisonError::into_inner).finish_one(failure);
                }),
            );
        }
    }

    /// Keeps what is about to be committed where analysis and the search for values find it; gives what is to
    /// be released when the commit is acknowledged.
    fn hold(&self, commit: &Commit) -> Option<Digest> {
        self.analysis.hold(commit);
        self.texts.hold(commit);
        match &commit.event {
            Event::Ingested(artifact) if commit.body.is_some() => Some(artifact.content),
            _ => None,
        }
    }

    fn release(&self, held: Option<Digest>) {
        held.iter().for_each(|content| self.analysis.release(content));
    }

    /// Commits without waiting; at T0 and T1 a crash may lose what the last group held.
    fn post(self: &Arc<Self>, commit: Commit) {
        let service = Arc::clone(self);
        self.journal.submit(
            commit,
            Box::new(move |receipt| {
                if let Err(error) = receipt {
                    service.unrecorded(&error);
                }
            }),
        );
    }

    /// Records what is found after the fact, and waits for it; a failure is counted.
    pub(super) fn commit_late(&self, commit: Commit) {
        let held = self.hold(&commit);
        if let Err(error) = self.journal.commit(commit) {
            self.unrecorded(&error);
        }
        self.release(held);
    }

    /// Takes in an event that came while no daemon was there: recorded now, answered by the fail-safe then.
    ///
    /// # Errors
    ///
    /// When the store does not take it; it must be kept.
    pub(super) fn take_in(self: &Arc<Self>, payload: &[u8]) -> std::io::Result<()> {
        let Ok(event) = event::parse(payload) else {
            self.counters.malformed.fetch_add(1, Ordering::Relaxed);
            return Ok(());
        };
        self.open_session(&event);
        let commits = match &event.kind {
            HostEventKind::BeforeCall(call) => {
                let snapshot = self.hot.load();
                let around = self.around(&event, &snapshot);
                let asked = Asked::new(&event, call, &around, &snapshot, &self.texts, &self.seal);
                let profile = self.profile_in(&snapshot);
                vec![asked.record(asked.decide(&Snapshot::default(), profile, false).explanation())]
            }
            // Whoever can write the file of kept events can write a prompt into it.
            _ => self.observations(&event, &Voice::Unknown),
        };
        for commit in commits {
            let held = self.hold(&commit);
            let committed = self.journal.commit(commit);
            self.release(held);
            committed.map(drop).map_err(|error| std::io::Error::other(error.to_string()))?;
        }
        Ok(())
    }

    /// Makes the session known before anything of it is recorded or decided.
    fn open_session(&self, event: &HostEvent) {
        if self.hot.load().session(&event.session).is_some() {
            return;
        }
        let workspace = files::workspace_of(&event.cwd, &self.site.home);
        let opened = SessionOpened {
            session: event.session.clone(),
            root: event.session.clone(),
            repository: files::look_at_repository(&workspace, &self.hot.load()),
            workspace: WorkspaceId::new(workspace),
            host_version: None,
        };
        // Its first events may come at once; the delivery makes them one opening.
        let delivery =
            Some(Digest::of_parts([b"session opened".as_slice(), event.session.as_str().as_bytes()]));
        let commit = Commit { event: Event::SessionOpened(opened), body: None, delivery };
        if let Err(error) = self.journal.commit(commit) {
            // What follows fails as well and answers for itself.
            self.unrecorded(&error);
        }
    }

    pub(super) fn around(&self, event: &HostEvent, snapshot: &Snapshot) -> Surroundings {
        let workspace = workspace(&event.session, snapshot).unwrap_or_else(|| event.cwd.to_string());
        self.site.around(&event.cwd, &workspace)
    }

    /// Actions allowed, asked and refused since the start.
    pub(super) fn decided(&self) -> [u64; 3] {
        let count = |verdict: Verdict| {
            self.counters.verdicts.get(verdict as usize).map_or(0, |counter| counter.load(Ordering::Relaxed))
        };
        Verdict::ALL.map(count)
    }
}

fn workspace(session: &SessionId, snapshot: &Snapshot) -> Option<String> {
    snapshot.session(session).map(|session| session.workspace.as_str().to_owned())
}

pub(super) fn respond(responder: Responder, output: HookOutput) {
    let HookOutput { exit, stdout, stderr } = output;
    responder.send(Reply::Answer { exit, stdout: stdout.into_bytes(), stderr: stderr.into_bytes() });
}
