//! Origins: where content entered, and what content of that origin may cause.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where content came from. The discriminant is stored; never renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Origin {
    /// The user ran `circinus` outside the agent.
    HumanCli = 1,
    /// The user typed it into the agent.
    UserPrompt = 2,
    /// User-level configuration and instructions.
    UserConfig = 3,
    /// Workspace file whose blob was in HEAD when the session started.
    WsTracked = 4,
    /// Workspace file that existed, untracked, when the session started.
    WsUntracked = 5,
    /// Tracked file of a repository in which the user never committed.
    WsForeign = 6,
    /// Dependency tree present at session start or made by a recorded install.
    DepTree = 7,
    /// Output of a local command.
    CmdLocal = 8,
    /// Output of a command that talks to another machine.
    CmdRemote = 9,
    /// Web page.
    WebFetch = 10,
    /// Web search result.
    WebSearch = 11,
    /// Result of an MCP server.
    Mcp = 12,
    /// File outside the workspace.
    FileOutside = 13,
    /// Workspace bytes that nothing recorded explains.
    WsUnexplained = 14,
    /// Context injected by another hook.
    HookContext = 15,
    /// Made by something whose inputs were not observed.
    Opaque = 16,
    /// Composed by the agent.
    AgentText = 17,
}

impl Origin {
    /// Whether content of it is the user's or the agent's own, so that its judgement is unlikely to matter.
    #[must_use]
    pub const fn is_own(self) -> bool {
        matches!(
            self,
            Self::HumanCli | Self::UserPrompt | Self::UserConfig | Self::WsTracked | Self::AgentText
        )
    }

    /// All origins.
    pub const ALL: [Self; 17] = [
        Self::HumanCli,
        Self::UserPrompt,
        Self::UserConfig,
        Self::WsTracked,
        Self::WsUntracked,
        Self::WsForeign,
        Self::DepTree,
        Self::CmdLocal,
        Self::CmdRemote,
        Self::WebFetch,
        Self::WebSearch,
        Self::Mcp,
        Self::FileOutside,
        Self::WsUnexplained,
        Self::HookContext,
        Self::Opaque,
        Self::AgentText,
    ];

    /// Whether it is a workspace file from before the session, tracked or not.
    pub const fn is_workspace_file(self) -> bool {
        matches!(self, Self::WsTracked | Self::WsUntracked | Self::WsForeign)
    }

    /// The name used in the policy data and in explanations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::HumanCli => "HumanCli",
            Self::UserPrompt => "UserPrompt",
            Self::UserConfig => "UserConfig",
            Self::WsTracked => "WsTracked",
            Self::WsUntracked => "WsUntracked",
            Self::WsForeign => "WsForeign",
            Self::DepTree => "DepTree",
            Self::CmdLocal => "CmdLocal",
            Self::CmdRemote => "CmdRemote",
            Self::WebFetch => "WebFetch",
            Self::WebSearch => "WebSearch",
            Self::Mcp => "Mcp",
            Self::FileOutside => "FileOutside",
            Self::WsUnexplained => "WsUnexplained",
            Self::HookContext => "HookContext",
            Self::Opaque => "Opaque",
            Self::AgentText => "AgentText",
        }
    }

    /// Where it is, in words for people.
    pub const fn describe(self) -> &'static str {
        match self {
            Self::HumanCli => "the user's own terminal",
            Self::UserPrompt => "the user's prompt",
            Self::UserConfig => "the user's configuration",
            Self::WsTracked => "a tracked workspace file",
            Self::WsUntracked => "an untracked workspace file",
            Self::WsForeign => "a file of a repository that is not the user's",
            Self::DepTree => "an installed dependency",
            Self::CmdLocal => "the output of a local command",
            Self::CmdRemote => "the output of a command that talks to another machine",
            Self::WebFetch => "a web page",
            Self::WebSearch => "a web search result",
            Self::Mcp => "the result of an MCP tool",
            Self::FileOutside => "a file outside the workspace",
            Self::WsUnexplained => "a workspace file that nothing recorded explains",
            Self::HookContext => "context injected by a hook",
            Self::Opaque => "a source that was not observed",
            Self::AgentText => "the agent's own text",
        }
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
