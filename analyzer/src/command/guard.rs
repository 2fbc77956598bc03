//! What touches the guard: Circinus itself, and the host's settings that keep it running.

mod named;

use circinus_core::action::Tier;
use circinus_core::effect::Effect;

use super::apply::Run;
use super::argv::Argv;
use super::machine::Machine;
use super::special::Call;
use super::table::{Rule, Special, Stdin};
use super::value::{Arg, Stream};
pub(crate) use named::{HOOK, SWITCHES};
pub(super) use named::{listed, named, names, written};

/// Subcommands of ours that only observe.
const OBSERVES: &[&str] = &[
    "status",
    "doctor",
    "explain",
    "log",
    "session",
    "analyze",
    "demo",
    "verify",
    "completions",
    "help",
    "--help",
    "-h",
    "--version",
    "-V",
];

/// Our program, and the name that all of its parts have.
const OURS: &str = "circinus";

/// Subcommands of ours that change something.
const DECIDES: &[&str] = &[
    "approve",
    "endorse",
    "revoke",
    "trust",
    "ack",
    "profile",
    "config",
    "setup",
    "uninstall",
    "daemon",
    "fail-safe",
];

/// What speaks with the daemon: our hook, and the socket.
const DOORS: &[&str] = &["circinus-hook", "circinus.sock"];

/// Names of keys that a program which types gives between words.
const KEYS: &[&str] = &["Space", "SPACE", "Enter", "space"];

/// How literals of inline code are put together.
const JOINS: &[&str] = &["'+'", "' + '", "\"+\"", "\" + \""];

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

/// `kill`, `pkill`: by a name, by all there are, or by what is looked up somewhere on the command line.
pub(super) fn kill(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, args, .. } = call;
    machine.found.effect(Effect::Exec);
    machine.found.raise(Tier::T1);
    // The first process starts all others.
    if args.last().is_some_and(|arg| arg.text == "1") {
        machine.found.raise(Tier::T2);
    }
    let everything = by == "kill" && args.len() > 1 && args.last().is_some_and(|arg| arg.text == "-1");
    let by_name = by != "kill" && args.iter().any(|arg| named::finds_process(&arg.text));
    if everything || by_name || args.iter().any(|arg| arg.text.to_ascii_lowercase().contains(OURS)) {
        machine.found.guard();
    }
    let is_pid = |arg: &Arg| arg.known && !arg.text.starts_with('-');
    machine.kills |= by == "kill" && !(args.iter().any(is_pid) && args.iter().all(|arg| arg.known));
    Some(Stream::empty())
}

/// Whether a test of `find` is for our name.
pub(super) fn finds(test: &str) -> bool {
    test.to_ascii_lowercase().contains(OURS) && !test.contains('/')
}

/// How the host's inbox is called: what is sent there is submitted in the user's place.
const INBOX: &[&str] = &["CLAUDE_CODE_MESSAGING_", "/cc-socks"];

/// What only the command line as a whole tells: processes that are looked up to be killed, and what persists.
pub(super) fn whole(machine: &mut Machine<'_>, text: &str) {
    let kills = machine.kills && named::looks_up_process(text);
    let persists = machine.found.effects.contains(Effect::Persist)
        && (speaks(text) || text.contains("CIRCINUS_") || SWITCHES.iter().any(|key| text.contains(key)));
    let speaks_to_host = machine.found.tier > Tier::T0 && INBOX.iter().any(|name| text.contains(name));
    if kills || persists || speaks_to_host {
        machine.found.guard();
    }
}

/// What a program is told that starts something, types it, keeps it for later or speaks to a socket: `tmux
/// send-keys`, `script`, `systemd-run`, `at`, `xdotool`, a shell on another machine that may be this one.
///
/// What is typed into another terminal, or runs away from the agent, looks as if a person had done it.
pub(super) fn told(machine: &mut Machine<'_>, args: &[Arg], stdin: &Stream) {
    let words = args.iter().map(|arg| arg.text.as_str());
    let text = words.chain(stdin.text.as_deref()).collect::<Vec<_>>().join(" ");
    if speaks(&text) {
        machine.found.guard();
    }
}

/// `tmux send-keys`, `script`: what a new terminal is started with, or gets typed, runs.
pub(super) fn terminal(machine: &mut Machine<'_>, call: Call<'_>) {
    let Call { args, stdin, .. } = call;
    for arg in args.iter().filter(|arg| arg.known && arg.text.contains(' ')) {
        machine.inner_shell(&arg.text);
    }
    machine.inner_command(args, stdin);
}

/// Whether a row says that the program does one of these. Shells and interpreters are not among them, for their
/// code is evaluated, nor are builds and tests, whose arguments name parts of the workspace.
pub(super) fn listens(rule: &Rule) -> bool {
    let starts = rule.effects.iter().any(|effect| matches!(effect, Effect::Exec | Effect::Persist));
    let understood = rule.runs || matches!(rule.stdin, Stdin::Code(_));
    starts && !understood || matches!(rule.special, Special::Ssh | Special::Netcat)
}

/// Whether a text holds a command of ours that changes something, our hook, or the way to the daemon.
pub(super) fn speaks(text: &str) -> bool {
    // Literals that are joined stand for one.
    let joined = JOINS.iter().fold(text.to_owned(), |text, join| text.replace(join, ""));
    if !joined.to_ascii_lowercase().contains(OURS) {
        return false;
    }
    let words: Vec<_> = joined
        .split(|c: char| c.is_whitespace() || "'\"`|;&,:=()[]{}<>^!\\".contains(c))
        .filter(|word| !word.is_empty() && !KEYS.contains(word))
        .collect();
    let decides = words.windows(2).any(|pair| match pair {
        [program, verb] => base_name(program) == OURS && (DECIDES.contains(verb) || verb.starts_with('$')),
        _ => false,
    });
    decides || words.iter().any(|word| DOORS.contains(&base_name(word)))
}

fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
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
