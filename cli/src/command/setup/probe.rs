//! Asks the host for its version.

use std::ffi::OsString;
use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use std::{env, thread};

use rustix::fs::{Access, access};

use crate::adapter::claude_code::settings::HostVersion;

/// Program name of the host.
const HOST_PROGRAM: &str = "claude";

/// How long the host may take to say its version; it answers in well under one second.
const PROBE_TIMEOUT: Duration = Duration::from_secs(5);

/// Bytes read of its answer, which has about twenty.
const ANSWER_BYTES_MAX: u64 = 4 * 1024;

/// The version of the host that is first on the PATH; `None` when there is none or it does not say.
pub fn host_version(env: &dyn Fn(&str) -> Option<OsString>) -> Option<HostVersion> {
    let program = find_program(env)?;
    let child = Command::new(program)
        .arg("--version")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    HostVersion::parse(&answer(child)?)
}

/// The first executable of that name on the PATH. Relative folders are skipped: a repository must not be able
/// to put a program there that setup runs.
fn find_program(env: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let path = env("PATH")?;
    env::split_paths(&path)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(HOST_PROGRAM))
        .find(|program| program.is_file() && access(program, Access::EXEC_OK).is_ok())
}

/// What the child prints, if it does so in time. The child is gone afterwards, by itself or killed.
fn answer(mut child: Child) -> Option<String> {
    let deadline = Instant::now() + PROBE_TIMEOUT;
    let stdout = child.stdout.take();
    let (sender, receiver) = mpsc::sync_channel(1);
    // Its own thread, because a read has no deadline. It ends when the pipe closes.
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let read = stdout.map(|stdout| stdout.take(ANSWER_BYTES_MAX).read_to_end(&mut bytes));
        if matches!(read, Some(Ok(_))) {
            // It fails when the receiver has given up, and then nobody wants the answer.
            drop(sender.send(bytes));
        }
    });
    let printed = receiver.recv_timeout(deadline.saturating_duration_since(Instant::now())).ok();
    if printed.is_none() && child.kill().is_err() {
        return None;
    }
    // Killed, or its output is closed: it ends now, and nothing of it stays behind.
    let status = wait_until(&mut child, deadline + Duration::from_secs(1))?;
    printed.filter(|_| status).and_then(|bytes| String::from_utf8(bytes).ok())
}

/// Waits for the end of the child and tells whether it ended well; kills it at the deadline.
fn wait_until(child: &mut Child, deadline: Instant) -> Option<bool> {
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Some(status.success()),
            Ok(None) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
            Ok(None) => {
                child.kill().ok()?;
                return child.wait().ok().map(|_| false);
            }
            Err(_) => return None,
        }
    }
}
