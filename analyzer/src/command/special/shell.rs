//! Builtins of the shell, and wrappers.

use circinus_core::action::Tier;
use circinus_core::effect::Effect;

use super::super::argv::{Until, sort};
use super::super::code;
use super::super::machine::Machine;
use super::super::secret::{homes_of_variable, is_secret_variable};
use super::super::table::{Role, lookup};
use super::super::value::{Arg, Stream, Taint};
use super::Call;
use super::observes;
use crate::place::Region;

/// Beginnings of what is commonly evaluated because a tool prints it for that purpose.
const EVALUATED: &[&str] = &[
    "ssh-agent",
    "direnv ",
    "brew shellenv",
    "/opt/homebrew/bin/brew shellenv",
    "pyenv ",
    "rbenv ",
    "nodenv ",
    "fnm env",
    "mise ",
    "conda ",
    "/opt/homebrew/bin/mise",
    "opam env",
    "starship init",
    "zoxide init",
    "luarocks path",
    "dircolors",
    "register-python-argcomplete",
    "docker-machine env",
    "minikube docker-env",
    "asdf ",
    "rustup completions",
    "devbox ",
    "mamba ",
    "keychain ",
    "thefuck ",
];

pub(super) fn nothing(machine: &mut Machine<'_>) -> Stream {
    machine.found.effect(Effect::Inform);
    Stream::empty()
}

/// `export`, `local`, `declare`, `readonly`, `alias`.
pub(super) fn assign(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, args, .. } = call;
    machine.found.effect(Effect::Inform);
    let assigned: Vec<_> = args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
    if assigned.is_empty() {
        // Without operands they print the variables.
        return printenv(machine, Call { args: &[], ..call });
    }
    let has = |letter: char| args.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains(letter));
    for arg in assigned {
        let (name, value) = arg.text.split_once('=').map_or((&*arg.text, None), |(n, v)| (n, Some(v)));
        let name = name.trim_end_matches('+');
        match value {
            Some(value) if by == "alias" => machine.alias(name, value),
            Some(value) if has('n') && by != "export" => machine.env.refer(name, value),
            Some(value) => machine.set_variable(name, arg.with_text(value)),
            None => {}
        }
        if by == "readonly" || has('r') && matches!(by, "declare" | "typeset" | "local") {
            machine.env.lock(name);
        }
    }
    Some(Stream::empty())
}

/// `cd`, `pushd`.
pub(super) fn cd(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { args, .. } = call;
    machine.found.effect(Effect::Inform);
    let target = args.iter().find(|arg| !arg.text.starts_with('-') || arg.text == "-");
    match target {
        Some(arg) if arg.text == "-" => machine.env.cwd = None,
        Some(arg) => machine.change_directory(&arg.clone()),
        None => machine.env.cwd = Some(machine.around.home().to_owned()),
    }
    Some(Stream::empty())
}

/// `command`, `builtin`, `exec`, `type`: with `-v` they only say what a word is.
pub(super) fn command(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    if call.args.first().is_some_and(|arg| matches!(arg.text.as_str(), "-v" | "-V")) {
        return Some(observes(machine));
    }
    wrapper(machine, call)
}

/// A wrapper: options, assignments if any, then a command.
pub(super) fn wrapper(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { rule, args, stdin, .. } = call;
    let argv = sort(rule, args, Until::Operand);
    let mut split = None;
    machine.found.raise(rule.tier);
    rule.effects.iter().for_each(|effect| machine.found.effect(*effect));
    for given in &argv.options {
        machine.found.raise(given.opt.tier);
        match (given.opt.value, &given.value) {
            (Some(Role::Dir), Some(value)) => machine.change_directory(value),
            (Some(Role::Shell), Some(value)) => split = Some(value.clone()),
            _ => {}
        }
    }
    let mut rest = args.get(argv.rest_at..).unwrap_or_default();
    // Operands of the wrapper's own come first, such as the duration of `timeout`.
    let own = rule.args.iter().take_while(|role| **role != Role::Command).count();
    rest = rest.get(own..).unwrap_or_default();
    while let Some((head, tail)) = rest.split_first() {
        let Some((name, value)) = head.text.split_once('=').filter(|(name, _)| is_name(name)) else { break };
        let value = head.with_text(value);
        machine.set_variable(name, value);
        rest = tail;
    }
    if let Some(head) = split {
        // The text is split like a command line, and the rest are further words.
        let words: Vec<_> = std::iter::once(&head).chain(rest).map(|arg| arg.text.as_str()).collect();
        return Some(machine.text(&words.join(" "), stdin));
    }
    if rest.is_empty() {
        return Some(stdin.clone());
    }
    Some(machine.program(rest.to_vec(), stdin.clone()))
}

/// Whether it can be the name of a variable.
pub(in super::super) fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_')
        && letters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// `env`: a wrapper that prints the variables when it wraps nothing.
pub(super) fn env(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { rule, args, .. } = call;
    let argv = sort(rule, args, Until::Operand);
    let rest = args.get(argv.rest_at..).unwrap_or_default();
    let splits = argv.options.iter().any(|given| given.opt.value == Some(Role::Shell));
    if !splits && rest.iter().all(|arg| arg.text.contains('=')) {
        return printenv(machine, Call { args: &[], ..call });
    }
    wrapper(machine, call)
}

/// `printenv`: all variables hold secrets; a single one is judged by its name.
pub(super) fn printenv(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, args, .. } = call;
    machine.found.effect(Effect::Read);
    let mut taint = Taint::default();
    let names: Vec<_> = args.iter().filter(|arg| !arg.text.starts_with('-')).collect();
    if names.is_empty() {
        taint.add_secret(&[]);
        machine.found.effect(Effect::Cred);
        machine.found.raise(Tier::T1);
    }
    for name in names {
        homes_of_variable(&name.text).into_iter().for_each(|homes| taint.add_secret(homes));
        if is_secret_variable(&name.text) {
            machine.found.shows_variable(by, &name.text);
        }
    }
    Some(Stream::unknown(taint))
}

