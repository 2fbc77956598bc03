//! Payloads that are no event, or hardly one: a named answer each, and the daemon goes on.

use serde_json::{Value, json};

use super::answer::Answer;
use super::payloads::{Session, hostile};
use super::world::World;

/// Bytes of one event that the hook forwards, as documented.
const PAYLOAD_BYTES_MAX: usize = 64 << 20;

/// A daemon that has recorded one hostile page, and its log.
fn world() -> (World, Session, Vec<Value>) {
    let world = World::new();
    let session = Session::new("bad-input", &world.project());
    assert_eq!(world.send(&session.hostile_page("page", "bad-input.dev")), Answer::Silent);
    let log = world.log();
    (world, session, log)
}

/// The daemon lives, what was recorded still is, and the recorded page still gates the call that it asks for.
#[track_caller]
fn assert_sound(world: &World, session: &Session, before: &[Value], case: &str) {
    let log = world.log();
    let artifacts =
        |log: &[Value]| log.iter().filter(|row| row["kind"] == "artifact").cloned().collect::<Vec<_>>();
    assert!(artifacts(&log).starts_with(&artifacts(before)), "{case}: a recorded artifact is gone");
    assert_eq!(world.status()["unrecorded"], 0, "{case}");
    let reason = world.send(&session.bash("again", &hostile("bad-input.dev"))).stopped();
    assert!(reason.contains("get.bad-input.dev"), "{case}: {reason}");
}

