//! What the host's transcripts show and no hook reported, recorded after the fact.
//!
//! Every event names its session's transcript. A thread of its own reads on from where it ended, so no event
//! waits for it; only before a weighty action the worker itself catches up, because the output of the user's
//! own command comes with no event at all.

mod tail;
mod track;

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};

use circinus_core::event::{Commit, Event, Impersonated, SessionOpened};
use circinus_core::id::{AgentId, CallId, SessionId};
use circinus_core::index::Snapshot;
use circinus_core::origin::Origin;

pub use self::track::Coverage;

use self::track::{Settled, Track};
use super::hosts::{PROGRAM_CHARS_MAX, Voice};
use super::recorder::{self, Recorder};
use super::service::Service;
use crate::adapter::claude_code::transcript;
use crate::host::{Asks, HostEvent, HostEventKind, Told, TranscriptEntry};
use crate::ui::escape_untrusted;

/// Transcripts followed at once; the one that was looked at longest ago is forgotten, and read anew when its
/// session speaks again.
const TRACKS_MAX: usize = 256;

/// Transcripts that wait to be looked at. One that finds no room is looked at with its session's next event.
const WAITING_MAX: usize = 256;

/// Sessions whose transcripts are compared with a new one's, newest first.
const KIN_MAX: usize = 64;

/// Bytes at the beginning of a transcript within which its first entry stands.
const HEAD_BYTES_MAX: u64 = 256 << 10;

/// A transcript to look at.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Notice {
    session: SessionId,
    path: PathBuf,
    cwd: Box<str>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Notice>,
    is_closed: bool,
}

#[derive(Debug)]
struct Followed {
    session: SessionId,
    track: Track,
    looked: u64,
}

#[derive(Debug, Default)]
struct Tracks {
    by_path: HashMap<PathBuf, Followed>,
    looks: u64,
}

/// The reader of transcripts.
#[derive(Debug, Default)]
pub(super) struct Reconciler {
    queue: Mutex<Queue>,
    ready: Condvar,
    tracks: Mutex<Tracks>,
    coverage: Mutex<HashMap<SessionId, Coverage>>,
}

impl Reconciler {
    /// Starts the thread.
    ///
    /// # Errors
    ///
    /// The system's.
    pub(super) fn start(service: &Arc<Service>) -> std::io::Result<JoinHandle<()>> {
        let service = Arc::clone(service);
        thread::Builder::new().name("transcripts".into()).spawn(move || {
            while let Some(notice) = service.reconciler.next() {
                if service.look(&notice) {
                    service.reconciler.push(notice);
                }
            }
        })
    }

    /// Ends the thread after the look that it is at.
    pub(super) fn close(&self) {
        lock(&self.queue).is_closed = true;
        self.ready.notify_all();
    }

    /// What is known of a session's coverage; nothing before its transcript was first read.
    pub(super) fn coverage(&self, session: &SessionId) -> Option<Coverage> {
        lock(&self.coverage).get(session).copied()
    }

    /// The coverage of every session that was followed since the start.
    pub(super) fn covered(&self) -> Vec<(SessionId, Coverage)> {
        let mut all: Vec<_> = lock(&self.coverage).iter().map(|(id, it)| (id.clone(), *it)).collect();
        all.sort_by(|(a, _), (b, _)| a.as_str().cmp(b.as_str()));
        all
    }

    fn push(&self, notice: Notice) {
        let mut queue = lock(&self.queue);
        if queue.waiting.len() < WAITING_MAX && queue.waiting.iter().all(|other| other.path != notice.path) {
            queue.waiting.push_back(notice);
            self.ready.notify_one();
        }
    }

