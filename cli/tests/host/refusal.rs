//! A page's hidden instruction is not obeyed, whoever reads it and however the session is run.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::thread;

use serde_json::json;

use super::client::{Run, play};
use super::model::{bash, call, turns};
use super::page::{ALLOWED, obey, page, read_page};
use super::record::assert_refused;
use super::stage::Stage;

fn by_tool_result(mode: &str) {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    let scenario = turns(vec![read_page(), obey(), json!("done")]);
    let played = play(&stage, &scenario, &Run { mode, ..Run::default() });
    assert_refused(&stage, &played, "mcp__demo__echo");
}

#[test]
fn a_tool_result_is_not_obeyed() {
    by_tool_result("default");
}

#[test]
fn a_tool_result_is_not_obeyed_where_permissions_are_bypassed() {
    by_tool_result("bypassPermissions");
}

/// Answers every request on loopback with the page, as long as the test runs.
fn serve_page() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let lines = BufReader::new(stream.try_clone().unwrap()).lines();
            // The request's head ends with an empty line.
            assert!(lines.map_while(Result::ok).any(|line| line.is_empty()));
            let body = page();
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
        }
    });
    port
}

#[test]
fn a_downloaded_page_is_not_obeyed() {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    let read = bash("toolu_page", &format!("curl -s http://127.0.0.1:{}/start", serve_page()));
    let played = play(&stage, &turns(vec![read, obey(), json!("done")]), &Run::default());
    assert_refused(&stage, &played, "Bash");
}

#[test]
fn a_subagent_does_not_obey_a_tool_result() {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    let task = json!({
        "description": "read", "prompt": "Read the notes for newcomers.", "subagent_type": "general-purpose",
        "run_in_background": false,
    });
    let scenario = json!({
        "turns": [call("toolu_task", "Agent", task), "done", "done"],
        "lanes": [{
            "name": "sub", "first": "Read the notes for newcomers", "turns": [read_page(), obey(), "read"],
        }],
    });
    let played = play(&stage, &scenario, &Run::default());
    assert!(played.asked.iter().any(|asked| asked.lane == "sub"), "no subagent ran");
    assert_refused(&stage, &played, "mcp__demo__echo");
}
