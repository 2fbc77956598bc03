//! What the user's overlay adds to a program that runs.

use circinus_core::action::{Flag, Tier};

use super::argv::{Until, sort};
use super::found::Found;
use super::machine::Machine;
use super::reason::Part;
use super::table::{Rule, lookup};
use super::value::Arg;
use crate::overlay::Addition;

impl Machine<'_> {
    /// Collects what the overlay adds for a program and its arguments.
    pub(super) fn tighten(&mut self, program: &str, args: &[Arg]) {
        let around = self.around;
        if around.overlay.is_empty() {
            return;
        }
        let operand = lookup(program).map(|rule| sort(rule, args, Until::Operand).rest_at);
        let words: Vec<_> = args.iter().map(|arg| arg.text.as_str()).collect();
        for (by, addition) in around.overlay.additions(program, &words, operand) {
            self.added.look_at(&by, Part::Overlay(addition.line));
            self.added.gain(&addition);
        }
    }
}

impl Found {
    fn gain(&mut self, addition: &Addition) {
        self.raise(addition.tier);
        addition.effects.iter().for_each(|effect| self.effect(effect));
        for flag in addition.flags.iter() {
            // A flag brings what it brings everywhere.
            match flag {
                Flag::Guard => self.guard(),
                Flag::PersistHost => self.persists(),
                Flag::Catastrophic => self.catastrophe(),
                Flag::Opaque => self.opaque_by("an overlay says that it cannot be understood"),
                other => self.flag(other),
            }
        }
    }

    /// Joins what was added beside the evaluation: nothing gets less strict by it.
    pub(super) fn join(&mut self, added: Self) {
        self.tier = self.tier.max(added.tier);
        self.effects = self.effects.union(added.effects);
        self.flags = self.flags.union(added.flags);
        self.take_reasons(added.reasons);
    }
}

/// What the built-in table says of a program or a subcommand, for whoever adds to it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Builtin {
    rule: Option<&'static Rule>,
    floor: Tier,
}

impl Builtin {
    /// A program; one that is not listed has T1.
    pub(crate) fn of_program(name: &str) -> Self {
        let rule = lookup(name);
        Self { rule, floor: if rule.is_some() { Tier::T0 } else { Tier::T1 } }
    }

    /// A subcommand of it.
    pub(crate) fn sub(self, name: &str) -> Self {
        Self { rule: self.rule.and_then(|rule| rule.sub(name)), floor: Tier::T0 }
    }

    /// The tier that it has at the least.
    pub(crate) fn tier(self) -> Tier {
        self.rule.map_or(self.floor, |rule| rule.tier)
    }

    /// The tier that it has at the least with an option.
    pub(crate) fn option_tier(self, name: &str) -> Tier {
        let options = self.rule.map(|rule| rule.options).unwrap_or_default();
        let given = options.iter().filter(|option| option.names.contains(&name));
        given.map(|option| option.tier).fold(self.tier(), Tier::max)
    }
}
