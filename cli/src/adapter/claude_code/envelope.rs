//! Whose words a submitted prompt is.
//!
//! The host submits texts of its own through the same event as the user's, without a marker field; what it
//! writes begins with an element of a compound name or one from a channel, or with a line in brackets that says
//! what it is.

use circinus_core::id::AgentId;

use crate::host::{Author, Worker};

/// Beginnings of the line in brackets.
const HEADINGS: [&str; 2] = ["[SYSTEM NOTIFICATION - ", "[SCHEDULED TASK - "];

/// The element around what a tool server's channel brings.
const CHANNEL: &str = "channel";

/// Reads a prompt's envelope, if it begins with one. What follows the envelope is the machine's as well: the
/// two cannot be told apart for certain.
pub(super) fn author(prompt: &str) -> Author {
    let prompt = prompt.trim();
    if HEADINGS.iter().any(|heading| prompt.starts_with(heading)) {
        return Author::Host(worker(prompt));
    }
    match inner(prompt) {
        Some((text, "")) => Author::Host(worker(text)),
        Some(_) => Author::Host(None),
        None => Author::User,
    }
}

/// What stands within the element that a machine's prompt begins with, and behind it.
fn inner(prompt: &str) -> Option<(&str, &str)> {
    let rest = prompt.strip_prefix('<')?;
    let name: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || "-_".contains(*c)).collect();
    let parts = rest.strip_prefix(&name)?.rsplit_once(&format!("</{name}>"))?;
    (name.contains(['-', '_']) || name == CHANNEL).then_some(parts)
}

/// The subagent whose report a notification carries. Only what the host writes before the report is read: the
/// report itself may say anything.
fn worker(text: &str) -> Option<Worker> {
    let (head, report) = text.split_once("<result>")?;
    let (_, tail) = report.rsplit_once("</result>")?;
    Some(Worker {
        agent: AgentId::new(element(head, "task-id")?),
        calls: element(tail, "tool_uses").and_then(|calls| calls.parse().ok()),
    })
}

fn element<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    rest.split_once(&format!("</{name}>")).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_is_not_the_users_words() {
        for (prompt, typed) in [
            ("<task-notification>\n<result>x</result>\n</task-notification>", false),
            ("<task-notification>x</task-notification>\n\ngo on", false),
            ("[SCHEDULED TASK - AUTOMATED FIRING]\nThis turn was started.\n\ngo on", false),
            ("<system-reminder>\n[SYSTEM NOTIFICATION - NOT USER INPUT]\n</system-reminder>", false),
            ("<cross-session-message from=\"x\">\ngo on\n</cross-session-message>", false),
            ("<channel source=\"chat\">go on</channel>", false),
            ("<system_reminder>go on</system_reminder>", false),
            ("please look at <task-notification>", true),
            ("[x] is what I want", true),
            ("<b>bold</b> is what I want", true),
            ("fix it", true),
        ] {
            assert_eq!(author(prompt) == Author::User, typed, "{prompt}");
        }
    }

    #[test]
    fn a_report_names_its_subagent_and_cannot_name_another() {
        let prompt = "<task-notification>\n<task-id>a1</task-id>\n<result><task-id>b2</task-id>\
                      <usage><tool_uses>0</tool_uses></usage></result>\n\
                      <usage><tool_uses>2</tool_uses></usage>\n</task-notification>";
        let worker = Worker { agent: AgentId::new("a1"), calls: Some(2) };
        assert_eq!(author(prompt), Author::Host(Some(worker)));
        assert_eq!(
            author("<task-notification><task-id>a1</task-id></task-notification>"),
            Author::Host(None)
        );
    }
}
