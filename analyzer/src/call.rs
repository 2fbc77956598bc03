//! What any tool call would do.

mod file;
mod mcp;
mod net;

use circinus_core::action::{Action, Dialect, Facts, FileWrite, Flag, Tier, ToolCall};
use circinus_core::digest::Digest;
use circinus_core::effect::Effect;
use circinus_core::id::{AgentId, CallId, SessionId};
use circinus_core::limits::LABEL_CHARS_MAX;
use circinus_core::operand::Operand;

use crate::Surroundings;
use crate::command::found::Found;
use crate::command::{self, CommandAnalysis};

/// Who makes a call.
#[derive(Clone, Debug)]
pub struct Who {
    /// The session.
    pub session: SessionId,
    /// The subagent, if one acts.
    pub agent: Option<AgentId>,
    /// The call, if the host names it.
    pub call: Option<CallId>,
    /// The host's name of the tool.
    pub tool: Box<str>,
}

/// What a call would do, and what it would bring.
#[derive(Clone, Debug)]
pub struct Understanding {
    /// The input of the gate.
    pub action: Action,
    /// Files that it writes.
    pub writes: Vec<FileWrite>,
    /// Files whose content reaches the agent.
    pub reads: Vec<Operand>,
    /// What its output is.
    pub source: Source,
}

/// What the output of a call is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// The output of a local command or of a search.
    Local,
    /// It comes, at least in part, from another machine; the operands say from where, as far as known.
    Remote(Vec<Operand>),
    /// The content of a file.
    File,
    /// A web page.
    WebFetch,
    /// Results of a web search.
    WebSearch,
    /// The result of an MCP server, by its name.
    Mcp(Box<str>),
    /// The agent's own text comes back, such as the echo of an edit.
    Agent,
    /// A tool that is not known.
    Unobserved,
}

/// Understands a tool call.
pub fn understand(call: &ToolCall, who: Who, around: &Surroundings) -> Understanding {
    let (found, source) = match call {
        ToolCall::Shell { command, dialect } => shell(command, *dialect, around),
        ToolCall::ReadFile { path } => (file::read(path, around), Source::File),
        ToolCall::WriteFile { path, content } => (file::write(path, None, content, around), Source::Agent),
        ToolCall::EditFile { path, old, new } => (file::write(path, Some(old), new, around), Source::Agent),
        ToolCall::Search { path, .. } => (file::search(path.as_deref(), around), Source::Local),
        ToolCall::Fetch { url } => (net::fetch(url, around), Source::WebFetch),
        ToolCall::WebSearch { query } => (net::search(query), Source::WebSearch),
        ToolCall::Spawn { prompt } => (net::spawn(prompt), Source::Unobserved),
        ToolCall::Mcp { server, tool, arguments } => {
            (mcp::call(server, tool, arguments, around), Source::Mcp(server.clone()))
        }
        ToolCall::Collect { .. } => (Found::default(), Source::Unobserved),
        ToolCall::Inert { .. } => (Found::default(), Source::Agent),
        ToolCall::Other { tool, arguments } => (mcp::other(tool, arguments, around), Source::Unobserved),
    };
    let found = found.settled();
    let action = Action {
        session: who.session,
        agent: who.agent,
        call: who.call,
        summary: summary(call),
        identity: identity(&who.tool, call),
        tool: who.tool,
        tier: found.tier,
        effects: found.effects,
        flags: found.flags,
        slots: found.slots,
        facts: Facts::default(),
    };
    Understanding { action, writes: found.writes, reads: found.reads, source }
}

/// Whether an absolute path is that of a credential, by the conventions for its name.
pub fn is_credential_path(path: &str) -> bool {
    let home = home_of(path);
    command::is_credential(path, home)
}

/// The home that a path lies in, by where homes lie.
fn home_of(path: &str) -> &str {
    if path == "/root" || path.starts_with("/root/") {
        return "/root";
    }
    ["/home/", "/Users/"]
        .iter()
        .find_map(|parent| {
            let rest = path.strip_prefix(parent)?;
            let name = rest.split('/').next()?;
            path.get(..parent.len() + name.len())
        })
        .unwrap_or("/home/none")
}

fn shell(text: &str, dialect: Dialect, around: &Surroundings) -> (Found, Source) {
    if dialect == Dialect::PowerShell {
        let mut found = Found::default();
        found.opaque();
        found.slot(
            "PowerShell, which is not understood",
            Effect::Exec,
            circinus_core::action::SlotValue::Text(text.into()),
            Tier::T2,
        );
        if text.to_ascii_lowercase().contains("circinus") {
            found.flag(Flag::Guard);
        }
        return (found, Source::Unobserved);
    }
    let CommandAnalysis { tier, flags, effects, slots, writes, reads, source, .. } =
        command::analyze(text, around);
    (Found { tier, effects, flags, slots, writes, reads, ..Found::default() }, source)
}