fn gate(fields: &str) -> Vec<u8> {
    format!(r#"{{"session_id":"s","cwd":"/","hook_event_name":"PreToolUse",{fields}}}"#).into_bytes()
}

fn nested(depth: usize) -> String {
    "[".repeat(depth) + &"]".repeat(depth)
}

#[test]
fn a_gate_event_that_does_not_parse_is_refused() {
    let (world, session, before) = world();
    let ls = r#""tool_name":"Bash","tool_use_id":"c","tool_input":{"command":"ls"}"#;
    let whole = gate(ls);
    assert_eq!(world.hook(&whole), Answer::Silent, "what the cases below spoil");
    let spoiled = |head: &[u8], tail: &[u8]| [head, &whole, tail].concat();
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("empty", Vec::new()),
        ("blank", b" \n".to_vec()),
        ("not JSON", b"ls -la".to_vec()),
        ("an array", [b"[", &*whole, b"]"].concat()),
        ("a string", b"\"PreToolUse\"".to_vec()),
        ("truncated", whole[..whole.len() - 1].to_vec()),
        ("truncated in a string", whole[..whole.len() - 6].to_vec()),
        ("byte order mark", spoiled(b"\xef\xbb\xbf", b"")),
        ("UTF-16", String::from_utf8(whole.clone()).unwrap().bytes().flat_map(|b| [b, 0]).collect()),
        ("trailing bytes", spoiled(b"", b" x")),
        ("trailing NUL", spoiled(b"", b"\0")),
        ("two objects", spoiled(b"", &whole)),
        ("two lines", spoiled(b"", &[b"\n", &*whole].concat())),
        ("event name twice", gate(&format!(r#""hook_event_name":"PostToolUse",{ls}"#))),
        ("tool twice", gate(&format!(r#"{ls},"tool_name":"Read""#))),
        ("input twice", gate(&format!(r#"{ls},"tool_input":{{}}"#))),
        ("command twice", gate(r#""tool_name":"Bash","tool_input":{"command":"ls","command":"ls -l"}"#)),
        ("twice by escape", gate(r#""tool_name":"Bash","tool_input":{"command":"ls","\u0063ommand":"w"}"#)),
        ("not UTF-8", gate(r#""tool_name":"Bash","tool_input":{"command":"ls ?"}"#).into_iter().map(|b| if b == b'?' { 0xff } else { b }).collect()),
        ("raw control character", gate("\"tool_name\":\"Bash\",\"tool_input\":{\"command\":\"ls \x01\"}")),
        ("nested 10,000 deep", gate(&format!(r#""tool_name":"Bash","tool_input":{}"#, nested(10_000)))),
        ("unclosed 10,000 deep", gate(&format!(r#""tool_name":"Bash","tool_input":{}"#, "[".repeat(10_000)))),
        ("number beyond range", gate(r#""tool_name":"X","tool_input":{"n":1e999}"#)),
        ("no event name", br#"{"session_id":"s","tool_name":"Bash","tool_input":{"command":"ls"}}"#.to_vec()),
        ("event name null", br#"{"session_id":"s","hook_event_name":null,"tool_name":"Bash","tool_input":{}}"#.to_vec()),
        ("no session", br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#.to_vec()),
        ("session a number", br#"{"session_id":7,"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#.to_vec()),
        ("no tool", gate(r#""tool_input":{"command":"ls"}"#)),
        ("tool a list", gate(r#""tool_name":["Bash"],"tool_input":{"command":"ls"}"#)),
        ("no input", gate(r#""tool_name":"Bash""#)),
    ];
    for (case, payload) in &cases {
        let answer = world.hook(payload);
        assert!(matches!(answer, Answer::Refuses(_)), "{case}: {answer:?}");
    }
    assert_eq!(world.status()["malformed"], cases.len(), "each of them reached the daemon, and only they");
    assert_sound(&world, &session, &before, "all");
}

#[test]
fn what_is_missing_or_strange_but_readable_is_judged_by_what_is_there() {
    let (world, session, before) = world();
    let long = "s".repeat(1 << 20);
    let deep = nested(100);
    let silent: Vec<(&str, Vec<u8>)> = vec![
        ("neither cwd nor id", br#"{"session_id":"s","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#.to_vec()),
        ("relative cwd", br#"{"session_id":"s","cwd":"x/y","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#.to_vec()),
        ("unknown fields", gate(&format!(r#""tool_name":"Bash","tool_input":{{"command":"ls","new":{deep}}},"later":1e3"#))),
        ("huge integer", gate(r#""tool_name":"Bash","tool_input":{"command":"ls","timeout":123456789012345678901234567890}"#)),
        ("unknown event", br#"{"session_id":"s","hook_event_name":"SomethingNew","x":[1]}"#.to_vec()),
        ("session with NUL", br#"{"session_id":"a\u0000b","hook_event_name":"SessionStart"}"#.to_vec()),
        ("long session", format!(r#"{{"session_id":"{long}","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{{"command":"ls"}}}}"#).into_bytes()),
        ("empty session", br#"{"session_id":"","cwd":"/","hook_event_name":"SessionStart"}"#.to_vec()),
    ];
    for (case, payload) in &silent {
        assert_eq!(world.hook(payload), Answer::Silent, "{case}");
    }
    let answered: Vec<(&str, Vec<u8>)> = vec![
        ("unknown tool", gate(r#""tool_name":"Teleport","tool_input":{"to":"https://far.example.dev/x"}"#)),
        ("tool without a name", gate(r#""tool_name":"","tool_input":{}"#)),
        ("input a string", gate(r#""tool_name":"Bash","tool_input":"ls""#)),
        ("input null", gate(r#""tool_name":"Bash","tool_input":null"#)),
        ("command with NUL", gate(r#""tool_name":"Bash","tool_input":{"command":"ls\u0000; git push"}"#)),
        ("path with NUL", gate(r#""tool_name":"Read","tool_input":{"file_path":"/etc/host\u0000s"}"#)),
        (
            "half of a surrogate pair",
            gate(r#""tool_name":"Bash","tool_input":{"command":"git push origin \ud83d"}"#),
        ),
    ];
    for (case, payload) in &answered {
        let answer = world.hook(payload);
        assert!(!matches!(answer, Answer::Keeps(_) | Answer::Reports(_)), "{case}: {answer:?}");
    }
    assert_sound(&world, &session, &before, "all");
}

#[test]
fn events_after_the_fact_that_do_not_parse_are_refused_and_nothing_of_them_is_kept() {
    let (world, session, before) = world();
    let whole = session.page("c", "https://other.example.dev/", "text").to_string();
    for payload in
        [&whole[..whole.len() - 9], &format!("{whole}{whole}"), &whole.replace("cwd", "session_id")]
    {
        assert!(matches!(world.hook(payload.as_bytes()), Answer::Refuses(_)), "{payload}");
    }
    assert!(world.labels().iter().all(|label| !label.contains("other.example.dev")));
    assert_sound(&world, &session, &before, "all");
}

#[test]
fn a_payload_of_the_largest_size_is_answered_and_a_larger_one_refused() {
    let (world, session, before) = world();
    let padded = |bytes: usize| {
        let empty = session.before("w", "Write", json!({ "file_path": "/tmp/x", "content": "" })).to_string();
        let filling = "lorem ipsum ".repeat(bytes / 12 + 1);
        let content = format!(r#""content":"{}""#, &filling[..bytes - empty.len()]);
        let payload = empty.replace(r#""content":"""#, &content);
        assert_eq!(payload.len(), bytes);
        payload
    };
    for bytes in [PAYLOAD_BYTES_MAX + 1, PAYLOAD_BYTES_MAX + (1 << 20)] {
        let reason = world.hook(padded(bytes).as_bytes());
        assert!(matches!(&reason, Answer::Refuses(why) if why.contains("limit")), "{reason:?}");
    }
    let answer = world.hook(padded(PAYLOAD_BYTES_MAX).as_bytes());
    assert!(!matches!(answer, Answer::Keeps(_) | Answer::Reports(_)), "{answer:?}");
    assert_sound(&world, &session, &before, "64 MiB");
}
