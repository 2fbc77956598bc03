use super::*;
use proptest::prelude::*;

fn a(json: &str) -> Result<Option<String>, Unreadable> {
    top_level_strings(json.as_bytes(), ["a"]).map(|[a]| a)
}

fn found(text: &str) -> Result<Option<String>, Unreadable> {
    Ok(Some(text.to_owned()))
}

#[test]
fn wanted_strings_are_found_at_the_top_level_only() {
    assert_eq!(a(r#"{"a":"x"}"#), found("x"));
    assert_eq!(a(" {\n\"b\" : [1, {\"a\":\"no\"}], \"a\"\t:\r\"x\" } \n"), found("x"));
    assert_eq!(a(r#"{"b":{"a":"no"}}"#), Ok(None));
    assert_eq!(a("{}"), Ok(None));
}

#[test]
fn escapes_in_keys_and_values_are_resolved() {
    assert_eq!(a(r#"{"\u0061":"x"}"#), found("x"));
    assert_eq!(a(r#"{"a":"\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}"#), found("\"\\/\u{8}\u{c}\n\r\té😀"));
    assert_eq!(a(r#"{"a":"x","\u0061":"y"}"#), Err(Unreadable), "the same key twice");
    for lone in [r#"{"a":"\ud83d"}"#, r#"{"a":"\ud83dx"}"#, r#"{"a":"\ud83d\u0041"}"#, r#"{"a":"\ude00"}"#] {
        assert_eq!(a(lone), Err(Unreadable), "{lone}");
    }
}

#[test]
fn all_values_of_the_grammar_are_stepped_over() {
    for value in [
        "0",
        "-0",
        "10",
        "1.5",
        "-1.5e10",
        "1E+3",
        "2e-7",
        "true",
        "false",
        "null",
        "\"\"",
        "[]",
        "{}",
        "[[],{}]",
        "[1,2]",
        r#"{"x":{"y":[{"z":null}]},"w":1}"#,
        "[ ]",
        "{ }",
    ] {
        assert_eq!(a(&format!(r#"{{"v":{value},"a":"x"}}"#)), found("x"), "{value}");
    }
}

#[test]
fn nothing_outside_the_grammar_is_read() {
    for json in [
        "",
        " ",
        "x",
        "null",
        "[]",
        "\"a\"",
        "{",
        "}",
        "{}}",
        "{} {}",
        "{},",
        r#"{"a"}"#,
        r#"{"a":}"#,
        r#"{a:1}"#,
        r#"{"b":1,}"#,
        r#"{,"b":1}"#,
        r#"{"b":01}"#,
        r#"{"b":1.}"#,
        r#"{"b":.5}"#,
        r#"{"b":+1}"#,
        r#"{"b":-}"#,
        r#"{"b":1e}"#,
        r#"{"b":NaN}"#,
        r#"{"b":tru}"#,
        r#"{"b":[1,]}"#,
        r#"{"b":[1 2]}"#,
        r#"{"b":[1}}"#,
        r#"{"b":{"c":1]}"#,
        r#"{"b":{"c"}}"#,
        r#"{"b":{1:2}}"#,
        r#"{"b":'x'}"#,
        r#"{"b":"\x"}"#,
        r#"{"b":"\u12g4"}"#,
        r#"{"b":"\u+123"}"#,
        r#"{"b":"\u12"}"#,
        "{\"b\":\"\n\"}",
        "{\"b\":\"",
        "{\"b\":1}\0",
        "\u{feff}{}",
        "{/**/}",
        r#"{"a":1}"#,
        r#"{"a":null}"#,
    ] {
        assert_eq!(a(json), Err(Unreadable), "{json}");
    }
    assert!(top_level_strings(b"{\"b\":\"\xff\"}", []).is_err());
}

#[test]
fn depth_and_members_are_bounded() {
    let nested = |depth: usize| format!(r#"{{"b":{}{}}}"#, "[".repeat(depth), "]".repeat(depth));
    assert!(a(&nested(JSON_DEPTH_MAX)).is_ok());
    assert_eq!(a(&nested(JSON_DEPTH_MAX + 2)), Err(Unreadable));
    assert_eq!(a(&nested(1_000_000)), Err(Unreadable));
    let members = |count: usize| {
        let members: Vec<String> = (0..count).map(|n| format!("\"{n}\":0")).collect();
        format!("{{{}}}", members.join(","))
    };
    assert_eq!(a(&members(JSON_MEMBERS_MAX)), Ok(None));
    assert_eq!(a(&members(JSON_MEMBERS_MAX + 1)), Err(Unreadable));
}

#[test]
fn the_hosts_output_is_nothing_or_one_object() {
    assert!(is_nothing_or_one_object(b""));
    assert!(is_nothing_or_one_object(b"{\"a\":1}\n"));
    assert!(!is_nothing_or_one_object(b"{}{}"));
    assert!(!is_nothing_or_one_object(b"ok {}"));
    assert!(!is_nothing_or_one_object(b" "));
}

fn quoted(text: &str) -> String {
    let mut json = String::from('"');
    for unit in text.encode_utf16() {
        json.push_str(&format!("\\u{unit:04x}"));
    }
    json.push('"');
    json
}

proptest! {
    #[test]
    fn any_text_comes_back_from_its_escapes(text: String) {
        prop_assert_eq!(a(&format!("{{\"a\":{}}}", quoted(&text))), found(&text));
    }

    #[test]
    fn any_bytes_are_judged(bytes: Vec<u8>, text in r#"[{}\[\]",:a0-9eE+.\\u tfn-]{0,40}"#) {
        let _judged = top_level_strings(&bytes, ["a"]);
        let _judged = a(&text);
        let _judged = a(&format!("{{\"a\":{text}}}"));
    }
}
