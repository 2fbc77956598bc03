//! One answer for several commits.

use circinus_ipc::Responder;

use super::outage::give_back;
use super::service::respond;
use crate::adapter::claude_code::response::HookOutput;

/// Commits of one event that are answered together.
pub(super) struct Batch {
    left: usize,
    failure: Option<String>,
    /// Whom to answer, and what once every part is recorded.
    answer: Option<(Responder, HookOutput)>,
}

impl Batch {
    /// `left` commits, at least one, that one client is told `said` about.
    pub(super) fn of(left: usize, said: HookOutput, responder: Responder) -> Self {
        Self { left, failure: None, answer: Some((responder, said)) }
    }

    /// Counts one acknowledgement or failure; the last one answers. An event of which a part is not recorded is
    /// given back as a whole; when it comes again, the rest is recognised.
    pub(super) fn finish_one(&mut self, failure: Option<String>) {
        self.failure = failure.or(self.failure.take());
        self.left = self.left.saturating_sub(1);
        if self.left == 0
            && let Some((responder, said)) = self.answer.take()
        {
            match self.failure.take() {
                None => respond(responder, said),
                Some(why) => give_back(responder, why),
            }
        }
    }
}
