//! The hook binary with a daemon, and with a sibling that starts one.

use crate::support::{Daemon, LONG, echo, place_in, spawn_workers, wait_for};
use circinus_ipc::{Job, Limits, Reply, Request, Server, SocketPlace};
use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError, mpsc};
use std::thread;
use tempfile::TempDir;

/// A file that is open for writing while another thread forks cannot be executed until that child has executed its
/// own; a socket that is closed meanwhile stays open as long. So programs are written and started one at a time.
static PROGRAMS: Mutex<()> = Mutex::new(());

pub(crate) fn programs() -> MutexGuard<'static, ()> {
    PROGRAMS.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A directory with a copy of the hook binary, and a home.
pub(crate) struct Installed {
    pub(crate) root: TempDir,
}

impl Installed {
    pub(crate) fn alone() -> Installed {
        let root = tempfile::tempdir().unwrap();
        let _one = programs();
        fs::create_dir(root.path().join("bin")).unwrap();
        fs::copy(env!("CARGO_BIN_EXE_circinus-hook"), root.path().join("bin/circinus-hook")).unwrap();
        Installed { root }
    }

    /// Beside it, a `circinus` that runs `script`, in which `$ROOT` is this directory.
    pub(crate) fn with_sibling(script: &str) -> Installed {
        let installed = Installed::alone();
        let _one = programs();
        let text = format!("#!/bin/sh\nROOT='{}'\n{script}\n", installed.root.path().display());
        let path = installed.sibling();
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, Permissions::from_mode(0o755)).unwrap();
        drop(_one);
        installed
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    pub(crate) fn sibling(&self) -> PathBuf {
        self.path("bin/circinus")
    }

