//! `circinus session [ID]`: what entered a session, from where, what it led to, and what was decided.

mod read;
mod show;

use std::env;

use circinus_store::limits::PAGE_ROWS_MAX;
use circinus_store::query::StoredSession;
use circinus_store::{OpenError, QueryError, Reader};
use clap::Args;
use thiserror::Error;

use self::read::Account;
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
    if args.list {
        let mut newest = reader.sessions("", args.last as usize)?;
        newest.reverse();
        show::list(&newest, args.json, ui);
        return Ok(());
    }
    let begun = reader.sessions(args.id.as_deref().unwrap_or_default(), PAGE_ROWS_MAX)?;
    let chosen = choose(begun, args.id.as_deref(), &here(context))?;
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

/// The session that is meant, of those whose ids begin as asked, newest first.
fn choose(
    mut begun: Vec<StoredSession>,
    id: Option<&str>,
    workspace: &str,
) -> Result<StoredSession, SessionError> {
    let meant = |session: &StoredSession| match id {
        Some(id) => session.opened.session.as_str() == id,
        None => session.opened.workspace.as_str() == workspace,
    };
    let exact = begun.iter().position(meant);
    match (exact, id, begun.len()) {
        (Some(at), ..) => Ok(begun.swap_remove(at)),
        (None, None, 1..) | (None, Some(_), 1) => Ok(begun.swap_remove(0)),
        (None, None, 0) => Err(SessionError::NoneYet),
        (None, Some(id), 0) => Err(SessionError::Unknown(escape_untrusted(id))),
        (None, Some(id), 2..) => Err(SessionError::Ambiguous(escape_untrusted(id))),
    }
}

#[cfg(test)]
mod tests {
    use circinus_core::event::SessionOpened;
    use circinus_core::id::{EventSeq, SessionId, WorkspaceId};
    use circinus_core::time::UnixMillis;

    use super::*;

    fn session(id: &str, workspace: &str) -> StoredSession {
        let opened = SessionOpened {
            session: SessionId::new(id),
            root: SessionId::new(id),
            workspace: WorkspaceId::new(workspace),
            host_version: None,
            repository: None,
        };
        StoredSession { first: EventSeq(1), opened_at: UnixMillis(0), opened, closed_at: None }
    }

    #[test]
    fn a_session_is_chosen_by_id_by_its_beginning_or_by_the_workspace() {
        let all = || vec![session("ab", "/y"), session("ab2", "/w"), session("ab1", "/w")];
        let chosen = |id, workspace| {
            choose(all(), id, workspace).map(|session| session.opened.session.as_str().to_owned()).ok()
        };
        assert_eq!(chosen(None, "/w").unwrap(), "ab2", "the newest of the workspace");
        assert_eq!(chosen(None, "/elsewhere").unwrap(), "ab", "the newest");
        assert_eq!(chosen(Some("ab"), "/w").unwrap(), "ab", "an exact id wins");
        assert!(matches!(choose(all(), Some("a"), ""), Err(SessionError::Ambiguous(_))));
        assert!(matches!(choose(Vec::new(), Some("z"), ""), Err(SessionError::Unknown(_))));
        assert!(matches!(choose(Vec::new(), None, ""), Err(SessionError::NoneYet)));
        let one = choose(vec![session("c1", "/x")], Some("c"), "/w").unwrap();
        assert_eq!(one.opened.session.as_str(), "c1");
    }
}
