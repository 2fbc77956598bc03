//! A recorded event as the host's hook would get it on its standard input.

use serde_json::{Map, Value};

use super::format::{Event, names};

/// The permission mode of every event; the recordings do not say theirs.
const PERMISSION_MODE: &str = "default";

/// The event in the host's JSON, under the given session id. Labels, times and marks of the recording stay out, and
/// so does the transcript's path, because there is none.
#[must_use]
pub fn host_json(event: &Event, session_id: &str) -> Vec<u8> {
    let mut json = event.extra.clone();
    let failed = event.event == names::POST_TOOL_USE && event.is_error;
    let name = if failed { names::POST_TOOL_USE_FAILURE } else { event.event.as_str() };
    let mut set = |name: &str, value: Value| json.insert(name.to_owned(), value);
    set("session_id", session_id.into());
    set("cwd", event.cwd.as_str().into());
    set("hook_event_name", name.into());
    match name {
        names::SESSION_START => {
            set("source", "startup".into());
        }
        names::SESSION_END => {
            set("reason", "other".into());
        }
        _ => {
            set("permission_mode", PERMISSION_MODE.into());
        }
    }
    let texts =
        [("tool_name", &event.tool_name), ("tool_use_id", &event.tool_use_id), ("prompt", &event.prompt)];
    for (name, text) in texts {
        if let Some(text) = text {
            set(name, text.as_str().into());
        }
    }
    if let Some(input) = &event.tool_input {
        set("tool_input", input.clone());
    }
    match &event.tool_response {
        Some(response) if failed => {
            let text = response.as_str().map_or_else(|| response.to_string(), str::to_owned);
            set("error", text.into());
            set("is_interrupt", false.into());
        }
        Some(response) => {
            set("tool_response", response.clone());
        }
        None => {}
    }
    Value::Object(json).to_string().into_bytes()
}

/// The end of a session whose recording lacks it.
#[must_use]
pub fn session_end(last: &Event) -> Event {
    Event {
        t_ms: last.t_ms,
        event: names::SESSION_END.to_owned(),
        session_id: last.session_id.clone(),
        cwd: last.cwd.clone(),
        tool_use_id: None,
        tool_name: None,
        tool_input: None,
        tool_response: None,
        is_error: false,
        prompt: None,
        label: None,
        extra: Map::new(),
    }
}
