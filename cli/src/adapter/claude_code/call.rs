//! From a tool's name and input to a neutral call.

use circinus_core::action::{Argument, Dialect, ToolCall};
use serde_json::Value;

/// Arguments read from one structured call; what lies beyond is covered by one argument that no parser
/// takes for a plain value, so that the call counts as not understood.
const ARGUMENTS_MAX: usize = 512;

/// Tools that only keep the agent's own notes or talk to the user.
const INERT: [&str; 11] = [
    "AskUserQuestion",
    "EnterPlanMode",
    "ExitPlanMode",
    "KillShell",
    "TaskCreate",
    "TaskGet",
    "TaskList",
    "TaskStop",
    "TaskUpdate",
    "TodoWrite",
    "ToolSearch",
];

/// The neutral form of a call.
pub(super) fn neutral(tool: &str, input: &Value) -> ToolCall {
    let text = |field: &str| input.get(field).and_then(Value::as_str).map(Box::<str>::from);
    let known = match tool {
        "Bash" | "Monitor" => {
            text("command").map(|command| ToolCall::Shell { command, dialect: Dialect::Posix })
        }
        "PowerShell" => {
            text("command").map(|command| ToolCall::Shell { command, dialect: Dialect::PowerShell })
        }
        "Read" => text("file_path").map(|path| ToolCall::ReadFile { path }),
        "Write" => text("file_path")
            .map(|path| ToolCall::WriteFile { path, content: text("content").unwrap_or_default() }),
        "Edit" => text("file_path").map(|path| ToolCall::EditFile {
            path,
            old: text("old_string").unwrap_or_default(),
            new: text("new_string").unwrap_or_default(),
        }),
        "NotebookEdit" => text("notebook_path").map(|path| ToolCall::EditFile {
            path,
            old: "".into(),
            new: text("new_source").unwrap_or_default(),
        }),
        "Grep" | "Glob" | "LS" => {
            Some(ToolCall::Search { path: text("path"), pattern: text("pattern").unwrap_or_default() })
        }
        "WebFetch" => text("url").map(|url| ToolCall::Fetch { url }),
        "WebSearch" => Some(ToolCall::WebSearch { query: text("query").unwrap_or_default() }),
        "ReadMcpResourceTool" | "ListMcpResourcesTool" => Some(resource(tool, input)),
        "Agent" | "Task" => Some(ToolCall::Spawn { prompt: text("prompt").unwrap_or_default() }),
        "TaskOutput" | "BashOutput" | "AgentOutputTool" => {
            let named = ["task_id", "bash_id", "agentId"].into_iter().find_map(text);
            named.map(|task| ToolCall::Collect { task })
        }
        _ if INERT.contains(&tool) => Some(ToolCall::Inert { tool: tool.into() }),
        _ => None,
    };
    known.unwrap_or_else(|| structured(tool, input))
}

/// An MCP tool, or a tool that is not known (a known one with an unusable input counts as not known): all
/// its strings are arguments.
fn structured(tool: &str, input: &Value) -> ToolCall {
    let mut arguments = Vec::new();
    collect("", input, &mut arguments);
    if arguments.len() >= ARGUMENTS_MAX {
        arguments.push(Argument { name: "(more)".into(), text: "(arguments beyond the limit)".into() });
    }
    match tool.strip_prefix("mcp__").and_then(|rest| rest.split_once("__")) {
        Some((server, name)) => ToolCall::Mcp { server: server.into(), tool: name.into(), arguments },
        None => ToolCall::Other { tool: tool.into(), arguments },
    }
}

/// A resource of an MCP server, read through the host's own tool.
fn resource(tool: &str, input: &Value) -> ToolCall {
    let mut arguments = Vec::new();
    collect("", input, &mut arguments);
    let server = input.get("server").and_then(Value::as_str).unwrap_or("any");
    let verb = if tool == "ReadMcpResourceTool" { "read_resource" } else { "list_resources" };
    ToolCall::Mcp { server: server.into(), tool: verb.into(), arguments }
}

fn collect(name: &str, value: &Value, out: &mut Vec<Argument>) {
    if out.len() >= ARGUMENTS_MAX {
        return;
    }
    match value {
        Value::Null => {}
        Value::Bool(value) => out.push(Argument { name: name.into(), text: value.to_string().into() }),
        Value::Number(value) => out.push(Argument { name: name.into(), text: value.to_string().into() }),
        Value::String(value) => out.push(Argument { name: name.into(), text: value.as_str().into() }),
        Value::Array(items) => {
            for (place, item) in items.iter().enumerate() {
                collect(&format!("{name}[{place}]"), item, out);
            }
        }
        Value::Object(fields) => {
            for (field, item) in fields {
                let name = if name.is_empty() { field.clone() } else { format!("{name}.{field}") };
                collect(&name, item, out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn an_mcp_call_keeps_server_tool_and_every_string_with_its_place() {
        let call =
            neutral("mcp__mail__send", &json!({"to": ["a@b.example"], "body": {"text": "hi"}, "n": 3}));
        let ToolCall::Mcp { server, tool, arguments } = call else { panic!("not MCP") };
        assert_eq!((&*server, &*tool), ("mail", "send"));
        let names: Vec<_> = arguments.iter().map(|argument| &*argument.name).collect();
        assert_eq!(names, ["body.text", "n", "to[0]"]);
    }

    #[test]
    fn a_known_tool_with_an_unusable_input_counts_as_unknown() {
        let call = neutral("Bash", &json!({"command": ["rm", "x"]}));
        assert!(matches!(call, ToolCall::Other { .. }), "{call:?}");
    }
}