    pub(crate) fn place(&self) -> SocketPlace {
        place_in(self.root.path())
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(self.path("bin/circinus-hook"));
        command.env("CIRCINUS_HOME", self.path("home"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub(crate) fn run(&self, payload: &[u8]) -> Output {
        finish(start(&mut self.command()), payload)
    }

    fn serve(&self, work: impl Fn(Job) + Clone + Send + 'static) -> circinus_ipc::ServerHandle {
        let server = Server::bind(&self.place(), Limits::default()).unwrap();
        spawn_workers(server.jobs(), work);
        server.start().unwrap()
    }
}

pub(crate) fn start(command: &mut Command) -> Child {
    let _one = programs();
    command.spawn().unwrap()
}

pub(crate) fn finish(mut child: Child, payload: &[u8]) -> Output {
    let mut stdin = child.stdin.take().unwrap();
    thread::scope(|scope| {
        // A hook that refuses without reading all closes its input.
        scope.spawn(move || {
            stdin.write_all(payload).or_else(|error| match error.kind() {
                io::ErrorKind::BrokenPipe => Ok(()),
                _ => Err(error),
            })
        });
        child.wait_with_output().unwrap()
    })
}

pub(crate) fn gate(tool: &str) -> Vec<u8> {
    format!(r#"{{"hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{{}}}}"#).into_bytes()
}

pub(crate) fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).unwrap()
}

const DENY: &[u8] = b"{\"hookSpecificOutput\":{\"permissionDecision\":\"deny\"}}";

fn deny(job: Job) {
    job.responder.send(Reply::Answer { exit: 0, stdout: DENY.to_vec(), stderr: b"seen\n".to_vec() });
}

#[test]
fn the_daemons_answer_is_passed_on() {
    let installed = Installed::alone();
    let _handle = installed.serve(deny);
    let output = installed.run(&gate("Bash"));
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(output.stdout, DENY);
    assert_eq!(output.stderr, b"seen\n");
}

#[test]
fn silence_and_exit_codes_are_passed_on() {
    for exit in [0, 1, 2] {
        let installed = Installed::alone();
        let _handle = installed.serve(move |job| {
            job.responder.send(Reply::Answer { exit, stdout: Vec::new(), stderr: Vec::new() });
        });
        let output = installed.run(&gate("Bash"));
        assert_eq!(output.status.code(), Some(i32::from(exit)));
        assert!(output.stdout.is_empty() && output.stderr.is_empty());
    }
}

#[test]
fn the_event_arrives_raw_and_names_the_hooks_process() {
    let installed = Installed::alone();
    let (sender, seen) = mpsc::channel();
    let _handle = installed.serve(move |job| {
        sender.send((job.peer.pid, job.request.clone())).unwrap();
        deny(job);
    });
    for payload in [b"".to_vec(), b"\xff\xfe not json \x00".to_vec(), vec![b'x'; 3_000_000]] {
        let child = start(&mut installed.command());
        let pid = child.id();
        finish(child, &payload);
        assert_eq!(seen.recv_timeout(LONG).unwrap(), (pid, Request::Hook(payload)));
    }
}

#[test]
fn an_absent_daemon_is_started_and_asked() {
    // The sibling asks the test to serve, and ends when the socket is there, as `daemon start` does.
    let installed = Installed::with_sibling(
        "[ \"$*\" = 'daemon start' ] || exit 9\n\
         touch \"$ROOT/wanted\"\nwhile [ ! -S \"$ROOT/home/run/circinus.sock\" ]; do sleep 0.01; done",
    );
    let child = start(&mut installed.command());
    let hook = thread::spawn(move || finish(child, &gate("Bash")));
    let wanted = installed.path("wanted");
    wait_for("the hook starts the daemon", || wanted.exists());
    let _handle = installed.serve(deny);
    let output = hook.join().unwrap();
    assert_eq!(output.stdout, DENY, "{}", text(&output.stderr));
}

#[test]
fn a_stale_socket_means_that_the_daemon_is_absent() {
    let installed = Installed::with_sibling("[ \"$1\" = fail-safe ] && echo '{\"from\":\"fail-safe\"}'");
    {
        let _no_child_inherits_it = programs();
        let server = Server::bind(&installed.place(), Limits::default()).unwrap();
        drop(server); // leaves its socket behind, as a killed daemon does
    }
    assert!(installed.place().socket().exists());
    assert_eq!(text(&installed.run(&gate("Bash")).stdout), "{\"from\":\"fail-safe\"}\n");
}

#[test]
fn an_argument_is_refused() {
    let installed = Installed::alone();
    let _handle = installed.serve(deny);
    let output = finish(start(installed.command().arg("--help")), &gate("Read"));
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert_eq!(text(&output.stderr).lines().count(), 1);
}

#[test]
fn a_payload_above_the_cap_is_refused_with_a_reason() {
    let installed = Installed::alone();
    let _handle = installed.serve(deny);
    let path = installed.path("payload");
    File::create(&path).unwrap().set_len(64 * 1024 * 1024 + 1).unwrap();
    let child = start(installed.command().stdin(File::open(&path).unwrap()));
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("above the limit of 67108864 bytes"), "{}", text(&output.stderr));
}

/// INVARIANT (no-silent-pass)
#[test]
fn an_event_without_memory_for_it_is_refused() {
    let installed = Installed::alone();
    let _handle = installed.serve(deny);
    let path = installed.path("payload");
    File::create(&path).unwrap().set_len(60 * 1024 * 1024).unwrap();
    let mut limited = Command::new("/bin/sh");
    limited.arg("-c").arg("ulimit -v 40000; exec \"$0\"").arg(installed.path("bin/circinus-hook"));
    limited.env("CIRCINUS_HOME", installed.path("home"));
    limited.stdin(File::open(&path).unwrap()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let output = start(&mut limited).wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("no memory"), "{}", text(&output.stderr));
}

/// INVARIANT (no-silent-pass)
#[test]
fn an_answer_that_cannot_be_written_is_a_refusal() {
    let installed = Installed::alone();
    let _handle = installed.serve(deny);
    let (reader, writer) = io::pipe().unwrap();
    drop(reader);
    let output = finish(start(installed.command().stdout(writer)), &gate("Bash"));
    assert_eq!(output.status.code(), Some(2), "nobody reads");

    let hook = installed.path("bin/circinus-hook");
    let mut closed = Command::new("/bin/sh");
    closed.arg("-c").arg("exec \"$0\" >&-").arg(&hook).env("CIRCINUS_HOME", installed.path("home"));
    closed.stdin(Stdio::piped()).stderr(Stdio::piped());
    let output = finish(start(&mut closed), &gate("Bash"));
    assert_eq!(output.status.code(), Some(2), "closed from the start");
    assert!(text(&output.stderr).contains("could not be written"), "{}", text(&output.stderr));
}

#[test]
fn many_hooks_at_once_each_get_their_own_answer() {
    let installed = Installed::alone();
    let _handle = installed.serve(echo);
    thread::scope(|scope| {
        for n in 0..32 {
            let installed = &installed;
            scope.spawn(move || {
                let payload = format!("{{\"n\":{n}}}").into_bytes();
                assert_eq!(installed.run(&payload).stdout, payload);
            });
        }
    });
}

/// The home of a daemon that a test runs is found by the same rules as the hook's.
#[test]
fn the_hook_finds_the_daemon_of_a_long_home() {
    let installed = Installed::alone();
    let home = installed.path(&"h".repeat(120));
    let runtime = installed.path("runtime");
    fs::create_dir(&runtime).unwrap();
    let environment = |name: &str| match name {
        "CIRCINUS_HOME" => Some(home.clone().into_os_string()),
        "XDG_RUNTIME_DIR" => Some(runtime.clone().into_os_string()),
        _ => None,
    };
    let place = SocketPlace::resolve(&environment).unwrap();
    assert!(is_below(&place.socket(), &runtime));
    let server = Server::bind(&place, Limits::default()).unwrap();
    spawn_workers(server.jobs(), deny);
    let _handle = server.start().unwrap();
    let mut command = installed.command();
    command.env("CIRCINUS_HOME", &home).env("XDG_RUNTIME_DIR", &runtime);
    assert_eq!(finish(start(&mut command), &gate("Bash")).stdout, DENY);
}

fn is_below(path: &Path, directory: &Path) -> bool {
    path.starts_with(directory)
}

/// A daemon of a test elsewhere must never be asked by accident.
#[test]
fn two_homes_have_two_daemons() {
    let daemon = Daemon::echo();
    let installed = Installed::alone();
    assert!(!installed.place().socket().starts_with(daemon.root.path()));
    assert_eq!(installed.run(&gate("Bash")).status.code(), Some(2));
}
