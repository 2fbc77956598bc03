//! `circinus approve | endorse | revoke | trust | ack | profile`: what a person states about authority.
//!
//! Each shows what it would mean on the person's own terminal and is recorded when the challenge beside it
//! was typed there. The daemon resolves the words and looks for itself who asks.

use std::env;
use std::io;

use clap::Args;
use serde_json::json;
use thiserror::Error;

use super::Context;
use super::daemon::{AskError, ask, ensure, place};
use crate::daemon::{ControlReply, ControlRequest, Proposal};
use crate::exit::Exit;
use crate::ui::{Cell, Style, Table, Terminal, Ui};

/// Arguments of `circinus approve`.
#[derive(Debug, Args)]
pub struct ApproveArgs {
    /// The decision that asked, such as d42.
    decision: String,
    #[command(flatten)]
    common: CommonArgs,
}

/// Arguments of `circinus endorse`.
#[derive(Debug, Args)]
#[command(after_help = "\
JSON (schema 1; fields are only added): schema, id, text, author; one object for
each statement in force.")]
pub struct EndorseArgs {
    /// A URL, host, package, address, image, remote, path, file, artifact (a17) or digest; without it, what is
    /// in force is listed.
    subject: Option<String>,
    /// What it may cause, for example FETCH,INSTALL.
    #[arg(long, value_delimiter = ',')]
    effects: Vec<String>,
    /// Where that holds: once, session or workspace.
    #[arg(long, default_value = "session")]
    scope: String,
    /// The session meant by `--scope session`; the newest of this workspace by default.
    #[arg(long)]
    session: Option<String>,
    /// How many hours it holds; for ever by default.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    hours: Option<u32>,
    /// The adverse judgement that you have read, such as v12.
    #[arg(long, value_name = "EVIDENCE")]
    acknowledge: Option<String>,
    /// List as JSON, one object per line.
    #[arg(long, conflicts_with = "subject")]
    json: bool,
    #[command(flatten)]
    common: CommonArgs,
}

/// Arguments of `circinus revoke`.
#[derive(Debug, Args)]
pub struct RevokeArgs {
    /// What was stated, such as e7.
    act: String,
    #[command(flatten)]
    common: CommonArgs,
}

/// Arguments of `circinus trust`.
#[derive(Debug, Args)]
pub struct TrustArgs {
    /// The directory.
    directory: String,
    #[command(flatten)]
    common: CommonArgs,
}

/// Arguments of `circinus ack`.
#[derive(Debug, Args)]
pub struct AckArgs {
    /// An artifact such as a17, or the digest of a content.
    subject: String,
    #[command(flatten)]
    common: CommonArgs,
}

/// Arguments of `circinus profile`.
#[derive(Debug, Args)]
pub struct ProfileArgs {
    /// realtime, balanced, strict, critical, or `configured` for that of the configuration file; without it,
    /// the profile in force is shown.
    name: Option<String>,
    #[command(flatten)]
    common: CommonArgs,
}

/// What all of them take.
#[derive(Clone, Copy, Debug, Args)]
struct CommonArgs {
    /// Show what it would mean and record nothing.
    #[arg(long)]
    dry_run: bool,
}

impl ApproveArgs {
    /// To approve one decision.
    #[must_use]
    pub const fn of(decision: String) -> Self {
        Self { decision, common: CommonArgs { dry_run: false } }
    }
}

impl EndorseArgs {
    /// To endorse a subject for one effect, in the newest session of the workspace.
    #[must_use]
    pub fn of(subject: String, effect: String) -> Self {
        Self {
            subject: Some(subject),
            effects: vec![effect],
            scope: "session".to_owned(),
            session: None,
            hours: None,
            acknowledge: None,
            json: false,
            common: CommonArgs { dry_run: false },
        }
    }
}

/// Why nothing was stated.
#[derive(Debug, Error)]
enum StateError {
    #[error("this needs a terminal, so that you can answer ({0}); hint: run it in a terminal of your own")]
    NoTerminal(io::Error),
    #[error("your terminal cannot be used: {0}; hint: run it in another terminal of your own")]
    Terminal(io::Error),
    #[error("the working directory is unknown: {0}; hint: change into one that is there")]
    NoDirectory(io::Error),
    #[error("the daemon did not start: {0}; hint: run `circinus doctor`")]
    NoDaemon(io::Error),
    #[error(transparent)]
    Ask(#[from] AskError),
    #[error("{0}")]
    Refused(String),
    #[error(
        "the daemon answered something else; hint: is an older daemon running? run `circinus daemon stop`"
    )]
    Other,
}

/// Runs `circinus approve`.
pub fn approve(args: ApproveArgs, context: &Context, ui: &mut Ui) -> Exit {
    state(Proposal::Approve { decision: args.decision }, args.common, context, ui)
}

