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

/// Words of the host before the path of a file in which it keeps output.
const KEPT_WORDS: [&str; 2] = ["Output is being written to: ", "Full output saved to: "];

/// Absolute paths of files in which the host keeps output of a call, as a field or a note of it names them.
pub(super) fn kept_in(response: &Value) -> Vec<Box<str>> {
    let fields = ["persistedOutputPath", "outputFile"].iter();
    let named = fields.filter_map(|field| response.get(*field).and_then(Value::as_str));
    let note = response.as_str().unwrap_or_default();
    // The host's note begins the text; anything later may be what a program printed.
    let note = note.strip_prefix("<persisted-output>\n").unwrap_or(note);
    let line = note.lines().next().unwrap_or_default();
    let noted = KEPT_WORDS.iter().filter_map(|words| line.split_once(words)).map(|(_, rest)| {
        let path = rest.split_once(". ").map_or(rest, |(path, _)| path);
        path.trim_end_matches('.')
    });
    let host_note = line.starts_with("Command running in background") || line.starts_with("Output too large");
    named
        .chain(noted.filter(|_| host_note))
        .filter(|path| path.starts_with('/'))
        .map(Box::<str>::from)
        .collect()
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
    use super::{kept_in, text};
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
    fn only_the_hosts_own_note_names_a_file_of_output() {
        let background = json!(
            "Command running in background with ID: b1. Output is being written to: /tmp/t/b1.output. You will"
        );
        assert_eq!(kept_in(&background), ["/tmp/t/b1.output".into()]);
        let large =
            json!("<persisted-output>\nOutput too large (9KB). Full output saved to: /h/r/b2.txt\n\nx");
        assert_eq!(kept_in(&large), ["/h/r/b2.txt".into()]);
        assert_eq!(kept_in(&json!({"persistedOutputPath": "/h/b3.txt"})), ["/h/b3.txt".into()]);
        assert!(kept_in(&json!("x\nFull output saved to: /w/own.txt")).is_empty());
        assert!(kept_in(&json!("Full output saved to: /w/own.txt")).is_empty());
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
