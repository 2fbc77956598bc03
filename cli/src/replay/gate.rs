//! The way from a host event to the answer that the host would get.

pub mod socket;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use circinus_ipc::client::CallError;
use thiserror::Error;

/// Time for one answer. Above every profile's wait for evidence, so that only a hung daemon reaches it.
pub const ANSWER_WAIT_MAX: Duration = Duration::from_secs(60);

/// What a hook process gives back to its host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HookAnswer {
    /// Exit code.
    pub exit: i32,
    /// Standard output, byte for byte.
    pub stdout: Vec<u8>,
    /// Standard error, byte for byte.
    pub stderr: Vec<u8>,
}

/// Whoever answers events: the daemon through its socket, a hook process, or another arm of a comparison.
pub trait Gate {
    /// Told when the next event happened, in milliseconds since the start of its session in the recording.
    fn at(&mut self, _t_ms: u64) {}

    /// Hands over one event in the host's JSON and waits for the answer.
    ///
    /// # Errors
    /// When there is no answer at all; a bad answer is for the caller to judge.
    fn ask(&mut self, event: &[u8]) -> Result<HookAnswer, AskError>;
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum AskError {
    /// The daemon could not be called.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The daemon refused the request by name.
    #[error("the daemon refused the event: {reason}")]
    Refused {
        /// Its words.
        reason: String,
    },
    /// A hook process could not be run.
    #[error("cannot {operation} `{}`: {source}", path.display())]
    Hook {
        /// What was tried.
        operation: &'static str,
        /// The program.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A hook process did not end.
    #[error("`{}` did not end within {} s and was killed", path.display(), ANSWER_WAIT_MAX.as_secs())]
    HookHangs {
        /// The program.
        path: PathBuf,
    },
    /// A hook process was ended by a signal.
    #[error("`{}` was ended by a signal", path.display())]
    HookKilled {
        /// The program.
        path: PathBuf,
    },
}
