//! Any bytes as a host event: it is an event or an error, and the call that it announces is understood,
//! strict where it is opaque.

use std::time::Duration;

use circinus::adapter::claude_code::{event, transcript};
use circinus::host::HostEventKind;
use circinus_analyzer::{Who, understand};
use circinus_core::action::{Flag, Tier};
use circinus_core::id::SessionId;

use super::around;
use crate::bound::{Bound, within};

/// A call may hold a command line, whose worst case has the same floor.
const BOUND: Bound = Bound {
    floor: Duration::from_millis(8),
    per_byte: Duration::from_micros(5),
    most: Duration::from_millis(500),
};

pub(super) fn run(bytes: &[u8]) {
    let _entry = within(bytes.len(), BOUND, || transcript::entry(bytes));
    let Ok(event) = within(bytes.len(), BOUND, || event::parse(bytes)) else { return };
    let HostEventKind::BeforeCall(announced) = event.kind else { return };
    let around = around();
    let who = Who { session: SessionId::new("s"), agent: None, call: None, tool: announced.tool.clone() };
    let action = within(bytes.len(), BOUND, || understand(&announced.call, who.clone(), &around)).action;
    assert!(action.slots.iter().all(|slot| slot.tier_on_gap >= action.tier));
    assert!(!action.flags.contains(Flag::Opaque) || action.tier >= Tier::T2, "opaque is never mild");
}
