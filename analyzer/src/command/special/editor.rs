//! Editors, pagers, debuggers and `make`: programs whose own scripts can run anything.

use circinus_core::action::Tier;
use circinus_core::effect::Effect;

use super::super::argv::{Until, sort};
use super::super::code;
use super::super::machine::Machine;
use super::super::value::{Arg, Stream};
use super::Call;

/// Options whose value is a script, and `+`, which is followed by one.
const SCRIPTS: &[&str] = &["-c", "--cmd", "-ex", "-iex", "--ex", "--eval-command", "--eval", "-eval", "-O"];
/// Words of such scripts that run a program.
const RUNS: &[&str] = &[
    "!",
    "system(",
    "shell ",
    "python ",
    "pipe ",
    "call job",
    "lua",
    "py",
    "perl ",
    "ruby ",
    "run",
    "shell-command",
    "call-process",
    "start-process",
    "load",
    "spawn ",
    "delete-",
];

/// `vim -c`, `less +!`, `gdb -ex`: the scripts among the options; the rest is left to the table.
pub(super) fn scripts(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, args, stdin, .. } = call;
    if matches!(by, "ed" | "ex") {
        let lines = stdin.text.as_deref().unwrap_or_default().lines();
        lines.filter_map(|line| line.strip_prefix('!')).for_each(|command| machine.inner_shell(command));
    }
    for (at, arg) in args.iter().enumerate() {
        let script = match arg.text.strip_prefix('+') {
            Some(script) => Some(arg.with_text(script)),
            None if is_script(by, &arg.text) => args.get(at + 1).cloned(),
            None => SCRIPTS.iter().find_map(|option| arg.strip(&format!("{option}="))),
        };
        // `less -K +!command` and its like name no option of the script's own.
        if let Some(script) = script {
            run(machine, by, &script);
        }
    }
    None
}

/// Whether a script follows; what is an output elsewhere is a command to lldb.
fn is_script(by: &str, option: &str) -> bool {
    SCRIPTS.contains(&option) || by == "lldb" && matches!(option, "-o" | "--one-line" | "-k")
}

fn run(machine: &mut Machine<'_>, by: &str, script: &Arg) {
    let Some(word) = RUNS.iter().find(|word| script.text.contains(**word)) else { return };
    machine.found.effect(Effect::Exec);
    machine.found.raise(Tier::T2);
    machine.found.content(by, Effect::Exec, &script.text);
    if matches!(*word, "!" | "shell " | "spawn ") {
        let command = script.text.split_once(*word).map_or("", |(_, command)| command);
        machine.inner_shell(command.split(';').next().unwrap_or_default());
    } else {
        code::run_code(machine, by, "other", &script.stream());
    }
}

/// `make -f -`: what comes in is a makefile, whose recipes run.
pub(super) fn make(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, rule, args, stdin } = call;
    let argv = sort(rule, args, Until::End);
    let reads = argv.options.iter().any(|given| {
        given.opt.names.contains(&"-f")
            && given.value.as_ref().is_some_and(|file| matches!(file.text.as_str(), "-" | "/dev/stdin"))
    });
    if !reads {
        return None;
    }
    machine.found.effect(Effect::Exec);
    machine.found.raise(Tier::T2);
    code::taint_slots(machine, by, &stdin.taint);
    let Some(text) = &stdin.text else {
        machine.found.opaque();
        return None;
    };
    for line in text.lines() {
        let recipe = line.strip_prefix('\t').or_else(|| line.split_once(';').map(|(_, recipe)| recipe));
        if let Some(recipe) = recipe {
            machine.inner_shell(recipe.trim_start_matches(['@', '-', '+', ' ']));
        }
    }
    None
}
