//! Runs the program `circinus` beside the hook: to start the daemon, and as the fail-safe classifier.

use super::json::is_nothing_or_one_object;
use super::{EXIT_REFUSED, Outcome};
use crate::limits::REPLY_BODY_BYTES_MAX;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, ioctl_fionbio, read, write};
use std::io;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};
use thiserror::Error;

/// First and longest pause between two looks at a child that has not ended.
const LOOK_AGAIN: [Duration; 2] = [Duration::from_millis(1), Duration::from_millis(20)];

/// Bytes of one read from the child.
const CHUNK_BYTES: usize = 16 * 1024;

/// Why the sibling did not do its work.
#[derive(Debug, Error)]
pub(super) enum SiblingError {
    #[error("the program `circinus` is not beside the hook")]
    Unknown,
    #[error("`circinus {command}` cannot be run: {source}")]
    Spawn { command: &'static str, source: io::Error },
    #[error("`circinus {command}` was lost: {source}")]
    Lost { command: &'static str, source: io::Error },
    #[error("`circinus {command}` did not end in time")]
    TimedOut { command: &'static str },
    #[error("`circinus {command}` ended with {status}")]
    Failed { command: &'static str, status: ExitStatus },
    #[error("`circinus {command}` printed something else than one JSON object")]
    Garbage { command: &'static str },
}

/// A child that does not outlive its owner: killed and reaped on every early way out.
struct Owned {
    child: Child,
    command: &'static str,
}

impl Drop for Owned {
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            // Both fail only for a child that is gone already.
            let _gone = self.child.kill();
            let _gone = self.child.wait();
        }
    }
}

impl Owned {
    fn spawn(
        program: Option<&Path>,
        command: &'static str,
        io: fn() -> Stdio,
    ) -> Result<Owned, SiblingError> {
        let program = program.ok_or(SiblingError::Unknown)?;
        let child = Command::new(program)
            .args(command.split(' '))
            .stdin(io())
            .stdout(io())
            .stderr(io())
            .spawn()
            .map_err(|source| SiblingError::Spawn { command, source })?;
        Ok(Owned { child, command })
    }

    fn wait(&mut self, until: Instant) -> Result<ExitStatus, SiblingError> {
        let command = self.command;
        let [mut pause, pause_max] = LOOK_AGAIN;
        loop {
            if let Some(status) =
                self.child.try_wait().map_err(|source| SiblingError::Lost { command, source })?
            {
                return Ok(status);
            }
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(SiblingError::TimedOut { command });
            }
            thread::sleep(pause.min(left));
            pause = (pause * 2).min(pause_max);
        }
    }
}

/// Runs `circinus daemon start`, which returns when the daemon listens.
pub(super) fn start_daemon(program: Option<&Path>, until: Instant) -> Result<(), SiblingError> {
    let mut child = Owned::spawn(program, "daemon start", Stdio::null)?;
    let status = child.wait(until)?;
    if status.success() { Ok(()) } else { Err(SiblingError::Failed { command: child.command, status }) }
}

/// Runs `circinus fail-safe` on the event. Only exit code 0 with an acceptable output, or a refusal, counts.
pub(super) fn fail_safe(
    program: Option<&Path>,
    payload: &[u8],
    until: Instant,
) -> Result<Outcome, SiblingError> {
    let mut child = Owned::spawn(program, "fail-safe", Stdio::piped)?;
    let command = child.command;
    let [mut stdout, mut stderr] = exchange(&mut child, payload, until)?;
    let status = child.wait(until)?;
    let is_acceptable = is_nothing_or_one_object(&stdout);
    match status.code() {
        Some(0) if is_acceptable => Ok(Outcome { exit: 0, stdout, stderr }),
        Some(0) => Err(SiblingError::Garbage { command }),
        Some(code) if code == i32::from(EXIT_REFUSED) => {
            if !is_acceptable {
                stdout.clear(); // the exit code refuses by itself, noise must not weaken it
            }
            if stderr.is_empty() {
                stderr.extend_from_slice(b"circinus: refused by the fail-safe classifier\n");
            }
            Ok(Outcome { exit: EXIT_REFUSED, stdout, stderr })
        }
        _ => Err(SiblingError::Failed { command, status }),
    }
}

/// Feeds standard input and collects both outputs at the same time, so that neither side waits for the other.
fn exchange(child: &mut Owned, payload: &[u8], until: Instant) -> Result<[Vec<u8>; 2], SiblingError> {
    let command = child.command;
    let lost = |error: Errno| SiblingError::Lost { command, source: error.into() };
    let mut input = child.child.stdin.take().map(OwnedFd::from);
    let mut outputs =
        [child.child.stdout.take().map(OwnedFd::from), child.child.stderr.take().map(OwnedFd::from)];
    for pipe in input.iter().chain(outputs.iter().flatten()) {
        ioctl_fionbio(pipe, true).map_err(lost)?;
    }
    let mut collected = [Vec::new(), Vec::new()];
    let mut rest = payload;
    while input.is_some() || outputs.iter().any(Option::is_some) {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(SiblingError::TimedOut { command });
        }
        let mut polled: Vec<PollFd<'_>> =
            input.iter().map(|pipe| PollFd::new(pipe, PollFlags::OUT)).collect();
        polled.extend(outputs.iter().flatten().map(|pipe| PollFd::new(pipe, PollFlags::IN)));
        match poll(&mut polled, Timespec::try_from(left).ok().as_ref()) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(lost(error)),
        }
        if let Some(pipe) = &input
            && feed(pipe, &mut rest).map_err(lost)?
        {
            input = None;
        }
        for (output, bytes) in outputs.iter_mut().zip(&mut collected) {
            if let Some(pipe) = output
                && collect(pipe, bytes).map_err(lost)?
            {
                *output = None;
            }
            if bytes.len() > REPLY_BODY_BYTES_MAX {
                return Err(SiblingError::Garbage { command });
            }
        }
    }
    Ok(collected)
}

/// Writes what the pipe takes; whether it is done. A child that reads no further may still answer.
fn feed(pipe: &OwnedFd, rest: &mut &[u8]) -> Result<bool, Errno> {
    if rest.is_empty() {
        return Ok(true);
    }
    match write(pipe, rest) {
        Ok(bytes) => *rest = rest.get(bytes..).unwrap_or_default(),
        Err(Errno::AGAIN | Errno::INTR) => {}
        Err(Errno::PIPE) => return Ok(true),
        Err(error) => return Err(error),
    }
    Ok(rest.is_empty())
}

/// Reads what the pipe has; whether it is at its end.
fn collect(pipe: &OwnedFd, bytes: &mut Vec<u8>) -> Result<bool, Errno> {
    let mut chunk = [0; CHUNK_BYTES];
    match read(pipe, chunk.as_mut_slice()) {
        Ok(0) => return Ok(true),
        Ok(count) => bytes.extend_from_slice(chunk.get(..count).unwrap_or_default()),
        Err(Errno::AGAIN | Errno::INTR) => {}
        Err(error) => return Err(error),
    }
    Ok(false)
}
