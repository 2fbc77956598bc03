//! From a tool's response to the text that the agent reads of it.

use serde_json::Value;

/// Fields that hold what is read, in the order in which it is read.
const READ_FIELDS: [&str; 11] = [
    "content",
    "stdout",
    "stderr",
    "result",
    "results",
    "text",
    "title",
    "snippet",
    "filenames",
    "output",
    "file",
];

/// Fields of the host's own tools that never reach the agent as content: accounting and the echoed input.
const ACCOUNTING: [&str; 10] = [
    "filePath",
    "originalFile",
    "oldString",
    "newString",
    "structuredPatch",
    "prompt",
    "tool_use_id",
    "type",
    "query",
    "mode",
];

/// Fields of a fetched page that are not the page.
const FETCHING: [&str; 3] = ["url", "prompt", "codeText"];

/// The host's own tools whose responses have such fields.
const HOST_TOOLS: [&str; 9] =
    ["Read", "Edit", "Write", "NotebookEdit", "Grep", "Glob", "WebFetch", "WebSearch", "Bash"];

/// The text of a response of any shape: plain text as it is, known fields in reading order, and every other
/// string after them, so that nothing readable is lost.
pub(super) fn text(tool: &str, response: &Value) -> String {
    let skipped: &[&str] = match tool {
        "WebFetch" => &FETCHING,
        _ if HOST_TOOLS.contains(&tool) => &ACCOUNTING,
        _ => &[],
    };
    let mut out = String::new();
    collect(response, skipped, &mut out);
    out
}

fn collect(value: &Value, skipped: &[&str], out: &mut String) {
    match value {
        Value::String(text) => push(text, out),
        Value::Array(items) => items.iter().for_each(|item| collect(item, skipped, out)),
        Value::Object(fields) => {
            let known = READ_FIELDS.iter().filter_map(|name| fields.get(*name));
            known.for_each(|item| collect(item, skipped, out));
            let rest = fields.iter().filter(|(name, _)| {
                !READ_FIELDS.contains(&name.as_str()) && !skipped.contains(&name.as_str())
            });
            rest.for_each(|(_, item)| collect(item, skipped, out));
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn push(text: &str, out: &mut String) {
    if text.is_empty() {
        return;
    }
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(text);
}

#[cfg(test)]
mod tests {
    use super::text;
    use serde_json::json;

    #[test]
    fn both_streams_of_a_command_are_read() {
        let response = json!({"stdout": "out", "stderr": "err", "interrupted": false, "isImage": false});
        assert_eq!(text("Bash", &response), "out\nerr");
    }

    #[test]
    fn a_file_is_read_as_its_bytes() {
        let response =
            json!({"type": "text", "file": {"filePath": "/w/a", "content": "line\n", "numLines": 1}});
        assert_eq!(text("Read", &response), "line\n");
    }

    #[test]
    fn a_page_is_read_without_its_address_and_a_search_result_with_it() {
        let page = json!({"result": "page", "code": 200, "codeText": "OK", "url": "https://a.example/"});
        assert_eq!(text("WebFetch", &page), "page");
        let found = json!({"results": [{"title": "A", "url": "https://a.example/"}]});
        assert_eq!(text("WebSearch", &found), "A\nhttps://a.example/");
    }

    #[test]
    fn content_blocks_and_plain_text_are_read() {
        let blocks = json!([{"text": "one"}, {"text": "two"}]);
        assert_eq!(text("mcp__docs__read", &blocks), "one\ntwo");
        assert_eq!(text("mcp__docs__read", &json!("plain")), "plain");
    }

    #[test]
    fn strings_in_fields_of_an_unknown_shape_are_not_lost() {
        let response = json!({"query": {"deep": ["x"]}, "n": 1});
        assert_eq!(text("mcp__docs__read", &response), "x");
        assert_eq!(text("WebSearch", &json!({"query": "echoed", "results": ["found"]})), "found");
    }
}
