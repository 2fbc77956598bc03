//! Everything that can wake a worker: one closed list, one place where it is dealt with.

use std::sync::Arc;

use circinus_ipc::{Job, Receiver, Request, Responder};
use crossbeam_channel::select_biased;

use super::control;
use super::service::{Postponed, Service};

/// Why a worker woke.
enum Wake {
    /// A hook reported something; its raw input.
    Hook(Vec<u8>, Responder),
    /// The command line asks; a JSON document.
    Control(Vec<u8>, Responder),
    /// An action that waited for evidence must be decided now.
    Decide(Box<Postponed>),
    /// The server has stopped and nothing waits: the worker ends.
    Ended,
}

/// Works until the server has stopped.
pub(super) fn work(service: &Arc<Service>, jobs: &Receiver<Job>, ready: &Receiver<Postponed>) {
    loop {
        match next(jobs, ready) {
            Wake::Hook(payload, responder) => service.hook(&payload, responder),
            Wake::Control(request, responder) => control::answer(service, &request, responder),
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
            Ok(Job { request: Request::Hook(payload), responder, .. }) => Wake::Hook(payload, responder),
            Ok(Job { request: Request::Control(request), responder, .. }) => Wake::Control(request, responder),
            Err(_) => Wake::Ended,
        },
    }
}
