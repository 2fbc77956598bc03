//! The commands: one file each; parse, call, render.

pub mod analyze;
pub mod backup;
pub mod completions;
pub mod config;
pub mod daemon;
pub mod demo;
pub mod doctor;
pub mod erase;
pub mod explain;
pub mod export;
pub mod fail_safe;
pub mod log;
pub mod replay;
pub mod session;
pub mod setup;
pub mod state;
pub mod status;
pub mod telemetry;
pub mod uninstall;
pub mod verify;
pub mod watch;

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::panic::catch_unwind;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::adapter::claude_code::response::HookOutput;
use crate::config::{CommandOverlay, Places};
use crate::daemon::Site;
use crate::exit::Exit;
use crate::ui::{ColorChoice, Ui};

/// A local-first security runtime for coding agents.
#[derive(Debug, Parser)]
#[command(name = "circinus", version, about, after_help = Exit::table(), disable_help_subcommand = true)]
struct Cli {
    /// When to use colour: auto (on a terminal, unless NO_COLOR is set), always or never.
    #[arg(long, value_enum, default_value_t = ColorChoice::Auto, global = true, hide_possible_values = true)]
    color: ColorChoice,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Register the hook with Claude Code.
    Setup(setup::SetupArgs),
    /// Remove exactly what `setup` added.
    Uninstall(uninstall::UninstallArgs),
    /// Play a hostile page against the gate, with a daemon of its own.
    Demo,
    /// Start, stop or run the daemon.
    Daemon(daemon::DaemonArgs),
    /// Show how Circinus is.
    Status(status::StatusArgs),
    /// Check the installation, with a live test of the hook.
    Doctor(doctor::DoctorArgs),
    /// Explain a decision: which source, which way, which rule.
    Explain(explain::ExplainArgs),
    /// List what was recorded.
    Log(log::LogArgs),
    /// Show what would have been interrupted in your own past sessions.
    Replay(replay::ReplayArgs),
    /// Watch what happens, as it happens.
    Watch(watch::WatchArgs),
    /// Write the log for other tools: JSON Lines, PROV-JSON, SARIF, OpenTelemetry.
    Export(export::ExportArgs),
    /// Show a session: what entered, what it led to, what was decided.
    Session(session::SessionArgs),
    /// Check the whole log, and the daemon's index against it.
    Verify(verify::VerifyArgs),
    /// Copy everything recorded into a new file; the daemon may run.
    Backup(backup::BackupArgs),
    /// Put a copy in the place of what is recorded, which is kept; no daemon may run.
    Restore(backup::RestoreArgs),
    /// Erase recorded texts; hashes, operands and decisions stay. No daemon may run.
    Erase(erase::EraseArgs),
    /// Show how a command is understood; needs no daemon.
    Analyze(analyze::AnalyzeArgs),
    /// Let one action run that was asked about or refused for want of an answer, once.
    Approve(state::ApproveArgs),
    /// Let a value or a file cause more than its sources allow; list what is endorsed.
    Endorse(state::EndorseArgs),
    /// Take back what was stated.
    Revoke(state::RevokeArgs),
    /// Let what is in a directory now count as your own.
    Trust(state::TrustArgs),
    /// Say that a content is harmless, whatever analysis says.
    Ack(state::AckArgs),
    /// Show or choose how much you want to be asked.
    Profile(state::ProfileArgs),
    /// Show, change or explain the configuration.
    Config(config::ConfigArgs),
    /// Show what the telemetry channel would send; it is off by default.
    Telemetry(telemetry::TelemetryArgs),
    /// Print the completion script of a shell.
    Completions(completions::CompletionsArgs),
    /// Answer a hook when no daemon does (run by circinus-hook).
    #[command(hide = true)]
    FailSafe,
}

/// What every command needs to know of its environment.
#[derive(Debug)]
pub struct Context {
    /// Where Circinus keeps its files.
    pub places: Places,
    /// Facts about the user and the machine.
    pub site: Site,
}

/// Parses and runs one command line.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> Exit {
    let arguments: Vec<_> = arguments.into_iter().collect();
    let parsed = command_line().color(help_color(&arguments)).try_get_matches_from(arguments);
    let cli = match parsed.and_then(|parsed| Cli::from_arg_matches(&parsed)) {
        Ok(cli) => cli,
        Err(error) => {
            // clap prints help to standard output and errors to standard error; a closed stream changes nothing.
            let printed = error.print();
            return if error.use_stderr() || printed.is_err() { Exit::Refused } else { Exit::Ok };
        }
    };
    let mut ui = Ui::stdio(cli.color, &|name| env::var_os(name));
    let exit = match (cli.command, context()) {
        // What only reads its arguments works without a home, too.
        (Command::Analyze(args), context) => analyze::run(&args, context.ok().as_ref(), &mut ui),
        (Command::Completions(args), _) => completions::run(&args, &mut ui),
        (command, Ok(context)) => run(command, &context, &mut ui),
        (_, Err(error)) => {
            ui.error(&error);
            Exit::Refused
        }
    };
    match ui.finish() {
        Ok(()) => exit,
        // The reader of a pipe has gone: that is no failure of ours.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => exit,
        Err(_) => exit.and(Exit::CannotWrite),
    }
}

