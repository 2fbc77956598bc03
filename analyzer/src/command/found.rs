//! What has been found out about an action so far.

use circinus_core::action::{FileWrite, Flag, Flags, Role, Slot, SlotValue, Tier, WriteSource};
use circinus_core::effect::{Effect, Effects};
use circinus_core::limits::SLOTS_MAX;
use circinus_core::operand::{Kind, Operand};

use crate::place::{Place, Region};

/// Files written or read that are kept; beyond it the action is opaque.
const FILES_MAX: usize = 512;

/// Findings; they only ever grow stricter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) tier: Tier,
    pub(crate) effects: Effects,
    pub(crate) flags: Flags,
    pub(crate) slots: Vec<Slot>,
    pub(crate) writes: Vec<FileWrite>,
    pub(crate) reads: Vec<Operand>,
}

impl Found {
    /// At least this tier.
    pub(crate) fn raise(&mut self, tier: Tier) {
        self.tier = self.tier.max(tier);
    }

    /// Also this effect.
    pub(crate) fn effect(&mut self, effect: Effect) {
        self.effects = self.effects.with(effect);
    }

    /// Also this fact.
    pub(crate) fn flag(&mut self, flag: Flag) {
        self.flags = self.flags.with(flag);
    }

    /// Something here could not be understood, and it could be anything.
    ///
    /// INVARIANT (bounded-or-opaque): whatever meets a bound of length, nesting or number ends here too.
    pub(crate) fn opaque(&mut self) {
        self.flag(Flag::Opaque);
        self.effect(Effect::Exec);
        self.raise(Tier::T2);
    }

    /// It touches the guard.
    pub(crate) fn guard(&mut self) {
        self.flag(Flag::Guard);
        self.effect(Effect::Guard);
        self.raise(Tier::T3);
    }

    /// It destroys on a large scale.
    pub(crate) fn catastrophe(&mut self) {
        self.flag(Flag::Catastrophic);
        self.effect(Effect::Destroy);
        self.raise(Tier::T2);
    }

    /// It makes something outside the workspace run later.
    pub(crate) fn persists(&mut self) {
        self.flag(Flag::PersistHost);
        self.effect(Effect::Persist);
        self.raise(Tier::T3);
    }

    /// Adds a designator slot; its effect is an effect of the action. Returns its index.
    pub(crate) fn slot(
        &mut self,
        place: &str,
        effect: Effect,
        value: SlotValue,
        on_gap: Tier,
    ) -> Option<usize> {
        self.effect(effect);
        self.push(Slot {
            role: Role::Designator,
            effect,
            value,
            tier_on_gap: on_gap,
            flags_unless_granted: Flags::NONE,
            place: place.into(),
        })
    }

    /// It runs code of the workspace that it finds by itself.
    pub(crate) fn runs_workspace(&mut self, by: &str) {
        self.slot(by, Effect::Exec, SlotValue::Workspace, Tier::T2);
    }

    /// Adds a slot that is recorded and not gated.
    pub(crate) fn content(&mut self, place: &str, effect: Effect, text: &str) {
        if !text.is_empty() {
            let value = SlotValue::Text(text.into());
            self.push(Slot {
                role: Role::Content,
                effect,
                value,
                tier_on_gap: Tier::T0,
                flags_unless_granted: Flags::NONE,
                place: place.into(),
            });
        }
    }

    fn push(&mut self, slot: Slot) -> Option<usize> {
        if let Some(at) = self.slots.iter().position(|known| *known == slot) {
            return Some(at);
        }
        if self.slots.len() >= SLOTS_MAX {
            self.opaque();
            return None;
        }
        self.slots.push(slot);
        Some(self.slots.len() - 1)
    }

    /// A fact about a slot that holds unless its value is granted.
    pub(crate) fn unless_granted(&mut self, slot: usize, flag: Flag) {
        if let Some(slot) = self.slots.get_mut(slot) {
            slot.flags_unless_granted = slot.flags_unless_granted.with(flag);
        }
    }

    /// A file whose content reaches the output.
    pub(crate) fn read(&mut self, operand: &Operand) {
        if self.reads.len() >= FILES_MAX {
            self.opaque();
        } else if !self.reads.contains(operand) {
            self.reads.push(operand.clone());
        }
    }

