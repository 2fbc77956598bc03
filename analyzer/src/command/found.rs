//! What has been found out about an action so far.

use circinus_core::action::{FileWrite, Flag, Flags, Role, Slot, SlotValue, Tier, WriteSource};
use circinus_core::effect::{Effect, Effects};
use circinus_core::limits::SLOTS_MAX;
use circinus_core::operand::{Kind, Operand};

use super::reason::{Cause, Gain, Part, Reason};
use crate::place::{Place, Region};

/// Reasons that are kept: each effect, flag and tier has one at the least, and what raises the tier as much
/// again adds to them. What comes later is found all the same.
const REASONS_MAX: usize = 48;

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
    /// Why all this was found.
    pub(crate) reasons: Vec<Reason>,
    /// What is being looked at.
    pub(crate) cause: Cause,
}

impl Found {
    /// At least this tier.
    pub(crate) fn raise(&mut self, tier: Tier) {
        if tier > self.tier || tier == self.tier && tier >= Tier::T2 {
            self.tier = tier;
            self.because(Gain::Tier(tier));
        }
    }

    /// Also this effect.
    pub(crate) fn effect(&mut self, effect: Effect) {
        if !self.effects.contains(effect) {
            self.effects = self.effects.with(effect);
            self.because(Gain::Effect(effect));
        }
    }

    /// Also this fact.
    pub(crate) fn flag(&mut self, flag: Flag) {
        if !self.flags.contains(flag) {
            self.flags = self.flags.with(flag);
            self.because(Gain::Flag(flag));
        }
    }

    /// Something here could not be understood, and it could be anything.
    ///
    /// INVARIANT (bounded-or-opaque): whatever meets a bound of length, nesting or number ends here too.
    pub(crate) fn opaque(&mut self) {
        self.opaque_by("part of it is not understood");
    }

    /// The same, and what it is that could not be understood.
    pub(crate) fn opaque_by(&mut self, rule: &'static str) {
        self.by_rule(rule, |found| {
            found.flag(Flag::Opaque);
            found.effect(Effect::Exec);
            found.raise(Tier::T2);
        });
    }

    /// It touches the guard.
    pub(crate) fn guard(&mut self) {
        self.by_rule("touches Circinus or the host's guard settings", |found| {
            found.flag(Flag::Guard);
            found.effect(Effect::Guard);
            found.raise(Tier::T3);
        });
    }

    /// It destroys on a large scale.
    pub(crate) fn catastrophe(&mut self) {
        self.by_rule("destroys on a large scale", |found| {
            found.flag(Flag::Catastrophic);
            found.effect(Effect::Destroy);
            found.raise(Tier::T2);
        });
    }

    /// It makes something outside the workspace run later.
    pub(crate) fn persists(&mut self) {
        self.by_rule("makes something outside the workspace run later", |found| {
            found.flag(Flag::PersistHost);
            found.effect(Effect::Persist);
            found.raise(Tier::T3);
        });
    }

    /// Looks at a program, or a part of it, from here on; gives what was looked at before.
    pub(crate) fn look_at(&mut self, program: &str, part: Part) -> Cause {
        let cause = Cause { program: program.into(), part, rule: None };
        std::mem::replace(&mut self.cause, cause)
    }

    /// Looks at another part of the same program from here on.
    pub(crate) fn look_at_part(&mut self, part: Part) {
        self.cause.part = part;
    }

    /// Looks again at what was looked at before.
    pub(crate) fn look_back(&mut self, cause: Cause) {
        self.cause = cause;
    }

    /// What `body` finds, it finds by the rule that the words name; the innermost rule counts.
    pub(crate) fn by_rule<T>(&mut self, rule: &'static str, body: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.cause.rule.replace(rule);
        let out = body(self);
        self.cause.rule = outer;
        out
    }

    fn because(&mut self, gain: Gain) {
        if self.reasons.len() < REASONS_MAX {
            let reason = Reason { gain, cause: self.cause.clone() };
            if !self.reasons.contains(&reason) {
                self.reasons.push(reason);
            }
        }
    }

    /// Takes over why something was found elsewhere.
    pub(crate) fn take_reasons(&mut self, reasons: Vec<Reason>) {
        let left = REASONS_MAX.saturating_sub(self.reasons.len());
        let new = reasons.into_iter().filter(|reason| !self.reasons.contains(reason)).take(left);
        let new: Vec<_> = new.collect();
        self.reasons.extend(new);
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
        if let Some(slot) = self.slots.get_mut(slot).filter(|slot| !slot.flags_unless_granted.contains(flag))
        {
            slot.flags_unless_granted = slot.flags_unless_granted.with(flag);
            self.because(Gain::Flag(flag));
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
            self.by_rule("reads a secret", |found| {
                found.raise(Tier::T1);
                found.effect(Effect::Cred);
            });
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

    /// Showing a variable that holds a credential: its name chooses which.
    pub(crate) fn shows_variable(&mut self, by: &str, name: &str) {
        self.by_rule("shows a credential", |found| {
            found.raise(Tier::T1);
            found.effect(Effect::Cred);
        });
        if let Some(name) = Operand::value(name) {
            self.slot(by, Effect::Cred, SlotValue::Operands(vec![name]), Tier::T3);
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
        if place.is_history() || place.is_key() && !by.starts_with("ssh-keygen") {
            self.effect(Effect::Destroy);
            self.raise(Tier::T2);
        }
        if tree && place.vital {
            // Whatever starts there by itself can be among what is put there.
            self.persists();
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
        if place.guard || place.hooks {
            self.guard();
        }
        if place.vital && (recursive || place.is_key()) || place.region == Region::Device {
            self.catastrophe();
        }
        let whole =
            place.path.as_deref().is_some_and(|path| path.ends_with("/.git") || path.contains("/.git/"))
                || place.pattern && place.region == Region::Outside;
        // What lies in scratch space is lost by convention; the directory itself is others' as well.
        let emptied = place.pattern && place.region == Region::Temp;
        let root =
            recursive && !emptied && place.path.as_deref().is_some_and(|path| place.is_region_root(path));
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
        let flags = self.slots.iter().fold(self.flags, |flags, slot| flags.union(slot.flags_unless_granted));
        let (tier, effects) = (self.tier, self.effects);
        // What was taken back after all has no reason any more.
        self.reasons.retain(|reason| match reason.gain {
            Gain::Tier(raised) => raised <= tier,
            Gain::Effect(effect) => effects.contains(effect),
            Gain::Flag(flag) => flags.contains(flag),
        });
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

/// Whether an address is that of this very machine.
pub(super) fn is_loopback(operands: &[Operand]) -> bool {
    operands.iter().any(|operand| match operand.kind() {
        Kind::Host => operand.canonical() == "localhost" || operand.canonical().ends_with(".localhost"),
        Kind::Ip => matches!(operand.canonical(), "127.0.0.1" | "::1" | "0.0.0.0"),
        _ => false,
    })
}
