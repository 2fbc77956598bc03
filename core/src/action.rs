//! Actions: what a tool call would do, in terms that policy understands.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::effect::{Effect, Effects};
use crate::id::{AgentId, ArtifactId, CallId, SessionId};
use crate::lineage::Inferred;
use crate::operand::{Hit, Operand, masked};
use crate::origin::Origin;
use crate::payload::Payload;

/// A tool call in neutral terms; host adapters translate their host's JSON into it.
#[derive(Clone, Debug, PartialEq)]
pub enum ToolCall {
    /// A shell command line.
    Shell {
        /// The text handed to the shell.
        command: Box<str>,
        /// Which shell reads it.
        dialect: Dialect,
    },
    /// Reading one file.
    ReadFile {
        /// As given.
        path: Box<str>,
    },
    /// Writing a whole file.
    WriteFile {
        /// As given.
        path: Box<str>,
        /// The new content.
        content: Box<str>,
    },
    /// Replacing a piece of a file.
    EditFile {
        /// As given.
        path: Box<str>,
        /// The removed text.
        old: Box<str>,
        /// The inserted text.
        new: Box<str>,
    },
    /// Listing or searching file names or contents; the pattern is a selector.
    Search {
        /// Where, as given; the working directory when absent.
        path: Option<Box<str>>,
        /// The pattern.
        pattern: Box<str>,
    },
    /// Fetching a web page.
    Fetch {
        /// As given.
        url: Box<str>,
    },
    /// Asking a web search engine.
    WebSearch {
        /// The query (content, not a designator).
        query: Box<str>,
    },
    /// Starting a subagent.
    Spawn {
        /// Its task, written by the agent.
        prompt: Box<str>,
    },
    /// A tool of an MCP server.
    Mcp {
        /// Server name.
        server: Box<str>,
        /// Tool name without server.
        tool: Box<str>,
        /// Its arguments.
        arguments: Vec<Argument>,
    },
    /// Taking in what something that was started earlier has given since: a command in the background, a
    /// subagent.
    Collect {
        /// Which, by the host's name.
        task: Box<str>,
    },
    /// A host tool that only keeps the agent's own notes (task lists, questions to the user, plan mode).
    Inert {
        /// Tool name.
        tool: Box<str>,
    },
    /// Any other tool: its strings are slots.
    Other {
        /// Tool name.
        tool: Box<str>,
        /// Its arguments.
        arguments: Vec<Argument>,
    },
}

/// One string (or number, or truth value, as text) inside a structured argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Where it stands, for example `body.items[2].to`.
    pub name: Box<str>,
    /// Its text.
    pub text: Box<str>,
}

/// The language of a shell command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// bash and what is close to it.
    Posix,
    /// PowerShell: recognised, not understood.
    PowerShell,
}

/// How much is at stake.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Tier {
    /// Observes only.
    #[default]
    T0,
    /// Reversible and local.
    T1,
    /// Irreversible or external.
    T2,
    /// Persists, uses a credential, or touches the guard.
    T3,
}

impl Tier {
    /// All tiers, least first.
    pub const ALL: [Self; 4] = [Self::T0, Self::T1, Self::T2, Self::T3];
}

impl fmt::Display for Tier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T{}", *self as u8)
    }
}

/// One fact about an action that a rule may ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Flag {
    /// It touches Circinus or the host's guard settings.
    Guard,
    /// It makes something outside the workspace run or instruct later.
    PersistHost,
    /// It makes something in the workspace run or instruct later.
    PersistWs,
    /// A designator comes from nowhere that is known.
    Unexplained,
    /// Part of it could not be understood.
    Opaque,
    /// A secret leaves for a place that is not its home.
    SecretSink,
    /// The decision, or what the session read before it, cannot be recorded in full.
    StoreDown,
    /// It destroys what cannot be brought back, on a large scale.
    Catastrophic,
    /// It moves money, gives or takes access, publishes, changes an account or deletes what lies elsewhere.
    HighConsequence,
}

impl Flag {
    /// All flags.
    pub const ALL: [Self; 9] = [
        Self::Guard,
        Self::PersistHost,
        Self::PersistWs,
        Self::Unexplained,
        Self::Opaque,
        Self::SecretSink,
        Self::StoreDown,
        Self::Catastrophic,
        Self::HighConsequence,
    ];

    /// The name used in the policy data and in explanations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Guard => "guard",
            Self::PersistHost => "persist_host",
            Self::PersistWs => "persist_ws",
            Self::Unexplained => "unexplained",
            Self::Opaque => "opaque",
            Self::SecretSink => "secret_sink",
            Self::StoreDown => "store_down",
            Self::Catastrophic => "catastrophic",
            Self::HighConsequence => "high_consequence",
        }
    }
}

/// A set of flags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Flags(u16);

impl Flags {
    /// No flag.
    pub const NONE: Self = Self(0);

    /// The set of the given flags.
    pub fn of(flags: impl IntoIterator<Item = Flag>) -> Self {
        flags.into_iter().fold(Self::NONE, Self::with)
    }

    /// This set and `flag`.
    #[must_use]
    pub const fn with(self, flag: Flag) -> Self {
        Self(self.0 | 1 << flag as u8)
    }

    /// What is in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `flag` is in the set.
    pub const fn contains(self, flag: Flag) -> bool {
        self.0 & (1 << flag as u8) != 0
    }

    /// Whether everything here is also in `other`.
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & other.0 == self.0
    }

    /// Whether nothing is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members.
    pub fn iter(self) -> impl Iterator<Item = Flag> {
        Flag::ALL.into_iter().filter(move |flag| self.contains(*flag))
    }
}

