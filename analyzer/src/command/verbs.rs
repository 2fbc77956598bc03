//! Programs with subcommands that the table does not list: what their verb says.

use circinus_core::action::{Flag, Tier};
use circinus_core::effect::Effect;

use super::machine::Machine;
use super::table::Rule;
use super::value::{Arg, Stream, Taint};
use crate::consequence;

/// Verbs that only observe.
const READS: &[&str] = &[
    "get", "list", "ls", "show", "describe", "status", "help", "diff", "view", "search", "find", "count",
    "info", "inspect", "read", "explain", "lint", "doctor", "whoami", "ps", "cat", "head", "browse",
    "outdated", "why", "tree", "print",
];
/// The same where no other verb is: these words also name what is changed (`config set`).
const NOUNS: &[&str] = &[
    "log",
    "logs",
    "version",
    "check",
    "validate",
    "fmt",
    "format",
    "test",
    "history",
    "plan",
    "top",
    "watch",
    "dump",
    "completion",
    "config",
    "query",
    "audit",
    "graph",
    "access",
];
/// Verbs that change something; where the first verb is one of them, a noun beside it is no verb.
const WRITES: &[&str] = &[
    "set",
    "unset",
    "create",
    "add",
    "put",
    "update",
    "write",
    "upload",
    "import",
    "install",
    "edit",
    "patch",
    "apply",
    "attach",
    "detach",
    "enable",
    "disable",
    "grant",
    "assign",
    "register",
    "deregister",
    "invite",
    "replace",
    "insert",
    "upgrade",
    "modify",
    "rename",
    "move",
    "reconcile",
    "start",
    "stop",
    "restart",
];
/// Verbs for work on this machine, where they stand first (`sam build`).
const LOCAL: &[&str] = &["build", "dev", "synth", "init"];
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

/// What is a whole of its own: with it goes everything that was kept in it.
const WHOLES: &[&str] = &[
    "database",
    "db",
    "db-instance",
    "db-cluster",
    "stack",
    "namespace",
    "ns",
    "bucket",
    "repo",
    "repository",
    "project",
    "group",
    "resource-group",
    "cluster",
    "app",
    "account",
    "backup",
    "keyring",
    "keyvault",
    "vault",
];
/// Words for what is a secret, wherever a command line that reads has them.
const SECRETS: &[&str] = &["secret", "secretsmanager", "password", "token", "credential", "keyvault"];
/// How options begin that make a program show what it else hides (`--with-decryption`, `--show-token`).
const SHOWS: &[&str] = &["--show-", "--with-", "--include-", "--print-", "--export-"];
/// Options of remote services whose value runs on another machine.
const COMMANDS: &[&str] =
    &["-C", "--command", "--commands", "--cmd", "--script", "--scripts", "--exec", "--parameters"];

/// Whether a word is one of the verbs, begins with one (`delete-stack`), or ends with one (`apps:destroy`).
fn says(word: &str, verbs: &[&str]) -> bool {
    verbs.contains(&word)
        || word.split_once('-').is_some_and(|(head, _)| verbs.contains(&head))
        || word.rsplit_once(':').is_some_and(|(_, tail)| verbs.contains(&tail))
}

/// Whether a word names a whole, alone or behind its verb, in the singular or the plural.
fn is_whole(word: &str) -> bool {
    let noun =
        word.split_once('-').filter(|(head, _)| DESTROYS.contains(head)).map_or(word, |(_, noun)| noun);
    let noun = noun.split_once(':').map_or(noun, |(noun, _)| noun);
    let singular = [Some(noun), noun.strip_suffix('s'), noun.strip_suffix("es")];
    let y = noun.strip_suffix("ies").map(|stem| format!("{stem}y"));
    singular.into_iter().flatten().chain(y.as_deref()).any(|noun| WHOLES.contains(&noun))
}

/// Whether what is destroyed is a whole: the noun at the verb, or everything below an address.
fn takes_a_whole(words: &[&str], rest: &[Arg]) -> bool {
    let Some(at) = words.iter().position(|word| destroys(word)) else { return false };
    let noun = at.checked_sub(1).unwrap_or(at + 1);
    let named = [at, noun].iter().any(|at| words.get(*at).is_some_and(|word| is_whole(word)));
    let all_below = words.iter().any(|word| matches!(*word, "purge" | "rb"))
        || rest.iter().any(|arg| matches!(arg.text.as_str(), "-r" | "-R" | "--recursive" | "-rf"));
    named || all_below && rest.iter().any(|arg| is_top(&arg.text))
}

/// `s3://bucket`: an address without a path.
fn is_top(address: &str) -> bool {
    address.split_once("://").is_some_and(|(_, rest)| {
        let path = rest.split_once('/').map_or("", |(_, path)| path);
        !rest.is_empty() && path.trim_matches(['*', '/']).is_empty()
    })
}

/// Whether words read a secret and not only its name.
fn shows_secret(words: &[&str]) -> bool {
    let names_only = words.iter().any(|word| matches!(*word, "list" | "ls" | "describe" | "whoami"));
    let mut parts = words.iter().flat_map(|word| word.split(['-', ':']));
    !names_only && parts.any(|part| SECRETS.contains(&part.trim_end_matches('s')))
}

