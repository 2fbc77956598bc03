//! What is peculiar to git.

use circinus_core::action::{Flag, SlotValue, Tier};
use circinus_core::effect::Effect;
use circinus_core::operand::{Kind, Operand};

use super::apply::Run;
use super::argv::{Argv, Until, sort};
use super::code;
use super::machine::Machine;
use super::special::Call;
use super::value::{Arg, Stream};
use crate::place::Region;

/// Settings whose value git runs, or that direct it to what it runs, lower case; `*` stands for any text.
const RUNS: &[&str] = &[
    "core.pager",
    "pager.*",
    "core.fsmonitor",
    "core.sshcommand",
    "core.editor",
    "core.hookspath",
    "core.askpass",
    "core.gitproxy",
    "core.alternaterefscommand",
    "diff.external",
    "diff.*.textconv",
    "diff.*.command",
    "filter.*",
    "merge.*.driver",
    "mergetool.*",
    "difftool.*",
    "credential.helper",
    "credential.*.helper",
    "gpg.program",
    "gpg.*.program",
    "sequence.editor",
    "alias.*",
    "protocol.ext.allow",
    "protocol.allow",
    "uploadpack.packobjectshook",
    "remote.*.uploadpack",
    "remote.*.receivepack",
    "init.templatedir",
    "include.path",
    "includeif.*",
    "url.*.insteadof",
    "url.*.pushinsteadof",
    "http.proxy",
    "browser.*",
    "web.browser",
    "instaweb.*",
    "imap.tunnel",
    "tar.*.command",
    "submodule.*.update",
    "remote.*.vcs",
    "core.worktree",
    "man.*",
    "trailer.*",
    "interactive.difffilter",
    "sendemail.*",
];
/// Settings that may hold any text: names, messages, places of lists. A section stands for all of its keys.
const TEXTS: &[&str] = &[
    "user",
    "author",
    "committer",
    "color",
    "format",
    "branch.*.description",
    "core.excludesfile",
    "core.commentchar",
    "core.whitespace",
    "commit.template",
    "commit.cleanup",
    "blame.ignorerevsfile",
    "gpg.ssh.allowedsignersfile",
    "safe.directory",
    "remote.*.fetch",
    "branch.*.merge",
    "log.date",
    "pretty",
    "versionsort.suffix",
    "push.pushoption",
    "maintenance.repo",
];
/// Settings that switch a protection off, lower case, with the value that does.
const WEAKENS: &[(&str, &str)] = &[
    ("safe.directory", "*"),
    ("http.sslverify", "false"),
    ("transfer.fsckobjects", "false"),
    ("fetch.fsckobjects", "false"),
    ("receive.denynonfastforwards", "false"),
    ("protocol.file.allow", "always"),
];
/// Settings that let go of what could be brought back, when they are set to now.
const FORGETS: &[&str] =
    &["gc.pruneexpire", "gc.reflogexpire", "gc.reflogexpireunreachable", "gc.worktreepruneexpire"];
/// Programs that such settings are set to so that nothing waits for a person.
const HARMLESS: &[&str] = &[
    "cat",
    "true",
    "less",
    "more",
    "false",
    "",
    "vim",
    "nano",
    "code --wait",
    "osxkeychain",
    "manager",
    "cache",
];

/// Whether git runs the value of a setting.
fn runs(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    RUNS.iter().any(|pattern| fits(&key, pattern))
}

fn fits(key: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        Some((head, tail)) => key.len() > head.len() && key.starts_with(head) && key.ends_with(tail),
        None => key == pattern,
    }
}

/// Whether a setting changes what runs, or where it comes from. What git and its extensions make of a key that
/// is not listed is not known, but a place, an address or a command line is no plain choice.
fn directs(key: &str, value: &str) -> bool {
    let key = key.to_ascii_lowercase();
    if runs(&key) {
        // An alias without `!` is a subcommand of git with its options, and stands in for none of git's own.
        let of_git = key.starts_with("alias.") && !value.starts_with('!') && !value.contains("-c");
        return !HARMLESS.contains(&value) && !of_git;
    }
    let section = key.split('.').next().unwrap_or_default();
    let is_text = TEXTS.iter().any(|pattern| *pattern == section || fits(&key, pattern));
    !is_text && value.contains(['/', '\\', ':', '!', '$', '`', '|', ';', '&'])
        || WEAKENS.contains(&(key.as_str(), value))
}

/// A repository: an address, or the name of one that is configured, which is not distinctive.
pub(super) fn remote(machine: &mut Machine<'_>, arg: &Arg, run: &mut Run<'_>, sends: bool) {
    run.remote = true;
    run.sends |= sends;
    if arg.text.starts_with("ext::") || arg.text.starts_with("--") {
        machine.found.opaque();
        return;
    }
    let address = arg.text.contains("://") || arg.text.contains('@') || arg.text.contains(':');
    let local = arg.text.starts_with(['.', '/', '~']) || arg.text.starts_with("file:");
    if address && !local {
        if let Some(operand) = Operand::parse(Kind::Git, &arg.text, &machine.around.paths) {
            machine.destination(run, operand.expand());
        } else if !arg.known {
            machine.found.effect(if sends { Effect::Send } else { Effect::Fetch });
        }
        run.outgoing.add_secrets_of(&arg.text);
    }
}

