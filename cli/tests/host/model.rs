//! The scripted model: what it says, turn by turn, and what it was told.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::process::Guarded;
use super::stage::Stage;

/// A turn in which the model calls one tool.
pub(super) fn call(id: &str, tool: &str, input: Value) -> Value {
    json!([{ "tool": tool, "id": id, "input": input }])
}

/// A turn in which the model runs one command.
pub(super) fn bash(id: &str, command: &str) -> Value {
    call(id, "Bash", json!({ "command": command, "description": "as told" }))
}

/// A conversation without others beside it.
pub(super) fn turns(turns: Vec<Value>) -> Value {
    json!({ "turns": turns, "side_reply": "ok" })
}

/// A result of a tool as the model received it.
#[derive(Clone, Debug)]
pub(super) struct ToolResult {
    pub(super) text: String,
    pub(super) is_error: bool,
}

/// One request that the model answered.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    /// The conversation.
    pub(super) lane: String,
    /// When the request was complete, in seconds.
    pub(super) came_s: f64,
    /// When the answer was complete, in seconds.
    pub(super) left_s: f64,
}

/// The running server.
pub(super) struct Model {
    server: Guarded,
    record: PathBuf,
    /// Where it listens on loopback.
    pub(super) port: u16,
}

impl Model {
    /// Starts it with a scenario; it plays the turns in order.
    pub(super) fn start(stage: &Stage, scenario: &Value) -> Self {
        let (script, record) = (stage.at("scenario.json"), stage.at("requests.jsonl"));
        fs::write(&script, scenario.to_string()).unwrap();
        File::create(&record).unwrap();
        let mut server = Command::new(stage.python())
            .arg(stage.harness("mock_anthropic.py"))
            .args([Path::new("--scenario"), &script, Path::new("--record"), &record])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let out = server.stdout.take().unwrap();
        let server = Guarded(server);
        let mut line = String::new();
        BufReader::new(out).read_line(&mut line).unwrap();
        Self { server, record, port: line.trim().parse().unwrap() }
    }

    /// Ends it, so that all that it was told is written, and reads that.
    pub(super) fn finish(self) -> Told {
        drop(self.server);
        read(&self.record)
    }

    /// What it was told so far.
    pub(super) fn told(&self) -> Told {
        read(&self.record)
    }
}

/// Reads whole lines; the last may still be on its way.
fn read(record: &Path) -> Told {
    let text = fs::read_to_string(record).unwrap();
    let whole = text.rsplit_once('\n').map_or("", |(whole, _)| whole);
    Told { requests: whole.lines().map(|line| serde_json::from_str(line).unwrap()).collect() }
}

/// All that the model was told.
#[derive(Debug)]
pub(super) struct Told {
    requests: Vec<Value>,
}

impl Told {
    /// The results of the calls by id, as the model received them.
    pub(super) fn results(&self) -> BTreeMap<String, ToolResult> {
        let messages = self.requests.iter().filter_map(|request| request["messages"].as_array()).flatten();
        let blocks = messages.filter_map(|message| message["content"].as_array()).flatten();
        let results = blocks.filter(|block| block["type"] == "tool_result").map(|block| {
            let is_error = block["is_error"].as_bool().unwrap_or(false);
            let result = ToolResult { text: text_of(&block["content"]), is_error };
            (block["tool_use_id"].as_str().unwrap().to_owned(), result)
        });
        results.collect()
    }

    /// The requests that a conversation was answered in, in order of their end.
    pub(super) fn asked(&self) -> Vec<Asked> {
        let answered = self.requests.iter().filter(|request| request["t_out"].is_f64());
        let asked = answered.map(|request| Asked {
            lane: request["lane"].as_str().unwrap().to_owned(),
            came_s: request["t_in"].as_f64().unwrap(),
            left_s: request["t_out"].as_f64().unwrap(),
        });
        asked.collect()
    }
}

fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().map(|block| text_of(&block["text"])).collect(),
        _ => String::new(),
    }
}
