//! Structured calls: tools of MCP servers, and tools that nothing is known about.

mod names;
mod nested;
mod statement;
mod value;

use circinus_core::action::{Argument, Flag, SlotValue, Tier};
use circinus_core::effect::Effect;
use circinus_core::operand::{Operand, extract_with_views};
use circinus_core::port::NoGrammar;

use self::names::{Named, role_of, verb_of, words_of};
use self::nested::Nested;
use crate::Surroundings;
use crate::command::found::Found;
use crate::command::secret::{is_home, secrets_in};
use crate::consequence;

/// Longest text that chooses something although its name says nothing: longer ones are prose.
const UNSAID_BYTES_MAX: usize = 100;

/// A tool of an MCP server.
pub(super) fn call(server: &str, tool: &str, arguments: &[Argument], around: &Surroundings) -> Found {
    let by = format!("{server} {tool}");
    structured(&by, tool, arguments, around)
}

/// A tool that nothing is known about.
pub(super) fn other(tool: &str, arguments: &[Argument], around: &Surroundings) -> Found {
    structured(tool, tool, arguments, around)
}

fn structured(by: &str, tool: &str, arguments: &[Argument], around: &Surroundings) -> Found {
    let words = words_of(tool);
    let verb = verb_of(&words);
    let mut found = Found::default();
    let (tier, effect) = if verb.reads { (Tier::T1, Effect::Fetch) } else { (Tier::T2, Effect::Send) };
    found.raise(tier);
    found.effect(effect);
    if verb.destroys {
        found.effect(Effect::Destroy);
        found.raise(Tier::T2);
    }
    if !verb.reads && consequence::is_high(words.iter().map(String::as_str)) || verb.destroys {
        found.flag(Flag::HighConsequence);
    }
    let takes_statements = words.iter().any(|word| matches!(word.as_str(), "sql" | "query" | "statement"));
    let mut reader = Reader {
        by,
        reads: verb.reads,
        takes_statements,
        effect,
        on_gap: tier,
        around,
        found,
        slots: Vec::new(),
    };
    for argument in arguments {
        reader.argument(argument);
    }
    let (found, slots) = (reader.found, reader.slots);
    guarding_secrets(found, &slots, arguments, verb.reads)
}

/// A secret among the arguments leaves for wherever the designators say.
fn guarding_secrets(
    mut found: Found,
    slots: &[(usize, Vec<Operand>)],
    arguments: &[Argument],
    reads: bool,
) -> Found {
    let secrets: Vec<_> = arguments.iter().flat_map(|argument| secrets_in(&argument.text)).collect();
    if secrets.is_empty() {
        return found;
    }
    let mut marked = false;
    for (slot, operands) in slots {
        if secrets.iter().any(|homes| !is_home(homes, operands)) {
            found.unless_granted(*slot, Flag::SecretSink);
            marked = true;
        }
    }
    if !marked && !reads {
        found.flag(Flag::SecretSink);
    }
    found
}

/// Reads the arguments of one call.
struct Reader<'a> {
    by: &'a str,
    reads: bool,
    takes_statements: bool,
    effect: Effect,
    on_gap: Tier,
    around: &'a Surroundings,
    found: Found,
    /// Designator slots with their operands.
    slots: Vec<(usize, Vec<Operand>)>,
}

impl Reader<'_> {
    fn argument(&mut self, argument: &Argument) {
        if argument.name.to_ascii_lowercase().contains("disableallhooks") {
            self.found.guard();
        }
        match nested::leaves(argument) {
            Nested::Plain => self.leaf(argument),
            Nested::Leaves(leaves) => leaves.iter().for_each(|leaf| self.leaf(leaf)),
            // Whatever it is, what it names is what the call may act on.
            Nested::Unreadable if role_of(&argument.name) != Named::Code => {
                let place = format!("{} {}", self.by, argument.name);
                for hit in extract_with_views(&argument.text, &self.around.paths, &NoGrammar) {
                    self.slot(&place, self.effect, self.on_gap, vec![hit.operand]);
                }
            }
            Nested::Unreadable => self.leaf(argument),
        }
    }

    fn leaf(&mut self, argument: &Argument) {
        let place = format!("{} {}", self.by, argument.name);
        let text = &*argument.text;
        let named = role_of(&argument.name);
        if self.takes_statements
            && let Some(statement) = statement::of(text)
        {
            return self.statement(&place, text, &statement);
        }
        match named {
            Named::Selector => {}
            Named::Content => self.found.content(&place, self.effect, text),
            Named::Code => {
                self.found.slot(&place, Effect::Exec, SlotValue::Text(text.into()), Tier::T2);
            }
            // A store of the user's is opened with the user's own credential: what only low content named
            // is worth a question, although reading alone would not be.
            Named::Container if self.reads => self.designator(&place, text, true, Effect::Cred, Tier::T2),
            Named::Designator | Named::Container => {
                self.designator(&place, text, true, self.effect, self.on_gap);
            }
            Named::Unsaid => {
                let plain = !self.reads && text.len() <= UNSAID_BYTES_MAX && !text.contains('\n');
                self.designator(&place, text, plain, self.effect, self.on_gap);
            }
        }
    }

    /// The tables of a statement are what it acts on.
    fn statement(&mut self, place: &str, text: &str, statement: &statement::Statement) {
        self.found.slot(place, Effect::Exec, SlotValue::Text(text.into()), Tier::T2);
        if statement.destroys {
            self.found.effect(Effect::Destroy);
            self.found.flag(Flag::HighConsequence);
        }
        if statement.writes {
            self.found.raise(Tier::T2);
        }
        let (effect, on_gap) =
            if statement.writes { (Effect::Send, Tier::T2) } else { (self.effect, self.on_gap) };
        for operand in statement.names.iter().filter_map(|name| Operand::value(name)) {
            self.slot(place, effect, on_gap, vec![operand]);
        }
    }

    /// A text that chooses: what it is as a whole or in its pieces, and, where its role says so, plain values.
    fn designator(&mut self, place: &str, text: &str, plain: bool, effect: Effect, on_gap: Tier) {
        for operands in value::designated(text, plain, self.around) {
            if let Some(located) = value::located(&operands, text, self.around) {
                if located.secret {
                    self.found.reads_place(place, &located, false);
                }
                if located.guard && on_gap >= Tier::T2 {
                    self.found.guard();
                }
            }
            self.slot(place, effect, on_gap, operands);
        }
    }

    fn slot(&mut self, place: &str, effect: Effect, on_gap: Tier, operands: Vec<Operand>) {
        let at = self.found.slot(place, effect, SlotValue::Operands(operands.clone()), on_gap);
        self.slots.extend(at.map(|at| (at, operands)));
    }
}
