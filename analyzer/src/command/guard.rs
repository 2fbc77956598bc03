//! What touches the guard: Circinus itself, and the host's settings that keep it running.

use circinus_core::effect::Effect;

use super::apply::Run;
use super::argv::Argv;
use super::machine::Machine;
use super::special::Call;
use super::value::Stream;

/// Subcommands of ours that only observe.
const OBSERVES: &[&str] = &[
    "status",
    "doctor",
    "explain",
    "log",
    "session",
    "completions",
    "help",
    "--help",
    "-h",
    "--version",
    "-V",
];

/// `circinus …` by the agent: observing is welcome, the rest is the person's.
pub(super) fn circinus(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { args, .. } = call;
    let verb = args.iter().find(|arg| !arg.text.starts_with('-') || OBSERVES.contains(&arg.text.as_str()));
    let observes = match verb {
        Some(verb) => verb.known && OBSERVES.contains(&verb.text.as_str()),
        None => args.is_empty(),
    };
    if observes {
        machine.found.effect(Effect::Read);
    } else {
        machine.found.guard();
    }
    Some(Stream::default())
}

/// The name of a process, a unit or a job.
pub(super) fn process(machine: &mut Machine<'_>, name: &str) {
    if name.to_ascii_lowercase().contains("circinus") {
        machine.found.guard();
    }
}

/// `kill`, `pkill`: by a name, or by what a substitution looks up.
pub(super) fn kill(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { args, .. } = call;
    machine.found.effect(Effect::Exec);
    machine.found.raise(circinus_core::action::Tier::T1);
    args.iter().for_each(|arg| process(machine, &arg.text));
    Some(Stream::empty())
}

/// `tmux send-keys`, `script`: what is typed into another terminal looks as if a person had typed it.
pub(super) fn terminal(machine: &mut Machine<'_>, call: Call<'_>) {
    let Call { args, stdin, .. } = call;
    let text = args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
    let words: Vec<_> = text
        .split(|c: char| c.is_whitespace() || "'\"|;&".contains(c))
        .filter(|word| !word.is_empty())
        .collect();
    let speaks = words.iter().any(|word| word.ends_with("circinus-hook"));
    let decides = words.windows(2).any(|pair| match pair {
        [program, verb] => {
            (*program == "circinus" || program.ends_with("/circinus")) && !OBSERVES.contains(verb)
        }
        _ => false,
    });
    if speaks || decides {
        machine.found.guard();
    }
    // What a new terminal is started with, or gets typed, runs.
    for arg in args.iter().filter(|arg| arg.known && arg.text.contains(' ')) {
        machine.inner_shell(&arg.text);
    }
    machine.inner_command(args, stdin);
}

/// Deleting everything of a kind on a remote system: a whole stack, a namespace.
pub(super) fn delete_all(machine: &mut Machine<'_>, argv: &Argv, run: &Run<'_>) {
    let kubernetes = run.by.starts_with("kubectl") || run.by.starts_with("oc ") || run.by.starts_with("k ");
    let whole = if kubernetes {
        let kind = argv.operands.first().map_or("", |arg| arg.text.as_str());
        let is_space = ["ns", "namespace", "namespaces"]
            .iter()
            .any(|name| kind == *name || kind.split('/').next() == Some(*name));
        is_space || argv.unknown.iter().any(|arg| arg.text == "--all" || arg.text == "--all-namespaces")
    } else {
        argv.options.is_empty()
    };
    if whole {
        machine.found.catastrophe();
    }
}
