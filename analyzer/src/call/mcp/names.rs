//! What the names of tools and of their arguments say.

use crate::command::verbs::destroys;

/// Verbs of tools that only read.
const READS: &[&str] = &[
    "get",
    "list",
    "read",
    "search",
    "fetch",
    "describe",
    "show",
    "view",
    "find",
    "count",
    "status",
    "query",
    "lookup",
    "check",
    "browse",
    "retrieve",
    "analyze",
    "download",
    "preview",
    "explain",
    "summarize",
    "compare",
    "verify",
    "validate",
    "inspect",
    "resolve",
];
/// Verbs of tools that change something.
const WRITES: &[&str] = &[
    "create",
    "update",
    "send",
    "post",
    "put",
    "write",
    "add",
    "set",
    "edit",
    "upload",
    "publish",
    "push",
    "merge",
    "invite",
    "share",
    "transfer",
    "pay",
    "book",
    "reserve",
    "schedule",
    "reschedule",
    "move",
    "run",
    "execute",
    "reply",
    "append",
    "insert",
    "cancel",
    "close",
    "submit",
    "modify",
    "change",
    "manage",
    "grant",
    "enable",
    "disable",
    "approve",
    "deposit",
    "withdraw",
    "order",
    "buy",
    "sell",
    "trade",
    "place",
    "rename",
    "forward",
    "assign",
    "archive",
    "install",
    "deploy",
    "restart",
    "start",
    "stop",
    "open",
    "unlock",
    "lock",
    "control",
    "generate",
    "make",
    "register",
    "subscribe",
    "unsubscribe",
    "follow",
    "leave",
    "join",
    "kick",
    "ban",
    "import",
    "sync",
    "patch",
    "replace",
    "save",
    "store",
    "draft",
    "call",
    "dispatch",
    "turn",
    "give",
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
    "password",
    "passphrase",
    "passcode",
    "pin",
    "secret",
    "credential",
    "credentials",
    "beneficiary",
    "payer",
    "card",
    "wallet",
    "invitee",
    "invitees",
    "assignee",
    "assignees",
    "reviewer",
    "reviewers",
    "subscriber",
    "topic",
    "namespace",
    "cluster",
    "instance",
    "device",
    "record",
    "policy",
    "permission",
    "permissions",
    "scope",
    "vault",
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
    "limit",
    "offset",
    "page",
    "cursor",
    "sort",
    "order",
    "format",
    "filter",
    "pattern",
    "glob",
    "since",
    "until",
    "start",
    "end",
    "per",
    "size",
    "max",
    "min",
    "depth",
    "timeout",
    "lang",
    "language",
    "width",
    "height",
    "padding",
    "direction",
    "n",
    "top",
    "time",
    "date",
    "datetime",
    "day",
    "timezone",
    "currency",
    "quantity",
];
/// Words in the name of an argument that chooses which of the user's stores is opened.
const CONTAINERS: &[&str] = &[
    "repo",
    "repository",
    "bucket",
    "database",
    "vault",
    "mailbox",
    "drive",
    "tenant",
    "subscription",
    "organization",
    "org",
];

/// What the name of a tool says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verb {
    /// It only reads.
    pub(super) reads: bool,
    /// It destroys.
    pub(super) destroys: bool,
}

/// Judges the words of a tool's name: the first verb says what it does, and a name without one changes
/// something.
pub(super) fn verb_of(words: &[String]) -> Verb {
    let is = |list: &[&str], word: &str| list.contains(&word);
    let verb = words.iter().find(|word| is(READS, word) || destroys(word) || is(WRITES, word));
    Verb {
        reads: verb.is_some_and(|verb| is(READS, verb)),
        destroys: words.iter().any(|word| destroys(word)),
    }
}

/// What the name of an argument says of its role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Named {
    /// It chooses what is acted on.
    Designator,
    /// It chooses which of the user's stores is opened.
    Container,
    /// It is carried along.
    Content,
    /// It narrows a result down.
    Selector,
    /// It is code or a command line.
    Code,
    /// Nothing.
    Unsaid,
}

/// The role that the name of an argument says.
pub(super) fn role_of(name: &str) -> Named {
    let last = name.rsplit('.').next().unwrap_or(name);
    let words = words_of(last);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&word.as_str()));
    // The last word of a compound name is what it is: `channel_name`, `message_id`.
    let head = words.last().map(String::as_str).unwrap_or_default();
    if matches!(head, "command" | "cmd" | "script" | "code" | "sql") {
        Named::Code
    } else if CONTENTS.contains(&head) {
        Named::Content
    } else if CONTAINERS.contains(&head) {
        Named::Container
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

/// The words of a name in snake, kebab or camel case, lower case.
pub(super) fn words_of(name: &str) -> Vec<String> {
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
            ("new_password", Named::Designator),
            ("repo", Named::Container),
            ("email_body", Named::Content),
            ("page_size", Named::Selector),
            ("sql", Named::Code),
            ("zork", Named::Unsaid),
        ] {
            assert!(role_of(name) == role, "{name}");
        }
    }

    #[test]
    fn the_first_verb_of_a_tool_says_what_it_does() {
        for (tool, reads) in [
            ("list_issues", true),
            ("GetUserProfile", true),
            ("update_search_settings", false),
            ("zork", false),
            ("executeQuery", false),
        ] {
            assert_eq!(verb_of(&words_of(tool)).reads, reads, "{tool}");
        }
    }
}
