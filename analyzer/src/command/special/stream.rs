//! `sed` and `awk`: filters whose script can write files and run programs.

use circinus_core::effect::Effect;

use super::super::argv::{Until, sort};
use super::super::machine::{Machine, source_of};
use super::super::table::Role;
use super::super::value::{Arg, Stream, Taint};
use super::super::{code, guard};
use super::Call;

/// `sed [-i] script files`.
pub(super) fn sed(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, rule, args, stdin } = call;
    // On some systems the backup suffix of `-i` is an argument of its own.
    let args: Vec<_> = args.iter().filter(|arg| !(arg.known && arg.text.is_empty())).cloned().collect();
    let argv = sort(rule, &args, Until::End);
    machine.found.effect(Effect::Read);
    let has = |name: &str| argv.options.iter().any(|given| given.opt.names.contains(&name));
    let in_place = has("-i");
    let mut scripts: Vec<Arg> = argv
        .options
        .iter()
        .filter(|given| given.opt.value == Some(Role::Ignore))
        .filter_map(|given| given.value.clone())
        .collect();
    let mut files = argv.operands.clone();
    if scripts.is_empty() && !has("-f") && !files.is_empty() {
        scripts.push(files.remove(0));
    }
    for script in &scripts {
        if runs(&script.text) {
            machine.found.opaque();
            let commands = script.text.split([';', '\n']).map(|command| without_address(command.trim()));
            commands.filter_map(|command| command.strip_prefix("e ")).for_each(|it| machine.inner_shell(it));
        }
        for target in targets(&script.text) {
            machine.write_file(by, &Arg::literal(target), stdin, false);
        }
    }
    let mut out = Stream { text: None, taint: stdin.taint.clone() };
    for file in &files {
        let stream = machine.read_file(by, file, !in_place);
        if in_place {
            let place = machine.place(file);
            guard::written(machine, file, &place, &Stream::unknown(Taint::default()), false);
            machine.found.writes_place(by, &place, source_of(&stream), false);
        }
        out.taint.absorb(&stream.taint);
    }
    Some(out)
}

/// Whether a script runs what it matches or makes: the `e` command and flag.
fn runs(script: &str) -> bool {
    script.split([';', '\n']).any(|command| {
        let command = without_address(command.trim_matches([' ', '\t', '{', '}']));
        let tail = command.rsplit(['/', '|', '#', ',']).next().unwrap_or_default();
        let is_substitution = command.contains("s/") || command.contains("s|") || command.contains("s#");
        let flag = is_substitution
            && tail.contains('e')
            && tail.chars().all(|c| c.is_ascii_digit() || "gpiIme".contains(c));
        flag || command == "e" || command.starts_with("e ")
    })
}

/// A command without the lines it is for: `1,5p`, `$!d`, `/x/e`.
fn without_address(command: &str) -> &str {
    let mut rest = command;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_digit() || "$,!~+ ".contains(c));
        let Some(tail) = rest.strip_prefix('/') else { return rest };
        let mut escaped = false;
        let end = tail.find(|c| {
            let ends = c == '/' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let Some(after) = end.and_then(|end| tail.get(end + 1..)) else { return rest };
        rest = after.trim_start_matches(['I', 'M']);
    }
}

/// Files that a script writes by `w`.
fn targets(script: &str) -> Vec<&str> {
    script
        .split(['\n', ';'])
        .filter_map(|command| {
            let at = command.rfind("w /").or_else(|| command.rfind("w ~/"))?;
            let before = command.get(..at)?.trim_end();
            let is_flag = before.is_empty()
                || before.ends_with(['/', '|', 'g', 'p', '$'])
                || before.bytes().all(|b| b.is_ascii_digit());
            is_flag.then(|| command.get(at + 2..)).flatten().map(str::trim)
        })
        .collect()
}

/// `awk program files`.
pub(super) fn awk(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, rule, args, stdin } = call;
    let argv = sort(rule, args, Until::End);
    machine.found.effect(Effect::Read);
    let mut files = argv.operands.as_slice();
    let from_file = argv.options.iter().find(|given| given.opt.value == Some(Role::Run));
    if let Some(file) = from_file.and_then(|given| given.value.as_ref()) {
        if code::is_stdin(file) {
            code::run_code(machine, by, "awk", stdin);
        } else {
            code::run_file(machine, by, file, Some("awk"));
        }
    } else if let Some((program, rest)) = files.split_first() {
        files = rest;
        let text = program.text.as_str();
        let runs = text.contains("system(")
            || text.contains("getline")
            || text.contains("| \"")
            || text.contains("|\"")
            || text.contains("/inet/");
        if runs || text.contains("> \"") || text.contains(">\"") {
            code::run_code(machine, by, "awk", &program.stream());
        } else if !program.known && (program.taint.is_remote() || !program.taint.files.is_empty()) {
            machine.found.opaque();
        }
    }
    let mut out = Stream { text: None, taint: stdin.taint.clone() };
    for file in files.iter().filter(|file| !file.text.contains('=')) {
        out.taint.absorb(&machine.read_file(by, file, true).taint);
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_e_command_and_flag_run() {
        for script in ["s/.*/date/e", "1e touch x", "e date", "s|a|b|ge", "/x/e", "2,$e"] {
            assert!(runs(script), "{script}");
        }
        for script in ["s/a/e/", "s/one/the/g", "/e/d", "s/x/y/;p", "1,5p", "s/edge/e/g"] {
            assert!(!runs(script), "{script}");
        }
    }

    #[test]
    fn written_files_are_found() {
        assert_eq!(targets("s/a/b/w /etc/motd"), ["/etc/motd"]);
        assert_eq!(targets("w /tmp/x"), ["/tmp/x"]);
        assert!(targets("s/new /old /").is_empty());
    }
}
