//! `circinus session [ID]`: what entered a session, from where, what it led to, and what was decided.

mod read;
mod show;

use std::env;

use circinus_core::id::SessionId;
use circinus_store::{OpenError, QueryError, Reader};
use clap::Args;
use thiserror::Error;

use self::read::{Account, Heading};
use super::Context;
use crate::daemon::files::workspace_of;
use crate::exit::Exit;
use crate::ui::{Ui, escape_untrusted};

/// Arguments of `circinus session`.
#[derive(Debug, Args)]
#[command(after_help = "\
JSON (schema 1; fields are only added): schema, session, root (the session whose
view it shares), workspace, repository (head, own), opened_at_ms, closed_at_ms;
without --list also entered_count, entered (id, at_ms, origin, root, label,
evidence, signals, children, decisions), composed_count, decided_count, decided
(id, at_ms, tool, summary, verdict, rules, sources).")]
pub struct SessionArgs {
    /// The session, or how its id begins [default: the newest of this workspace, else the newest].
    id: Option<String>,
    /// List the sessions instead.
    #[arg(long, conflicts_with = "id")]
    list: bool,
    /// How many of the newest entries of each kind to show.
    #[arg(short = 'n', long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..=10_000))]
    last: u32,
    /// Print JSON: one object, or one per session with --list.
    #[arg(long)]
    json: bool,
}

/// Why there is nothing to show.
#[derive(Debug, Error)]
enum SessionError {
    #[error("no session is recorded yet; hint: `circinus doctor` shows whether the hook fires")]
    NoneYet,
    #[error("no session is called `{0}`; hint: `circinus session --list` lists them")]
    Unknown(String),
    #[error("several sessions begin with `{0}`; hint: give more of the id")]
    Ambiguous(String),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// Runs the command.
pub fn run(args: &SessionArgs, context: &Context, ui: &mut Ui) -> Exit {
    match tell(args, context, ui) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            ui.error(&error);
            match error {
                SessionError::Ambiguous(_) => Exit::Refused,
                _ => Exit::Findings,
            }
        }
    }
}

fn tell(args: &SessionArgs, context: &Context, ui: &mut Ui) -> Result<(), SessionError> {
    let reader = Reader::open(&context.places.database)?;
    let headings = read::headings(&reader)?;
    if args.list {
        let newest = headings.len().saturating_sub(args.last as usize);
        show::list(headings.get(newest..).unwrap_or_default(), args.json, ui);
        return Ok(());
    }
    let chosen = choose(&headings, args.id.as_deref(), &here(context))?;
    let account = Account::read(chosen, &reader, args.last as usize)?;
    if args.json {
        show::as_json(&account, ui)
    } else {
        show::for_people(&account, ui)
    }
    Ok(())
}

/// The workspace that the command is run in; empty where the working directory is not known, which is none.
fn here(context: &Context) -> String {
    let cwd = env::current_dir().unwrap_or_default();
    workspace_of(&cwd.to_string_lossy(), &context.site.home)
}

fn choose<'h>(
    headings: &'h [Heading],
    id: Option<&str>,
    workspace: &str,
) -> Result<&'h Heading, SessionError> {
    let Some(id) = id else {
        let of_workspace = headings.iter().rev().find(|heading| heading.workspace.as_str() == workspace);
        return of_workspace.or(headings.last()).ok_or(SessionError::NoneYet);
    };
    let named = |heading: &&Heading| heading.session == SessionId::new(id);
    if let Some(exact) = headings.iter().find(named) {
        return Ok(exact);
    }
    let mut begun = headings.iter().filter(|heading| heading.session.as_str().starts_with(id));
    match (begun.next(), begun.next()) {
        (Some(one), None) => Ok(one),
        (None, _) => Err(SessionError::Unknown(escape_untrusted(id))),
        (Some(_), Some(_)) => Err(SessionError::Ambiguous(escape_untrusted(id))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use circinus_core::id::WorkspaceId;
    use circinus_core::time::UnixMillis;

    fn heading(session: &str, workspace: &str) -> Heading {
        Heading {
            session: SessionId::new(session),
            root: SessionId::new(session),
            workspace: WorkspaceId::new(workspace),
            repository: None,
            opened: UnixMillis(0),
            closed: None,
        }
    }

    #[test]
    fn a_session_is_chosen_by_id_by_its_beginning_or_by_the_workspace() {
        let all = [heading("ab1", "/w"), heading("ab2", "/w"), heading("c", "/x"), heading("ab", "/y")];
        let chosen = |id, workspace| {
            choose(&all, id, workspace).map(|heading| heading.session.as_str().to_owned()).ok()
        };
        assert_eq!(chosen(None, "/w").unwrap(), "ab2");
        assert_eq!(chosen(None, "/elsewhere").unwrap(), "ab");
        assert_eq!(chosen(Some("ab"), "/w").unwrap(), "ab", "an exact id wins");
        assert_eq!(chosen(Some("ab1"), "/x").unwrap(), "ab1");
        assert!(matches!(choose(&all, Some("a"), ""), Err(SessionError::Ambiguous(_))));
        assert!(matches!(choose(&all, Some("z"), ""), Err(SessionError::Unknown(_))));
        assert!(matches!(choose(&[], None, ""), Err(SessionError::NoneYet)));
    }
}