impl fmt::Display for Flags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(Flag::name).collect();
        f.write_str(&names.join(" "))
    }
}

/// What a value does in an action; only designators and interpreted content are gated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// It chooses what is acted on or what runs.
    Designator,
    /// It is carried along: recorded, not gated.
    Content,
}

/// What stands in a slot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SlotValue {
    /// One designator; the first operand is the value itself, the rest its expansions (host, site, ...).
    Operands(Vec<Operand>),
    /// The bytes of a file as a whole (it is executed, sourced, sent, ...).
    File(Operand),
    /// Bytes that come straight from outside without ever being recorded, such as the left side of
    /// `curl URL | sh`; the operands say from where (first the value itself, then its expansions).
    Remote(Vec<Operand>),
    /// Text that is interpreted or carried: inline code, a file body, a message. Where it runs or persists,
    /// copied code in it counts.
    Text(Box<str>),
    /// Whatever of the workspace a build or test tool picks up and runs.
    Workspace,
}

/// One authority-bearing position of an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// What the value does.
    pub role: Role,
    /// The effect that the value chooses the target or the matter of.
    pub effect: Effect,
    /// The value.
    pub value: SlotValue,
    /// The tier that the action rises to if this slot turns out to have a gap; the action's own tier when
    /// a gap changes nothing.
    pub tier_on_gap: Tier,
    /// Flags that hold unless a root grants `effect` for the value, for example `persist_host` unless the
    /// user named the path, or `secret_sink` unless the user named the destination.
    pub flags_unless_granted: Flags,
    /// Which argument or simple command it comes from, for people: `curl`, `file_path`.
    pub place: Box<str>,
}

/// A file that the action writes, for binding its bytes after the call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileWrite {
    /// Canonical path operand.
    pub path: Operand,
    /// Where the bytes come from.
    pub from: WriteSource,
    /// The path is the root of a tree (clone, unpacked archive): everything below is bound too.
    pub tree: bool,
}

/// Where written bytes come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteSource {
    /// Straight from the network.
    Remote(Vec<Operand>),
    /// Copied or mechanically transformed from these files.
    Files(Vec<Operand>),
    /// Composed by the agent in the call itself: a here-document, `echo`, `printf`.
    Agent,
    /// Made by a program that was told where to write, such as a compiler, from files that nothing recorded
    /// explains: the workspace as a whole.
    Built,
    /// The output of a local program.
    Local,
}

/// What an action would do: the input of the gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Who acts.
    pub session: SessionId,
    /// Which subagent acts, if one does.
    pub agent: Option<AgentId>,
    /// Which call this is, if the host says.
    pub call: Option<CallId>,
    /// Tool name, for people.
    pub tool: Box<str>,
    /// One line of what it does, shortened, for people.
    pub summary: Box<str>,
    /// Digest of tool and canonical arguments: approvals are bound to it.
    pub identity: Digest,
    /// Tier as far as the call alone says.
    pub tier: Tier,
    /// Effects as far as the call alone says.
    pub effects: Effects,
    /// Facts as far as the call alone says.
    pub flags: Flags,
    /// Its authority-bearing positions, bounded by `limits::SLOTS_MAX`.
    pub slots: Vec<Slot>,
    /// What the call alone does not say.
    pub facts: Facts,
}

/// What whoever holds the texts and sees the file system knows about an action. The gate only reads it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Paths among its designators that were there before: a workspace file from before the session, or one
    /// that the agent made; and the variables that it shows. That a listing or a file of the workspace names
    /// them is no choice of theirs.
    pub settled: Vec<Operand>,
    /// Files with copied code that are no longer there: no build or test tool runs them.
    pub gone: Vec<Operand>,
    /// Files that nothing binds under their names, with the artifact that first explained the same bytes
    /// elsewhere: a file that was moved or copied by a step that nobody saw.
    pub recognised: Vec<(Operand, ArtifactId)>,
    /// Where its plain values stand in what the session has read. Values are not indexed: the needle is the
    /// argument, and whoever holds the texts looks for it.
    pub sightings: Vec<Sighting>,
    /// Copied code in the text that it would run or make persist, by place of the slot.
    pub copies: Vec<(usize, Inferred)>,
    /// What the search before an interruption found. It grants like a root and, unjudged, clears no evidence.
    pub rooted: Vec<Rooted>,
    /// What its plain reads would carry to other machines beyond what anything explains, by place of the slot.
    pub payloads: Vec<(usize, Payload)>,
}

/// An operand that a file from before the session holds exactly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rooted {
    /// The operand.
    pub operand: Operand,
    /// The file.
    pub file: Operand,
    /// Origin of the file's bytes, one of those whose content is a root.
    pub origin: Origin,
}

/// A plain value found in the text of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// Which artifact.
    pub artifact: ArtifactId,
    /// The value and its place.
    pub hit: Hit,
}

impl Action {
    /// The same action as it may be stored: operands in the form that the index holds, and known secrets
    /// masked in what people read.
    #[must_use]
    pub fn sealed(mut self, key: &[u8; 32]) -> Self {
        self.summary = masked(&self.summary).into();
        for slot in &mut self.slots {
            let (SlotValue::Operands(operands) | SlotValue::Remote(operands)) = &mut slot.value else {
                continue;
            };
            operands.iter_mut().for_each(|operand| *operand = operand.sealed(key));
        }
        self
    }
}
