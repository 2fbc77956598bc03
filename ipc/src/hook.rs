//! What the binary `circinus-hook` does with one event: ask the daemon, else the fail-safe classifier, else refuse.
//!
//! The host lets a tool run when its hook crashes, times out or prints noise. So every way out of here is a whole
//! answer or a refusal by exit code 2.
//!
//! INVARIANT (no-silent-pass): a gate event passes only by an answer of the daemon or of `circinus fail-safe`, or,
//! where neither can be had, as one of four tools that only read (`hook::last_resort`).

mod emit;
mod json;
mod last_resort;
mod payload;
mod sibling;
mod signal;

use crate::client::{CallError, Client};
use crate::path::{Environment, LocateError, SocketPlace};
use crate::wire::{ErrorCode, Reply, RequestRef};
use std::os::fd::AsFd;
use std::panic::{UnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};
use thiserror::Error;

pub use emit::emit;
pub use last_resort::READING_TOOLS;
pub use payload::{PayloadError, read_payload};
pub use signal::refuse_on_signals;

/// Exit code by which the host blocks a tool call, whatever else was printed.
pub const EXIT_REFUSED: u8 = 2;

/// Exit code of "not done" for events that cannot be gated.
const EXIT_FAILED: u8 = 1;

/// Time limits of one hook process.
#[derive(Debug, Clone, Copy)]
pub struct Deadlines {
    /// For the whole way by the daemon, from the start of the process.
    pub total: Duration,
    /// For `circinus daemon start`, within `total`.
    pub start_max: Duration,
    /// For `circinus fail-safe` where less than this is left of `total`.
    pub fail_safe_min: Duration,
}

impl Default for Deadlines {
    fn default() -> Self {
        Deadlines {
            total: Duration::from_secs(15),
            start_max: Duration::from_secs(5),
            fail_safe_min: Duration::from_secs(3),
        }
    }
}

/// What a hook process finds around itself.
#[derive(Clone)]
pub struct Surroundings<'a> {
    /// Environment variables.
    pub environment: Environment<'a>,
    /// Tells the program `circinus` beside this one, `None` where its place is unknown; asked only when the daemon
    /// gave no answer.
    pub sibling: &'a dyn Fn() -> Option<PathBuf>,
    /// Time limits.
    pub deadlines: Deadlines,
    /// When the process started.
    pub started: Instant,
}

/// What the hook process leaves behind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Its exit code.
    pub exit: u8,
    /// Its standard output: empty, or exactly one JSON object.
    pub stdout: Vec<u8>,
    /// Its standard error.
    pub stderr: Vec<u8>,
}

impl Outcome {
    fn line(exit: u8, text: &str) -> Outcome {
        // A reason may quote a path; control characters in it must not make a second line.
        let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        Outcome { exit, stdout: Vec::new(), stderr: format!("circinus: {line}\n").into_bytes() }
    }

    fn refused(text: &str) -> Outcome {
        Outcome::line(EXIT_REFUSED, text)
    }
}

/// Why the daemon did not decide.
#[derive(Debug, Error)]
enum NoDaemon {
    #[error(transparent)]
    Locate(#[from] LocateError),
    #[error(transparent)]
    Call(#[from] CallError),
    #[error("it answered {code:?}: {text}")]
    Error { code: ErrorCode, text: String },
    #[error("it gave something else than the answer to an event")]
    Garbage,
    #[error("it could not be started: {0}")]
    Start(sibling::SiblingError),
}

/// The outcome for arguments, of which the hook has none.
#[must_use]
pub fn usage() -> Outcome {
    Outcome::refused("circinus-hook takes no arguments, it reads one event of the host on its standard input")
}

/// The program `circinus` in the directory of this program, symbolic links resolved.
#[must_use]
pub fn sibling_program() -> Option<PathBuf> {
    let own = std::env::current_exe().ok()?;
    own.parent().map(|directory| directory.join("circinus"))
}

/// Runs `work`; a panic in it is a refusal.
pub fn guarded(work: impl FnOnce() -> Outcome + UnwindSafe) -> Outcome {
    catch_unwind(work)
        .unwrap_or_else(|_| Outcome::refused("the hook failed inside: refused; hint: run `circinus doctor`"))
}

/// Reads the event and answers it.
pub fn answer(input: impl AsFd, around: &Surroundings<'_>) -> Outcome {
    match read_payload(input, around.started + around.deadlines.total) {
        Ok(payload) => respond(&payload, around),
        Err(error) => Outcome::refused(&format!("the event cannot be read: {error}: refused")),
    }
}

/// Answers one event.
#[must_use]
pub fn respond(payload: &[u8], around: &Surroundings<'_>) -> Outcome {
    let no_daemon = match ask_daemon(payload, around) {
        Ok(outcome) => return outcome,
        Err(error) => error,
    };
    let until =
        (around.started + around.deadlines.total).max(Instant::now() + around.deadlines.fail_safe_min);
    match sibling::fail_safe((around.sibling)().as_deref(), payload, until) {
        Ok(outcome) => outcome,
        Err(no_fail_safe) => {
            last_resort::decide(payload, &format!("daemon: {no_daemon}; fail-safe: {no_fail_safe}"))
        }
    }
}

fn ask_daemon(payload: &[u8], around: &Surroundings<'_>) -> Result<Outcome, NoDaemon> {
    let place = SocketPlace::resolve(around.environment)?;
    let deadline = around.started + around.deadlines.total;
    let call = || {
        let left = deadline.saturating_duration_since(Instant::now());
        // Not the output: while a daemon hangs with a copy of that, the host would wait for its end.
        Client::call_showing(&place, RequestRef::Hook(payload), std::io::stdin().as_fd(), left)
    };
    let reply = match call() {
        Err(CallError::NotRunning) => {
            let until = deadline.min(Instant::now() + around.deadlines.start_max);
            sibling::start_daemon((around.sibling)().as_deref(), until).map_err(NoDaemon::Start)?;
            call()?
        }
        other => other?,
    };
    match reply {
        Reply::Answer { exit, stdout, stderr } if json::is_nothing_or_one_object(&stdout) => {
            Ok(Outcome { exit, stdout, stderr })
        }
        Reply::Error { code, text } => Err(NoDaemon::Error { code, text }),
        Reply::Answer { .. } | Reply::Control(_) => Err(NoDaemon::Garbage),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_refusal() {
        let outcome = guarded(|| panic!("inside"));
        assert_eq!(outcome.exit, EXIT_REFUSED);
        assert!(outcome.stdout.is_empty());
        assert!(outcome.stderr.starts_with(b"circinus: "));
    }

    #[test]
    fn a_reason_is_one_line() {
        let outcome = Outcome::refused("a\nb\x1b[31mc");
        assert_eq!(outcome.stderr, b"circinus: a b [31mc\n");
    }

    /// INVARIANT (no-silent-pass)
    #[test]
    fn without_home_and_sibling_a_gate_event_is_refused() {
        let around = Surroundings {
            environment: &|_| None,
            sibling: &|| None,
            deadlines: Deadlines::default(),
            started: Instant::now(),
        };
        let write = respond(br#"{"hook_event_name":"PreToolUse","tool_name":"Write"}"#, &around);
        assert_eq!(write.exit, EXIT_REFUSED);
        let read = respond(br#"{"hook_event_name":"PreToolUse","tool_name":"Read"}"#, &around);
        assert_eq!(read, Outcome { exit: 0, stdout: Vec::new(), stderr: Vec::new() });
    }
}
