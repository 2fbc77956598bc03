//! Programs with subcommands that the table does not list: what their verb says.

use circinus_core::action::{Flag, Tier};
use circinus_core::effect::Effect;

use super::machine::Machine;
use super::table::Rule;
use super::value::{Arg, Stream, Taint};
use crate::consequence;

/// Verbs that only observe.
const READS: &[&str] = &[
    "get",
    "list",
    "ls",
    "show",
    "describe",
    "status",
    "version",
    "help",
    "log",
    "logs",
    "diff",
    "view",
    "search",
    "find",
    "count",
    "info",
    "inspect",
    "read",
    "explain",
    "top",
    "check",
    "validate",
    "lint",
    "fmt",
    "format",
    "test",
    "history",
    "plan",
    "doctor",
    "whoami",
    "ps",
    "watch",
    "cat",
    "head",
    "dump",
    "completion",
    "config",
    "query",
    "browse",
    "outdated",
    "audit",
    "why",
    "tree",
    "graph",
    "build",
    "run",
];
/// Verbs that destroy.
const DESTROYS: &[&str] = &[
    "delete",
    "destroy",
    "rm",
    "remove",
    "purge",
    "drop",
    "wipe",
    "terminate",
    "prune",
    "reset",
    "revoke",
    "rb",
    "erase",
    "deprovision",
    "uninstall",
    "nuke",
    "truncate",
    "flush",
    "flushall",
    "flushdb",
    "teardown",
    "decommission",
];

/// Whether a word is, or (hyphenated) begins with, one of the verbs.
fn says(word: &str, verbs: &[&str]) -> bool {
    verbs.contains(&word) || word.split_once('-').is_some_and(|(head, _)| verbs.contains(&head))
}

/// Whether a verb destroys.
pub(crate) fn destroys(word: &str) -> bool {
    says(word, DESTROYS)
}

/// Whether a verb only observes; its plural is the list of what it makes (`gh pr checks`).
pub(crate) fn reads(word: &str) -> bool {
    says(word, READS) || word.strip_suffix('s').is_some_and(|verb| READS.contains(&verb))
}

/// Judges a subcommand by its verb, which stands first or second (`compute instances delete`).
pub(super) fn apply(
    machine: &mut Machine<'_>,
    rule: &'static Rule,
    by: &str,
    head: &Arg,
    rest: &[Arg],
    stdin: &Stream,
) -> Stream {
    let words: Vec<_> = std::iter::once(head)
        .chain(rest)
        .map(|arg| arg.text.as_str())
        .take_while(|word| !word.starts_with('-'))
        .take(4)
        .collect();
    rule.effects.iter().for_each(|effect| machine.found.effect(*effect));
    machine.found.raise(rule.tier);
    if words.iter().any(|word| destroys(word)) {
        machine.found.effect(Effect::Destroy);
        machine.found.raise(Tier::T2);
        if rule.remote {
            let names: Vec<_> = rest.iter().filter(|arg| !arg.text.starts_with('-')).cloned().collect();
            machine.destroys_elsewhere(by, &names);
        }
    } else if rule.remote && !words.iter().any(|word| reads(word)) {
        machine.found.effect(Effect::Send);
        machine.found.raise(Tier::T2);
        if consequence::is_high(words.iter().copied()) {
            machine.found.flag(Flag::HighConsequence);
        }
    }
    machine.loose(by, rest, stdin, rule.remote);
    Stream::unknown(if rule.remote { Taint::remote(Vec::new()) } else { Taint::default() })
}
