//! `cp`, `mv`, `install`, `ln`: where the copy comes to lie.

use super::super::apply::Run;
use super::super::argv::Argv;
use super::super::machine::Machine;
use super::super::table::{Role, Rule, Special};
use super::super::value::Arg;

/// The files that are written. A target that may be a directory stands for the file in it as well.
pub(super) fn targets(machine: &mut Machine<'_>, rule: &'static Rule, argv: &Argv, run: &mut Run<'_>) {
    let directory = argv
        .options
        .iter()
        .find(|given| given.opt.value == Some(Role::Tree))
        .and_then(|given| given.value.clone());
    run.outputs.clear();
    let (sources, target) = match (&directory, argv.operands.split_last()) {
        (Some(directory), _) => (argv.operands.as_slice(), directory.clone()),
        (None, Some((target, sources))) if !sources.is_empty() => (sources, target.clone()),
        // `ln -s target` links into the working directory.
        (None, Some((_, _))) if rule.special == Special::Link => {
            (argv.operands.as_slice(), Arg::literal("."))
        }
        _ => return,
    };
    let recursive = run.recursive || argv.options.iter().any(|given| given.opt.names.contains(&"-a"));
    let is_directory = directory.is_some()
        || sources.len() > 1
        || target.text.ends_with('/')
        || matches!(target.text.as_str(), "." | "..");
    if !is_directory {
        run.outputs.push((target.clone(), recursive));
    }
    for source in sources {
        if run.by == "mv" {
            moved(machine, source);
        }
        let name = source.text.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        if !name.is_empty() && !source.glob && (is_directory || !target.text.contains('.')) {
            let inside = target.with_text(&format!("{}/{name}", target.text.trim_end_matches('/')));
            run.outputs.push((Arg { known: target.known && source.known, ..inside }, recursive));
        }
    }
    if is_directory && run.outputs.is_empty() {
        run.outputs.push((target, true));
    }
}

/// What is moved is gone from where it was.
fn moved(machine: &mut Machine<'_>, source: &Arg) {
    let place = machine.place(source);
    if place.guard || place.hooks {
        machine.found.guard();
    }
    if place.vital {
        machine.found.catastrophe();
    }
}
