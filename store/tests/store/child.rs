//! Roles that this test binary plays in a process of its own, so that the process can be killed or starved.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;

use circinus_store::{AppendError, Writer};

use crate::harness::{append, open};
use crate::sample;

/// How many of the artifacts stay without a verdict: every one whose number does not divide by this.
pub(crate) const JUDGED_EVERY: u64 = 3;

/// A command that plays `role` on the database at `path`; `exe` is this binary or a copy of it.
pub(crate) fn command(exe: &Path, role: &str, path: &Path) -> Command {
    let mut command = Command::new(exe);
    command
        .args(["child::plays_its_role", "--exact", "--ignored", "--nocapture", "--test-threads=1"])
        .env("CIRCINUS_STORE_ROLE", role)
        .env("CIRCINUS_STORE_PATH", path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    command
}

pub(crate) fn this_exe() -> std::path::PathBuf {
    std::env::current_exe().expect("a test runs from a file")
}

/// The lines that a child says; lines of the test harness are left out.
pub(crate) fn lines(child: &mut Child) -> impl Iterator<Item = String> + use<> {
    let stdout: ChildStdout = child.stdout.take().expect("piped");
    BufReader::new(stdout)
        .lines()
        .map_while(Result::ok)
        // The harness prints the test's name without a line end in front of the first line.
        .filter_map(|line| line.split_once("say: ").map(|(_, said)| said.to_owned()))
}

fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "say: {line}").and_then(|()| out.flush()).expect("somebody listens");
}

#[test]
#[ignore = "run by other tests, as a process of its own"]
fn plays_its_role() {
    let role = std::env::var("CIRCINUS_STORE_ROLE").expect("a role");
    let path = std::env::var_os("CIRCINUS_STORE_PATH").expect("a path");
    match role.as_str() {
        "open" => match open(Path::new(&path)) {
            Ok(_) => say("opened"),
            Err(error) => say(&format!("{error:?}")),
        },
        "ingest" => ingest_until_killed(Path::new(&path)),
        "fill" => fill_until_refused(Path::new(&path)),
        other => panic!("no such role: {other}"),
    }
}

/// The body of artifact `n` of `client` in a run; different for each.
pub(crate) fn body(run: &str, client: u64, n: u64) -> Vec<u8> {
    format!("{run} {client} {n} {}", "x".repeat(usize::try_from(n % 7).expect("small") * 500)).into_bytes()
}

/// Four clients ingest and judge, and say every acknowledgement: `a SEQ RUN CLIENT N` or `j SEQ ...`.
fn ingest_until_killed(path: &Path) {
    let (store, recovered) = open(path).expect("opens");
    let writer = Arc::new(Writer::start(store, Box::new(|_| {})).expect("starts"));
    let run = recovered.last_seq.0.to_string();
    let clients: Vec<_> = (0..4)
        .map(|client| {
            let (writer, run) = (Arc::clone(&writer), run.clone());
            std::thread::spawn(move || {
                for n in 0.. {
                    let bytes = body(&run, client, n);
                    let delivery = format!("{run} {client} {n}");
                    let ack = append(&writer, sample::ingest("s", &bytes, &delivery)).expect("acknowledged");
                    say(&format!("a {} {run} {client} {n}", ack.seq.0));
                    if n % JUDGED_EVERY == 0 {
                        let judged = sample::commit(sample::judged(&bytes, "cheap"));
                        let ack = append(&writer, judged).expect("acknowledged");
                        say(&format!("j {} {run} {client} {n}", ack.seq.0));
                    }
                }
            })
        })
        .collect();
    for client in clients {
        client.join().expect("runs until killed");
    }
}

/// Ingests until the store refuses, then shows that it goes on refusing.
fn fill_until_refused(path: &Path) {
    let (store, _) = open(path).expect("opens");
    let writer = Writer::start(store, Box::new(|_| {})).expect("starts");
    for n in 0..100_000 {
        let bytes = body("fill", 0, n);
        match append(&writer, sample::ingest("s", &bytes, &n.to_string())) {
            Ok(ack) => say(&format!("a {} fill 0 {n}", ack.seq.0)),
            Err(error) => {
                assert!(matches!(error, AppendError::Failed { .. }), "{error}");
                say(&format!("refused {error}").replace('\n', " "));
                break;
            }
        }
    }
    let again = append(&writer, sample::ingest("s", b"small", "small"));
    assert!(matches!(again, Err(AppendError::Stopped { .. })), "{again:?}");
    assert!(writer.is_stopped());
    say("stopped");
}
