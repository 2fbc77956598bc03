//! The hook binary without a usable daemon: the fail-safe classifier, and the last resort behind it.
//!
//! INVARIANT (no-silent-pass)

use crate::hook::{Installed, finish, gate, programs, start, text};
use crate::support::{LONG, wait_for};
use circinus_ipc::hook::{Deadlines, Surroundings, respond};
use circinus_ipc::{Limits, Reply, Server};
use rustix::process::{Pid, Signal, kill_process};
use std::fs::{self, Permissions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::process::Output;
use std::thread;
use std::time::{Duration, Instant};

/// Cannot start a daemon, but classifies: it keeps what it was given and answers.
const CLASSIFIES: &str =
    "[ \"$*\" = fail-safe ] || exit 1\ncat > \"$ROOT/seen\"\necho '{\"from\":\"fail-safe\"}'";

fn assert_from_fail_safe(output: &Output) {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "{\"from\":\"fail-safe\"}\n");
}

/// The answers of the last resort, for a hook whose siblings are of no use.
fn assert_last_resort(installed: &Installed) {
    for tool in ["Read", "Grep", "Glob", "LS"] {
        let output = installed.run(&gate(tool));
        assert_eq!(output.status.code(), Some(0), "{tool}: {}", text(&output.stderr));
        assert!(output.stdout.is_empty() && output.stderr.is_empty(), "{tool}");
    }
    let refused = [gate("Bash"), b"{\"hook_event_name\":\"ConfigChange\"}".to_vec(), b"garbage".to_vec()];
    for payload in &refused {
        let output = installed.run(payload);
        assert_eq!(output.status.code(), Some(2), "{}", text(payload));
        assert!(output.stdout.is_empty());
        let reason = text(&output.stderr);
        let start = "circinus: no daemon and no fail-safe classifier: refused; hint: run `circinus doctor`";
        assert!(reason.starts_with(start) && reason.lines().count() == 1, "{reason}");
    }
    let after = installed.run(b"{\"hook_event_name\":\"PostToolUse\",\"tool_name\":\"Bash\"}");
    assert_eq!(after.status.code(), Some(1));
    assert_eq!(text(&after.stderr).lines().count(), 1);
}

#[test]
fn without_a_daemon_the_classifier_answers() {
    let installed = Installed::with_sibling(CLASSIFIES);
    let payload = [gate("Bash"), vec![b' '; 1_000_000]].concat();
    assert_from_fail_safe(&installed.run(&payload));
    assert_eq!(fs::read(installed.path("seen")).unwrap(), payload);
}

#[test]
fn the_classifiers_refusal_and_its_words_are_passed_on() {
    let installed = Installed::with_sibling("[ \"$1\" = fail-safe ] || exit 1\necho 'no: T2' >&2\nexit 2");
    let output = installed.run(&gate("Bash"));
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(text(&output.stderr), "no: T2\n");
}

#[test]
fn a_classifier_that_answers_without_reading_all_is_heard() {
    let installed =
        Installed::with_sibling("[ \"$1\" = fail-safe ] || exit 1\necho '{\"from\":\"fail-safe\"}'");
    assert_from_fail_safe(&installed.run(&vec![b' '; 5_000_000]));
}

#[test]
fn a_refusal_with_noise_stays_a_refusal_without_the_noise() {
    let installed = Installed::with_sibling("[ \"$1\" = fail-safe ] || exit 1\necho noise\nexit 2");
    let output = installed.run(&gate("Bash"));
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty() && !output.stderr.is_empty());
}

#[test]
fn last_resort_without_any_sibling() {
    assert_last_resort(&Installed::alone());
}

#[test]
fn last_resort_behind_a_classifier_that_fails() {
    assert_last_resort(&Installed::with_sibling("exit 1"));
    assert_last_resort(&Installed::with_sibling("[ \"$1\" = fail-safe ] && exit 101\nexit 1"));
}

#[test]
fn last_resort_behind_a_classifier_that_is_killed() {
    assert_last_resort(&Installed::with_sibling(
        "[ \"$1\" = fail-safe ] && echo '{}' && kill -KILL $$\nexit 1",
    ));
}

#[test]
fn last_resort_behind_a_classifier_that_prints_noise() {
    assert_last_resort(&Installed::with_sibling("[ \"$1\" = fail-safe ] && echo '{} {}'\nexit 0"));
}

#[test]
fn last_resort_behind_a_sibling_that_is_no_program() {
    let installed = Installed::with_sibling("exit 0");
    fs::set_permissions(installed.sibling(), Permissions::from_mode(0o644)).unwrap();
    assert_last_resort(&installed);
}

