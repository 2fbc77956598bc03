//! The program itself, run with nothing but what a test gives it.

use std::io::Write;
use std::process::{Command, Stdio};

/// Exit code and both streams.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) code: i32,
    pub(super) out: String,
    pub(super) err: String,
}

/// Runs `circinus` without an environment but for `env`, with `input` on its standard input.
pub(super) fn circinus(arguments: &[&str], env: &[(&str, &str)], input: &str) -> Ran {
    let mut command = Command::new(env!("CARGO_BIN_EXE_circinus"));
    command.env_clear().envs(env.iter().copied()).args(arguments).current_dir("/");
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // A program that does not read its input closes it; that is its right.
    let fed = child.stdin.take().unwrap().write_all(input.as_bytes());
    assert!(fed.is_ok() || fed.unwrap_err().kind() == std::io::ErrorKind::BrokenPipe);
    let output = child.wait_with_output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Ran { code: output.status.code().unwrap(), out: text(output.stdout), err: text(output.stderr) }
}
