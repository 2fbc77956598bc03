//! Programs whose arguments follow no scheme that the table could say.

mod archive;
mod copy;
mod echo;
mod editor;
mod find;
mod remote;
mod shell;
mod stream;

use circinus_core::action::Tier;
use circinus_core::effect::Effect;

use super::apply::Run;
use super::argv::Argv;
use super::machine::Machine;
use super::table::{Rule, Special};
use super::value::{Arg, Stream};
use super::{git, guard};

/// Takes over programs that are nothing but special; `None` leaves them to the table.
pub(super) fn before(
    machine: &mut Machine<'_>,
    by: &str,
    rule: &'static Rule,
    args: &[Arg],
    stdin: &Stream,
) -> Option<Stream> {
    match rule.special {
        Special::Assign => shell::assign(machine, by, args),
        Special::Cd => shell::cd(machine, args),
        Special::Circinus => guard::circinus(machine, args),
        Special::CommandQuery => shell::command(machine, rule, args, stdin),
        Special::Docker => remote::container(machine, by, rule, args, stdin),
        Special::Echo => echo::print(machine, by, args),
        Special::Editor => editor::scripts(machine, by, args),
        Special::Env => shell::env(machine, rule, args, stdin),
        Special::Eval => shell::eval(machine, by, args),
        Special::Fd => find::batch(machine, rule, args, stdin),
        Special::Find => find::walk(machine, by, args, stdin),
        Special::GhApi => git::api_reads(machine, args, stdin),
        Special::GitConfig => git::config(machine, args),
        Special::Discard => git::discard(machine, by, args),
        Special::Inner => {
            machine.found.raise(rule.tier);
            machine.found.effect(Effect::Exec);
            Some(machine.unlisted(by, args, stdin))
        }
        Special::Kill => guard::kill(machine, args),
        Special::Make => editor::make(machine, by, rule, args, stdin),
        Special::Mktemp => shell::mktemp(machine, args),
        Special::Netcat => remote::probe(machine, by, rule, args, stdin),
        Special::Npx => shell::package_runner(machine, rule, args, stdin),
        Special::Printenv => shell::printenv(machine, args),
        Special::Python => shell::python(machine, by, args, stdin),
        Special::Read => shell::read(machine, args, stdin),
        Special::Rsync => remote::copy(machine, by, rule, args, stdin),
        Special::Sed => stream::sed(machine, by, rule, args, stdin),
        Special::Awk => stream::awk(machine, by, rule, args, stdin),
        Special::Source => shell::source(machine, by, args),
        Special::Ssh => remote::ssh(machine, by, rule, args, stdin),
        Special::Sudo => shell::wrapper(machine, rule, args, stdin),
        Special::Tar => archive::tar(machine, by, rule, args, stdin),
        Special::Terminal => {
            guard::terminal(machine, args);
            None
        }
        Special::Test => Some(shell::nothing(machine)),
        Special::Words => shell::words(machine, by, rule, args),
        Special::Xargs => find::xargs(machine, by, rule, args, stdin),
        Special::None
        | Special::Clone
        | Special::Copy
        | Special::DeleteAll
        | Special::Download
        | Special::Link => None,
    }
}

/// Adds what follows from all operands together.
pub(super) fn operands_done(machine: &mut Machine<'_>, rule: &'static Rule, argv: &Argv, run: &mut Run<'_>) {
    match rule.special {
        Special::Clone => git::clone_target(machine, argv, run),
        Special::Copy | Special::Link => copy::targets(machine, rule, argv, run),
        Special::Download => archive::downloads(argv, run),
        Special::DeleteAll => guard::delete_all(machine, argv, run),
        _ => {}
    }
}

/// Observing costs nothing.
fn observes(machine: &mut Machine<'_>) -> Stream {
    machine.found.effect(Effect::Read);
    machine.found.raise(Tier::T0);
    Stream::default()
}
