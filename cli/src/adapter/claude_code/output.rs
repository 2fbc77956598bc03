//! From a tool's response to the text that the agent reads of it.

use serde_json::Value;

/// Fields that hold what is read, in the order in which it is read; other fields are the host's own
/// accounting (durations, counts, the echoed input).
const READ_FIELDS: [&str; 12] = [
    "content",
    "stdout",
    "stderr",
    "result",
    "results",
    "text",
    "title",
    "url",
    "snippet",
    "filenames",
    "output",
    "file",
];

/// Fields that never reach the agent as content.
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

/// The text of a response of any shape: plain text as it is, known fields in reading order, and every other
/// string after them, so that nothing readable is lost.
pub(super) fn text(response: &Value) -> String {
    let mut out = String::new();
    collect(response, &mut out);
    out
}

fn collect(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => push(text, out),
        Value::Array(items) => items.iter().for_each(|item| collect(item, out)),
        Value::Object(fields) => {
            let known = READ_FIELDS.iter().filter_map(|name| fields.get(*name));
            known.for_each(|item| collect(item, out));
            let skipped =
                |name: &&String| READ_FIELDS.contains(&name.as_str()) || ACCOUNTING.contains(&name.as_str());
            let others = fields.iter().filter(|(name, _)| !skipped(name));
            others.for_each(|(_, item)| collect(item, out));
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
        assert_eq!(text(&response), "out\nerr");
    }

    #[test]
    fn a_file_is_read_as_its_bytes() {
        let response =
            json!({"type": "text", "file": {"filePath": "/w/a", "content": "line\n", "numLines": 1}});
        assert_eq!(text(&response), "line\n");
    }

    #[test]
    fn content_blocks_and_plain_text_are_read() {
        assert_eq!(
            text(&json!([{"type": "text", "text": "one"}, {"type": "text", "text": "two"}])),
            "one\ntwo"
        );
        assert_eq!(text(&json!("plain")), "plain");
    }

    #[test]
    fn strings_in_fields_of_an_unknown_shape_are_not_lost() {
        assert_eq!(text(&json!({"weird": {"deep": ["x"]}, "n": 1})), "x");
    }
}
