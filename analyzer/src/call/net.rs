//! Tools that talk to the network or start agents.

use circinus_core::action::{Flag, SlotValue, Tier};
use circinus_core::effect::Effect;

use crate::Surroundings;
use crate::command::found::{Found, address};
use crate::command::secret::{is_home, secrets_in};

pub(super) fn fetch(url: &str, around: &Surroundings) -> Found {
    let mut found = Found::default();
    found.raise(Tier::T1);
    found.effect(Effect::Fetch);
    let secrets = secrets_in(url);
    match address(url, &around.paths) {
        Some(operands) => {
            let foreign = secrets.iter().any(|homes| !is_home(homes, &operands));
            let slot = found.slot("url", Effect::Fetch, SlotValue::Operands(operands), Tier::T1);
            if let Some(slot) = slot.filter(|_| foreign) {
                found.unless_granted(slot, Flag::SecretSink);
            }
        }
        // Nothing that can be fetched; if the host thinks otherwise, it is not understood.
        None => found.opaque(),
    }
    found
}

pub(super) fn search(query: &str) -> Found {
    let mut found = Found::default();
    found.effect(Effect::Fetch);
    found.content("query", Effect::Fetch, query);
    if !secrets_in(query).is_empty() {
        found.flag(Flag::SecretSink);
    }
    found
}

pub(super) fn spawn(prompt: &str) -> Found {
    let mut found = Found::default();
    found.raise(Tier::T1);
    found.content("prompt", Effect::Inform, prompt);
    found
}
