//! Whether a person at a terminal of their own is at the other end of a connection.
//!
//! INVARIANT (a-person-states): a statement is taken from our own program only, with a terminal, below no
//! host, outside every agent's environment and of no agent's descent; and nothing of an agent holds the other
//! end of that terminal.
//! The daemon looks for itself; what the client says about itself counts for nothing.

use circinus_core::endorsement::Author;
use circinus_core::event::Process;
use circinus_core::index::Snapshot;
use circinus_ipc::Peer;
use thiserror::Error;

use crate::adapter::claude_code::process as host;
use crate::process;

/// Somebody who may state something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Person {
    /// The process that speaks for them.
    pub process: Process,
    /// As it is recorded.
    pub author: Author,
}

/// Why a process speaks for nobody.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum NobodyError {
    /// It has ended, or the system does not tell.
    #[error("the process that asks cannot be looked up; hint: run it in a terminal of your own")]
    Gone,
    /// Another program, or another copy of ours.
    #[error(
        "only the program that the daemon runs may state this; hint: run `circinus daemon stop` after an update"
    )]
    OtherProgram,
    /// It has no terminal.
    #[error("this needs a terminal, so that a person can answer; hint: run it in a terminal of your own")]
    NoTerminal,
    /// An agent's host is above it.
    #[error("this was started by an agent (process {0}); hint: run it in a terminal of your own")]
    UnderAgent(u32),
    /// An agent's host, or something that it started, started it in the end.
    #[error("this descends from an agent (process {0}); hint: run it in a terminal that you opened yourself")]
    Descends(u32),
    /// It has the environment of an agent.
    #[error("this runs in the environment of an agent; hint: run it in a terminal of your own")]
    AgentEnvironment,
    /// An agent can type into its terminal.
    #[error("an agent (process {0}) can type into this terminal; hint: run it in a terminal of your own")]
    AgentTerminal(u32),
}

/// Tells whether a person is behind a process, as far as the system can tell.
///
/// # Errors
///
/// See [`NobodyError`].
pub(super) fn person(peer: Peer, snapshot: &Snapshot) -> Result<Person, NobodyError> {
    let stat = process::stat(peer.pid).ok_or(NobodyError::Gone)?;
    let own = process::executable(std::process::id());
    if own.is_none() || process::executable(peer.pid) != own {
        return Err(NobodyError::OtherProgram);
    }
    let tty = process::terminal(stat.terminal).ok_or(NobodyError::NoTerminal)?;
    if host::is_of_an_agent(peer.pid) {
        return Err(NobodyError::AgentEnvironment);
    }
    if let Some(agent) = agent_above(peer.pid, snapshot) {
        return Err(NobodyError::UnderAgent(agent));
    }
    if let Some(agent) = process::marked_by(peer.pid) {
        return Err(NobodyError::Descends(agent.pid));
    }
    for holder in process::holders(stat.terminal) {
        let marked = || process::marked_by(holder).map(|agent| agent.pid);
        let agent = agent_above(holder, snapshot)
            .or_else(marked)
            .or_else(|| host::is_of_an_agent(holder).then_some(holder));
        if let Some(agent) = agent {
            return Err(NobodyError::AgentTerminal(agent));
        }
    }
    let author = Author::Terminal { uid: peer.uid, tty: tty.into() };
    Ok(Person { process: stat.process, author })
}

/// The nearest host at or above a process: one that is bound, or that looks like one.
fn agent_above(pid: u32, snapshot: &Snapshot) -> Option<u32> {
    let own = process::stat(pid).map(|stat| stat.process);
    let mut chain = own.into_iter().chain(process::ancestors(pid));
    chain.find(|above| snapshot.is_host(*above) || host::is_host(above.pid)).map(|above| above.pid)
}