/// The command line as clap knows it, for help, completions, manual pages and the reference.
#[must_use]
pub fn command_line() -> clap::Command {
    Cli::command()
}

/// What `--color` says of the texts that clap prints before it has understood the command line.
fn help_color(arguments: &[OsString]) -> clap::ColorChoice {
    let words = arguments.iter().filter_map(|word| word.to_str()).take_while(|word| *word != "--");
    let mut told = clap::ColorChoice::Auto;
    let mut before = "";
    for word in words {
        let value = word.strip_prefix("--color=").or((before == "--color").then_some(word));
        told = match value {
            Some("always") => clap::ColorChoice::Always,
            Some("never") => clap::ColorChoice::Never,
            _ => told,
        };
        before = word;
    }
    told
}

fn run(command: Command, context: &Context, ui: &mut Ui) -> Exit {
    match command {
        Command::Setup(args) => setup::run(args, ui),
        Command::Uninstall(args) => uninstall::run(args, ui),
        Command::Demo => demo::run(ui),
        Command::Daemon(args) => daemon::run(&args, context, ui),
        Command::Status(args) => status::run(&args, context, ui),
        Command::Doctor(args) => doctor::run(&args, context, ui),
        Command::Explain(args) => explain::run(&args, context, ui),
        Command::Log(args) => log::run(&args, context, ui),
        Command::Replay(args) => replay::run(&args, context, ui),
        Command::Watch(args) => watch::run(&args, context, ui),
        Command::Export(args) => export::run(&args, context, ui),
        Command::Session(args) => session::run(&args, context, ui),
        Command::Config(args) => config::run(&args, context, ui),
        Command::Telemetry(args) => telemetry::run(&args, context, ui),
        Command::Completions(args) => completions::run(&args, ui),
        Command::Verify(args) => verify::run(&args, context, ui),
        Command::Backup(args) => backup::backup(&args, context, ui),
        Command::Restore(args) => backup::restore(&args, context, ui),
        Command::Erase(args) => erase::run(&args, context, ui),
        Command::Analyze(args) => analyze::run(&args, Some(context), ui),
        Command::Approve(args) => state::approve(args, context, ui),
        Command::Endorse(args) => state::endorse(args, context, ui),
        Command::Revoke(args) => state::revoke(args, context, ui),
        Command::Trust(args) => state::trust(args, context, ui),
        Command::Ack(args) => state::ack(args, context, ui),
        Command::Profile(args) => state::profile(args, context, ui),
        Command::FailSafe => fail_safe(context, ui),
    }
}

/// INVARIANT (no-silent-pass): whatever goes wrong here ends as exit code 2, the one code that blocks.
fn fail_safe(context: &Context, ui: &mut Ui) -> Exit {
    let answered = catch_unwind(|| fail_safe::run(&context.places, &context.site));
    let HookOutput { exit, stdout, stderr } =
        answered.unwrap_or_else(|_| HookOutput::refuse("the fail-safe failed; hint: run `circinus doctor`"));
    let mut err = io::stderr().lock();
    if err.write_all(stderr.as_bytes()).is_err() {
        return Exit::Refused;
    }
    ui.raw(stdout);
    match exit {
        0 => Exit::Ok,
        1 => Exit::Findings,
        _ => Exit::Refused,
    }
}

/// Reads the environment, once.
fn context() -> Result<Context, Box<dyn std::error::Error>> {
    let environment = |name: &str| env::var_os(name);
    let places = Places::resolve(&environment)?;
    let text = |value: Option<OsString>| value.as_deref().and_then(OsStr::to_str).map(Box::<str>::from);
    let home = text(env::var_os("HOME")).unwrap_or_default();
    let host_config = text(env::var_os("CLAUDE_CONFIG_DIR"));
    let host_config_dirs = host_config.into_iter().chain([format!("{home}/.claude").into()]).collect();
    let temp_dirs = text(env::var_os("TMPDIR")).into_iter().chain(["/tmp".into()]).collect();
    let circinus_home = places.home().to_string_lossy().into();
    let commands = CommandOverlay::load(places.home());
    Ok(Context { places, site: Site { home, circinus_home, host_config_dirs, temp_dirs, commands } })
}
