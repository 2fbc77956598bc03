//! `find` and `xargs`: programs that run others on what they find or read.

use circinus_core::action::{SlotValue, Tier};
use circinus_core::effect::Effect;

use super::super::argv::{Until, sort};
use super::super::machine::Machine;
use super::super::table::{Role, lookup};
use super::super::unlisted::base;
use super::super::value::{Arg, Stream};
use super::super::{code, guard};
use super::Call;

/// Words of the input of `xargs` that are added to its command.
const INPUT_WORDS_MAX: usize = 256;

/// Lines of the input of `xargs -I` that are tried.
const INPUT_LINES_MAX: usize = 32;

/// Roots that a payload is tried on.
const ROOTS_MAX: usize = 16;

/// Tests and actions whose next word is their argument, whatever it looks like (find(1)).
const WITH_ARGUMENT: &[&str] = &[
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-context",
    "-ctime",
    "-fstype",
    "-gid",
    "-group",
    "-ilname",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-iwholename",
    "-links",
    "-lname",
    "-maxdepth",
    "-mindepth",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-path",
    "-perm",
    "-printf",
    "-regex",
    "-regextype",
    "-samefile",
    "-size",
    "-type",
    "-uid",
    "-used",
    "-user",
    "-wholename",
    "-xtype",
];

/// `find [paths] [expression]`.
pub(super) fn walk(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, args, stdin, .. } = call;
    machine.found.effect(Effect::Read);
    let does =
        |arg: &Arg| arg.text == "-delete" || arg.text.starts_with("-exec") || arg.text.starts_with("-ok");
    if args.iter().any(does) && args.iter().any(|arg| guard::finds(&arg.text)) {
        machine.found.guard();
    }
    let begins = args.iter().position(|arg| {
        arg.text.starts_with(['-', '(', '!']) && !matches!(arg.text.as_str(), "-H" | "-L" | "-P")
    });
    let begins = begins.unwrap_or(args.len());
    let (roots, expression) = args.split_at_checked(begins)?;
    let mut roots: Vec<_> = roots.iter().filter(|arg| !arg.text.starts_with('-')).cloned().collect();
    if roots.is_empty() {
        roots.push(Arg::literal("."));
    }
    let narrowed = expression.windows(2).any(|pair| {
        let [test, value] = pair else { return false };
        narrows(&test.text, &value.text)
    }) || expression.iter().any(|arg| arg.text == "-empty");
    let mut at = 0;
    while let Some(arg) = expression.get(at) {
        at += 1;
        match arg.text.as_str() {
            "-delete" => {
                for root in &roots {
                    delete(machine, by, root, narrowed);
                }
            }
            "-exec" | "-execdir" | "-ok" | "-okdir" => {
                let rest = expression.get(at..).unwrap_or_default();
                let length =
                    rest.iter().position(|arg| matches!(arg.text.as_str(), ";" | "+")).unwrap_or(rest.len());
                let payload = rest.get(..length).unwrap_or_default();
                at += length + 1;
                on_each(machine, payload, &roots, narrowed, stdin);
            }
            "-fprint" | "-fls" | "-fprintf" | "-fprint0" => {
                if let Some(target) = expression.get(at) {
                    machine.write_file(by, target, &Stream::default(), false);
                }
                at += 1;
            }
            test if WITH_ARGUMENT.contains(&test) => at += 1,
            _ => {}
        }
    }
    Some(Stream::default())
}

/// Whether a test leaves out something that matters: a name of nothing but wildcards, an age or a size that
/// everything has, or many levels do not.
fn narrows(test: &str, value: &str) -> bool {
    match test {
        "-name" | "-iname" | "-path" | "-wholename" | "-regex" | "-iregex" => {
            !value.chars().all(|c| matches!(c, '*' | '?' | '.' | '/' | '[' | ']' | '!'))
        }
        "-mtime" | "-mmin" | "-atime" | "-ctime" | "-size" => {
            value.trim_end_matches(char::is_alphabetic) != "+0"
        }
        "-newer" | "-user" | "-group" | "-perm" | "-inum" | "-links" => true,
        "-maxdepth" => matches!(value, "0" | "1"),
        _ => false,
    }
}

