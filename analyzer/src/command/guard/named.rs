//! What a program that does more than look is told about Circinus: its files, its processes, its package, and
//! the host's settings that keep its hooks.

use regex::Regex;

use super::super::machine::Machine;
use super::super::table::{Role, Rule};
use super::super::value::{Arg, Stream};
use super::OURS;
use crate::place::Place;

/// How our processes are called, as `ps` shows them.
const PROCESSES: &[&str] = &["circinus", "circinus-hook", "circinus daemon run"];

/// Letters of a word that is looked for in the name of a process; a shorter one stands in too many.
const WORD_LEN_MIN: usize = 4;

/// What looks up the path or the processes of a program.
const LOOKUPS: &[&str] = &["which ", "command -v", "type -p", "whereis ", "pgrep ", "pidof ", "locate "];

/// Programs that keep the machine's packages, and their words for taking one away.
const PACKAGERS: &[&str] = &[
    "apt", "apt-get", "aptitude", "brew", "cargo", "dnf", "dpkg", "npm", "pacman", "pnpm", "rpm", "snap",
    "yarn", "yum", "zypper",
];
const REMOVALS: &[&str] = &[
    "remove",
    "uninstall",
    "purge",
    "rm",
    "erase",
    "unlink",
    "un",
    "-r",
    "-R",
    "-Rs",
    "-P",
    "-e",
    "--remove",
    "--purge",
    "--erase",
];

/// Keys of the host's settings that switch its hooks off.
pub(crate) const SWITCHES: &[&str] = &["disableAllHooks", "allowManagedHooksOnly"];

/// The command that our hook entries name.
pub(crate) const HOOK: &str = "circinus-hook";

/// A program of the table and its arguments: looking at Circinus is welcome.
pub(in super::super) fn listed(machine: &mut Machine<'_>, base: &str, rule: &Rule, args: &[Arg]) {
    if acts(rule, args) || base == "ulimit" {
        named(machine, base, args);
    }
}

/// Whether a row, with these arguments, does more than look.
fn acts(rule: &Rule, args: &[Arg]) -> bool {
    let beyond = |effects: &[circinus_core::effect::Effect]| {
        use circinus_core::effect::Effect::{Inform, Read};
        effects.iter().any(|effect| !matches!(effect, Inform | Read))
    };
    let by_option = |arg: &Arg| {
        let name = arg.text.split('=').next().unwrap_or_default();
        rule.options.iter().any(|opt| opt.acts() && opt.names.contains(&name))
    };
    let by_sub = |(at, arg): (usize, &Arg)| {
        rule.sub(&arg.text).is_some_and(|sub| acts(sub, args.get(at + 1..).unwrap_or_default()))
    };
    let by_operand = rule.args.iter().any(|role| matches!(role, Role::Changes | Role::Setting))
        && args.iter().any(|arg| !arg.text.starts_with('-'));
    rule.tier > circinus_core::action::Tier::T0
        || beyond(rule.effects)
        || by_operand
        || args.iter().any(by_option)
        || args.iter().enumerate().any(by_sub)
}

/// A program that acts, and its arguments.
pub(in super::super) fn named(machine: &mut Machine<'_>, base: &str, args: &[Arg]) {
    let removes = PACKAGERS.contains(&base)
        && args.iter().any(|arg| REMOVALS.contains(&arg.text.as_str()))
        && args.iter().any(|arg| arg.text.starts_with(OURS));
    let switches =
        base == "claude" && args.iter().any(|arg| SWITCHES.iter().any(|key| arg.text.contains(key)));
    let sets = args.iter().any(|arg| arg.text.starts_with("CIRCINUS_"));
    let unmarks = match base {
        "prlimit" => args.iter().any(|arg| arg.text.starts_with("--locks") || arg.text.starts_with("-x")),
        "ulimit" => args.iter().any(|arg| arg.text.starts_with('-') && arg.text.contains('x')),
        _ => false,
    };
    if removes || switches || sets || unmarks || args.iter().any(|arg| names(machine, arg)) {
        machine.found.guard();
    }
}

/// Whether a word names a place of ours, alone or as a part of an option or an address.
pub(in super::super) fn names(machine: &Machine<'_>, arg: &Arg) -> bool {
    let home = machine.around.circinus_home.rsplit('/').next().filter(|name| !name.is_empty());
    let text = arg.text.to_ascii_lowercase();
    if !text.contains(OURS) && !home.is_some_and(|home| arg.text.contains(home)) {
        return false;
    }
    if !arg.known && LOOKUPS.iter().any(|lookup| text.contains(lookup)) {
        return true;
    }
    // A message or a URL is no place here.
    if arg.text.contains("://") || arg.text.contains(char::is_whitespace) {
        return false;
    }
    arg.text.split(['=', ':', ',']).any(|part| {
        // `-C/path`, `@path`: the path begins where a root or a home does.
        let glued = part.starts_with(['-', '@']).then(|| part.find(['/', '~'])).flatten();
        let path = glued.and_then(|at| part.get(at..)).unwrap_or(part);
        !path.is_empty() && machine.place(&arg.with_text(path)).guard
    })
}

/// Bytes that are written to a place: the host's settings must keep our hooks, as far as can be told.
pub(in super::super) fn written(
    machine: &mut Machine<'_>,
    target: &Arg,
    place: &Place,
    stream: &Stream,
    append: bool,
) {
    let keeps = || stream.text.as_deref().is_some_and(|text| text.contains(HOOK) && !append);
    if place.hooks && !keeps() || !target.known && names(machine, target) {
        machine.found.guard();
    }
}

/// Whether a pattern of `pkill` or a name finds a process of ours.
pub(super) fn finds_process(pattern: &str) -> bool {
    let lower = pattern.to_ascii_lowercase();
    lower.contains(OURS)
        || !pattern.starts_with('-')
            && Regex::new(pattern).is_ok_and(|regex| PROCESSES.iter().any(|name| regex.is_match(name)))
}

/// Whether a text that looks processes up could mean one of ours.
pub(super) fn looks_up_process(text: &str) -> bool {
    let lower = text.to_ascii_lowercase();
    let mut words = lower.split(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.');
    words.any(|word| word.len() >= WORD_LEN_MIN && PROCESSES.iter().any(|name| name.contains(word)))
}