/// The whole way with the real time limit: the hook gives up on a hung daemon and still answers.
#[test]
fn a_hung_daemon_is_given_up_and_the_classifier_asked() {
    let installed = Installed::with_sibling(CLASSIFIES);
    let server = Server::bind(&installed.place(), Limits::default()).unwrap();
    let jobs = server.jobs();
    let _handle = server.start().unwrap();
    let child = start(&mut installed.command());
    let hung = thread::spawn(move || jobs.recv_timeout(LONG).unwrap());
    assert_from_fail_safe(&finish(child, &gate("Bash")));
    drop(hung.join().unwrap());
}

/// INVARIANT (no-silent-pass): a host without `onFailure` lets the tool run when a signal ends its hook.
#[test]
fn a_hook_that_is_told_to_end_refuses() {
    for told in [Signal::TERM, Signal::INT, Signal::HUP] {
        let installed = Installed::with_sibling(CLASSIFIES);
        let server = Server::bind(&installed.place(), Limits::default()).unwrap();
        let jobs = server.jobs();
        let _handle = server.start().unwrap();
        let mut child = start(&mut installed.command());
        child.stdin.take().unwrap().write_all(&gate("Bash")).unwrap();
        // The hook waits for this answer, which does not come before the signal.
        let _unanswered = jobs.recv_timeout(LONG).unwrap();
        kill_process(Pid::from_child(&child), told).unwrap();
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{told:?}: {output:?}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn when_all_hang_the_hook_still_refuses() {
    let installed = Installed::with_sibling("touch \"$ROOT/asked-$1\"\nexec sleep 600");
    let short = Duration::from_millis(300);
    let deadlines = Deadlines { total: short, start_max: short / 3, fail_safe_min: short };
    let home = installed.path("home").into_os_string();
    let around = Surroundings {
        environment: &|name| (name == "CIRCINUS_HOME").then(|| home.clone()),
        sibling: &|| Some(installed.sibling()),
        deadlines,
        started: Instant::now(),
    };
    let one_at_a_time = programs();
    let outcome = respond(&gate("Bash"), &around);
    drop(one_at_a_time);
    assert_eq!(outcome.exit, 2);
    let reason = text(&outcome.stderr);
    assert!(reason.contains("`circinus daemon start` did not end in time"), "{reason}");
    assert!(reason.contains("`circinus fail-safe` did not end in time"), "{reason}");
    wait_for("both were asked", || installed.path("asked-fail-safe").exists());
}

/// Something listens at the daemon's place and says `bytes`.
fn with_impostor(bytes: Vec<u8>) -> Output {
    let installed = Installed::with_sibling(CLASSIFIES);
    let place = installed.place();
    place.create().unwrap();
    let listener = UnixListener::bind(place.socket()).unwrap();
    fs::set_permissions(place.socket(), Permissions::from_mode(0o600)).unwrap();
    let impostor = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 8]).unwrap();
        stream.write_all(&bytes).unwrap();
    });
    let output = installed.run(&gate("Bash"));
    impostor.join().unwrap();
    output
}

#[test]
fn an_answer_that_is_none_is_not_passed_on() {
    let noise = |stdout: &[u8]| {
        Reply::Answer { exit: 0, stdout: stdout.to_vec(), stderr: Vec::new() }.encode().unwrap()
    };
    let mut cut = noise(b"{}");
    cut.pop();
    for bytes in [
        b"HTTP/1.1 200 OK\r\n\r\n".to_vec(),
        b"CI\x02\x81\x00\x00\x00\x00".to_vec(),
        Vec::new(),
        cut,
        noise(b"all is well"),
        noise(b"{}{}"),
        noise(b"{\"a\":"),
        Reply::Control(b"{}".to_vec()).encode().unwrap(),
        Reply::error(circinus_ipc::ErrorCode::Busy, "full").encode().unwrap(),
    ] {
        assert_from_fail_safe(&with_impostor(bytes));
    }
}

#[test]
fn a_place_that_is_not_ours_alone_is_not_asked() {
    let installed = Installed::with_sibling(CLASSIFIES);
    let server = Server::bind(&installed.place(), Limits::default()).unwrap();
    let _never_asked = server.start().unwrap();
    fs::set_permissions(installed.place().socket_dir(), Permissions::from_mode(0o770)).unwrap();
    assert_from_fail_safe(&installed.run(&gate("Bash")));
}

#[test]
fn without_any_home_the_classifier_is_asked() {
    let installed = Installed::with_sibling(CLASSIFIES);
    let mut command = installed.command();
    command.env_remove("CIRCINUS_HOME").env_remove("XDG_DATA_HOME").env_remove("HOME");
    assert_from_fail_safe(&finish(start(&mut command), &gate("Bash")));
}