fn delete(machine: &mut Machine<'_>, by: &str, root: &Arg, narrowed: bool) {
    let place = machine.place(root);
    machine.found.deletes_place(by, &place, !narrowed);
    // Nobody sees beforehand what it comes upon.
    machine.found.raise(Tier::T2);
}

/// Runs the payload on what is found: on the roots themselves if nothing narrows the search, and on a
/// pattern below them otherwise.
fn on_each(machine: &mut Machine<'_>, payload: &[Arg], roots: &[Arg], narrowed: bool, stdin: &Stream) {
    let removes = payload.first().and_then(|head| lookup(base(&head.text)));
    let removes = removes.is_some_and(|rule| rule.args.contains(&Role::Delete));
    if roots.len() > ROOTS_MAX {
        machine.found.opaque_by("looks in too many places");
    }
    let names_what_is_found = payload.iter().any(|arg| arg.text.contains("{}"));
    for (at, root) in roots.iter().take(ROOTS_MAX).enumerate() {
        if removes && !narrowed {
            delete(machine, "find", root, narrowed);
        }
        if at > 0 && !names_what_is_found {
            // The same command again.
            continue;
        }
        let found = if narrowed {
            Arg { glob: true, ..root.with_text(&format!("{}/*.found", root.text.trim_end_matches('/'))) }
        } else {
            root.clone()
        };
        let mut words = payload.iter();
        let is_code = words.next().is_some_and(|head| is_shell(&head.text))
            && words.next().is_some_and(|script| script.text == "{}");
        if is_code {
            // Whatever the search comes upon runs.
            machine.found.effect(Effect::Exec);
            machine.found.raise(Tier::T2);
        }
        let words: Vec<_> = payload
            .iter()
            .map(|arg| {
                if arg.text == "{}" {
                    found.clone()
                } else {
                    Arg { known: arg.known, ..arg.with_text(&arg.text.replace("{}", &found.text)) }
                }
            })
            .collect();
        machine.program(words, stdin.clone());
    }
}

/// `fd [options] pattern [roots] -x command`.
pub(super) fn batch(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { rule, args, stdin, .. } = call;
    let runs = |arg: &Arg| matches!(arg.text.as_str(), "-x" | "-X" | "--exec" | "--exec-batch");
    let at = args.iter().position(runs)?;
    let (search, payload) = args.split_at_checked(at)?;
    let mut payload = payload.get(1..).unwrap_or_default().to_vec();
    if !payload.iter().any(|arg| arg.text.contains("{}")) {
        payload.push(Arg::literal("{}"));
    }
    let operands = sort(rule, search, Until::End).operands;
    let (pattern, roots) = operands.split_first().map_or(("", &[][..]), |(p, roots)| (&*p.text, roots));
    let narrowed = !matches!(pattern, "" | "." | "*" | ".*");
    let here = [Arg::literal(".")];
    machine.found.effect(Effect::Read);
    on_each(machine, &payload, if roots.is_empty() { &here } else { roots }, narrowed, stdin);
    Some(Stream::default())
}

fn is_shell(head: &str) -> bool {
    matches!(base(head), "sh" | "bash" | "zsh" | "dash" | "ksh")
}

