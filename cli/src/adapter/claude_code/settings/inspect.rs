//! Looks at the entries of ours in one settings text.

use super::EditError;
use super::edit::is_our_entry;
use super::entry::{Event, HOOK_BINARY_NAME};
use super::invalid::{Invalid, invalid, timeout_s};
use super::json::{Document, Kind, Node};
use super::survey::Severity;
use super::version::{HostVersion, drops_only_the_event, writes_on_failure};
use crate::config::HOOK_TIMEOUT_S_MIN;

/// One entry of ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Installed {
    /// The event it stands under.
    pub event: String,
    /// Its command, as written.
    pub command: String,
    /// What keeps it from doing its work; empty when it is right.
    pub problems: Vec<Problem>,
}

/// Something that keeps an entry, or all of them, from doing its work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in a sentence.
    pub what: String,
    /// What to do.
    pub fix: String,
}

impl Problem {
    pub(super) fn new(severity: Severity, what: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { severity, what: what.into(), fix: fix.into() }
    }
}

const SETUP_AGAIN: &str = "run `circinus setup` again";

/// The entries of ours in a settings text, in the order of the text, with what is wrong with each.
///
/// # Errors
/// [`EditError::Syntax`] and [`EditError::TooLarge`].
pub fn inspect(text: &str, host: Option<HostVersion>) -> Result<Vec<Installed>, EditError> {
    let doc = Document::parse(text)?;
    let invalid = invalid(&doc);
    let mut installed = Vec::new();
    let events = doc.root.as_ref().and_then(|root| root.get("hooks")).and_then(Node::as_object);
    for event in events.unwrap_or_default() {
        for group in event.value.as_array().unwrap_or_default() {
            for entry in group.get("hooks").and_then(Node::as_array).unwrap_or_default() {
                if !is_our_entry(entry) {
                    continue;
                }
                let mut problems = entry_problems(&doc, &event.key, group, entry, host);
                let drops = |event_hit: &Option<String>| match event_hit {
                    Some(name) => !drops_only_the_event(host) || *name == event.key,
                    None => true,
                };
                problems.extend(invalid.iter().filter(|invalid| drops(&invalid.event)).map(|invalid| {
                    let what =
                        format!("line {}: {}; the host drops this hook", invalid.place.line(), invalid.what);
                    Problem::new(Severity::Fatal, what, "mend that line")
                }));
                let command = entry.get("command").and_then(Node::as_str).unwrap_or_default().to_owned();
                installed.push(Installed { event: event.key.clone(), command, problems });
            }
        }
    }
    Ok(installed)
}

/// Whether the host would take all the hooks that are added to a text.
///
/// # Errors
/// [`EditError`]: the first place for which it would drop one of them.
pub fn accepts(text: &str, host: Option<HostVersion>) -> Result<(), EditError> {
    let doc = Document::parse(text)?;
    let drops = |event: &str| !drops_only_the_event(host) || Event::by_name(event).is_some();
    let found = invalid(&doc).into_iter().find(|invalid| invalid.event.as_deref().is_none_or(drops));
    found.map_or(Ok(()), |Invalid { what, place, .. }| Err(EditError::Ignored { what, place }))
}