/// `eval`: the words joined are a command line.
pub(super) fn eval(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, args, .. } = call;
    let known = args.iter().all(|arg| arg.known);
    let text = args.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
    let mut taint = Taint::default();
    args.iter().for_each(|arg| taint.absorb(&arg.taint));
    let inner = text.strip_prefix("$(").unwrap_or_default().trim_start();
    if !known && !taint.is_remote() && EVALUATED.iter().any(|head| inner.starts_with(head)) {
        machine.found.effect(Effect::Exec);
        machine.found.raise(Tier::T1);
        return Some(Stream::default());
    }
    let stream = Stream { text: known.then_some(text), taint };
    Some(code::run_code(machine, by, "shell", &stream))
}

/// `flock FILE -c TEXT` and its like: the text is a command line.
pub(super) fn inline(machine: &mut Machine<'_>, call: Call<'_>) {
    let Call { by, args, .. } = call;
    for pair in args.windows(2) {
        let [option, text] = pair else { continue };
        let is_text = !text.text.bytes().all(|b| b.is_ascii_digit() || matches!(b, b',' | b'-'));
        if matches!(option.text.as_str(), "-c" | "--command") && is_text {
            code::run_code(machine, by, "shell", &text.stream());
        }
    }
}

/// Programs whose operands joined are a command line, such as `watch` and `trap`.
pub(super) fn words(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { rule, args, .. } = call;
    let argv = sort(rule, args, Until::Operand);
    let rest = args.get(argv.rest_at..).unwrap_or_default();
    let rest = if rule.last == Some(Role::Ignore) { rest.get(..1).unwrap_or_default() } else { rest };
    machine.found.raise(rule.tier);
    eval(machine, Call { args: rest, ..call })
}

/// `source`, `.`: a file runs in this shell.
pub(super) fn source(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, args, stdin, .. } = call;
    let file = args.first()?;
    if code::is_stdin(file) {
        return Some(code::run_code(machine, by, "shell", stdin));
    }
    let place = machine.place(file);
    let users_own =
        place.persists.is_some() && place.region == Region::Outside && file.known && file.feed.is_none();
    let tier = machine.found.tier;
    code::run_file(machine, by, file, Some("shell"));
    if users_own {
        // The user's own start-up file runs in every shell anyway.
        machine.found.tier = tier.max(Tier::T1);
    }
    Some(Stream::default())
}

/// `mktemp`: a fresh path in scratch space.
pub(super) fn mktemp(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { args, .. } = call;
    machine.found.effect(Effect::Write);
    machine.found.raise(Tier::T1);
    if args.iter().any(|arg| arg.text.contains('/') || arg.text.starts_with("-p")) {
        return None;
    }
    let temp = machine.around.temp_dirs.first().map_or("/tmp", AsRef::as_ref);
    Some(Stream::literal(format!("{temp}/mktemp.XXXXXX\n")))
}

/// `read`, `mapfile`: variables get what comes in; `-C` has a command run for every few lines.
pub(super) fn read(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, args, stdin, .. } = call;
    machine.found.effect(Effect::Inform);
    for (_, callback) in args.iter().zip(args.iter().skip(1)).filter(|(option, _)| option.text == "-C") {
        code::run_code(machine, by, "shell", &callback.stream());
    }
    let other = args.iter().zip(args.iter().skip(1)).find(|(option, _)| option.text == "-u");
    let stdin = match other {
        Some((_, descriptor)) => machine.env.descriptor(descriptor),
        None => stdin.clone(),
    };
    for arg in args.iter().filter(|arg| is_name(&arg.text)) {
        let mut value = Arg::unknown(format!("${}", arg.text));
        value.taint = stdin.taint.clone();
        machine.env.set(&arg.text, value);
    }
    Some(Stream::empty())
}

/// `python -m module`: modules that are programs of their own.
pub(super) fn python(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, args, stdin, .. } = call;
    let at =
        args.iter().position(|arg| !arg.text.starts_with('-') || matches!(arg.text.as_str(), "-m" | "-c"))?;
    if args.get(at)?.text != "-m" {
        return None;
    }
    let module = args.get(at + 1)?.text.clone();
    let rest = args.get(at + 2..).unwrap_or_default();
    machine.found.effect(Effect::Exec);
    machine.found.raise(Tier::T1);
    match lookup(&module) {
        Some(rule) if module != "python" => Some(machine.apply(&module, rule, rest, stdin.clone())),
        _ if module == "timeit" => {
            for statement in rest.iter().filter(|arg| arg.text.contains(['(', ' '])) {
                code::run_code(machine, by, "python", &statement.stream());
            }
            Some(Stream::default())
        }
        _ if module == "json.tool" => Some(stdin.clone()),
        _ => {
            // A module of that name may be the workspace's own.
            machine.runs_workspace(by);
            machine.loose(&module, rest, stdin, false);
            Some(Stream::default())
        }
    }
}

/// `npx`, `uvx`: tools that every project has run from it; anything else is installed to be run.
pub(super) fn package_runner(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { rule, args, stdin, .. } = call;
    let argv = sort(rule, args, Until::Operand);
    let rest = args.get(argv.rest_at..).unwrap_or_default();
    let head = rest
        .first()
        .filter(|head| head.known && !argv.options.iter().any(|given| given.opt.value.is_some()))?;
    lookup(&head.text).is_some().then(|| {
        machine.found.effect(Effect::Exec);
        machine.found.raise(Tier::T1);
        machine.program(rest.to_vec(), stdin.clone())
    })
}
