//! What bash itself accepts; it reads and does not run (`-n`).

use std::io::Write as _;
use std::process::{Command, Stdio};

fn bash() -> Command {
    let mut bash = Command::new("bash");
    bash.args(["--norc", "--noprofile", "-O", "extglob", "-n"]);
    bash.env_clear().stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::piped());
    bash
}

pub(super) fn is_there() -> bool {
    bash().stdin(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Whether bash finds no error before it would run anything.
pub(super) fn accepts(text: &str) -> bool {
    let mut child = bash().spawn().expect("bash starts");
    let mut input = child.stdin.take().expect("a pipe");
    // It may end before it has read everything.
    let _ended = input.write_all(text.as_bytes());
    drop(input);
    let ended = child.wait_with_output().expect("bash ends");
    // The status after a wrong `[[` says that all is well; a warning is no error.
    let said = String::from_utf8_lossy(&ended.stderr);
    ended.status.success() && said.lines().all(|line| line.contains("warning:"))
}
