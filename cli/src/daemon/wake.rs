//! Everything that can wake a worker: one closed list, one place where it is dealt with.

use std::sync::Arc;

use circinus_ipc::{Job, Peer, Receiver, Request, Responder};
use crossbeam_channel::select_biased;

use super::control;
use super::service::{Postponed, Service};

/// Why a worker woke.
enum Wake {
    /// A hook reported something; its raw input.
    Hook(Vec<u8>, Peer, Responder),
    /// The command line asks; a JSON document.
    Control(Vec<u8>, Peer, Responder),
    /// An action that waited for evidence must be decided now.
    Decide(Box<Postponed>),
    /// The server has stopped and nothing waits: the worker ends.
    Ended,
}

/// Works until the server has stopped.
pub(super) fn work(service: &Arc<Service>, jobs: &Receiver<Job>, ready: &Receiver<Postponed>) {
    loop {
        match next(jobs, ready) {
            Wake::Hook(payload, peer, responder) => service.hook(&payload, peer, responder),
            Wake::Control(request, peer, responder) => control::answer(service, &request, peer, responder),
            Wake::Decide(postponed) => service.gate(*postponed),
            Wake::Ended => return,
        }
    }
}

/// The next reason to work: actions that have waited go first.
fn next(jobs: &Receiver<Job>, ready: &Receiver<Postponed>) -> Wake {
    select_biased! {
        recv(ready) -> postponed => match postponed {
            Ok(postponed) => Wake::Decide(Box::new(postponed)),
            Err(_) => Wake::Ended,
        },
        recv(jobs) -> job => match job {
            Ok(Job { request: Request::Hook(payload), peer, responder }) => Wake::Hook(payload, peer, responder),
            Ok(Job { request: Request::Control(request), peer, responder }) => Wake::Control(request, peer, responder),
            Err(_) => Wake::Ended,
        },
    }
}
