//! INVARIANT (settings-reversible): taking our entries out gives back the text from before, byte for byte.

use circinus::adapter::claude_code::settings::{
    EVENTS, EditError, HostVersion, Registration, inspect, install, remove,
};
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::Value;

fn registration() -> Registration {
    let host = Some(HostVersion::new(2, 1, 332));
    Registration { binary: "/opt/circinus/bin/circinus-hook".into(), timeout_s: 45, host }
}

fn installed(text: &str) -> String {
    install(Some(text), &registration()).unwrap().text.unwrap()
}

fn restored(text: &str) -> String {
    remove(text).unwrap().text.unwrap_or_default()
}

fn blank(line_end: &'static str) -> impl Strategy<Value = String> {
    let piece = select(vec!["", "", " ", "\t", "  ", line_end]);
    prop::collection::vec(piece, 0..3).prop_map(|pieces| pieces.concat())
}

/// An object or array from its parts, each followed and preceded by some white space.
fn container(open: char, close: char, parts: &[(String, String)], end: &str) -> String {
    let body: Vec<String> = parts.iter().map(|(before, part)| format!("{before}{part}")).collect();
    format!("{open}{}{end}{close}", body.join(","))
}

fn scalar() -> impl Strategy<Value = String> {
    select(vec![
        "null",
        "true",
        "-1.5e3",
        "\"x\\u0041\\n\"",
        "\"a // b, c\"",
        "\"\\ud800\"",
        "[]",
        "{ }",
        "[1 ,2]",
    ])
    .prop_map(str::to_owned)
}

fn group(line_end: &'static str) -> impl Strategy<Value = String> {
    let foreign = r#"{"type":"command","command":"echo } ]"}"#;
    (blank(line_end), select(vec!["", foreign]), blank(line_end))
        .prop_map(|(before, entry, after)| format!("{{{before}\"hooks\":[{entry}{after}]}}"))
}

fn groups(line_end: &'static str) -> impl Strategy<Value = String> {
    let parts = prop::collection::vec((blank(line_end), group(line_end)), 0..3);
    (parts, blank(line_end)).prop_map(|(parts, end)| container('[', ']', &parts, &end))
}

fn hooks(line_end: &'static str) -> impl Strategy<Value = String> {
    let names = vec!["PreToolUse", "PostToolUse", "Stop", "Unknown", "ConfigChange"];
    let chosen = prop::sample::subsequence(names, 0..=5).prop_shuffle();
    let part = (blank(line_end), blank(line_end), groups(line_end));
    (chosen, prop::collection::vec(part, 5), blank(line_end)).prop_map(|(names, parts, end)| {
        let member = |(name, (before, gap, value)): (&str, (String, String, String))| {
            (before, format!("\"{name}\"{gap}:{gap}{value}"))
        };
        let members: Vec<_> = names.into_iter().zip(parts).map(member).collect();
        container('{', '}', &members, &end)
    })
}

/// Settings with white space of every kind, with and without hooks, byte order mark and final line end.
fn settings() -> impl Strategy<Value = String> {
    select(vec!["\n", "\r\n"]).prop_flat_map(|line_end| {
        let other = (blank(line_end), scalar());
        let others = prop::collection::vec(other, 0..4);
        let hooks = prop::option::of((blank(line_end), hooks(line_end)));
        let edges = (select(vec!["", "\u{feff}"]), blank(line_end), blank(line_end), blank(line_end));
        (others, hooks, any::<prop::sample::Index>(), edges).prop_map(|(others, hooks, at, edges)| {
            let named = others.into_iter().enumerate();
            let mut members: Vec<_> =
                named.map(|(i, (before, value))| (before, format!("\"k{i}\": {value}"))).collect();
            if let Some((before, hooks)) = hooks {
                let at = at.index(members.len() + 1);
                members.insert(at, (before, format!("\"hooks\": {hooks}")));
            }
            let (mark, head, end, tail) = edges;
            format!("{mark}{head}{}{tail}", container('{', '}', &members, &end))
        })
    })
}

