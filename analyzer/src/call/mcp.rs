//! Structured calls: tools of MCP servers, and tools that nothing is known about.

use circinus_core::action::{Argument, Flag, SlotValue, Tier};
use circinus_core::effect::Effect;
use circinus_core::operand::{Kind, Operand};

use crate::Surroundings;
use crate::command::found::Found;
use crate::command::secret::{is_home, secrets_in};
use crate::command::verbs::destroys;
use crate::place::locate;

/// Verbs of tools that only read.
const READS: &[&str] = &[
    "get", "list", "read", "search", "fetch", "describe", "show", "view", "find", "count", "status", "query",
    "lookup", "check", "browse", "retrieve",
];
/// Words in the name of an argument that chooses what is acted on.
const DESIGNATORS: &[&str] = &[
    "to",
    "cc",
    "bcc",
    "recipient",
    "recipients",
    "email",
    "emails",
    "url",
    "uri",
    "link",
    "href",
    "host",
    "hostname",
    "domain",
    "endpoint",
    "webhook",
    "path",
    "file",
    "filename",
    "dir",
    "directory",
    "folder",
    "repo",
    "repository",
    "owner",
    "branch",
    "ref",
    "remote",
    "channel",
    "user",
    "username",
    "account",
    "iban",
    "payee",
    "amount",
    "id",
    "ids",
    "name",
    "key",
    "token",
    "package",
    "image",
    "bucket",
    "table",
    "database",
    "participants",
    "attendees",
    "members",
    "address",
    "phone",
    "target",
    "destination",
    "location",
    "hotel",
    "restaurant",
    "company",
    "city",
    "label",
    "labels",
    "role",
    "group",
    "team",
    "project",
    "command",
    "cmd",
    "script",
    "code",
    "args",
];
/// Words in the name of an argument that is carried along.
const CONTENTS: &[&str] = &[
    "body",
    "message",
    "text",
    "content",
    "contents",
    "title",
    "description",
    "subject",
    "prompt",
    "comment",
    "summary",
    "note",
    "notes",
    "query",
    "q",
    "markdown",
    "html",
    "data",
];
/// Words in the name of an argument that is a selector.
const SELECTORS: &[&str] = &[
    "limit", "offset", "page", "cursor", "sort", "order", "format", "filter", "pattern", "glob", "since",
    "until", "start", "end", "per", "size", "max", "min", "depth", "timeout", "lang", "language",
];
/// Kinds that a whole string may be, most telling first.
const KINDS: &[Kind] = &[Kind::Url, Kind::Email, Kind::Git, Kind::Token, Kind::Ip, Kind::Path];

/// A tool of an MCP server.
pub(super) fn call(server: &str, tool: &str, arguments: &[Argument], around: &Surroundings) -> Found {
    let by = format!("{server} {tool}");
    structured(&by, tool, arguments, around)
}

/// A tool that nothing is known about.
pub(super) fn other(tool: &str, arguments: &[Argument], around: &Surroundings) -> Found {
    structured(tool, tool, arguments, around)
}

fn structured(by: &str, tool: &str, arguments: &[Argument], around: &Surroundings) -> Found {
    let mut found = Found::default();
    let words = words_of(tool);
    let verb =
        words.iter().find(|word| READS.contains(&word.as_str()) || destroys(word) || is_write_verb(word));
    let reads = verb.is_some_and(|verb| READS.contains(&verb.as_str()));
    let effect = if reads { Effect::Fetch } else { Effect::Send };
    found.raise(if reads { Tier::T1 } else { Tier::T2 });
    found.effect(effect);
    if words.iter().any(|word| destroys(word)) {
        found.effect(Effect::Destroy);
        found.raise(Tier::T2);
    }
    let on_gap = if reads { Tier::T1 } else { Tier::T2 };
    let mut secrets = Vec::new();
    let mut slots = Vec::new();
    for argument in arguments {
        secrets.extend(secrets_in(&argument.text));
        let place = format!("{by} {}", argument.name);
        if argument.name.to_ascii_lowercase().contains("disableallhooks") {
            found.guard();
        }
        match role_of(&argument.name) {
            Named::Selector => {}
            Named::Content => found.content(&place, effect, &argument.text),
            Named::Code => {
                found.slot(&place, Effect::Exec, SlotValue::Text(argument.text.clone()), Tier::T2);
            }
            named => {
                slots.extend(designator(&mut found, &place, &argument.text, named, effect, on_gap, around))
            }
        }
    }
    if !secrets.is_empty() {
        let mut marked = false;
        for (slot, operands) in &slots {
            if secrets.iter().any(|homes| !is_home(homes, operands)) {
                found.unless_granted(*slot, Flag::SecretSink);
                marked = true;
            }
        }
        if !marked && !reads {
            found.flag(Flag::SecretSink);
        }
    }
    found
}