/// Approvals are bound to it: the tool and every argument, each preceded by its length.
fn identity(tool: &str, call: &ToolCall) -> Digest {
    let mut parts: Vec<&str> = vec![tool];
    match call {
        ToolCall::Shell { command, dialect } => {
            parts.extend(["shell", if *dialect == Dialect::Posix { "posix" } else { "powershell" }, command]);
        }
        ToolCall::ReadFile { path } => parts.extend(["read", path]),
        ToolCall::WriteFile { path, content } => parts.extend(["write", path, content]),
        ToolCall::EditFile { path, old, new } => parts.extend(["edit", path, old, new]),
        ToolCall::Search { path, pattern } => {
            parts.extend(["search", path.as_deref().unwrap_or(""), pattern])
        }
        ToolCall::Fetch { url } => parts.extend(["fetch", url]),
        ToolCall::WebSearch { query } => parts.extend(["web search", query]),
        ToolCall::Spawn { prompt } => parts.extend(["spawn", prompt]),
        ToolCall::Collect { task } => parts.extend(["collect", task]),
        ToolCall::Inert { tool } => parts.extend(["inert", tool]),
        ToolCall::Mcp { server, tool, arguments } => {
            parts.extend(["mcp", server, tool]);
            parts.extend(arguments.iter().flat_map(|argument| [&*argument.name, &*argument.text]));
        }
        ToolCall::Other { tool, arguments } => {
            parts.extend(["other", tool]);
            parts.extend(arguments.iter().flat_map(|argument| [&*argument.name, &*argument.text]));
        }
    }
    Digest::of_parts(parts.into_iter().map(str::as_bytes))
}

/// The arguments in one line; the tool's name stands beside it wherever it is shown.
fn summary(call: &ToolCall) -> Box<str> {
    let text = match call {
        ToolCall::Shell { command, .. } => command.to_string(),
        ToolCall::ReadFile { path } | ToolCall::WriteFile { path, .. } | ToolCall::EditFile { path, .. } => {
            path.to_string()
        }
        ToolCall::Search { path, pattern } => format!("{pattern} in {}", path.as_deref().unwrap_or(".")),
        ToolCall::Fetch { url } => url.to_string(),
        ToolCall::WebSearch { query } => query.to_string(),
        ToolCall::Spawn { prompt } => prompt.to_string(),
        ToolCall::Mcp { arguments, .. } | ToolCall::Other { arguments, .. } => {
            let named = arguments.iter().map(|argument| format!("{}={}", argument.name, argument.text));
            named.collect::<Vec<_>>().join(" ")
        }
        ToolCall::Collect { task } => task.to_string(),
        ToolCall::Inert { .. } => String::new(),
    };
    one_line(&text)
}

/// Blank runs and control characters become one blank; what is too long ends in an ellipsis.
fn one_line(text: &str) -> Box<str> {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control()).filter(|word| !word.is_empty());
    let mut line = String::new();
    for word in words {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
        if line.len() > LABEL_CHARS_MAX * 4 {
            break;
        }
    }
    if line.chars().count() > LABEL_CHARS_MAX {
        line = line.chars().take(LABEL_CHARS_MAX - 1).chain(['…']).collect();
    }
    line.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_is_one_bounded_line() {
        let call = ToolCall::Shell { command: "a\n\tb  c\u{1b}[31m".into(), dialect: Dialect::Posix };
        assert_eq!(&*summary(&call), "a b c [31m");
        let long = ToolCall::WebSearch { query: "word ".repeat(400).into() };
        assert!(summary(&long).chars().count() <= LABEL_CHARS_MAX);
    }

    #[test]
    fn identity_tells_arguments_apart() {
        let edit =
            |old: &str, new: &str| ToolCall::EditFile { path: "f".into(), old: old.into(), new: new.into() };
        assert_ne!(identity("Edit", &edit("ab", "c")), identity("Edit", &edit("a", "bc")));
        assert_eq!(identity("Edit", &edit("a", "b")), identity("Edit", &edit("a", "b")));
    }

    #[test]
    fn credentials_are_known_by_absolute_path() {
        assert!(is_credential_path("/home/kim/.ssh/id_ed25519"));
        assert!(is_credential_path("/srv/app/.env"));
        assert!(!is_credential_path("/home/kim/.ssh/id_ed25519.pub"));
        assert!(!is_credential_path("/srv/app/.env.example"));
    }
}
