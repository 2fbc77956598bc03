//! Programs whose arguments follow no scheme that the table could say.

mod archive;
mod copy;
mod decode;
mod echo;
mod editor;
mod find;
mod remote;
mod rewrite;
mod shell;
mod stream;

use circinus_core::action::Tier;
use circinus_core::effect::Effect;

use super::apply::Run;
use super::argv::Argv;
use super::machine::Machine;
use super::table::{Rule, Special, lookup};
use super::value::{Arg, Stream};
use super::{git, guard, unlisted};

pub(super) use shell::is_name;

/// A program with its arguments and its input, on its way to be understood.
#[derive(Clone, Copy)]
pub(super) struct Call<'c> {
    /// Base name, with the subcommands: `git push`.
    pub(super) by: &'c str,
    pub(super) rule: &'static Rule,
    pub(super) args: &'c [Arg],
    pub(super) stdin: &'c Stream,
}

/// Takes over programs that are nothing but special; `None` leaves them to the table.
pub(super) fn before(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    match call.rule.special {
        Special::Assign => shell::assign(machine, call),
        Special::Cd => shell::cd(machine, call),
        Special::Circinus => guard::circinus(machine, call),
        Special::CommandQuery => shell::command(machine, call),
        Special::Docker => remote::container(machine, call),
        Special::Echo => echo::print(machine, call),
        Special::Editor => editor::scripts(machine, call),
        Special::Env => shell::env(machine, call),
        Special::Eval => shell::eval(machine, call),
        Special::Fd => find::batch(machine, call),
        Special::Find => find::walk(machine, call),
        Special::GhApi => git::api_reads(machine, call),
        Special::GitConfig => git::config(machine, call),
        Special::Discard => git::discard(machine, call),
        Special::Inner => Some(inner(machine, call)),
        Special::Kill => guard::kill(machine, call),
        Special::Make => editor::make(machine, call),
        Special::Mktemp => shell::mktemp(machine, call),
        Special::Netcat => remote::probe(machine, call),
        Special::Npx => shell::package_runner(machine, call),
        Special::Printenv => shell::printenv(machine, call),
        Special::Python => shell::python(machine, call),
        Special::Read => shell::read(machine, call),
        Special::Rsync => remote::copy(machine, call),
        Special::Sed => stream::sed(machine, call),
        Special::Awk => stream::awk(machine, call),
        Special::Socat => remote::relay(machine, call),
        Special::Source => shell::source(machine, call),
        Special::Ssh => remote::ssh(machine, call),
        Special::Sudo => shell::wrapper(machine, call),
        Special::Tar => archive::tar(machine, call),
        Special::Terminal => {
            guard::terminal(machine, call);
            None
        }
        Special::Test => Some(shell::nothing(machine)),
        Special::Words => shell::words(machine, call),
        Special::Xargs => find::xargs(machine, call),
        Special::None
        | Special::Clone
        | Special::Copy
        | Special::Decode
        | Special::DeleteAll
        | Special::Download
        | Special::Link
        | Special::Push
        | Special::Rewrite
        | Special::Stage => None,
    }
}

/// Adds what follows from all operands together.
pub(super) fn operands_done(machine: &mut Machine<'_>, rule: &'static Rule, argv: &Argv, run: &mut Run<'_>) {
    match rule.special {
        Special::Clone => git::clone_target(machine, argv, run),
        Special::Copy | Special::Link => copy::targets(machine, rule, argv, run),
        Special::Decode => decode::restored(argv, run),
        Special::Rewrite => rewrite::rewritten(argv, run),
        Special::Stage => git::stage(machine, argv),
        Special::Push => run.outgoing.absorb(&machine.staged.clone()),
        Special::Download => archive::downloads(argv, run),
        Special::DeleteAll => guard::delete_all(machine, argv, run),
        _ => {}
    }
}

/// A wrapper whose own words are not told from those of the command in it.
fn inner(machine: &mut Machine<'_>, call: Call<'_>) -> Stream {
    let Call { by, rule, args, stdin } = call;
    machine.found.raise(rule.tier);
    machine.found.effect(Effect::Exec);
    shell::inline(machine, call);
    let program = args.iter().position(|arg| arg.known && lookup(unlisted::base(&arg.text)).is_some());
    if rule.runs {
        machine.runs_workspace(by);
    } else if let Some(at) = program {
        machine.program(args.get(at..).unwrap_or_default().to_vec(), stdin.clone());
    } else if args.iter().any(|arg| !arg.known) {
        machine.found.opaque_by("which program runs is not known");
    }
    machine.unlisted(by, args, stdin)
}

/// Observing costs nothing.
fn observes(machine: &mut Machine<'_>) -> Stream {
    machine.found.effect(Effect::Read);
    machine.found.raise(Tier::T0);
    Stream::default()
}
