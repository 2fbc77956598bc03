//! Whose words a submitted prompt is.
//!
//! The host submits texts of its own through the same event as the user's, without a marker field; what it
//! writes stands in one element with a hyphenated name around the whole text.

use circinus_core::id::AgentId;

use crate::host::{Author, Worker};

/// Reads a prompt's envelope, if it stands in one.
pub(super) fn author(prompt: &str) -> Author {
    match inner(prompt) {
        Some(text) => Author::Host(worker(text)),
        None => Author::User,
    }
}

/// What stands within a machine's envelope.
fn inner(prompt: &str) -> Option<&str> {
    let rest = prompt.trim().strip_prefix('<')?;
    let name: String = rest.chars().take_while(|c| c.is_ascii_lowercase() || *c == '-').collect();
    let inner = rest.strip_prefix(&name)?.strip_suffix(&format!("</{name}>"))?;
    name.contains('-').then_some(inner)
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
            ("please look at <task-notification>", true),
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
