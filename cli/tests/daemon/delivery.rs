//! The same result delivered more than once is one artifact.

use serde_json::json;

use super::answer::Answer;
use super::payloads::Session;
use super::world::World;

#[test]
fn a_result_is_recorded_once_however_often_it_comes() {
    let world = World::new();
    let session = Session::new("s", &world.project());
    let url = "https://once.example.dev/";
    let page = session.page("call", url, "the text of the page");
    let call = json!({
        "tool_name": "WebFetch", "tool_use_id": "call", "tool_input": { "url": url, "prompt": "read it" },
        "tool_response": "the text of the page",
    });
    let batch = session.event("PostToolBatch", json!({ "tool_calls": [call] }));
    for event in [&page, &page, &batch, &page] {
        assert_eq!(world.send(event), Answer::Silent);
    }
    world.stop();
    for event in [&batch, &page] {
        assert_eq!(world.send(event), Answer::Silent, "after a restart as well");
    }
    let labels = world.labels();
    assert_eq!(labels.len(), 1, "{labels:?}");
}

#[test]
fn a_batch_brings_what_no_event_of_its_own_brought() {
    let world = World::new();
    let session = Session::new("s", &world.project());
    let call = |id: &str| {
        let input = json!({ "url": format!("https://{id}.example.dev/"), "prompt": "read it" });
        json!({ "tool_name": "WebFetch", "tool_use_id": id, "tool_input": input, "tool_response": format!("text {id}") })
    };
    assert_eq!(
        world.send(&session.page("known", "https://known.example.dev/", "text known")),
        Answer::Silent
    );
    let batch = session.event("PostToolBatch", json!({ "tool_calls": [call("known"), call("missed")] }));
    for _ in 0..2 {
        assert_eq!(world.send(&batch), Answer::Silent);
    }
    let labels = world.labels();
    assert_eq!(labels.len(), 2, "{labels:?}");
    assert!(labels[1].contains("missed.example.dev"), "{labels:?}");
}