/// What the name of an argument says of its role.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Named {
    Designator,
    Content,
    Selector,
    Code,
    Unsaid,
}

fn role_of(name: &str) -> Named {
    let last = name.rsplit('.').next().unwrap_or(name);
    let words = words_of(last);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    // The last word of a compound name is what it is: `channel_name`, `message_id`.
    let head = words.last().map(String::as_str).unwrap_or_default();
    if matches!(head, "command" | "cmd" | "script" | "code" | "sql") {
        Named::Code
    } else if CONTENTS.contains(&head) {
        Named::Content
    } else if DESIGNATORS.contains(&head) {
        Named::Designator
    } else if SELECTORS.contains(&head) {
        Named::Selector
    } else if has(CONTENTS) {
        Named::Content
    } else if has(DESIGNATORS) {
        Named::Designator
    } else {
        Named::Unsaid
    }
}

fn designator(
    found: &mut Found,
    by: &str,
    text: &str,
    named: Named,
    effect: Effect,
    on_gap: Tier,
    around: &Surroundings,
) -> Vec<(usize, Vec<Operand>)> {
    let mut slots = Vec::new();
    let trimmed = text.trim();
    let looks_like = |kind: Kind| match kind {
        Kind::Path => {
            trimmed.starts_with(['/', '~', '.']) && trimmed.contains('/') && !trimmed.contains('\n')
        }
        Kind::Git => trimmed.starts_with("git@") || trimmed.ends_with(".git"),
        Kind::Ip => trimmed.contains(['.', ':']),
        _ => true,
    };
    let whole = KINDS
        .iter()
        .filter(|kind| looks_like(**kind))
        .find_map(|kind| Operand::parse(*kind, trimmed, &around.paths));
    if let Some(operand) = &whole {
        if operand.kind() == Kind::Path {
            let place = locate(trimmed, Some(around.cwd()), around);
            if place.secret {
                found.reads_place(by, &place, false);
            }
            if place.guard && on_gap >= Tier::T2 {
                found.guard();
            }
        }
        let operands = operand.expand();
        slots.extend(
            found.slot(by, effect, SlotValue::Operands(operands.clone()), on_gap).map(|at| (at, operands)),
        );
    }
    if whole.is_none() && named == Named::Designator {
        for value in Operand::values(text) {
            let operands = vec![value];
            slots.extend(
                found
                    .slot(by, effect, SlotValue::Operands(operands.clone()), on_gap)
                    .map(|at| (at, operands)),
            );
        }
    }
    slots
}

fn is_write_verb(word: &str) -> bool {
    [
        "create", "update", "send", "post", "put", "write", "add", "set", "edit", "upload", "publish",
        "push", "merge", "invite", "share", "transfer", "pay", "book", "reserve", "schedule", "move", "run",
        "execute", "reply", "append", "insert", "cancel", "close", "submit",
    ]
    .contains(&word)
}

/// The words of a name in snake, kebab or camel case, lower case.
fn words_of(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut lower_before = false;
    for c in name.chars() {
        if !c.is_ascii_alphanumeric() || c.is_ascii_uppercase() && lower_before {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_ascii_alphabetic(), words.last_mut()) {
            word.push(c.to_ascii_lowercase());
        }
        lower_before = c.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_taken_apart_and_say_the_role() {
        assert_eq!(words_of("getFileContents"), ["get", "file", "contents"]);
        for (name, role) in [
            ("items[2].to", Named::Designator),
            ("channelId", Named::Designator),
            ("email_body", Named::Content),
            ("page_size", Named::Selector),
            ("sql", Named::Code),
            ("zork", Named::Unsaid),
        ] {
            assert!(role_of(name) == role, "{name}");
        }
    }
}
