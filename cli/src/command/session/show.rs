//! Shows sessions, for people and as JSON.

use std::fmt::Display;

use circinus_core::event::SessionOpened;
use circinus_core::evidence::Level;
use circinus_core::id::ArtifactId;
use circinus_core::policy::Verdict;
use circinus_store::query::StoredSession;
use serde_json::{Value, json};

use super::read::{Account, Decided, Entry, Newest};
use crate::reason;
use crate::ui::{Cell, Style, Table, Ui, escape_untrusted, moment};

/// Ids shown in one row; JSON holds all of them.
const IDS_SHOWN_MAX: usize = 8;

/// Digits of a commit that are shown.
const COMMIT_DIGITS: usize = 12;

/// One line per session.
pub(super) fn list(sessions: &[StoredSession], json: bool, ui: &mut Ui) {
    if json {
        sessions.iter().for_each(|session| ui.line(session_json(session)));
        return;
    }
    let mut table = Table::new();
    for StoredSession { opened, opened_at, closed_at, .. } in sessions {
        table.row([
            Cell::from(moment(*opened_at)),
            Cell::from(if closed_at.is_some() { "closed" } else { "open" }),
            Cell::new(escape_untrusted(opened.session.as_str()), Style::Strong),
            Cell::from(escape_untrusted(opened.workspace.as_str())),
        ]);
    }
    ui.table(&table);
}

/// The account as text.
pub(super) fn for_people(account: &Account, ui: &mut Ui) {
    heading(&account.session, ui);
    section(ui, "What entered", &account.entered);
    let mut table = Table::new();
    for entry in &account.entered.kept {
        let style = level_style(entry.level);
        table.row([Cell::new(entry.id.to_string(), Style::Strong), Cell::new(entry_line(entry), style)]);
    }
    ui.table(&table);
    if account.composed > 0 {
        ui.line(format_args!("The agent itself composed {} more.", account.composed));
    }
    section(ui, "What was decided", &account.decided);
    let mut table = Table::new();
    for decided in &account.decided.kept {
        let verdict = decided.record.explanation.verdict;
        table.row([
            Cell::new(decided.id.to_string(), Style::Strong),
            Cell::new(verdict.name(), verdict_style(verdict)),
            Cell::from(decided_line(decided)),
        ]);
    }
    ui.table(&table);
    if !account.decided.kept.is_empty() {
        ui.paragraph("`circinus explain ID` shows one of them in full.", Style::Dim);
    }
}

fn heading(session: &StoredSession, ui: &mut Ui) {
    let SessionOpened { session: id, root, workspace, repository, .. } = &session.opened;
    let workspace = escape_untrusted(workspace.as_str());
    let shown = escape_untrusted(id.as_str());
    ui.paragraph(&format!("Session {shown} in {workspace}"), Style::Strong);
    let closed =
        session.closed_at.map_or_else(|| "still open".to_owned(), |at| format!("closed {}", moment(at)));
    let repository = match repository {
        None => "no repository".to_owned(),
        Some(repository) => {
            let whose = if repository.own { "a repository of your own" } else { "a repository of others" };
            let head = repository.head.as_deref().and_then(|head| head.get(..COMMIT_DIGITS));
            head.map_or_else(|| whose.to_owned(), |head| format!("{whose} at {head}"))
        }
    };
    ui.paragraph(&format!("Opened {}, {closed}; {repository}.", moment(session.opened_at)), Style::Plain);
    if root != id {
        let root = escape_untrusted(root.as_str());
        ui.paragraph(&format!("It continues session {root} and sees what that one saw."), Style::Plain);
    }
}

fn section<T>(ui: &mut Ui, title: &str, newest: &Newest<T>) {
    let (shown, all) = (newest.kept.len(), newest.all);
    let count = match all {
        0 => ": nothing".to_owned(),
        _ if shown < all => format!(", the newest {shown} of {all}"),
        _ => format!(" ({all})"),
    };
    ui.paragraph(&format!("\n{title}{count}"), Style::Strong);
}