/// Whether an option asks for what is hidden otherwise.
fn is_revealing(option: &str) -> bool {
    let name = option.split('=').next().unwrap_or_default();
    let noun = SHOWS.iter().find_map(|verb| name.strip_prefix(verb));
    noun.is_some_and(|noun| {
        noun.split('-').any(|part| part == "decryption" || SECRETS.contains(&part.trim_end_matches('s')))
    })
}

/// Whether a verb destroys.
pub(crate) fn destroys(word: &str) -> bool {
    says(word, DESTROYS)
}

/// Whether a verb only observes; its plural is the list of what it makes (`gh pr checks`).
fn observes(word: &str, verbs: &[&str]) -> bool {
    says(word, verbs) || word.strip_suffix('s').is_some_and(|verb| verbs.contains(&verb))
}

/// Whether a command line only observes, by the first of its words that can be nothing but a verb.
fn only_reads(words: &[&str]) -> bool {
    match words.iter().find(|word| observes(word, READS) || says(word, WRITES)) {
        Some(verb) => observes(verb, READS),
        None => words.iter().any(|word| observes(word, NOUNS)),
    }
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
    let local = LOCAL.contains(&head.text.as_str());
    let only_reads = only_reads(&words);
    let mut taint = if rule.remote { Taint::remote(Vec::new()) } else { Taint::default() };
    if words.iter().any(|word| destroys(word)) {
        machine.found.effect(Effect::Destroy);
        machine.found.raise(Tier::T2);
        if rule.remote {
            let names: Vec<_> = rest.iter().filter(|arg| !arg.text.starts_with('-')).cloned().collect();
            machine.destroys_elsewhere(by, &names);
            if takes_a_whole(&words, rest) {
                machine.found.catastrophe();
            }
        }
    } else if rule.remote && !only_reads && !local {
        machine.found.effect(Effect::Send);
        machine.found.raise(Tier::T2);
        if consequence::is_high(words.iter().copied()) {
            machine.found.flag(Flag::HighConsequence);
        }
    }
    if !rule.remote && words.contains(&"install") {
        machine.found.effect(Effect::Install);
        machine.found.raise(Tier::T2);
    }
    if only_reads && (shows_secret(&words) || rest.iter().any(|arg| is_revealing(&arg.text))) {
        machine.found.effect(Effect::Cred);
        machine.found.raise(Tier::T1);
        taint.add_secret(&[]);
    }
    machine.loose(by, rest, stdin, rule.remote);
    commands(machine, rest);
    Stream::unknown(taint)
}

/// Command lines among the options that run on another machine.
fn commands(machine: &mut Machine<'_>, rest: &[Arg]) {
    for (at, arg) in rest.iter().enumerate() {
        let (name, value) = arg.text.split_once('=').map_or((&*arg.text, None), |(name, v)| (name, Some(v)));
        if !COMMANDS.contains(&name) {
            continue;
        }
        let value = value.or_else(|| rest.get(at + 1).map(|next| &*next.text)).unwrap_or_default();
        // `commands=…`, `["…"]`.
        let inner = value.split_once('=').filter(|(key, _)| key.bytes().all(|b| b.is_ascii_alphabetic()));
        let text = inner.map_or(value, |(_, text)| text).trim_matches(['[', ']', '"', '\'']).to_owned();
        machine.elsewhere(|machine| machine.severe_text(&text));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verbs_and_wholes_are_found_behind_hyphens_and_colons() {
        for word in ["delete", "delete-stack", "apps:destroy", "rm"] {
            assert!(destroys(word), "{word}");
        }
        for word in ["delete-stack", "apps:destroy", "repositories", "buckets", "delete-db-instance", "group"]
        {
            assert!(is_whole(word), "{word}");
        }
        for word in ["delete-log-group", "delete-object", "instances", "undelete", "droplet", "address"] {
            assert!(!is_whole(word), "{word}");
        }
        let below =
            |address: &str| takes_a_whole(&["s3", "rm"], &[Arg::literal(address), Arg::literal("-r")]);
        assert!(below("s3://logs") && below("gs://logs/*") && !below("s3://logs/2024/"));
        assert!(takes_a_whole(&["sql", "databases", "delete", "x"], &[]));
        assert!(takes_a_whole(&["delete", "cluster"], &[]));
        assert!(!takes_a_whole(&["app", "versions", "delete", "x"], &[]));
        assert!(
            only_reads(&["config", "get"]) && only_reads(&["ecs", "list-services"]) && only_reads(&["plan"])
        );
        assert!(!only_reads(&["config", "set", "pager"]) && !only_reads(&["config", "set-cluster"]));
        assert!(shows_secret(&["secrets", "versions", "access"]) && shows_secret(&["get-secret-value"]));
        assert!(is_revealing("--with-decryption") && is_revealing("--show-token"));
        assert!(!is_revealing("--show-labels") && !is_revealing("--with-deps"));
        assert!(!shows_secret(&["secrets", "list"]) && !shows_secret(&["instances", "get"]));
    }
}