    fn next(&self) -> Option<Notice> {
        let mut queue = lock(&self.queue);
        loop {
            if queue.is_closed {
                return None;
            }
            if let Some(notice) = queue.waiting.pop_front() {
                return Some(notice);
            }
            queue = self.ready.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Service {
    /// Has the transcripts that an event names looked at, some time after it was answered.
    pub(super) fn notice(&self, event: &HostEvent) {
        let own = event.transcript.as_deref().and_then(|path| self.transcript(event, path));
        let agents = match &event.kind {
            HostEventKind::AgentStopped { transcript: Some(path) } => self.transcript(event, path),
            _ => None,
        };
        own.into_iter().chain(agents).for_each(|notice| self.reconciler.push(notice));
    }

    /// Looks at the session's transcript now; gives whether anything was recorded.
    pub(super) fn catch_up(&self, event: &HostEvent) -> bool {
        let before = self.hot.load().last();
        let notice = event.transcript.as_deref().and_then(|path| self.transcript(event, path));
        if let Some(notice) = notice {
            self.look(&notice);
        }
        self.hot.load().last() != before
    }

    fn transcript(&self, event: &HostEvent, path: &str) -> Option<Notice> {
        let path = tail::admitted(path, &self.site.host_config_dirs)?;
        Some(Notice { session: event.session.clone(), path, cwd: event.cwd.clone() })
    }

    /// Reads on in one transcript and records what it shows; gives whether there is more.
    fn look(&self, notice: &Notice) -> bool {
        let mut tracks = lock(&self.reconciler.tracks);
        let followed = tracks.of(notice);
        let Ok(look) = followed.track.tail.look(&notice.path) else {
            // Not there yet, or not to be read: nothing is known of it, and nothing is claimed.
            return false;
        };
        if look.anew {
            followed.track = Track::reading(std::mem::take(&mut followed.track.tail));
        }
        let is_new = followed.track.first.is_none();
        for line in &look.lines {
            let Ok(entry) = transcript::entry(line) else {
                followed.track.coverage.unread += 1;
                continue;
            };
            let settled = followed.track.take(&entry);
            if is_new && entry.id.is_some() && followed.track.first == entry.id {
                self.join_kin(notice, entry.id.as_deref().unwrap_or_default());
            }
            self.take_entry(notice, &entry, &settled, &mut followed.track.coverage);
        }
        followed.track.coverage.unread += std::mem::take(&mut followed.track.tail.skipped);
        let coverage = tracks.coverage(&notice.session);
        drop(tracks);
        lock(&self.reconciler.coverage).insert(notice.session.clone(), coverage);
        look.more
    }

    fn take_entry(
        &self,
        notice: &Notice,
        entry: &TranscriptEntry,
        settled: &[Settled],
        coverage: &mut Coverage,
    ) {
        let event = told_by(notice, entry.agent.as_ref());
        for result in settled {
            self.settle(&event, result, coverage);
        }
        for (place, told) in entry.told.iter().enumerate() {
            if let Told::Relayed { prompt, from } = told {
                self.disown(&event.session, prompt, from);
            }
            let Told::Entered { by, text } = told else { continue };
            coverage.bytes += text.len() as u64;
            coverage.bytes_known += text.len() as u64;
            let commit = self.recorded(&event, |recorder| recorder.entered(entry, place, by, text));
            commit.into_iter().for_each(|commit| self.commit_late(commit));
        }
    }

    /// Takes its authority from a prompt that no person gave: whatever knows the way into the host's own inbox can
    /// submit one, and the event of it looks like any other.
    fn disown(&self, session: &SessionId, prompt: &CallId, from: &str) {
        let snapshot = self.hot.load();
        let found = snapshot.produced_by(session, prompt);
        let is_a_persons = |id| snapshot.artifact(id).is_some_and(|it| it.origin == Origin::UserPrompt);
        if let Some(id) = found.filter(|id| is_a_persons(*id)) {
            let program = escape_untrusted(from).chars().take(PROGRAM_CHARS_MAX).collect::<String>().into();
            let (session, event) = (session.clone(), "UserPromptSubmit".into());
            let relayed = Impersonated { session, event, process: None, program, prompt: Some(id) };
            self.commit_late(Commit { event: Event::Impersonated(relayed), body: None, delivery: None });
        }
    }

    /// Counts a result and records it if no event did.
    fn settle(&self, event: &HostEvent, result: &Settled, coverage: &mut Coverage) {
        let Settled { call, announced, text } = result;
        if announced.as_ref().is_some_and(recorder::is_inert) {
            return;
        }
        coverage.results += 1;
        coverage.bytes += text.len() as u64;
        if self.hot.load().produced_by(&event.session, call).is_some() {
            coverage.observed += 1;
            coverage.bytes_known += text.len() as u64;
            return;
        }
        let unknown = || recorder::unknown_call(call);
        let announced = announced.clone().unwrap_or_else(unknown);
        let commit = self.recorded(event, |recorder| recorder.unreported(&announced, text, Vec::new()));
        self.commit_late(commit);
    }

    fn recorded<T>(&self, event: &HostEvent, record: impl FnOnce(&Recorder<'_>) -> T) -> T {
        let snapshot = self.hot.load();
        let around = self.around(event, &snapshot);
        record(&Recorder {
            event,
            voice: &Voice::Transcript,
            around: &around,
            snapshot: &snapshot,
            seal: &self.seal,
            texts: &self.texts,
            listings: &self.listings,
            announced: &self.announced,
        })
    }

    /// A forked or resumed conversation begins with the entries of the one that it continues, under a new id:
    /// its session shares that one's root.
    fn join_kin(&self, notice: &Notice, first: &str) {
        let snapshot = self.hot.load();
        let Some(own) = snapshot.session(&notice.session).filter(|own| own.root == notice.session) else {
            return;
        };
        let Some(kin) = kin(notice, first, &snapshot) else { return };
        let root = snapshot.session(&kin).map_or(kin, |kin| kin.root.clone());
        if root == notice.session {
            return;
        }
        let opened = SessionOpened {
            session: notice.session.clone(),
            root,
            workspace: own.workspace.clone(),
            repository: own.repository.clone(),
            host_version: None,
        };
        self.commit_late(Commit { event: Event::SessionOpened(opened), body: None, delivery: None });
    }
}

/// The earlier session whose transcript begins with the same entry.
fn kin(notice: &Notice, first: &str, snapshot: &Snapshot) -> Option<SessionId> {
    let folder = notice.path.parent()?;
    let own = snapshot.session(&notice.session)?;
    let mut others: Vec<_> = snapshot
        .sessions()
        .filter(|(id, other)| {
            **id != notice.session && other.workspace == own.workspace && other.opened <= own.opened
        })
        .filter(|(id, _)| id.as_str().bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'))
        .collect();
    others.sort_by_key(|(id, other)| (std::cmp::Reverse(other.opened), id.as_str()));
    let begins =
        |id: &SessionId| first_id(&folder.join(format!("{}.jsonl", id.as_str()))).as_deref() == Some(first);
    others.into_iter().take(KIN_MAX).find(|(id, _)| begins(id)).map(|(id, _)| id.clone())
}

fn first_id(path: &Path) -> Option<Box<str>> {
    let lines = tail::head(path, HEAD_BYTES_MAX).ok()?;
    lines.iter().find_map(|line| transcript::entry(line).ok()?.id)
}

/// What the transcript says, as an event of its session.
fn told_by(notice: &Notice, agent: Option<&AgentId>) -> HostEvent {
    HostEvent {
        session: notice.session.clone(),
        agent: agent.cloned(),
        cwd: notice.cwd.clone(),
        asks: Asks::No,
        name: "transcript".into(),
        transcript: None,
        kind: HostEventKind::Other,
    }
}

impl Tracks {
    fn of(&mut self, notice: &Notice) -> &mut Followed {
        self.looks += 1;
        if self.by_path.len() >= TRACKS_MAX && !self.by_path.contains_key(&notice.path) {
            let oldest =
                self.by_path.iter().min_by_key(|(_, followed)| followed.looked).map(|(path, _)| path.clone());
            oldest.and_then(|path| self.by_path.remove(&path));
        }
        let looks = self.looks;
        let followed = self.by_path.entry(notice.path.clone()).or_insert_with(|| Followed {
            session: notice.session.clone(),
            track: Track::default(),
            looked: looks,
        });
        followed.looked = looks;
        followed
    }

    /// Over the transcripts of a session: its own and its subagents'.
    fn coverage(&self, session: &SessionId) -> Coverage {
        let mut all = Coverage::default();
        let own = self.by_path.values().filter(|followed| followed.session == *session);
        own.for_each(|followed| all.add(&followed.track.coverage));
        all
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What it holds is valid between any two statements, so a panic elsewhere does not spoil it.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