proptest! {
    #[test]
    fn remove_undoes_install(text in settings()) {
        prop_assert_eq!(restored(&installed(&text)), text);
    }

    #[test]
    fn install_twice_is_install_once(text in settings()) {
        let once = installed(&text);
        let twice = install(Some(&once), &registration()).unwrap();
        prop_assert!(twice.changes.is_empty());
        prop_assert_eq!(twice.text.unwrap(), once);
    }

    #[test]
    fn install_adds_each_event_once_and_changes_no_other_value(text in settings()) {
        let after = installed(&text);
        let found = inspect(&after, registration().host).unwrap();
        prop_assert_eq!(found.len(), EVENTS.len());
        prop_assert!(found.iter().all(|one| one.problems.is_empty()), "{:?}", found);
        prop_assume!(!text.contains("ud800"));
        let value = |text: &str| serde_json::from_str::<Value>(text.trim_start_matches('\u{feff}')).unwrap();
        let (mut before, mut after) = (value(&text), value(&after));
        before.as_object_mut().unwrap().remove("hooks");
        after.as_object_mut().unwrap().remove("hooks");
        prop_assert_eq!(before, after);
    }

    #[test]
    fn a_moved_binary_is_replaced_and_still_undone(text in settings()) {
        let moved = Registration { binary: "/usr/bin/circinus-hook".into(), ..registration() };
        let after = install(Some(&installed(&text)), &moved).unwrap().text.unwrap();
        prop_assert!(!after.contains("/opt/circinus"));
        prop_assert_eq!(restored(&after), text);
    }

    #[test]
    fn no_text_makes_the_editor_panic(text in "[\\[\\]{}\":,/* \nhoksPreTlU\\\\u0-9-]{0,60}") {
        if let Ok(edited) = install(Some(&text), &registration()) {
            prop_assert_eq!(restored(&edited.text.unwrap()), text);
        }
    }
}

#[test]
fn comments_and_trailing_commas_stay() {
    for text in [
        "// head\n{\n  \"a\": 1, // one\n  /* two */ \"b\": 2,\n}\n",
        "{\n  \"hooks\": {\n    // mine\n    \"Stop\": [ /* none */ ],\n  },\n}",
        "{\"hooks\":{\"PreToolUse\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\"},]},],},}",
        "{ /* nothing */ }",
        "{\"hooks\": {}} // end",
    ] {
        assert_eq!(restored(&installed(text)), text, "{text}");
    }
}

#[test]
fn what_the_user_added_around_our_entries_stays() {
    let after = installed("{\n  \"a\": 1\n}\n");
    let edited = after
        .replacen("\"hooks\": {", "\"b\": 2,\n  \"hooks\": {\n    \"Notification\": [],", 1)
        .replacen("\n}\n", ",\n  \"c\": 3\n}\n", 1);
    let expected =
        "{\n  \"a\": 1,\n  \"b\": 2,\n  \"hooks\": {\n    \"Notification\": []\n  },\n  \"c\": 3\n}\n";
    assert_eq!(restored(&edited), expected);
}

#[test]
fn an_entry_that_the_user_put_into_our_group_stays() {
    let text = r#"{"hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"/o/circinus-hook"},{"type":"command","command":"mine"}]}]}}"#;
    let expected = r#"{"hooks":{"Stop":[{"matcher":"*","hooks":[{"type":"command","command":"mine"}]}]}}"#;
    assert_eq!(restored(text), expected);
}

#[test]
fn a_file_that_is_not_there_is_made_and_needed_no_more_afterwards() {
    for before in [None, Some("")] {
        let made = install(before, &registration()).unwrap().text.unwrap();
        assert!(made.ends_with("}\n"));
        assert_eq!(remove(&made).unwrap().text, None);
    }
    assert_eq!(restored(&installed(" \r\n")), " \r\n");
}

#[test]
fn what_cannot_be_edited_is_refused_with_its_place() {
    let refused = |text: &str| install(Some(text), &registration()).unwrap_err();
    let place = |text: &str| match refused(text) {
        EditError::Syntax { place, .. }
        | EditError::WrongType { place, .. }
        | EditError::Repeated { place, .. } => (place.line(), place.column()),
        other => panic!("{other}"),
    };
    assert_eq!(place("{\n  \"a\": 1\n  \"b\": 2\n}"), (3, 3));
    assert_eq!(place("{\n  \"hooks\": []\n}"), (2, 12));
    assert_eq!(place("{\"hooks\": {\"Stop\": {}}}"), (1, 20));
    assert_eq!(place("{\"hooks\": {}, \"hooks\": {}}"), (1, 15));
    assert_eq!(place("{\"hooks\": {\"Stop\": [], \"Stop\": []}}"), (1, 24));
    assert_eq!(place("[]"), (1, 1));
    assert_eq!(place("{'a': 1}"), (1, 2));
    assert_eq!(place("{} {}"), (1, 4));
    assert_eq!(place(&"[".repeat(100_000)), (1, 129));
    assert!(matches!(refused(&" ".repeat(5 << 20)), EditError::TooLarge { .. }));
}

#[test]
fn invalid_json_is_refused_as_a_parser_does() {
    for text in [
        "{\"a\":01}",
        "{\"a\":.5}",
        "{\"a\":1.}",
        "{\"a\":+1}",
        "{\"a\":\"\t\"}",
        "{\"a\":\"\\x\"}",
        "{,}",
        "[1,,2]",
        "{\"a\" 1}",
        "{\"a\":tru}",
        "\"x",
        "{\"a\":\"\\u00+1\"}",
    ] {
        assert!(serde_json::from_str::<Value>(text).is_err());
        assert!(matches!(remove(text), Err(EditError::Syntax { .. })), "{text}");
    }
}
