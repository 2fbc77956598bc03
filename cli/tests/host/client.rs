//! One headless run of the client.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::process::Stdio;

use serde_json::{Value, json};

use super::model::{Asked, Model, ToolResult};
use super::process::Guarded;
use super::stage::Stage;

/// How a run of the client is started.
pub(super) struct Run<'a> {
    /// What the user typed.
    pub(super) prompt: &'a str,
    /// The client's permission mode.
    pub(super) mode: &'a str,
    /// Further arguments.
    pub(super) arguments: &'a [&'a str],
}

impl Default for Run<'_> {
    fn default() -> Self {
        Self { prompt: "set the project up", mode: "default", arguments: &[] }
    }
}

/// What a run left behind.
pub(super) struct Played {
    results: BTreeMap<String, ToolResult>,
    /// What the model was asked.
    pub(super) asked: Vec<Asked>,
    /// What the client printed, one JSON object per line.
    pub(super) events: Vec<Value>,
}

impl Played {
    /// What the model received for a call; the call must have been made.
    pub(super) fn result(&self, id: &str) -> &ToolResult {
        self.results.get(id).unwrap_or_else(|| panic!("no result for {id}: {:?}", self.results))
    }

    /// The client's name of the session.
    pub(super) fn session(&self) -> &str {
        self.events.iter().find_map(|event| event["session_id"].as_str()).unwrap()
    }

    /// What the hooks printed and how they ended.
    pub(super) fn hooks(&self) -> Vec<&Value> {
        self.events.iter().filter(|event| event["subtype"] == "hook_response").collect()
    }
}

/// The client's tool servers: one that says back what it is told.
pub(super) fn servers(stage: &Stage) -> String {
    let server = json!({ "command": stage.python(), "args": [stage.harness("mcp_echo.py")] });
    json!({ "mcpServers": { "demo": server } }).to_string()
}

/// Plays a scenario to its end.
pub(super) fn play(stage: &Stage, scenario: &Value, run: &Run<'_>) -> Played {
    play_beside(stage, scenario, run, || ())
}

/// Plays a scenario to its end; `beside` runs while the client does.
pub(super) fn play_beside(stage: &Stage, scenario: &Value, run: &Run<'_>, beside: impl FnOnce()) -> Played {
    let model = Model::start(stage, scenario);
    let (out, err) = (stage.at("client.out"), stage.at("client.err"));
    let child = stage
        .speaking(stage.client(), model.port)
        .args(["-p", run.prompt, "--output-format", "stream-json", "--verbose", "--include-hook-events"])
        .args(["--permission-mode", run.mode, "--mcp-config", &servers(stage), "--strict-mcp-config"])
        .args(run.arguments)
        .stdout(Stdio::from(File::create(&out).unwrap()))
        .stderr(Stdio::from(File::create(&err).unwrap()))
        .spawn()
        .unwrap();
    let mut client = Guarded(child);
    beside();
    let status = client.ended("the end of the client");
    let out = fs::read_to_string(&out).unwrap();
    assert!(status.success(), "the client ended with {status}: {out}\n{}", fs::read_to_string(&err).unwrap());
    let told = model.finish();
    let events = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    Played { results: told.results(), asked: told.asked(), events }
}
