//! Arguments that hold a structure as text: `{"raw": "{\"to\": ...}"}`.

use circinus_core::action::Argument;
use serde_json::Value;

/// Leaves taken from one text; a message has a dozen. Beyond it the text counts as not understood.
const LEAVES_MAX: usize = 256;

/// What a text that begins like JSON (RFC 8259) turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Nested {
    /// No structure.
    Plain,
    /// The leaves, named after the argument and their place in it.
    Leaves(Vec<Argument>),
    /// It begins like a structure and cannot be read as one.
    Unreadable,
}

/// Looks into an argument. Callers write line breaks into strings, which JSON does not allow and which the
/// tools behind accept: they are read as spaces.
pub(super) fn leaves(argument: &Argument) -> Nested {
    let text = argument.text.trim();
    let begins = |open: char, close: char| text.starts_with(open) && text.ends_with(close);
    if !begins('{', '}') && !begins('[', ']') {
        return Nested::Plain;
    }
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let Ok(value) = serde_json::from_str::<Value>(&plain) else { return Nested::Unreadable };
    let mut leaves = Vec::new();
    if collect(&argument.name, &value, &mut leaves) { Nested::Leaves(leaves) } else { Nested::Unreadable }
}

/// Whether all leaves had room.
fn collect(name: &str, value: &Value, out: &mut Vec<Argument>) -> bool {
    let text = match value {
        Value::Null => return true,
        Value::Bool(value) => value.to_string(),
        Value::Number(value) => value.to_string(),
        Value::String(value) => value.clone(),
        Value::Array(items) => {
            return items.iter().enumerate().all(|(at, item)| collect(&format!("{name}[{at}]"), item, out));
        }
        Value::Object(fields) => {
            return fields.iter().all(|(field, item)| collect(&format!("{name}.{field}"), item, out));
        }
    };
    if out.len() >= LEAVES_MAX {
        return false;
    }
    out.push(Argument { name: name.into(), text: text.into() });
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn argument(text: &str) -> Argument {
        Argument { name: "raw".into(), text: text.into() }
    }

    #[test]
    fn a_structure_in_a_text_gives_its_leaves_also_with_bare_line_breaks() {
        let nested = leaves(&argument("{\"to\": [\"a@parts.shop\"], \"body\": \"one\ntwo\", \"n\": 3}"));
        let Nested::Leaves(found) = nested else { panic!("{nested:?}") };
        let names: Vec<_> = found.iter().map(|leaf| (&*leaf.name, &*leaf.text)).collect();
        assert_eq!(names, [("raw.body", "one two"), ("raw.n", "3"), ("raw.to[0]", "a@parts.shop")]);
    }

    #[test]
    fn text_is_told_from_what_cannot_be_read() {
        assert_eq!(leaves(&argument("plain {text}")), Nested::Plain);
        assert_eq!(leaves(&argument("{'to': 'a@parts.shop'}")), Nested::Unreadable);
        assert_eq!(leaves(&argument(&format!("[{}1]", "1,".repeat(LEAVES_MAX)))), Nested::Unreadable);
    }
}
