//! A person's own question to the model is paid out of the budget that the daemon keeps.

use std::cell::RefCell;
use std::thread;
use std::time::Duration;

use circinus_analyzer::strong::Ledger;
use circinus_core::enquiry::{Cause, Cost, Settled};
use circinus_core::evidence::EvidenceKey;
use circinus_core::id::EventSeq;

use super::super::super::Context;
use super::super::super::daemon::{ask, place};
use crate::daemon::{ControlReply, ControlRequest};

/// The budget of the day, kept by the daemon.
pub(super) struct Paid<'a> {
    context: &'a Context,
    key: EvidenceKey,
    why_not: RefCell<Option<String>>,
}

impl<'a> Paid<'a> {
    pub(super) const fn new(context: &'a Context, key: EvidenceKey) -> Self {
        Self { context, key, why_not: RefCell::new(None) }
    }

    /// What the daemon said when it refused to pay.
    pub(super) fn why_not(&self) -> Option<String> {
        self.why_not.borrow().clone()
    }
}

impl Ledger for Paid<'_> {
    fn reserve(&self, most: Cost) -> Result<EventSeq, Cause> {
        let request = ControlRequest::Reserve { key: self.key.clone(), most };
        let why = match ask(&place(self.context), &request) {
            Ok(ControlReply::Reserved { request }) => return Ok(request),
            Ok(ControlReply::Unpaid { why }) => format!("{why}, says the daemon"),
            Ok(_) => "the daemon answered something else".to_owned(),
            Err(error) => error.to_string(),
        };
        *self.why_not.borrow_mut() = Some(why);
        Err(Cause::NotRecorded)
    }

    fn settle(&self, request: EventSeq, cost: Cost) {
        let settle = ControlRequest::Settle { settled: Settled { request, cost } };
        // Unsettled, what was reserved counts, which is more.
        drop(ask(&place(self.context), &settle));
    }

    fn pause(&self, pause: Duration) -> bool {
        thread::sleep(pause);
        true
    }
}
