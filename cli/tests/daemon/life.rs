//! Start, stop and signals.

use std::fs;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;

use rustix::process::Signal;

use super::answer::Answer;
use super::payloads::Session;
use super::process::{PATIENCE, circinus, circinus_hook, daemons, has_ended, signal, until};
use super::world::World;

#[test]
fn stop_returns_after_the_process_has_ended() {
    let world = World::new();
    for _ in 0..5 {
        world.start();
        let pid = world.pid();
        world.stop();
        assert!(has_ended(pid), "{pid} still runs");
        assert!(!world.place().socket().exists());
    }
    world.stop();
    assert_eq!(world.circinus(&["status"]).code, 3);
}

#[test]
fn a_long_log_is_put_aside_once() {
    let world = World::new();
    world.start();
    world.stop();
    let log = world.home().join("daemon.log");
    for _ in 0..2 {
        fs::write(&log, "x".repeat((1 << 20) + 1)).unwrap();
        world.start();
        world.stop();
        assert_eq!(world.daemon_log(), "");
        assert_eq!(fs::metadata(log.with_extension("log.1")).unwrap().len(), (1 << 20) + 1);
    }
}

#[test]
fn stop_where_nothing_ever_ran_is_fine() {
    let world = World::new();
    world.stop();
    assert!(!world.home().exists(), "and makes nothing");
}

#[test]
fn concurrent_starts_all_succeed_and_one_daemon_runs() {
    let world = World::new();
    for _ in 0..3 {
        thread::scope(|scope| {
            let starts: Vec<_> = (0..4).map(|_| scope.spawn(|| world.start())).collect();
            starts.into_iter().for_each(|start| start.join().unwrap());
        });
        until("the losers end", || daemons(world.home()).len() == 1);
        assert_eq!(daemons(world.home()), [world.pid()]);
        world.stop();
    }
}

#[test]
fn concurrent_first_hooks_are_all_answered_by_one_daemon() {
    let world = World::new();
    thread::scope(|scope| {
        for number in 0..6 {
            let world = &world;
            scope.spawn(move || {
                let session = Session::new("s", &world.project());
                let url = format!("https://n{number}.example.dev/");
                assert_eq!(world.send(&session.page(&number.to_string(), &url, "x")), Answer::Silent);
            });
        }
    });
    until("the losers end", || daemons(world.home()).len() == 1);
    let log = world.log();
    let count = |kind: &str| log.iter().filter(|row| row["kind"] == kind).count();
    assert_eq!((count("artifact"), count("session_opened")), (6, 1), "{log:?}");
}

/// Runs `program` from a shell that holds its standard output once more as descriptor 7, which it leaves to the
/// program; gives what came until every holder of it was gone.
fn with_inherited_pipe(world: &World, program: &std::path::Path, arguments: &str, input: &str) -> String {
    let script = format!("printf '%s' \"$2\" | \"$1\" {arguments} 7>&1 >/dev/null 2>&1; echo ended");
    let mut command: Command = world.command("/bin/sh".as_ref());
    command.arg("-c").arg(script).arg("sh").arg(program).arg(input).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut pipe = child.stdout.take().unwrap();
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut text = String::new();
        let read = pipe.read_to_string(&mut text).map(|_| text);
        send.send(read)
    });
    let text = receive.recv_timeout(PATIENCE).expect("the daemon holds a descriptor of its starter").unwrap();
    assert!(child.wait().unwrap().success());
    text
}

#[test]
fn the_daemon_holds_nothing_that_its_starter_had_open() {
    let world = World::new();
    assert_eq!(with_inherited_pipe(&world, circinus(), "daemon start", ""), "ended\n");
    let pid = world.pid();
    world.stop();
    let event = Session::new("s", &world.project()).bash("c", "ls").to_string();
    assert_eq!(with_inherited_pipe(&world, circinus_hook(), "", &event), "ended\n");
    assert_ne!(world.pid(), pid);
    let cwd = fs::read_link(format!("/proc/{}/cwd", world.pid())).unwrap();
    assert_eq!(cwd.as_os_str().as_bytes(), b"/", "nor the folder");
}

#[test]
fn a_signal_ends_it_in_order() {
    let world = World::new();
    let session = Session::new("s", &world.project());
    for (number, ending) in [Signal::TERM, Signal::INT, Signal::HUP].into_iter().enumerate() {
        let url = format!("https://n{number}.example.dev/");
        assert_eq!(world.send(&session.page(&number.to_string(), &url, "x")), Answer::Silent);
        let pid = world.pid();
        signal(pid, ending);
        until("a signalled daemon ends", || has_ended(pid));
        assert!(!world.place().socket().exists(), "{ending:?}");
        assert!(!world.home().join("circinus.db-wal").exists(), "{ending:?}: the log is copied back");
    }
    assert_eq!(world.labels().len(), 3);
    assert_eq!(world.daemon_log(), "");
}