fn entry_line(entry: &Entry) -> String {
    let mut line = format!("{}: {}", escape_untrusted(&entry.label), entry.origin.describe());
    if entry.level > Level::Benign {
        line += &format!(", evidence {}", entry.level);
        if !entry.signals.is_empty() {
            line += &format!(" ({})", entry.signals.join(" "));
        }
    }
    if !entry.children.is_empty() {
        line += &format!("; led to {}", ids(&entry.children));
    }
    if !entry.decisions.is_empty() {
        let decisions: Vec<_> =
            entry.decisions.iter().map(|(id, verdict)| format!("{id} {verdict}")).collect();
        line += &format!("; reached {}", ids(&decisions));
    }
    line
}

fn decided_line(decided: &Decided) -> String {
    let record = &decided.record;
    let call = escape_untrusted(&format!("{} {}", record.tool, record.summary));
    let mut line = format!("[{}] {call}", reason::rules(&record.explanation));
    let sources = sources(decided);
    if !sources.is_empty() {
        line += &format!("; from {}", ids(&sources));
    }
    line
}

fn sources(decided: &Decided) -> Vec<ArtifactId> {
    let influences = decided.record.explanation.influences.iter();
    let mut sources: Vec<_> = influences.filter_map(|influence| influence.artifact).collect();
    sources.sort_unstable();
    sources.dedup();
    sources
}

fn ids(all: &[impl Display]) -> String {
    let shown: Vec<_> = all.iter().take(IDS_SHOWN_MAX).map(ToString::to_string).collect();
    let more = all.len().saturating_sub(IDS_SHOWN_MAX);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{rest}", shown.join(", "))
}

const fn level_style(level: Level) -> Style {
    match level {
        Level::None | Level::Benign | Level::Pending | Level::Failed => Style::Plain,
        Level::Suspicious => Style::Warning,
        Level::Adverse => Style::Bad,
    }
}

const fn verdict_style(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Allow => Style::Good,
        Verdict::Review => Style::Warning,
        Verdict::Block => Style::Bad,
    }
}

/// The account as one object. Schema 1: fields are only added.
pub(super) fn as_json(account: &Account, ui: &mut Ui) {
    let mut row = session_json(&account.session);
    let entered = account.entered.kept.iter().map(entry_json).collect::<Vec<_>>();
    let decided = account.decided.kept.iter().map(decided_json).collect::<Vec<_>>();
    if let Some(row) = row.as_object_mut() {
        row.insert("entered_count".into(), account.entered.all.into());
        row.insert("entered".into(), entered.into());
        row.insert("composed_count".into(), account.composed.into());
        row.insert("decided_count".into(), account.decided.all.into());
        row.insert("decided".into(), decided.into());
    }
    ui.line(row);
}

fn session_json(session: &StoredSession) -> Value {
    let SessionOpened { session: id, root, workspace, repository, .. } = &session.opened;
    let repository = repository.as_ref();
    json!({
        "schema": 1,
        "session": id.as_str(),
        "root": root.as_str(),
        "workspace": workspace.as_str(),
        "repository": repository.map(|repository| json!({ "head": repository.head, "own": repository.own })),
        "opened_at_ms": session.opened_at.0,
        "closed_at_ms": session.closed_at.map(|at| at.0),
    })
}

fn entry_json(entry: &Entry) -> Value {
    let decisions = entry.decisions.iter();
    json!({
        "id": entry.id.to_string(),
        "at_ms": entry.at.0,
        "origin": entry.origin.name(),
        "root": entry.root,
        "label": &*entry.label,
        "evidence": entry.level.name(),
        "signals": entry.signals,
        "children": entry.children.iter().map(ToString::to_string).collect::<Vec<_>>(),
        "decisions": decisions.map(|(id, _)| id.to_string()).collect::<Vec<_>>(),
    })
}

fn decided_json(decided: &Decided) -> Value {
    let record = &decided.record;
    let fired = record.explanation.fired.iter();
    json!({
        "id": decided.id.to_string(),
        "at_ms": decided.at.0,
        "tool": &*record.tool,
        "summary": &*record.summary,
        "verdict": record.explanation.verdict.name(),
        "rules": fired.map(|fired| fired.rule.to_string()).collect::<Vec<_>>(),
        "sources": sources(decided).iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}
