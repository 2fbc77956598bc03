//! Time of a round trip against an echo daemon: in one process, and with a hook process per call.
//!
//! `cargo run --release -p circinus-ipc --example round_trip -- [HOOK-BINARY]`
#![allow(clippy::print_stdout, reason = "the figures are the purpose of this program")]

use circinus_ipc::{Client, HomeDir, Job, Limits, Reply, Request, Server, SocketPlace};
use std::error::Error;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

const CALLS: usize = 20_000;
const PROCESSES: usize = 1_000;
const WARM_UP: usize = 50;
const TIMEOUT: Duration = Duration::from_secs(10);
const PAYLOAD: &[u8] =
    br#"{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"ls"}}"#;

fn main() -> Result<(), Box<dyn Error>> {
    let root = tempfile::tempdir()?;
    let home = HomeDir::at(root.path())?;
    let place = SocketPlace::new(&home, &|_| None, circinus_ipc::peer::own_uid());
    let server = Server::bind(&place, Limits::default())?;
    let jobs = server.jobs();
    let mut handle = server.start()?;
    thread::spawn(move || jobs.iter().for_each(answer));

    measure("client call", CALLS, || {
        Client::call(&place, Request::Hook(PAYLOAD.to_vec()), TIMEOUT)?;
        Ok(())
    })?;
    if let Some(hook) = std::env::args_os().nth(1).map(PathBuf::from) {
        measure("hook process", PROCESSES, || run_hook(&hook, root.path()))?;
        measure("/bin/true for comparison", PROCESSES, || run_hook(Path::new("/bin/true"), root.path()))?;
    }
    handle.stop()?;
    Ok(())
}

fn answer(job: Job) {
    job.responder.send(Reply::Answer { exit: 0, stdout: b"{}".to_vec(), stderr: Vec::new() });
}

fn run_hook(program: &Path, home: &Path) -> Result<(), Box<dyn Error>> {
    let mut child = Command::new(program)
        .env("CIRCINUS_HOME", home)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take()
        && let Err(error) = stdin.write_all(PAYLOAD)
        && error.kind() != std::io::ErrorKind::BrokenPipe
    {
        return Err(error.into());
    }
    let output = child.wait_with_output()?;
    if output.status.success() { Ok(()) } else { Err(format!("{output:?}").into()) }
}

fn measure(
    name: &str,
    count: usize,
    mut run: impl FnMut() -> Result<(), Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    for _ in 0..WARM_UP {
        run()?;
    }
    let mut times = Vec::with_capacity(count);
    for _ in 0..count {
        let start = Instant::now();
        run()?;
        times.push(start.elapsed());
    }
    times.sort_unstable();
    let at = |percent: usize| times.get(count * percent / 100).copied().unwrap_or_default();
    println!("{name}: n {count}, p50 {:?}, p95 {:?}, p99 {:?}", at(50), at(95), at(99));
    Ok(())
}
