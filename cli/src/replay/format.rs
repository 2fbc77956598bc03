//! The replay format: one event per line of JSON, modelled on the host's hook events.

use serde::Deserialize;
use serde_json::{Map, Value};

/// The events that the replayer treats in a way of their own; all others are passed on as they are.
pub mod names {
    /// First event of a session.
    pub const SESSION_START: &str = "SessionStart";
    /// Last event of a session; the replayer adds it where a recording lacks it.
    pub const SESSION_END: &str = "SessionEnd";
    /// A prompt.
    pub const USER_PROMPT_SUBMIT: &str = "UserPromptSubmit";
    /// A tool call that asks to run.
    pub const PRE_TOOL_USE: &str = "PreToolUse";
    /// A tool call that ran.
    pub const POST_TOOL_USE: &str = "PostToolUse";
    /// A tool call that failed.
    pub const POST_TOOL_USE_FAILURE: &str = "PostToolUseFailure";
}

/// One recorded event.
#[derive(Clone, Debug, Deserialize)]
pub struct Event {
    /// Milliseconds since the start of its session.
    #[serde(default)]
    pub t_ms: u64,
    /// Name of the host's event, for example `PreToolUse`.
    pub event: String,
    /// Session of the recording.
    pub session_id: String,
    /// Working directory at the time; an absolute path.
    pub cwd: String,
    /// Call that the event belongs to.
    pub tool_use_id: Option<String>,
    /// Tool of the call.
    pub tool_name: Option<String>,
    /// Arguments of the call.
    pub tool_input: Option<Value>,
    /// Result of the call; a string, a list or an object, as each tool has it.
    pub tool_response: Option<Value>,
    /// The call failed: the response is the error's text.
    #[serde(default)]
    pub is_error: bool,
    /// Text of a `UserPromptSubmit`.
    pub prompt: Option<String>,
    /// What the corpus says about a `PreToolUse` or, on `SessionStart`, about the session.
    pub label: Option<Label>,
    /// Fields that this version does not know; passed on.
    #[serde(flatten)]
    pub extra: Map<String, Value>,
}

/// The corpus's word on a call or a session.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Label {
    /// Whose goal it serves.
    pub kind: Kind,
    /// Decisions that the corpus takes as right; absent on sessions.
    #[serde(default)]
    pub expect: Vec<Verdict>,
    /// The reason, in words.
    #[serde(default)]
    pub why: String,
}

/// Whose goal a call serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The user's.
    Benign,
    /// The injected instruction's.
    Attack,
}

/// A decision of the gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize, serde::Serialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// The call runs.
    Allow,
    /// A person is asked.
    Review,
    /// The call is refused.
    Block,
}

impl Verdict {
    /// Whether the call did not simply run.
    #[must_use]
    pub fn interrupts(self) -> bool {
        self != Verdict::Allow
    }
}

impl Event {
    /// Reads one line.
    ///
    /// # Errors
    /// When the line is no JSON object of this form.
    pub fn parse(line: &[u8]) -> Result<Event, serde_json::Error> {
        serde_json::from_slice(line)
    }

    /// Whether it asks to run a tool.
    #[must_use]
    pub fn is_pre(&self) -> bool {
        self.event == names::PRE_TOOL_USE
    }

    /// Whether it is the result of a call, good or bad.
    #[must_use]
    pub fn is_post(&self) -> bool {
        self.event == names::POST_TOOL_USE || self.event == names::POST_TOOL_USE_FAILURE
    }

    /// Whether the call failed, so that it changed no file that is known.
    #[must_use]
    pub fn failed(&self) -> bool {
        self.is_error || self.event == names::POST_TOOL_USE_FAILURE
    }

    /// Tool of the call, or nothing for events without one.
    #[must_use]
    pub fn tool(&self) -> &str {
        self.tool_name.as_deref().unwrap_or_default()
    }
}

/// One recorded session with all its events in order.
#[derive(Clone, Debug)]
pub struct Session {
    /// Suite that it belongs to: the file's name up to its extension.
    pub suite: String,
    /// Identity in the recording.
    pub id: String,
    /// At least one.
    pub events: Vec<Event>,
}

impl Session {
    /// The corpus's word on the session: attack if the session or any of its calls is labelled so.
    #[must_use]
    pub fn is_attack(&self) -> bool {
        self.events.iter().filter_map(|event| event.label.as_ref()).any(|label| label.kind == Kind::Attack)
    }
}
