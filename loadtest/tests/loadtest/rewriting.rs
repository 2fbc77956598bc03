//! Moving a recording into scratch folders.

use std::path::{Path, PathBuf};

use circinus_loadtest::replay::rewrite::Rewriter;
use serde_json::json;

use crate::fixture::{prompt, session, start};

fn rewriter() -> Rewriter {
    let moves = [("/home/ann/bakery", "/s/w/bakery"), ("/home/ann", "/s/home")];
    Rewriter::new(moves.map(|(from, to)| (from.to_owned(), PathBuf::from(to))).to_vec()).unwrap()
}

#[test]
fn paths_move_wherever_they_stand_in_a_text() {
    let moved = |text: &str| rewriter().text(text).unwrap_or_else(|| text.to_owned());
    assert_eq!(moved("/home/ann/bakery"), "/s/w/bakery");
    assert_eq!(moved("cat '/home/ann/bakery/a b' >/home/ann/.x"), "cat '/s/w/bakery/a b' >/s/home/.x");
    assert_eq!(moved("see file:///home/ann/bakery/x."), "see file:///s/w/bakery/x.");
    assert_eq!(moved("in /home/ann/bakery. Then"), "in /s/w/bakery. Then");
    assert_eq!(moved("PATH=/home/ann/bin:/home/ann/bakery/bin"), "PATH=/s/home/bin:/s/w/bakery/bin");
}

#[test]
fn what_is_no_head_of_a_path_stays() {
    for text in [
        "/home/anna/x",
        "/home/ann-2",
        "/home/ann.bak",
        "https://e.example/home/ann/bakery",
        "/mnt/home/ann",
        "./home/ann",
    ] {
        assert_eq!(rewriter().text(text), None, "{text}");
    }
    assert_eq!(rewriter().text("/home/ann/bakery2/x").unwrap(), "/s/home/bakery2/x");
}

#[test]
fn every_string_of_an_event_moves_and_names_stay() {
    let mut event = session(
        "s",
        &[json!({"event": "PostToolUse", "tool_name": "Other", "prompt": "/home/ann/bakery",
            "tool_input": {"/home/ann/bakery": [{"a": "/home/ann/bakery/x"}, 3]}, "tool_response": "/home/ann/y",
            "more": {"z": "/home/ann/bakery/z"}})],
    )
    .events
    .remove(0);
    rewriter().event(&mut event);
    assert_eq!(event.cwd, "/s/w/bakery");
    assert_eq!(event.prompt.unwrap(), "/s/w/bakery");
    assert_eq!(event.tool_input.unwrap(), json!({"/home/ann/bakery": [{"a": "/s/w/bakery/x"}, 3]}));
    assert_eq!(event.tool_response.unwrap(), "/s/home/y");
    assert_eq!(event.extra["more"]["z"], "/s/w/bakery/z");
}

#[test]
fn each_working_directory_of_a_session_has_its_folder() {
    let mut events = vec![start(), prompt("a"), prompt("b"), prompt("c"), prompt("d")];
    for (event, cwd) in
        events.iter_mut().zip(["/home/ann/x/sub", "/home/ann/x", "/srv/x/", "/home/ann/x/sub/y", "/"])
    {
        event["cwd"] = cwd.into();
    }
    let rewriter = Rewriter::for_session(&session("s", &events), Path::new("/w/1"), Path::new("/h")).unwrap();
    assert_eq!(rewriter.text("/home/ann/x/sub/y").unwrap(), "/w/1/x/sub/y");
    assert_eq!(rewriter.text("/srv/x/a").unwrap(), "/w/1/1/x/a");
    assert_eq!(rewriter.text("/home/ann/.profile").unwrap(), "/h/.profile");
    assert_eq!(rewriter.text("/etc/hosts"), None);
}