/// `xargs [options] command`: the input becomes arguments.
pub(super) fn xargs(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, rule, args, stdin } = call;
    let argv = sort(rule, args, Until::Operand);
    let mut command = args.get(argv.rest_at..).unwrap_or_default().to_vec();
    let mark = argv
        .options
        .iter()
        .find(|given| given.opt.names.contains(&"-I") || given.opt.names.contains(&"-i"))
        .map(|given| given.value.as_ref().map_or("{}", |value| value.text.as_str()).to_owned());
    let mut input = stdin.clone();
    if let Some(at) = command.iter().position(|arg| matches!(arg.text.as_str(), ":::" | ":::+")) {
        // `parallel command ::: words`: the words stand for the input.
        let words = command.split_off(at);
        input = Stream::empty();
        for word in words.iter().skip(1) {
            input.append(&word.stream());
            input.append(&Stream::literal("\n"));
        }
    }
    let mark = mark.or_else(|| (by == "parallel").then(|| "{}".to_owned()));
    let mark = mark.filter(|mark| command.iter().any(|arg| arg.text.contains(mark.as_str())));
    for given in argv.options.iter().filter(|given| given.opt.value == Some(Role::Read)) {
        if let Some(file) = &given.value {
            input = machine.read_file("xargs", file, false);
        }
    }
    machine.found.effect(Effect::Exec);
    if by == "parallel" {
        jobs(machine, &command, mark.as_deref(), &input);
    }
    if command.is_empty() {
        return Some(input);
    }
    let too_many = input.text.as_deref().is_some_and(|text| match &mark {
        Some(_) => text.lines().count() > INPUT_LINES_MAX,
        None => text.split_ascii_whitespace().count() > INPUT_WORDS_MAX,
    });
    if too_many {
        machine.found.opaque_by("runs on more input than is looked at");
    }
    let words: Vec<Arg> = match &input.text {
        Some(text) => text
            .split_ascii_whitespace()
            .take(INPUT_WORDS_MAX)
            .map(|word| Arg { taint: input.taint.clone(), ..Arg::literal(word) })
            .collect(),
        None => vec![Arg { taint: input.taint.clone(), ..Arg::unknown("$input") }],
    };
    code_of_input(machine, &command, mark.as_deref(), &input);
    let Some(mark) = mark else {
        command.extend(words);
        return Some(machine.program(command, Stream::empty()));
    };
    let lines: Vec<Arg> = match &input.text {
        Some(text) => text
            .lines()
            .take(INPUT_LINES_MAX)
            .map(|line| Arg { taint: input.taint.clone(), ..Arg::literal(line.trim()) })
            .collect(),
        None => words,
    };
    let mut out = Stream::empty();
    for line in &lines {
        out.append(
            &machine.program(command.iter().map(|arg| filled(arg, &mark, line)).collect(), Stream::empty()),
        );
    }
    Some(out)
}

/// `parallel command`: the words joined are a command line for a shell, once for each line of the input;
/// without words the lines themselves are. (With `-q` the words stay what they are, which is looked at too.)
fn jobs(machine: &mut Machine<'_>, command: &[Arg], mark: Option<&str>, input: &Stream) {
    if command.is_empty() {
        code::run_code(machine, "parallel", "shell", input);
        return;
    }
    let template = command.iter().map(|arg| arg.text.as_str()).collect::<Vec<_>>().join(" ");
    let lines: Vec<&str> = match &input.text {
        Some(text) => text.lines().map(str::trim).take(INPUT_LINES_MAX).collect(),
        None => vec!["\"$input\""],
    };
    machine.env.set("input", Arg { taint: input.taint.clone(), ..Arg::unknown("$input") });
    for line in lines {
        let text = match mark {
            Some(mark) => template.replace(mark, line),
            None => format!("{template} {line}"),
        };
        machine.text(&text, &Stream::empty());
    }
}

/// Words that come in are arguments; a shell that waits for its script runs the first of them.
fn code_of_input(machine: &mut Machine<'_>, command: &[Arg], mark: Option<&str>, input: &Stream) {
    let rest = command.iter().rev().skip_while(|arg| Some(arg.text.as_str()) == mark);
    let waits = rest.into_iter().find(|arg| arg.text != "--").is_some_and(|arg| arg.text == "-c");
    if !command.first().is_some_and(|head| is_shell(&head.text)) || !waits {
        return;
    }
    machine.found.raise(Tier::T2);
    if input.text.is_some() {
        return;
    }
    machine.found.opaque();
    if input.taint.is_remote() {
        let remote = SlotValue::Remote(input.taint.remote.clone());
        machine.found.slot("xargs", Effect::Exec, remote, Tier::T2);
    }
}

/// A word of the command with the mark replaced. A line that is not known stands in a shell's script as a
/// variable would: the script itself stays known.
fn filled(arg: &Arg, mark: &str, line: &Arg) -> Arg {
    if !arg.text.contains(mark) {
        return arg.clone();
    }
    let mut filled = arg.with_text(&arg.text.replace(mark, &line.text));
    let is_script = arg.text.contains(' ') && !line.taint.is_remote();
    filled.known &= line.known || is_script;
    filled.taint.absorb(&line.taint);
    filled
}
