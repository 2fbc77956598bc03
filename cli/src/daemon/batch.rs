//! One answer for several commits.

use circinus_ipc::Responder;

use super::service::respond;
use crate::adapter::claude_code::response::HookOutput;

/// Commits of one event that are answered together.
pub(super) struct Batch {
    left: usize,
    output: HookOutput,
    responder: Option<Responder>,
}

impl Batch {
    /// `left` commits that are answered to one client.
    pub(super) fn of(left: usize, responder: Responder) -> Self {
        Self { left, output: HookOutput::silent(), responder: Some(responder) }
    }

    /// Counts one acknowledgement; the last one answers.
    pub(super) fn finish_one(&mut self, failure: Option<HookOutput>) {
        self.output = failure.unwrap_or(std::mem::take(&mut self.output));
        self.left = self.left.saturating_sub(1);
        if self.left == 0
            && let Some(responder) = self.responder.take()
        {
            respond(responder, std::mem::take(&mut self.output));
        }
    }
}
