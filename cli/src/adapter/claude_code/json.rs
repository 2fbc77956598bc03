//! Strict JSON: one document, every key once.
//!
//! Two readers of the same bytes must see the same call. Where a key stands twice, readers differ on which
//! one counts, so such a document is refused (RFC 8259, section 4, leaves it open).

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A JSON value without duplicate keys.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(StrictVisitor).map(Strict)
    }
}

struct StrictVisitor;

impl<'de> Visitor<'de> for StrictVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E: Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("number out of range"))
    }

    fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_string<E: Error>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(Strict(item)) = access.next_element()? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            let Strict(value) = access.next_value()?;
            if map.insert(key.clone(), value).is_some() {
                return Err(A::Error::custom(format_args!("key `{}` stands twice", key.escape_debug())));
            }
        }
        Ok(Value::Object(map))
    }
}

/// Reads one JSON document: UTF-8, nothing before or after it, no key twice, nesting of at most 128.
///
/// # Errors
///
/// The parser's message, with line and column.
pub(super) fn parse(bytes: &[u8]) -> Result<Value, serde_json::Error> {
    serde_json::from_slice::<Strict>(bytes).map(|strict| strict.0)
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn a_key_that_stands_twice_is_refused_at_any_depth() {
        for text in [r#"{"a":1,"a":2}"#, r#"{"x":[{"a":1,"a":1}]}"#, r#"{"a":1,"\u0061":2}"#] {
            let error = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("stands twice"), "{error}");
        }
    }

    #[test]
    fn garbage_is_refused() {
        let deep = "[".repeat(200) + &"]".repeat(200);
        let cases: [&[u8]; 7] =
            [b"", b"nope", b"{\"a\":1} x", b"{\"a\":1}{}", b"\xff\xfe", b"{\"a\":\"\xff\"}", deep.as_bytes()];
        for case in cases {
            assert!(parse(case).is_err(), "{case:?}");
        }
        assert!(parse("\u{feff}{}".as_bytes()).is_err(), "a byte order mark is not JSON");
    }

    #[test]
    fn an_ordinary_document_is_kept_as_it_is() {
        let text = r#"{"a":[1,-2,3.5,null,true,"x\n"],"b":{}}"#;
        assert_eq!(parse(text.as_bytes()).unwrap().to_string(), text);
    }
}
