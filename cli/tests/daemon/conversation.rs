//! The transcript that a host keeps of a session, written line by line.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::payloads::Session;
use super::world::World;

/// A session with a transcript where the host keeps them.
pub(super) struct Conversation {
    pub(super) session: Session,
    pub(super) path: PathBuf,
}

impl Conversation {
    pub(super) fn new(world: &World, id: &str) -> Self {
        let folder = world.at("user/.claude/projects/p");
        fs::create_dir_all(&folder).unwrap();
        Self { session: Session::new(id, &world.project()), path: folder.join(format!("{id}.jsonl")) }
    }

    /// An event of the session that names the transcript.
    pub(super) fn event(&self, name: &str, mut fields: Value) -> Value {
        fields["transcript_path"] = json!(self.path);
        self.session.event(name, fields)
    }

    pub(super) fn bash(&self, call: &str, command: &str) -> Value {
        let fields =
            json!({ "tool_name": "Bash", "tool_use_id": call, "tool_input": { "command": command } });
        self.event("PreToolUse", fields)
    }

    /// Appends lines as the host does, one write each.
    pub(super) fn write(&self, lines: &[Value]) {
        let mut file = OpenOptions::new().create(true).append(true).open(&self.path).unwrap();
        for line in lines {
            file.write_all(format!("{line}\n").as_bytes()).unwrap();
        }
    }
}

/// A line in the user's place.
pub(super) fn user(id: &str, content: Value) -> Value {
    json!({ "type": "user", "uuid": id, "message": { "role": "user", "content": content } })
}

/// A part of a message of the model that calls a tool.
pub(super) fn calls(message: &str, call: &str, tool: &str, input: Value) -> Value {
    let block = json!({ "type": "tool_use", "id": call, "name": tool, "input": input });
    json!({ "type": "assistant", "uuid": format!("u-{call}"), "message": { "id": message, "content": [block] } })
}

/// The result of a call.
pub(super) fn result(call: &str, text: &str) -> Value {
    let block = json!({ "type": "tool_result", "tool_use_id": call, "content": text });
    user(&format!("r-{call}"), json!([block]))
}

/// A message of the model that only speaks.
pub(super) fn says(message: &str, text: &str) -> Value {
    let block = json!({ "type": "text", "text": text });
    json!({ "type": "assistant", "uuid": format!("u-{message}"), "message": { "id": message, "content": [block] } })
}

/// The output of a command that the user ran.
pub(super) fn own_output(id: &str, text: &str) -> Value {
    user(id, json!(format!("<bash-stdout>{text}</bash-stdout><bash-stderr></bash-stderr>")))
}