fn entry_problems(
    doc: &Document<'_>,
    event: &str,
    group: &Node,
    entry: &Node,
    host: Option<HostVersion>,
) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut note = |severity, what: &str| problems.push(Problem::new(severity, what, SETUP_AGAIN));
    let Some(known) = Event::by_name(event) else {
        note(Severity::Warning, "setup registers no hook for this event");
        return problems;
    };
    // What weakens an observer costs knowledge; the same in a gate lets a call through.
    let serious = if known.is_gate() { Severity::Fatal } else { Severity::Warning };
    if group.get("matcher").and_then(Node::as_str).is_some_and(|matcher| !matches!(matcher, "*" | "")) {
        note(serious, "the matcher is not \"*\", so some calls pass unseen");
    }
    if entry.get("if").is_some() {
        note(serious, "an `if` condition is there, so some calls pass unseen");
    }
    let is_true = |key: &str| entry.get(key).is_some_and(|node| matches!(node.kind, Kind::Bool(true)));
    if is_true("async") || is_true("asyncRewake") {
        note(serious, "the hook runs in the background, so its answer comes too late");
    }
    if is_true("once") {
        note(serious, "the hook runs once only");
    }
    if entry.get("type").and_then(Node::as_str) != Some("command") {
        note(serious, "the entry is not of type \"command\"");
    }
    let command = entry.get("command").and_then(Node::as_str).unwrap_or_default();
    if !command.starts_with('/') || !command.ends_with(HOOK_BINARY_NAME) {
        note(serious, "the command is not the absolute path of the hook binary");
    }
    match entry.get("args").and_then(Node::as_array) {
        None => note(Severity::Warning, "without `args` the command passes through a shell"),
        Some([]) => {}
        Some(_) => note(serious, "the hook binary takes no arguments and refuses to work with some"),
    }
    if timeout_s(doc, entry).is_none_or(|seconds| seconds < f64::from(HOOK_TIMEOUT_S_MIN)) {
        note(
            serious,
            "the timeout is missing or shorter than the longest wait, so the host may go on without us",
        );
    }
    if known.is_gate() && writes_on_failure(host) && entry.get("onFailure").is_none() {
        note(Severity::Fatal, "without `\"onFailure\": \"block\"` a failed hook lets the call through");
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEW: Option<HostVersion> = Some(HostVersion::new(2, 1, 332));
    const OLD: Option<HostVersion> = Some(HostVersion::new(2, 1, 197));
    const GOOD: &str = r#"{"matcher":"*","hooks":[{"type":"command","command":"/o/circinus-hook","args":[],"timeout":45,"onFailure":"block"}]}"#;

    fn with(group: &str, more: &str) -> String {
        format!("{{\"hooks\":{{\"PreToolUse\":[{group}]{more}}}}}")
    }

    fn problems(text: &str, host: Option<HostVersion>) -> Vec<String> {
        let installed = inspect(text, host).unwrap();
        assert_eq!(installed.len(), 1);
        installed.into_iter().flat_map(|one| one.problems).map(|problem| problem.what).collect()
    }

    #[test]
    fn a_right_entry_has_no_problem() {
        assert_eq!(problems(&with(GOOD, ""), NEW), Vec::<String>::new());
    }

    #[test]
    fn each_weakening_is_found() {
        for (from, to) in [
            ("\"*\"", "\"Bash\""),
            (",\"onFailure\":\"block\"", ""),
            ("\"timeout\":45", "\"timeout\":5"),
            (",\"timeout\":45", ""),
            ("\"timeout\":45", "\"timeout\":45,\"async\":true"),
            ("\"timeout\":45", "\"timeout\":45,\"if\":\"Read\""),
            ("\"timeout\":45", "\"timeout\":45,\"once\":true"),
            (",\"args\":[]", ""),
            ("\"args\":[]", "\"args\":[\"x\"]"),
            ("/o/circinus-hook", "circinus-hook"),
        ] {
            let weak = GOOD.replace(from, to);
            assert_ne!(weak, GOOD);
            assert_eq!(problems(&with(&weak, ""), NEW).len(), 1, "{weak}");
        }
    }

    #[test]
    fn an_invalid_entry_elsewhere_drops_all_hooks_of_an_old_host_only() {
        let text = with(GOOD, r#","Stop":[{"matcher":"*"}]"#);
        assert_eq!(problems(&text, NEW), Vec::<String>::new());
        assert_eq!(problems(&text, OLD).len(), 1);
        assert_eq!(problems(&text, None).len(), 1);
    }

    #[test]
    fn an_invalid_neighbour_drops_ours() {
        for neighbour in [
            "null",
            r#"{"matcher":3,"hooks":[]}"#,
            r#"{"matcher":"*"}"#,
            r#"{"hooks":{}}"#,
            r#"{"hooks":[{"type":"nosuch"}]}"#,
            r#"{"hooks":[{"type":"command"}]}"#,
            r#"{"hooks":[{"type":"command","command":"x","timeout":"5"}]}"#,
            r#"{"hooks":[{"type":"command","command":"x","timeout":0}]}"#,
            r#"{"hooks":[{"type":"command","command":"x","timeout":-1}]}"#,
            r#"{"hooks":[{"type":"command","command":"x","onFailure":"allow"}]}"#,
            r#"{"hooks":[{"type":"command","command":"x","args":"y"}]}"#,
        ] {
            let found = problems(&with(&format!("{GOOD},{neighbour}"), ""), NEW);
            assert_eq!(found.len(), 1, "{neighbour}: {found:?}");
        }
    }

    #[test]
    fn what_drops_the_file_drops_ours() {
        let text = with(GOOD, "");
        for broken in [
            text.replacen('{', "{ // note\n", 1),
            text.replacen('{', "{\"model\":3,", 1),
            text.replacen('{', "{\"env\":[],", 1),
            text.replacen('{', "{\"disableAllHooks\":\"no\",", 1),
            text.replacen('{', "{\"permissions\":{\"allow\":\"Bash\"},", 1),
            text.replace("]}]}}", "],}]}}"),
        ] {
            assert_eq!(problems(&broken, NEW).len(), 1, "{broken}");
        }
    }
}
