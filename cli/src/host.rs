//! What a host tells Circinus, in neutral terms. Adapters translate into these types; nothing behind them
//! knows a host's JSON.

use circinus_core::action::ToolCall;
use circinus_core::id::{AgentId, CallId, SessionId};

/// One event of a host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostEvent {
    /// The session it belongs to.
    pub session: SessionId,
    /// The subagent it happened in, if any.
    pub agent: Option<AgentId>,
    /// The working directory, absolute.
    pub cwd: Box<str>,
    /// Whether the host can put a question to a person now.
    pub asks: Asks,
    /// The host's name of the event.
    pub name: Box<str>,
    /// What happened.
    pub kind: HostEventKind,
}

/// Whether the host puts a question to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asks {
    /// It does (or, without a terminal, refuses with our reason).
    Yes,
    /// It is known not to: a question must become a refusal.
    No,
}

/// A tool call as announced by the host.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnouncedCall {
    /// The host's id of the call.
    pub id: Option<CallId>,
    /// The host's name of the tool.
    pub tool: Box<str>,
    /// What is called.
    pub call: ToolCall,
}

/// What happened.
#[derive(Clone, Debug, PartialEq)]
pub enum HostEventKind {
    /// A session starts, resumes, or goes on after a compaction.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// A text was submitted as the user's prompt.
    Prompt {
        /// The text.
        text: Box<str>,
        /// Whether a person typed it; a machine's envelope is not the user's words.
        typed: bool,
    },
    /// A tool is about to run: the gate decides.
    BeforeCall(AnnouncedCall),
    /// A tool ran.
    AfterCall {
        /// The call.
        call: AnnouncedCall,
        /// What the agent reads of it.
        output: Box<str>,
    },
    /// A batch of tools ran; holds what the agent read of each.
    AfterBatch(Vec<(AnnouncedCall, Box<str>)>),
    /// The host put an instruction file into the context.
    InstructionsLoaded {
        /// Its path.
        path: Box<str>,
        /// Whether it belongs to the user and not to the workspace.
        of_user: bool,
    },
    /// The conversation was replaced by a summary.
    Compacted {
        /// The summary.
        summary: Box<str>,
    },
    /// The host is about to apply a changed settings file.
    SettingsChange {
        /// Which, if the host says.
        path: Option<Box<str>>,
    },
    /// Anything else: nothing to record.
    Other,
}