/// Runs `circinus endorse`.
pub fn endorse(args: EndorseArgs, context: &Context, ui: &mut Ui) -> Exit {
    let Some(subject) = args.subject else { return report(list(args.json, context, ui), ui) };
    let cwd = match here() {
        Ok(cwd) => cwd,
        Err(error) => return report(Err(error), ui),
    };
    let proposal = Proposal::Endorse {
        subject,
        effects: args.effects,
        scope: args.scope,
        session: args.session,
        expires_s: args.hours.map(|hours| u64::from(hours) * 3_600),
        acknowledge: args.acknowledge,
        cwd,
    };
    state(proposal, args.common, context, ui)
}

/// Runs `circinus revoke`.
pub fn revoke(args: RevokeArgs, context: &Context, ui: &mut Ui) -> Exit {
    state(Proposal::Revoke { act: args.act }, args.common, context, ui)
}

/// Runs `circinus trust`.
pub fn trust(args: TrustArgs, context: &Context, ui: &mut Ui) -> Exit {
    match here() {
        Ok(cwd) => state(Proposal::Trust { path: args.directory, cwd }, args.common, context, ui),
        Err(error) => report(Err(error), ui),
    }
}

/// Runs `circinus ack`.
pub fn ack(args: AckArgs, context: &Context, ui: &mut Ui) -> Exit {
    match here() {
        Ok(cwd) => state(Proposal::Acknowledge { subject: args.subject, cwd }, args.common, context, ui),
        Err(error) => report(Err(error), ui),
    }
}

/// Runs `circinus profile`.
pub fn profile(args: ProfileArgs, context: &Context, ui: &mut Ui) -> Exit {
    match args.name {
        None => report(show_profile(context, ui), ui),
        Some(name) => {
            let name = (name != "configured").then_some(name);
            state(Proposal::Profile { name }, args.common, context, ui)
        }
    }
}

fn here() -> Result<String, StateError> {
    let cwd = env::current_dir().map_err(StateError::NoDirectory)?;
    Ok(cwd.to_string_lossy().into_owned())
}

fn state(proposal: Proposal, common: CommonArgs, context: &Context, ui: &mut Ui) -> Exit {
    report(propose(proposal, common.dry_run, context, ui), ui)
}

fn report(done: Result<(), StateError>, ui: &mut Ui) -> Exit {
    match done {
        Ok(()) => Exit::Ok,
        Err(error) => {
            ui.error(&error);
            match error {
                StateError::NoDaemon(_) => Exit::NotRunning,
                StateError::Ask(error) => error.exit(),
                StateError::Other => Exit::Internal,
                StateError::NoTerminal(_)
                | StateError::Terminal(_)
                | StateError::NoDirectory(_)
                | StateError::Refused(_) => Exit::Refused,
            }
        }
    }
}

fn propose(proposal: Proposal, dry_run: bool, context: &Context, ui: &mut Ui) -> Result<(), StateError> {
    let mut terminal = Terminal::open().map_err(StateError::NoTerminal)?;
    ensure(context).map_err(StateError::NoDaemon)?;
    let place = place(context);
    let (shown, challenge) = match ask(&place, &ControlRequest::Propose { proposal })? {
        ControlReply::Proposed { shown, challenge } => (shown, challenge),
        ControlReply::Refused { reason } => return Err(StateError::Refused(reason)),
        _ => return Err(StateError::Other),
    };
    terminal.show(&shown).map_err(StateError::Terminal)?;
    if dry_run {
        ui.line("Nothing was recorded (--dry-run).");
        return Ok(());
    }
    let typed = terminal.ask(&format!("Type {challenge} to confirm:")).map_err(StateError::Terminal)?;
    match ask(&place, &ControlRequest::Confirm { typed })? {
        ControlReply::Stated { id, line } => {
            ui.line(format_args!("{id}: {line}."));
            Ok(())
        }
        ControlReply::Refused { reason } => Err(StateError::Refused(reason)),
        _ => Err(StateError::Other),
    }
}

fn list(json: bool, context: &Context, ui: &mut Ui) -> Result<(), StateError> {
    match ask(&place(context), &ControlRequest::Statements)? {
        ControlReply::Statements { rows } if json => {
            for [id, text, author] in rows {
                ui.line(json!({ "schema": 1, "id": id, "text": text, "author": author }));
            }
        }
        ControlReply::Statements { rows } if rows.is_empty() => ui.line("Nothing is endorsed."),
        ControlReply::Statements { rows } => {
            let mut table = Table::new();
            for [id, line, author] in rows {
                table.row([
                    Cell::new(id, Style::Strong),
                    Cell::new(line, Style::Plain),
                    Cell::new(author, Style::Dim),
                ]);
            }
            ui.table(&table);
        }
        _ => return Err(StateError::Other),
    }
    Ok(())
}

fn show_profile(context: &Context, ui: &mut Ui) -> Result<(), StateError> {
    match ask(&place(context), &ControlRequest::Status)? {
        ControlReply::Status(status) => ui.line(status.profile),
        _ => return Err(StateError::Other),
    }
    Ok(())
}