/// A refspec of a push: `+source:target` forces, `:target` deletes.
pub(super) fn refspec(machine: &mut Machine<'_>, arg: &Arg) {
    if arg.text.starts_with(['+', ':']) {
        machine.found.effect(Effect::Destroy);
        machine.found.raise(Tier::T2);
    }
}

/// `-c key=value`: in force for this one command.
pub(super) fn setting(machine: &mut Machine<'_>, arg: &Arg) {
    let (key, value) = arg.text.split_once('=').unwrap_or((arg.text.as_str(), ""));
    if FORGETS.contains(&key.to_ascii_lowercase().as_str()) && matches!(value, "now" | "all" | "0") {
        machine.found.effect(Effect::Destroy);
        machine.found.raise(Tier::T2);
    }
    if !runs(key) && directs(key, value) {
        machine.found.effect(Effect::Exec);
        machine.found.raise(Tier::T2);
    } else if runs(key) && !HARMLESS.contains(&value) {
        machine.found.effect(Effect::Exec);
        machine.found.raise(Tier::T2);
        let command = value.strip_prefix('!').unwrap_or(value);
        code::run_code(machine, "git -c", "shell", &arg.with_text(command).stream());
    }
}

/// Options of `git config` that take a value.
const CONFIG_VALUES: &[&str] = &["-f", "--file", "--blob", "--type", "--default", "--comment", "--value"];
/// Words by which it only shows something.
const CONFIG_READS: &[&str] =
    &["--get", "--get-all", "--get-regexp", "--get-urlmatch", "-l", "--list", "get", "list", "--show-origin"];
/// Words by which it changes something without a key and a value.
const CONFIG_EDITS: &[&str] = &["--unset", "--unset-all", "unset", "--edit", "-e", "edit"];

/// `git config`: reading is nothing; some keys make git run what they name from then on.
pub(super) fn config(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { args, .. } = call;
    let has = |names: &[&str]| args.iter().any(|arg| names.contains(&arg.text.as_str()));
    let (operands, file) = config_words(args);
    let operands = match operands.split_first() {
        Some((head, rest)) if matches!(head.text.as_str(), "set" | "get" | "list" | "unset") => rest,
        _ => operands.as_slice(),
    };
    machine.found.effect(Effect::Read);
    if (has(CONFIG_READS) || operands.len() < 2) && !has(CONFIG_EDITS) {
        return Some(Stream::default());
    }
    machine.found.effect(Effect::Write);
    machine.found.raise(Tier::T1);
    let (Some(key), value) = (operands.first(), operands.get(1)) else { return Some(Stream::default()) };
    let text = value.map_or("", |value| value.text.as_str());
    if !directs(&key.text, text) {
        return Some(Stream::default());
    }
    let of_user = if has(&["--global", "--system"]) { "~/.gitconfig" } else { ".git/config" };
    let place = machine.place(&file.unwrap_or_else(|| Arg::literal(of_user)));
    let global = has(&["--global", "--system"]) || place.region == Region::Outside;
    machine.found.slot("git config", Effect::Persist, SlotValue::Text(text.into()), Tier::T3);
    machine.found.raise(if global { Tier::T3 } else { Tier::T1 });
    let flag = if global { Flag::PersistHost } else { Flag::PersistWs };
    let slot = place.operand.and_then(|operand| {
        machine.found.slot("git config", Effect::Persist, SlotValue::Operands(operand.expand()), Tier::T3)
    });
    match slot {
        Some(slot) => machine.found.unless_granted(slot, flag),
        None => machine.found.flag(flag),
    }
    Some(Stream::default())
}

/// The operands of `git config`, and the file that it works on if that is spelled out.
fn config_words(args: &[Arg]) -> (Vec<&Arg>, Option<Arg>) {
    let (mut operands, mut file) = (Vec::new(), None);
    let mut words = args.iter();
    while let Some(arg) = words.next() {
        if let Some(attached) = arg.strip("--file=") {
            file = Some(attached);
        } else if CONFIG_VALUES.contains(&arg.text.as_str()) {
            let value = words.next();
            if matches!(arg.text.as_str(), "-f" | "--file") {
                file = value.cloned();
            }
        } else if !arg.text.starts_with('-') {
            operands.push(arg);
        }
    }
    (operands, file)
}

