//! What makes the host drop hooks without a word.
//!
//! Seen with the real client: a settings file that is not strict JSON, or has a wrong type in one of several
//! top-level keys, is ignored as a whole; one invalid entry drops its event (2.1.332) or all hooks of the
//! file (2.1.197). Not every such key is known, so this finds causes; only a live call proves the hook fires.

use super::json::{Document, Kind, Member, Node};
use crate::ui::SourceSpan;

/// Something the host does not accept.
#[derive(Debug)]
pub(super) struct Invalid {
    /// The event it drops; `None` drops the whole file.
    pub(super) event: Option<String>,
    /// What is wrong, in a sentence.
    pub(super) what: String,
    /// Where.
    pub(super) place: SourceSpan,
}

/// Hook types the host knows.
const HOOK_TYPES: [&str; 5] = ["command", "prompt", "agent", "http", "mcp_tool"];

/// Everything in the text that is known to be refused.
pub(super) fn invalid(doc: &Document<'_>) -> Vec<Invalid> {
    let mut found = Vec::new();
    if let Some(at) = doc.relaxed_at {
        let what = "a comment or trailing comma; the host reads strict JSON only".to_owned();
        found.push(Invalid { event: None, what, place: doc.place(at..at.saturating_add(1)) });
    }
    let Some(root) = &doc.root else {
        return found;
    };
    let Some(members) = root.as_object() else {
        let what = format!("the whole must be an object and is {}", root.type_name());
        found.push(Invalid { event: None, what, place: doc.place(root.span.clone()) });
        return found;
    };
    found.extend(members.iter().filter_map(|member| top_level(doc, member)));
    for event in root.get("hooks").and_then(Node::as_object).unwrap_or_default() {
        // The host ignores an event whose value is no array, and nothing else with it.
        for group in event.value.as_array().unwrap_or_default() {
            for (what, node) in group_problems(doc, group) {
                let place = doc.place(node.span.clone());
                found.push(Invalid { event: Some(event.key.clone()), what, place });
            }
        }
    }
    found
}

/// Top-level keys whose wrong type was seen to drop the file.
fn top_level(doc: &Document<'_>, member: &Member) -> Option<Invalid> {
    let kind = &member.value.kind;
    let (wanted, is_right) = match member.key.as_str() {
        "hooks" | "env" | "permissions" => ("an object", matches!(kind, Kind::Object(_))),
        "disableAllHooks" => ("a boolean", matches!(kind, Kind::Bool(_))),
        "model" => ("a string", matches!(kind, Kind::String(_))),
        _ => return None,
    };
    if !is_right {
        let what = format!("`{}` must be {wanted} and is {}", member.key, member.value.type_name());
        return Some(Invalid { event: None, what, place: doc.place(member.value.span.clone()) });
    }
    let lists = ["allow", "deny", "ask"].into_iter().filter(|_| member.key == "permissions");
    let not_a_list =
        |key| member.value.get(key).filter(|node| node.as_array().is_none()).map(|node| (key, node));
    lists.filter_map(not_a_list).next().map(|(key, node)| Invalid {
        event: None,
        what: format!("`permissions.{key}` must be an array and is {}", node.type_name()),
        place: doc.place(node.span.clone()),
    })
}

fn group_problems<'n>(doc: &Document<'_>, group: &'n Node) -> Vec<(String, &'n Node)> {
    let mut problems = Vec::new();
    if group.as_object().is_none() {
        problems.push((format!("a hook group must be an object and is {}", group.type_name()), group));
        return problems;
    }
    if let Some(matcher) = group.get("matcher").filter(|matcher| matcher.as_str().is_none()) {
        problems.push(("`matcher` must be a string".to_owned(), matcher));
    }
    match group.get("hooks").map(|hooks| (hooks, hooks.as_array())) {
        None => problems.push(("a hook group without `hooks`".to_owned(), group)),
        Some((hooks, None)) => problems.push(("`hooks` of a group must be an array".to_owned(), hooks)),
        Some((_, Some(entries))) => {
            problems.extend(entries.iter().flat_map(|entry| entry_problems(doc, entry)))
        }
    }
    problems
}

fn entry_problems<'n>(doc: &Document<'_>, entry: &'n Node) -> Vec<(String, &'n Node)> {
    let mut problems = Vec::new();
    let mut note = |what: &str, node| problems.push((what.to_owned(), node));
    let kind = entry.get("type").and_then(Node::as_str);
    if !kind.is_some_and(|kind| HOOK_TYPES.contains(&kind)) {
        note("a hook entry without a known `type`", entry);
    }
    if kind == Some("command") && entry.get("command").and_then(Node::as_str).is_none() {
        note("a hook entry without a `command` string", entry);
    }
    let check = |key: &str, is_right: fn(&Node) -> bool| entry.get(key).filter(|node| !is_right(node));
    if let Some(node) = check("args", |node| {
        node.as_array().is_some_and(|items| items.iter().all(|item| item.as_str().is_some()))
    }) {
        note("`args` must be an array of strings", node);
    }
    let timeout = entry.get("timeout").filter(|_| timeout_s(doc, entry).is_none_or(|seconds| seconds <= 0.0));
    if let Some(node) = timeout {
        note("`timeout` must be a number above 0", node);
    }
    if let Some(node) = check("onFailure", |node| node.as_str() == Some("block")) {
        note("`onFailure` must be \"block\"", node);
    }
    if let Some(node) = check("statusMessage", |node| node.as_str().is_some()) {
        note("`statusMessage` must be a string", node);
    }
    problems
}

/// Seconds of an entry's `timeout`, if it is a number.
pub(super) fn timeout_s(doc: &Document<'_>, entry: &Node) -> Option<f64> {
    let node = entry.get("timeout").filter(|node| matches!(node.kind, Kind::Number))?;
    doc.slice(node.span.clone()).parse().ok()
}
