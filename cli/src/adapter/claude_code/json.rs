//! Strict JSON: one document, every key once.
//!
//! Two readers of the same bytes must see the same call. Where a key stands twice, readers differ on which
//! one counts, so such a document is refused (RFC 8259, section 4, leaves it open).

use std::borrow::Cow;
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
    serde_json::from_slice::<Strict>(&without_lone_surrogates(bytes)).map(|strict| strict.0)
}

/// Replaces every escaped surrogate without its other half by U+FFFD, of the same length.
///
/// Hosts cut texts at a number of UTF-16 units and write the half of a cut character as it is; refusing such
/// a document would let a page keep itself off the record by the place of one emoji.
fn without_lone_surrogates(bytes: &[u8]) -> Cow<'_, [u8]> {
    let mut out = Cow::Borrowed(bytes);
    let mut at = 0;
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|byte| *byte == b'\\')) {
        let escape = at + found;
        at = escape + 2;
        let Some(unit) = unit_at(bytes, escape) else { continue };
        at = escape + 6;
        match unit {
            0xd800..=0xdbff if matches!(unit_at(bytes, at), Some(0xdc00..=0xdfff)) => at += 6,
            0xd800..=0xdfff => {
                if let Some(digits) = out.to_mut().get_mut(escape + 2..escape + 6) {
                    digits.copy_from_slice(b"fffd");
                }
            }
            _ => {}
        }
    }
    out
}

/// The UTF-16 unit of the escape that begins at `at`, if one does.
fn unit_at(bytes: &[u8], at: usize) -> Option<u16> {
    let escape = bytes.get(at..at + 6)?.strip_prefix(b"\\u")?;
    let digits =
        std::str::from_utf8(escape).ok().filter(|text| text.bytes().all(|b| b.is_ascii_hexdigit()))?;
    u16::from_str_radix(digits, 16).ok()
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
    fn half_a_character_is_read_as_a_replacement_and_a_whole_one_as_itself() {
        let cases = [
            (r#"{"a":"cut \ud83d"}"#, "cut \u{fffd}"),
            (r#"{"a":"\udc00 \ud83d\ud83d\ude00"}"#, "\u{fffd} \u{fffd}\u{1f600}"),
            (r#"{"a":"\\ud83d"}"#, "\\ud83d"),
            (r#"{"a":"\u00e9"}"#, "\u{e9}"),
        ];
        for (text, value) in cases {
            assert_eq!(parse(text.as_bytes()).unwrap()["a"], value, "{text}");
        }
        assert!(parse(br#"{"a":"\ud8"}"#).is_err(), "a short escape stays an error");
    }

    #[test]
    fn an_ordinary_document_is_kept_as_it_is() {
        let text = r#"{"a":[1,-2,3.5,null,true,"x\n"],"b":{}}"#;
        assert_eq!(parse(text.as_bytes()).unwrap().to_string(), text);
    }
}
