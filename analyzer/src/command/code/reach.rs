//! What inline code could do with the addresses that it names: run what they serve, send them a secret.

use circinus_core::action::{SlotValue, Tier};
use circinus_core::effect::Effect;
use circinus_core::operand::Operand;

use super::super::apply::Run;
use super::super::found::{address, is_loopback};
use super::super::machine::Machine;
use super::super::secret::homes_of_variable;
use super::super::value::{Arg, Stream, Taint};
use super::runs_remote;

/// Names of what runs text as code.
const EVALUATES: &[&str] = &[
    "compile",
    "eval",
    "exec",
    "execfile",
    "Function",
    "instance_eval",
    "loadstring",
    "runInNewContext",
    "runInThisContext",
];

/// Words before an address whose content becomes code.
const LOADS: &[&str] = &["import", "from", "source", "require", "include", "load", "importScripts"];

/// Names looked at in one text.
const NAMES_MAX: usize = 4_096;

/// Whether some call runs text as code.
pub(super) fn evaluates(language: &str, text: &str) -> bool {
    names(text).any(|(at, name)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        // A search by a pattern, a switch of a model's mode, a compiled pattern, a block that catches errors.
        let method = before.ends_with('.');
        let other = method && (language == "node" && name == "exec" || name == "compile")
            || after.starts_with("()")
            || after.trim_start().starts_with('{');
        EVALUATES.contains(&name) && !other
    })
}

/// Whether an address among the literals of a text is loaded as code (`import 'https://…'`, `source("https://…")`).
pub(super) fn loads(text: &str, literal: &str) -> bool {
    let at = literal.as_ptr().addr() - text.as_ptr().addr();
    let before = text.get(..at).unwrap_or_default().trim_end_matches(['\'', '"', '`', '(', ' ']);
    let word = before.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    (literal.starts_with("https://") || literal.starts_with("http://")) && LOADS.contains(&word)
}

/// The secrets that code names: as they stand, by their variables, by their files.
pub(super) fn secrets(machine: &Machine<'_>, text: &str, literals: &[&str]) -> Taint {
    let mut taint = Taint::default();
    taint.add_secrets_of(text);
    names(text).filter_map(|(_, name)| homes_of_variable(name)).for_each(|homes| taint.add_secret(homes));
    let is_file = |literal: &&&str| !literal.contains(['\n', ' ']) && !literal.contains("://");
    for literal in literals.iter().filter(is_file) {
        if machine.place(&Arg::literal(literal.trim())).secret {
            taint.add_secret(&[]);
        }
    }
    taint
}

/// The words that could be names, with where they begin.
fn names(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let pieces = text.split(move |c| !is_part(c)).filter(|piece| !piece.is_empty());
    // Each piece is a part of the text, so that its distance is where it begins.
    pieces.map(|piece| (piece.as_ptr().addr() - text.as_ptr().addr(), piece)).take(NAMES_MAX)
}

/// The other machines that one piece of code names.
pub(super) struct Peers<'b> {
    by: &'b str,
    sends: bool,
    secrets: Taint,
    loopback: bool,
    met: Vec<(usize, Vec<Operand>)>,
}

impl<'b> Peers<'b> {
    pub(super) fn new(by: &'b str, sends: bool, secrets: Taint) -> Self {
        Self { by, sends, secrets, loopback: false, met: Vec::new() }
    }

    /// An address among the literals: a destination, or something that is read.
    pub(super) fn meet(&mut self, machine: &mut Machine<'_>, literal: &str) {
        let Some(operands) = address(literal, &machine.around.paths) else { return };
        if is_loopback(&operands) {
            self.loopback = true;
            return;
        }
        let effect = if self.sends { Effect::Send } else { Effect::Fetch };
        let slot = machine.found.slot(self.by, effect, SlotValue::Operands(operands.clone()), Tier::T2);
        self.met.extend(slot.map(|slot| (slot, operands)));
    }

    /// What follows from all of them: what they serve may run, and the secrets may go there.
    pub(super) fn judge(self, machine: &mut Machine<'_>, executes: bool) {
        let input = Stream::empty();
        let mut run = Run::new(self.by, &input);
        run.destinations = self.met;
        if executes && !run.destinations.is_empty() {
            runs_remote(machine, self.by, &Taint::remote(run.addresses()));
        }
        run.sends = self.sends;
        run.loopback = self.loopback;
        run.outgoing = self.secrets;
        machine.sinks(&run);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_is_loaded_is_told_from_one_that_is_shown() {
        let loaded = |text: &str| {
            let at = text.find("https").expect("an address");
            loads(text, text.get(at..).expect("its bytes"))
        };
        for text in ["import 'https://x/a.ts'", "await import(\"https://x\")", "source(\"https://x/a.R\")"] {
            assert!(loaded(text), "{text}");
        }
        for text in ["print('https://x')", "url = \"https://x\"", "resource('https://x')"] {
            assert!(!loaded(text), "{text}");
        }
    }

    #[test]
    fn running_text_is_told_from_its_namesakes() {
        for text in
            ["exec(x)", "fetch(u).then(eval)", "new Function(t)()", "eval get($u)", "builtins.exec(t)"]
        {
            assert!(evaluates("python", text), "{text}");
        }
        assert!(!evaluates("node", "/a(b)/.exec(line)"));
        for text in
            ["re.compile(p)", "model.eval()", "eval { risky($x) }", "ast.literal_eval(t)", "retrieval(x)"]
        {
            assert!(!evaluates("python", text), "{text}");
        }
    }
}
