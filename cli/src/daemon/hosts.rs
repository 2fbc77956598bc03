//! Who speaks for a session: the process of its host, and nobody else.
//!
//! INVARIANT (only-the-host-speaks): a prompt, an answer to a question and a user's configuration count only
//! from a hook that a bound host started. A process becomes a host of a session that has no living one, or
//! when it runs the same program as one that has; what an agent started never speaks for a person, nor for a
//! session that a person had begun. The agent's commands are children of the host as its hooks are, and each
//! can become the hook: but only what the host started as a hook has a socket of the host's making for its input.

use std::sync::atomic::Ordering;

use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event, HostBound, Impersonated, Process};
use circinus_core::id::SessionId;
use circinus_core::index::Snapshot;
use circinus_core::operand::masked;
use circinus_ipc::Peer;

use super::service::Service;
use crate::adapter::claude_code::process as host;
use crate::host::{HostEvent, HostEventKind};
use crate::process;

/// Characters of a foreign process's arguments that are kept.
pub(super) const PROGRAM_CHARS_MAX: usize = 120;

/// Who sent an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    /// The host of the session: what a person typed is a person's.
    Host,
    /// A host that an agent started: nobody types into it.
    Nested,
    /// A process that is not the session's host.
    Stranger(Stranger),
    /// Nobody can tell: the process has ended, or the event was kept while no daemon was there.
    Unknown,
    /// The host's transcript.
    Transcript,
}

/// A process that claims a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Stranger {
    process: Process,
    program: Box<str>,
}

impl Voice {
    /// Whether a person stands behind it.
    pub(super) const fn is_a_persons(&self) -> bool {
        matches!(self, Self::Host)
    }

    /// Whether what it reports happened, as far as the host can tell.
    pub(super) const fn is_a_hosts(&self) -> bool {
        matches!(self, Self::Host | Self::Nested)
    }

    /// Whether what it reports may be anything.
    pub(super) const fn is_foreign(&self) -> bool {
        matches!(self, Self::Stranger(_) | Self::Unknown)
    }
}

impl Stranger {
    /// The record of what it did.
    pub(super) fn impersonated(&self, session: &SessionId, event: &str) -> Impersonated {
        let (session, event) = (session.clone(), event.into());
        Impersonated {
            session,
            event,
            process: Some(self.process),
            program: self.program.clone(),
            prompt: None,
        }
    }
}

impl Service {
    /// Tells who sent an event, and records what is new about that: a host, or somebody who plays one.
    pub(super) fn listen(&self, hook: Peer, event: &HostEvent) -> Voice {
        let snapshot = self.hot.load();
        // A question to the gate gives nobody anything, and is not to wait for more than it needs.
        let asks_only = matches!(event.kind, HostEventKind::BeforeCall(_));
        let input_of = if asks_only { Input::Unasked } else { Input::Of(hook.input_of) };
        let (voice, bound) = listen(hook.pid, input_of, &event.session, &snapshot);
        let known = snapshot.session(&event.session).is_some_and(|session| session.impersonated.is_some());
        if let Some(bound) = bound.as_ref().filter(|bound| host::is_host(bound.process.pid)) {
            // What the agent starts is known by it later, wherever it went.
            if process::mark(bound.process).is_err() {
                self.counters.unmarked.fetch_add(1, Ordering::Relaxed);
            }
        }
        let (news, delivery) = match (bound, &voice) {
            (Some(bound), _) => {
                let delivery = Digest::of_parts([
                    b"host bound".as_slice(),
                    bound.session.as_str().as_bytes(),
                    &bound.process.pid.to_le_bytes(),
                    &bound.process.started.to_le_bytes(),
                ]);
                (Event::HostBound(bound), Some(delivery))
            }
            // One is enough until a refusal has told the user: a flood is no flood of the log.
            (None, Voice::Stranger(stranger)) if !known => {
                (Event::Impersonated(stranger.impersonated(&event.session, &event.name)), None)
            }
            _ => return voice,
        };
        if let Err(error) = self.journal.commit(Commit { event: news, body: None, delivery }) {
            // What follows fails as well and answers for itself.
            self.unrecorded(&error);
        }
        voice
    }
}

/// Who made the socket that the hook has for its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Input {
    /// It does not matter.
    Unasked,
    /// This process; none where it is no such socket.
    Of(Option<u32>),
}

/// Tells who started the hook process `hook`, and the binding that is to be recorded when it is a host that
/// was not known.
pub(super) fn listen(
    hook: u32,
    input: Input,
    session: &SessionId,
    snapshot: &Snapshot,
) -> (Voice, Option<HostBound>) {
    let Some(starter) = host::starter(hook) else { return (Voice::Unknown, None) };
    let process = starter.process;
    let is_silent = matches!(input, Input::Of(maker) if maker != Some(process.pid));
    if is_silent && host::is_host(process.pid) {
        return (stranger(process, hook), None);
    }
    let bound = snapshot.session(session).map(|session| session.hosts.as_slice()).unwrap_or_default();
    if let Some(known) = bound.iter().find(|bound| bound.process == process) {
        return (if known.nested { Voice::Nested } else { Voice::Host }, None);
    }
    let program: Box<str> = host::program(process.pid).into();
    let nested = is_nested(process.pid, snapshot);
    // Nothing that an agent started keeps a person's host out, nor speaks where one has spoken.
    let mut rivals = bound.iter().filter(|bound| nested || !bound.nested).peekable();
    let vacant = rivals.clone().all(|bound| !process::is_alive(bound.process));
    let is_akin = rivals.peek().is_some() && rivals.clone().any(|bound| bound.program == program);
    let is_barred = nested && rivals.any(|bound| !bound.nested);
    if is_barred || !(vacant || is_akin) {
        return (stranger(process, process.pid), None);
    }
    let bound = HostBound { session: session.clone(), process, program, nested };
    (if nested { Voice::Nested } else { Voice::Host }, Some(bound))
}

fn stranger(process: Process, speaker: u32) -> Voice {
    let arguments = process::arguments(speaker).join(" ");
    let program = masked(&arguments).chars().take(PROGRAM_CHARS_MAX).collect::<String>().into();
    Voice::Stranger(Stranger { process, program })
}

/// Whether an agent started the process: a host stands above it or did, or it is a host in the
/// environment of one.
fn is_nested(pid: u32, snapshot: &Snapshot) -> bool {
    let within = host::is_host(pid) && host::is_of_an_agent(pid);
    let descends = process::marked_by(pid).is_some_and(|host| host.pid != pid);
    within || descends || process::ancestors(pid).any(|above| snapshot.is_host(above))
}
