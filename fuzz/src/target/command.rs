//! Any bytes as a command line: an analysis comes out within its time, strict where it is opaque, and the
//! forms that are made of it are stable.

use std::time::Duration;

use circinus_analyzer::command;
use circinus_core::action::{Flag, Tier};
use circinus_core::limits::SLOTS_MAX;

use super::around;
use crate::bound::{Bound, within};

/// The worst inputs are short and multiply: functions that call functions, loops in loops.
const BOUND: Bound = Bound {
    floor: Duration::from_millis(8),
    per_byte: Duration::from_micros(3),
    most: Duration::from_millis(20),
};

pub(super) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let around = around();
    let found = within(text.len(), BOUND, || command::analyze(&text, &around));
    assert!(found.slots.len() <= SLOTS_MAX);
    assert!(found.slots.iter().all(|slot| slot.tier_on_gap >= found.tier));
    assert!(!found.flags.contains(Flag::Opaque) || found.tier >= Tier::T2, "opaque is never mild");
    assert!(!found.flags.contains(Flag::Catastrophic) || found.tier >= Tier::T2);
    for (_, range) in within(text.len(), BOUND, || command::candidates(&text)) {
        assert!(text.get(range).is_some());
    }
    if let Some(form) = within(text.len(), BOUND, || command::canonical(&text)) {
        assert_eq!(command::canonical(&form).as_deref(), Some(form.as_str()));
    }
}
