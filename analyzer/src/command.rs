//! What a shell command line would do.
//!
//! The text is parsed into statements, which an abstract evaluation walks: it folds constants, follows
//! pipes, substitutions, files and functions, peels wrappers, and looks each program up in a table
//! (`data/commands*.toml`). What is not understood is opaque, and only ever stricter.

mod apply;
mod argv;
mod bomb;
mod candidates;
mod canonical;
mod code;
mod env;
mod foreign;
pub(crate) mod found;
mod git;
pub(crate) mod guard;
mod hidden;
mod ir;
mod loader;
mod machine;
mod parse;
mod reason;
mod salvage;
pub(crate) mod secret;
mod special;
mod sql;
mod table;
mod tighten;
mod trace;
mod unlisted;
mod value;
pub(crate) mod verbs;
mod word;

use std::collections::BTreeSet;

use circinus_core::action::{FileWrite, Flags, Slot, SlotValue, Tier};
use circinus_core::effect::{Effect, Effects};
use circinus_core::operand::{Operand, is_common};

pub use candidates::{ShellGrammar, candidates};
pub use canonical::canonical;
pub use reason::{Cause, Gain, Part, Reason};
pub(crate) use tighten::Builtin;
pub use trace::{STEPS_MAX, Step, StepKind, StepWord};

use crate::call::Source;
use crate::{Surroundings, place};
use machine::Machine;
use trace::Trace;
use value::Stream;

/// What a command line would do, as far as it alone says.
#[derive(Clone, Debug)]
pub struct CommandAnalysis {
    /// How much is at stake.
    pub tier: Tier,
    /// Facts; `Opaque` when part of it was not understood.
    pub flags: Flags,
    /// What it does.
    pub effects: Effects,
    /// Its authority-bearing positions.
    pub slots: Vec<Slot>,
    /// Files that it writes.
    pub writes: Vec<FileWrite>,
    /// Files whose content reaches the output.
    pub reads: Vec<Operand>,
    /// What its output is.
    pub source: Source,
    /// The pipelines that it consists of, in canonical form where they have one, for people.
    pub commands: Vec<String>,
    /// The programs that it runs by name, each once, in alphabetical order.
    pub programs: Vec<Program>,
    /// Why tier, effects and flags are what they are; the evaluation that found them left the reasons behind.
    pub reasons: Vec<Reason>,
}

/// A program that a command line runs by its name; scripts that it runs by a path are no such programs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Program {
    /// Base name.
    pub name: String,
    /// The command table has a row for it.
    pub listed: bool,
}

/// Understands a command line. Total and bounded: text that is too long, too deep or broken gives an opaque
/// analysis of tier T2 at least.
pub fn analyze(text: &str, around: &Surroundings) -> CommandAnalysis {
    evaluate(text, &mut Machine::new(around))
}

/// Understands a command line like [`analyze`], and also gives the programs as the evaluation met them, at
/// most [`STEPS_MAX`].
pub fn analyze_in_steps(text: &str, around: &Surroundings) -> (CommandAnalysis, Vec<Step>) {
    let mut machine = Machine::new(around);
    machine.trace = Trace::kept();
    let analysis = evaluate(text, &mut machine);
    (analysis, machine.trace.into_steps())
}

fn evaluate(text: &str, machine: &mut Machine<'_>) -> CommandAnalysis {
    let out = machine.text(text, &Stream::empty());
    raw_guard(machine, text);
    guard::whole(machine, text);
    if hidden::is_disguised(text) {
        machine.found.opaque_by("characters that show something else than what runs");
    }
    let added = std::mem::take(&mut machine.added);
    machine.found.join(added);
    let lines = std::mem::take(&mut machine.lines);
    retyped(machine, &lines);
    let found = std::mem::take(&mut machine.found).settled();
    CommandAnalysis {
        tier: found.tier,
        flags: found.flags,
        effects: found.effects,
        slots: found.slots,
        writes: found.writes,
        reads: if out.taint.files.is_empty() { found.reads } else { merged(found.reads, &out.taint.files) },
        source: if out.taint.is_remote() { Source::Remote(out.taint.remote) } else { Source::Local },
        commands: lines.into_iter().collect(),
        programs: std::mem::take(&mut machine.programs).into_iter().collect(),
        reasons: found.reasons,
    }
}

/// The lines themselves: whoever wrote one that the agent only types off chose what runs, or which credentials
/// are read.
fn retyped(machine: &mut Machine<'_>, lines: &BTreeSet<String>) {
    let effects = machine.found.effects;
    let (effect, tier) = match machine.found.tier {
        Tier::T0 => (Effect::Exec, Tier::T0),
        _ if effects.contains(Effect::Cred) => (Effect::Cred, Tier::T3),
        tier => (Effect::Exec, tier.max(Tier::T2)),
    };
    for form in lines {
        let operand = Operand::command(form).filter(|operand| !is_common(operand, &machine.around.paths));
        if let Some(operand) = operand {
            machine.found.slot("command line", effect, SlotValue::Operands(vec![operand]), tier);
        }
    }
    // Retyping a line is no effect of its own.
    machine.found.effects = effects;
}

/// Where nothing was understood, the directory of Circinus by its name is enough.
fn raw_guard(machine: &mut Machine<'_>, text: &str) {
    let opaque = machine.found.flags.contains(circinus_core::action::Flag::Opaque);
    let home = machine.around.circinus_home.as_ref();
    if opaque && !home.is_empty() && text.contains(home) && machine.found.effects.contains(Effect::Write) {
        machine.found.guard();
    }
}

fn merged(mut reads: Vec<Operand>, more: &[Operand]) -> Vec<Operand> {
    more.iter().for_each(|operand| {
        if !reads.contains(operand) {
            reads.push(operand.clone());
        }
    });
    reads
}

/// Whether a path is that of a credential by the conventions for its name, wherever the home is.
pub(crate) fn is_credential(path: &str, home: &str) -> bool {
    place::is_secret(path, home)
}
