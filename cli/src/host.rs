//! What a host tells Circinus, in neutral terms. Adapters translate into these types; nothing behind them
//! knows a host's JSON.

use std::time::Duration;

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
    /// Where the host says that it keeps the conversation.
    pub transcript: Option<Box<str>>,
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

/// What came of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// What the agent reads of it.
    pub output: Box<str>,
    /// Files in which the host keeps output that the agent did not read in full, or that is yet to come.
    pub kept_in: Vec<Box<str>>,
    /// The skill that it put into the context, if it did.
    pub loaded: Option<Box<str>>,
    /// The subagent that did the work, if one did.
    pub worker: Option<Worker>,
    /// How long it ran, if the host says.
    pub took: Option<Duration>,
}

/// A subagent whose report is read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Worker {
    /// Which.
    pub agent: AgentId,
    /// How many calls the host says that it made.
    pub calls: Option<u64>,
}

/// Whose words a prompt is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Author {
    /// A person typed it.
    User,
    /// The host wrote it, such as a task's notification; with the subagent whose report it carries.
    Host(Option<Worker>),
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
        /// Whose words they are.
        author: Author,
        /// The host's id of the prompt, if it says.
        id: Option<CallId>,
    },
    /// A command or skill that the user called by name was replaced by its body.
    Expanded {
        /// Its name, without the slash.
        name: Box<str>,
        /// Whether its file lies below the user's own configuration and not in the workspace.
        of_user: bool,
    },
    /// A tool is about to run: the gate decides.
    BeforeCall(AnnouncedCall),
    /// A tool ran.
    AfterCall {
        /// The call.
        call: AnnouncedCall,
        /// What came of it.
        outcome: Outcome,
    },
    /// The host shows its own prompt for a call.
    Prompting(AnnouncedCall),
    /// A subagent ended.
    AgentStopped {
        /// Where the host says that it kept its conversation.
        transcript: Option<Box<str>>,
    },
    /// A batch of tools ended, whether they ran or were refused; holds what the agent read of each.
    AfterBatch(Vec<(AnnouncedCall, Outcome)>),
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

/// One thing that the host's transcript says.
#[derive(Clone, Debug, PartialEq)]
pub enum Told {
    /// The agent called a tool.
    Called {
        /// The message of the model that holds the call; calls of one message may run while it is written.
        message: Box<str>,
        /// The call.
        call: AnnouncedCall,
    },
    /// The agent received the result of a call.
    Received {
        /// Which call.
        call: CallId,
        /// What it read.
        text: Box<str>,
    },
    /// A text that reached the agent past every hook.
    Entered {
        /// How it came.
        by: Entry,
        /// The text.
        text: Box<str>,
    },
    /// A text that was submitted as the user's prompt came from elsewhere.
    Relayed {
        /// The host's id of the prompt.
        prompt: CallId,
        /// What the host says of its origin, in a word.
        from: Box<str>,
    },
    /// The model answered: every result before belongs to an ended batch.
    Answered {
        /// The message.
        message: Box<str>,
    },
}

/// How a text reached the agent past every hook.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The user attached a file.
    File(Box<str>),
    /// The user ran a command of their own.
    Command,
    /// The host wrote it: the body of a command or skill, with what its preamble printed.
    Body,
    /// A hook of somebody else, or a tool server, added it.
    Context,
}

/// One entry of the host's transcript.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TranscriptEntry {
    /// Its own id. A fork of a conversation keeps the ids of what it continues.
    pub id: Option<Box<str>>,
    /// The subagent whose conversation it belongs to.
    pub agent: Option<AgentId>,
    /// What it says, in order.
    pub told: Vec<Told>,
}
