//! The load: clients that report and ask until the daemon is gone, and remember what it promised them.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use circinus_ipc::client::{CallError, Client};
use circinus_ipc::path::SocketPlace;
use circinus_ipc::wire::{Reply, RequestRef};
use serde_json::{Value, json};

use super::random::Random;

/// Clients at work at once.
pub(super) const CLIENTS: u64 = 4;

/// Time for one answer; a daemon under load by eight clients is far below it.
const ANSWER_WAIT: Duration = Duration::from_secs(20);

/// Between two attempts to reach a daemon that does not listen yet.
const RETRY: Duration = Duration::from_millis(1);

/// Something that was promised.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Promise {
    /// A tool's result with this name in its label was acknowledged.
    Record(String),
    /// A weighty call with this name in its summary was allowed or decided under an id.
    Decision(String),
}

/// One client of one life.
pub(super) struct Sender<'a> {
    pub(super) place: &'a SocketPlace,
    /// Whether the daemon has ended.
    pub(super) gone: &'a AtomicBool,
    /// Different for each life and client of a seed.
    pub(super) name: String,
    pub(super) random: Random,
    /// The folder of the project.
    pub(super) project: String,
}

impl Sender<'_> {
    /// Sends events until the daemon is gone; gives what was promised.
    pub(super) fn run(mut self) -> Vec<Promise> {
        let mut promised = Vec::new();
        for number in 0_u64.. {
            let name = format!("{}n{number}", self.name);
            let (event, promise) = self.event(&name);
            match self.send(&event) {
                Some(reply) => promised.extend(promise.filter(|promise| keeps(promise, &reply))),
                None => break,
            }
        }
        promised
    }

    /// One reply; none when the daemon is gone. An event that got no reply is not sent again.
    fn send(&self, event: &Value) -> Option<Reply> {
        let payload = event.to_string();
        loop {
            match Client::call_ref(self.place, RequestRef::Hook(payload.as_bytes()), ANSWER_WAIT) {
                Ok(reply) => return Some(reply),
                Err(CallError::NotRunning) if !self.gone.load(Ordering::Acquire) => thread::sleep(RETRY),
                Err(_) => return None,
            }
        }
    }

    fn event(&mut self, name: &str) -> (Value, Option<Promise>) {
        let url = format!("https://{name}.example.dev/");
        match self.random.below(8) {
            0 | 1 => {
                let command = format!("git push https://git.{name}.dev/a.git main");
                let event = self.call("PreToolUse", name, "Bash", json!({ "command": command }), None);
                (event, Some(Promise::Decision(name.to_owned())))
            }
            2 => {
                let input =
                    json!({ "file_path": format!("{}/{name}.md", self.project), "content": text(name, 3) });
                let response = json!({ "type": "create" });
                (self.call("PostToolUse", name, "Write", input, Some(response)), None)
            }
            3 => {
                let fields = json!({ "prompt": format!("please look at https://{name}.example.org/x") });
                (self.plain("UserPromptSubmit", fields), None)
            }
            _ => {
                let lines = if self.random.below(20) == 0 { 4_000 } else { self.random.below(40) };
                let text = text(name, lines);
                let response =
                    json!({ "bytes": text.len(), "code": 200, "codeText": "OK", "result": text, "url": url });
                let input = json!({ "url": url, "prompt": "read it" });
                let event = self.call("PostToolUse", name, "WebFetch", input, Some(response));
                (event, Some(Promise::Record(name.to_owned())))
            }
        }
    }

    fn call(&self, event: &str, id: &str, tool: &str, input: Value, response: Option<Value>) -> Value {
        let mut fields = json!({ "tool_name": tool, "tool_use_id": id, "tool_input": input });
        if let (Some(response), Some(fields)) = (response, fields.as_object_mut()) {
            fields.insert("tool_response".to_owned(), response);
        }
        self.plain(event, fields)
    }

    fn plain(&self, event: &str, fields: Value) -> Value {
        let mut all = json!({
            "session_id": format!("session-{}", self.name),
            "transcript_path": format!("{}/none.jsonl", self.project),
            "cwd": self.project,
            "permission_mode": "default",
            "hook_event_name": event,
        });
        if let (Some(all), Value::Object(fields)) = (all.as_object_mut(), fields) {
            all.extend(fields);
        }
        all
    }
}

/// Whether a reply promises it: silence to a result, and to a weighty call silence (it may run) or a decision
/// under an id. A refusal without an id says that nothing could be recorded.
fn keeps(promise: &Promise, reply: &Reply) -> bool {
    let Reply::Answer { exit: 0, stdout, .. } = reply else { return false };
    match promise {
        Promise::Record(_) => stdout.is_empty(),
        Promise::Decision(_) => stdout.is_empty() || names_a_decision(&String::from_utf8_lossy(stdout)),
    }
}

fn names_a_decision(text: &str) -> bool {
    let words = text.split(|char: char| !char.is_ascii_alphanumeric());
    words
        .filter_map(|word| word.strip_prefix('d'))
        .any(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

/// A text with a few operands that stands nowhere else.
fn text(name: &str, lines: u64) -> String {
    let mut text = format!("# {name}\n");
    for line in 0..lines {
        // Writing to a string does not fail.
        let _ =
            writeln!(text, "Line {line} of {name}: see https://docs.{name}.example.net/{line} or run make.");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_without_an_id_promises_nothing() {
        let answer = |stdout: &str| Reply::Answer { exit: 0, stdout: stdout.into(), stderr: Vec::new() };
        let decision = Promise::Decision("x".to_owned());
        assert!(keeps(&decision, &answer("")));
        assert!(keeps(&decision, &answer("asks; see `circinus explain d12`")));
        assert!(!keeps(&decision, &answer("nothing can be recorded and the rest denied")));
        assert!(!keeps(&Promise::Record("x".to_owned()), &answer("d12")));
    }
}
