//! Asking the daemon through its socket, as the hook does, without a process per event.

use circinus_ipc::client::Client;
use circinus_ipc::path::SocketPlace;
use circinus_ipc::wire::{Reply, RequestRef};

use super::{ANSWER_WAIT_MAX, AskError, Gate, HookAnswer};

/// One connection per event, like the hook's.
#[derive(Clone, Debug)]
pub struct SocketGate {
    place: SocketPlace,
}

impl SocketGate {
    /// A gate at the place of a running daemon.
    #[must_use]
    pub fn new(place: SocketPlace) -> SocketGate {
        SocketGate { place }
    }
}

impl Gate for SocketGate {
    fn ask(&mut self, event: &[u8]) -> Result<HookAnswer, AskError> {
        match Client::call_ref(&self.place, RequestRef::Hook(event), ANSWER_WAIT_MAX)? {
            Reply::Answer { exit, stdout, stderr } => {
                Ok(HookAnswer { exit: i32::from(exit), stdout, stderr })
            }
            other => Err(AskError::Refused { reason: format!("{other:?}") }),
        }
    }
}
