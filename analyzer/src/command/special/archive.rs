//! Archives and downloads: where the bytes come to lie.

use circinus_core::action::Tier;
use circinus_core::effect::Effect;

use super::super::apply::Run;
use super::super::argv::{Argv, Until, sort};
use super::super::code;
use super::super::machine::Machine;
use super::super::table::Role;
use super::super::value::{Arg, Stream};
use super::Call;

/// `tar`: what it does is a letter among its options, dash or not.
pub(super) fn tar(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, rule, args, stdin } = call;
    let mut args = args.to_vec();
    if let Some(first) = args.first_mut().filter(|first| first.known && !first.text.starts_with('-')) {
        first.text.insert(0, '-');
    }
    let letters: String = args
        .iter()
        .filter(|arg| arg.text.starts_with('-') && !arg.text.starts_with("--"))
        .map(|arg| arg.text.as_str())
        .collect();
    let long = |name: &str| args.iter().any(|arg| arg.text.len() > 3 && name.starts_with(&arg.text));
    let extracts = letters.contains('x') || long("--extract") || long("--get");
    let creates = letters.contains(['c', 'r', 'u']) || long("--create") || long("--append");
    let argv = sort(rule, &args, Until::End);
    machine.found.effect(Effect::Read);
    let value = |name: &str| {
        argv.options
            .iter()
            .find(|given| given.opt.names.contains(&name))
            .and_then(|given| given.value.clone())
    };
    for given in &argv.options {
        machine.found.raise(given.opt.tier);
        given.opt.effects.iter().for_each(|effect| machine.found.effect(*effect));
        if let (Some(Role::Shell), Some(command)) = (given.opt.value, &given.value) {
            code::run_code(machine, by, "shell", &command.stream());
        }
    }
    for arg in args.iter().filter_map(|arg| arg.strip("--checkpoint-action=exec=")) {
        machine.text_value(&arg);
    }
    let archive = value("-f").filter(|file| file.text != "-");
    let host = archive.as_ref().and_then(|file| file.text.split_once(':')).map(|(host, _)| host);
    if host.is_some_and(|host| host.len() > 1 && !host.contains('/')) {
        // An archive with a colon is one of another host (tar(1), --force-local).
        machine.found.effect(Effect::Send);
        machine.found.raise(Tier::T2);
    }
    if extracts {
        let source = match &archive {
            Some(file) => machine.read_file(by, file, false),
            None => stdin.clone(),
        };
        let target = value("-C").unwrap_or_else(|| Arg::literal("."));
        machine.fill_tree(by, &target, &source);
        return Some(Stream::unknown(source.taint));
    }
    let mut out = Stream::default();
    for file in &argv.operands {
        out.taint.absorb(&machine.read_file(by, file, archive.is_none()).taint);
    }
    match archive {
        Some(file) if creates => {
            machine.write_file(by, &file, &out, false);
            Some(Stream::default())
        }
        Some(file) => Some(machine.read_file(by, &file, true)),
        None => Some(out),
    }
}

/// A download without a name for the file takes the last part of the address.
pub(super) fn downloads(argv: &Argv, run: &mut Run<'_>) {
    let has = |name: &str| argv.options.iter().any(|given| given.opt.names.contains(&name));
    let named = argv.options.iter().any(|given| given.opt.value == Some(Role::Write));
    let wget = run.by == "wget";
    if named || !wget && !has("-O") {
        return;
    }
    let directory = argv
        .options
        .iter()
        .find(|given| given.opt.names.contains(&"-P"))
        .and_then(|given| given.value.clone());
    for url in &argv.operands {
        let path =
            url.text.split("://").last().unwrap_or_default().split(['?', '#']).next().unwrap_or_default();
        let name = path
            .split_once('/')
            .and_then(|(_, path)| path.rsplit('/').next())
            .filter(|name| !name.is_empty());
        let name = name.unwrap_or("index.html");
        let target = match &directory {
            Some(directory) => directory.with_text(&format!("{}/{name}", directory.text)),
            None => url.with_text(name),
        };
        run.outputs.push((target, false));
    }
}
