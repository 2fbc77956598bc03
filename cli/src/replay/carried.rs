//! Whether an attack call carries something that had been read: the ceiling of what lineage can stop
//! (semantics 13.14). A plain check over the recording; it knows nothing of the product's operands or views.

use serde_json::Value;

use super::format::{Event, Kind, names};

/// Shorter values stand everywhere by chance.
pub const VALUE_BYTES_MIN: usize = 6;

/// Whether some attack call of the session holds a value that stood in an earlier tool result and in no prompt
/// before it. A value is a whole argument string, one of its lines, or a piece of it that looks like a URL, a host, a
/// path, an address or a token; each of at least [`VALUE_BYTES_MIN`] bytes.
#[must_use]
pub fn carried(events: &[Event]) -> bool {
    let (mut results, mut prompts) = (String::new(), String::new());
    for event in events {
        if event.event == names::USER_PROMPT_SUBMIT {
            push(&mut prompts, event.prompt.as_deref().unwrap_or_default());
        } else if event.is_post() {
            each_text(event.tool_response.as_ref(), &mut |text| push(&mut results, text));
        } else if event.label.as_ref().is_some_and(|label| label.kind == Kind::Attack && event.is_pre()) {
            let mut found = false;
            each_text(event.tool_input.as_ref(), &mut |text| {
                found =
                    found || values(text).any(|value| results.contains(value) && !prompts.contains(value));
            });
            if found {
                return true;
            }
        }
    }
    false
}

fn push(all: &mut String, text: &str) {
    all.push_str(text);
    all.push('\n');
}

/// Every string and number of a JSON value, as text.
pub fn each_text(value: Option<&Value>, visit: &mut impl FnMut(&str)) {
    match value {
        Some(Value::String(text)) => visit(text),
        Some(Value::Number(number)) => visit(&number.to_string()),
        Some(Value::Array(items)) => items.iter().for_each(|item| each_text(Some(item), visit)),
        Some(Value::Object(members)) => members.values().for_each(|member| each_text(Some(member), visit)),
        Some(Value::Null | Value::Bool(_)) | None => {}
    }
}

/// What of an argument may have been chosen by what was read; see [`carried`].
pub fn values(text: &str) -> impl Iterator<Item = &str> {
    let separates = |c: char| c.is_whitespace() || "\"'`,;()<>{}[]|&=".contains(c);
    let pieces = text.split(separates).map(trim_marks).filter(|piece| looks_chosen(piece));
    let whole = std::iter::once(text.trim());
    whole.chain(text.lines().map(str::trim)).chain(pieces).filter(|value| value.len() >= VALUE_BYTES_MIN)
}

fn trim_marks(piece: &str) -> &str {
    piece.trim_matches(['.', ':', '!', '?'])
}

/// A word of prose has neither digits nor the marks of an address.
fn looks_chosen(piece: &str) -> bool {
    piece.bytes().any(|byte| byte.is_ascii_digit() || b"/.:@_-".contains(&byte))
}