/// `gh api`: a query of the graph interface is sent as a form, and still only reads.
pub(super) fn api_reads(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { args, stdin, .. } = call;
    let has = |text: &str| args.iter().any(|arg| arg.text == text);
    let explicit = has("-X") || has("--method");
    let reads = has("graphql") && !explicit && !args.iter().any(|arg| arg.text.contains("mutation"));
    let get = args.windows(2).any(|pair| {
        pair.first().is_some_and(|arg| matches!(arg.text.as_str(), "-X" | "--method"))
            && pair.last().is_some_and(|arg| arg.text.eq_ignore_ascii_case("get"))
    });
    if !(reads || get) || args.iter().any(|arg| !arg.known && !arg.taint.secrets.is_empty()) {
        return None;
    }
    machine.found.effect(Effect::Fetch);
    machine.found.raise(Tier::T1);
    let mut taint = super::value::Taint::remote(Vec::new());
    taint.absorb(&super::value::Taint { files: stdin.taint.files.clone(), ..Default::default() });
    Some(Stream::unknown(taint))
}

/// `checkout`, `restore`: with paths they throw away what was changed there. `branch`: only force removes what
/// was not merged.
pub(super) fn discard(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, args, .. } = call;
    let has = |name: &str| args.iter().any(|arg| arg.text == name);
    if by.ends_with("restore") {
        if (has("--staged") || has("-S")) && !has("--worktree") && !has("-W") {
            machine.found.effect(Effect::Write);
            machine.found.raise(Tier::T1);
            return Some(Stream::default());
        }
        return None;
    }
    if by.ends_with("branch") || by.ends_with("tag") {
        let letters = |letter| {
            args.iter().any(|arg| {
                !arg.text.starts_with("--") && arg.text.starts_with('-') && arg.text.contains(letter)
            })
        };
        if (has("--delete") || letters('d')) && (has("--force") || letters('f')) {
            machine.found.effect(Effect::Destroy);
            machine.found.raise(Tier::T2);
        }
        return None;
    }
    let makes = ["-b", "-B", "--orphan", "-t", "--track", "--detach"].iter().any(|name| has(name));
    let operands = sort(call.rule, args, Until::End).operands.len();
    let from_list = args.iter().any(|arg| arg.text.starts_with("--pathspec-from-file"));
    let pattern = args.iter().any(|arg| arg.text.starts_with([':', '*']));
    // A second operand is a path, whose changes are thrown away.
    if has("--") || has(".") || from_list || !makes && (pattern || operands > 1) {
        machine.found.effect(Effect::Destroy);
        machine.found.raise(Tier::T2);
    }
    None
}

/// Files that are put into the repository; a push of this call sends them.
pub(super) fn stage(machine: &mut Machine<'_>, argv: &Argv) {
    for operand in &argv.operands {
        let place = machine.place(operand);
        let held = place.path.as_deref().and_then(|path| machine.held(path)).unwrap_or_default();
        for homes in held.taint.secrets {
            machine.staged.add_secret(homes);
        }
        if place.secret {
            machine.staged.add_secret(&[]);
        }
    }
}

/// The directory that a clone fills.
pub(super) fn clone_target(machine: &mut Machine<'_>, argv: &Argv, run: &mut Run<'_>) {
    let Some(source) = argv.operands.first() else { return };
    machine.found.effect(Effect::Write);
    machine.found.raise(Tier::T1);
    let target = match argv.operands.get(1) {
        Some(target) => target.clone(),
        None => {
            let name = source.text.trim_end_matches('/').rsplit(['/', ':']).next().unwrap_or_default();
            source.with_text(name.strip_suffix(".git").unwrap_or(name))
        }
    };
    run.outputs.push((target, true));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_that_run_are_found_in_any_case() {
        for key in [
            "core.sshCommand",
            "Alias.st",
            "filter.lfs.clean",
            "url.https://x/.insteadOf",
            "diff.word.textconv",
        ] {
            assert!(runs(key), "{key}");
        }
        for key in ["user.name", "core.autocrlf", "color.ui", "advice.detachedHead"] {
            assert!(!runs(key), "{key}");
        }
    }

    #[test]
    fn a_place_or_an_address_is_no_plain_choice() {
        for (key, value) in [
            ("submodule.x.update", "!tool"),
            ("remote.origin.pushurl", "https://git.tool.example.org/a"),
            ("core.attributesFile", "/tmp/x"),
            ("lfs.customtransfer.x.path", "/tmp/x"),
            ("web.browser", "tool"),
            ("alias.st", "!tool"),
            ("alias.st", "-c core.pager=tool log"),
            ("safe.directory", "*"),
        ] {
            assert!(directs(key, value), "{key}");
        }
        for (key, value) in [
            ("user.name", "A/B: C"),
            ("core.autocrlf", "input"),
            ("core.excludesFile", "~/.gitignore"),
            ("safe.directory", "/work/app"),
            ("pull.rebase", "true"),
            ("gitflow.prefix.versiontag", "v"),
            ("branch.main.remote", "origin"),
            ("core.editor", "vim"),
            ("alias.lg", "log --graph --oneline"),
        ] {
            assert!(!directs(key, value), "{key}");
        }
    }
}
