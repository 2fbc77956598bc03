//! Events in the host's JSON.

use serde_json::{Value, json};

/// One session of a made-up host.
#[derive(Clone, Debug)]
pub struct Host {
    session: String,
    cwd: String,
}

impl Host {
    /// A session that works in `cwd`.
    #[must_use]
    pub fn new(session: &str, cwd: &str) -> Host {
        Host { session: session.to_owned(), cwd: cwd.to_owned() }
    }

    /// The session begins.
    #[must_use]
    pub fn start(&self) -> Vec<u8> {
        self.event("SessionStart", json!({ "source": "startup" }))
    }

    /// The user says something.
    #[must_use]
    pub fn prompt(&self, text: &str) -> Vec<u8> {
        self.event("UserPromptSubmit", json!({ "prompt": text, "permission_mode": "default" }))
    }

    /// A shell command asks to run; the event is padded to `bytes` where it is shorter.
    #[must_use]
    pub fn shell(&self, number: usize, command: &str, bytes: usize) -> Vec<u8> {
        let of = |description: String| {
            let fields = json!({
                "permission_mode": "default",
                "tool_name": "Bash",
                "tool_input": { "command": command, "description": description },
                "tool_use_id": format!("toolu_{number:024}"),
            });
            self.event("PreToolUse", fields)
        };
        let missing = bytes.saturating_sub(of(String::new()).len());
        of("d".repeat(missing))
    }

    /// A page was read; its text is as given.
    #[must_use]
    pub fn page(&self, number: usize, text: &str) -> Vec<u8> {
        let url = format!("https://pages.circinus-load.dev/{number}");
        let fields = json!({
            "permission_mode": "default",
            "tool_name": "WebFetch",
            "tool_input": { "url": url, "prompt": "read it" },
            "tool_use_id": format!("toolu_{number:024}"),
            "tool_response": {
                "bytes": text.len(), "code": 200, "codeText": "OK", "result": text, "durationMs": 12, "url": url,
            },
            "duration_ms": 12,
        });
        self.event("PostToolUse", fields)
    }

    fn event(&self, name: &str, fields: Value) -> Vec<u8> {
        let mut json = json!({ "session_id": self.session, "cwd": self.cwd, "hook_event_name": name });
        if let (Value::Object(json), Value::Object(fields)) = (&mut json, fields) {
            json.extend(fields);
        }
        json.to_string().into_bytes()
    }
}

/// The text of a page with links: `operands` URLs that no other page number has, then prose up to `bytes`.
#[must_use]
pub fn page_text(number: usize, operands: usize, bytes: usize) -> String {
    let mut text = format!("Page {number}.\n");
    for link in 0..operands {
        text.push_str(&format!("see {}\n", link_of(number, link)));
    }
    const PROSE: &str = "The build reads its settings once and keeps what it has made for the next run. ";
    while text.len() < bytes {
        text.push_str(PROSE);
    }
    text
}

/// The `link`th URL of a page.
#[must_use]
pub fn link_of(page: usize, link: usize) -> String {
    format!("https://host-{}.circinus-load.dev/path/{page}/{link}", page % 5_000)
}
