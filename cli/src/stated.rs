//! What a person stated, in one line for people.

use circinus_core::endorsement::{Act, Author, Scope, Statement, Subject};
use circinus_core::evidence::Level;

use crate::reason;
use crate::ui::escape_untrusted;

/// One line: what was stated, about what, where it holds.
pub fn line(statement: &Statement) -> String {
    match &statement.act {
        Act::Endorsed(endorsement) => {
            let evidence = match endorsement.acknowledged {
                Some(id) => format!(", in spite of {id}"),
                None if endorsement.level > Level::Benign => format!(", evidence {}", endorsement.level),
                None => String::new(),
            };
            let expires = endorsement.expires.map_or_else(String::new, |at| format!(", until {} ms", at.0));
            let scope = match &endorsement.subject {
                Subject::Directory(_) => String::new(),
                Subject::Operand(_) | Subject::Content(_) => format!(" {}", scope(&endorsement.scope)),
            };
            let subject = subject(&endorsement.subject);
            format!("{subject} may {}{scope}{evidence}{expires}", endorsement.grants().effects())
        }
        Act::Revoked { act } => format!("{act} is revoked"),
        Act::Acknowledged(acknowledgement) => format!(
            "content {} ({}) is harmless in {}",
            acknowledgement.content.short(),
            acknowledgement.level,
            escape_untrusted(acknowledgement.workspace.as_str())
        ),
        Act::Approved(approval) => format!("{} may run, once", approval.decision),
        Act::Confirmed(confirmation) => {
            format!("what {} asked is not asked again in its session", confirmation.decision)
        }
        Act::ProfileChanged { profile: Some(profile) } => format!("profile {profile}"),
        Act::ProfileChanged { profile: None } => "the configured profile".to_owned(),
    }
}

/// Who stated it.
pub fn author(author: &Author) -> String {
    match author {
        Author::Terminal { uid, tty } => format!("user {uid} at {}", escape_untrusted(tty)),
        Author::Prompt => "an answer to the host's question".to_owned(),
    }
}

/// What an endorsement is about.
pub fn subject(subject: &Subject) -> String {
    match subject {
        Subject::Operand(operand) => reason::operand(operand),
        Subject::Content(content) => format!("content {}", content.short()),
        Subject::Directory(path) => format!("{} and what is below it", reason::operand(path)),
    }
}

/// Where an endorsement holds.
pub fn scope(scope: &Scope) -> String {
    match scope {
        Scope::Once(workspace) => format!("once, in {}", escape_untrusted(workspace.as_str())),
        Scope::Session(session) => format!("in session {}", escape_untrusted(session.as_str())),
        Scope::Workspace(workspace) => format!("in {}", escape_untrusted(workspace.as_str())),
    }
}