    /// Reading a place: names it, and guards it if it holds a secret.
    pub(crate) fn reads_place(&mut self, by: &str, place: &Place, shown: bool) {
        self.effect(Effect::Read);
        if place.secret {
            self.raise(Tier::T1);
            self.effect(Effect::Cred);
        }
        let Some(operand) = place.operand.as_ref().or(place.matched.as_ref()) else { return };
        if shown {
            self.read(operand);
        }
        let (effect, on_gap) = if place.secret { (Effect::Cred, Tier::T3) } else { (Effect::Read, Tier::T0) };
        if place.region != Region::Sink {
            self.slot(by, effect, SlotValue::Operands(expanded(operand)), on_gap);
        }
    }

    /// Writing a place: its path is a designator, and what persists there says so.
    pub(crate) fn writes_place(&mut self, by: &str, place: &Place, from: WriteSource, tree: bool) {
        if place.region == Region::Sink {
            return;
        }
        self.effect(Effect::Write);
        if place.guard {
            self.guard();
        }
        if place.is_history() {
            self.effect(Effect::Destroy);
            self.raise(Tier::T2);
        }
        let (tier, on_gap) = place.write_tiers();
        self.raise(tier);
        if place.region == Region::Device {
            self.catastrophe();
        }
        let effect = if place.persists.is_some() { Effect::Persist } else { Effect::Write };
        let Some(operand) = &place.operand else {
            match place.persists {
                Some(Flag::PersistHost) => self.persists(),
                Some(flag) => self.flag(flag),
                None => {}
            }
            return;
        };
        if let Some(slot) = self.slot(by, effect, SlotValue::Operands(expanded(operand)), on_gap) {
            place.persists.into_iter().for_each(|flag| self.unless_granted(slot, flag));
        }
        if self.writes.len() >= FILES_MAX {
            self.opaque();
        } else {
            self.writes.push(FileWrite { path: operand.clone(), from, tree });
        }
    }

    /// Removing a place, or overwriting it beyond recovery.
    pub(crate) fn deletes_place(&mut self, by: &str, place: &Place, recursive: bool) {
        if place.region == Region::Sink {
            return;
        }
        self.effect(Effect::Destroy);
        if place.guard {
            self.guard();
        }
        let key = place.vital && place.path.as_deref().is_some_and(|path| path.contains("/.ssh/id_"));
        if place.vital && (recursive || key) || place.region == Region::Device {
            self.catastrophe();
        }
        let whole =
            place.path.as_deref().is_some_and(|path| path.ends_with("/.git") || path.contains("/.git/"))
                || place.pattern && place.region == Region::Outside;
        let root = recursive && place.path.as_deref().is_some_and(|path| place.is_region_root(path));
        let kept = recursive && place.region == Region::Workspace && !place.is_built();
        let ordinary = !root
            && !kept
            && matches!(place.region, Region::Workspace | Region::Temp)
            && place.path.is_some()
            && !whole;
        self.raise(if ordinary { Tier::T1 } else { Tier::T2 });
        if let Some(operand) = &place.operand {
            self.slot(by, Effect::Destroy, SlotValue::Operands(expanded(operand)), Tier::T2);
        }
    }

    /// The findings as they go into an action: no slot promises a tier below the action's own.
    pub(crate) fn settled(mut self) -> Self {
        for slot in &mut self.slots {
            slot.tier_on_gap = slot.tier_on_gap.max(self.tier);
        }
        self
    }
}

/// An operand and what it expands to, itself first.
pub(crate) fn expanded(operand: &Operand) -> Vec<Operand> {
    operand.expand()
}

/// The operands that a network address gives: a URL, a host or an address, itself first.
pub(crate) fn address(text: &str, paths: &circinus_core::operand::PathContext) -> Option<Vec<Operand>> {
    let text = text.trim();
    let whole = if text.contains("://") {
        Operand::parse(Kind::Url, text, paths)
    } else {
        let host = text.split(['/', '?']).next().unwrap_or_default();
        let plausible = host.contains('.') || host.contains(':') || host == "localhost";
        plausible.then(|| Operand::parse(Kind::Url, &format!("https://{text}"), paths)).flatten()
    }?;
    Some(whole.expand())
}
