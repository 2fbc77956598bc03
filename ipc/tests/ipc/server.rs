//! Conversations that go well, and those that clients break.

use crate::support::{
    Daemon, LONG, connect, control_frame, echo, place_in, read_error, read_reply, read_until_closed,
    spawn_workers,
};
use circinus_ipc::client::{CallError, ProtocolError};
use circinus_ipc::{Client, ErrorCode, Limits, Reply, Request, Server};
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::UnixListener;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

#[test]
fn both_kinds_of_request_of_any_size_are_echoed() {
    let mut daemon = Daemon::echo();
    for size in [0, 1, 100, 70_000, 5_000_000] {
        let body: Vec<u8> = (0..size).map(|n: u32| n as u8).collect();
        let control = Client::call(&daemon.place, Request::Control(body.clone()), LONG).unwrap();
        assert_eq!(control, Reply::Control(body.clone()));
        let hook = Client::call(&daemon.place, Request::Hook(body.clone()), LONG).unwrap();
        assert_eq!(hook, Reply::Answer { exit: 0, stdout: body, stderr: Vec::new() });
    }
    daemon.handle.stop().unwrap();
}

#[test]
fn a_job_names_the_process_that_asks() {
    let (daemon, jobs) = Daemon::without_workers(Limits::default());
    spawn_workers(jobs, |job| {
        job.responder.send(Reply::Control(format!("{} {}", job.peer.pid, job.peer.uid).into_bytes()));
    });
    let own = format!("{} {}", std::process::id(), circinus_ipc::peer::own_uid());
    assert_eq!(daemon.call(b"").unwrap(), Reply::Control(own.into_bytes()));
}

#[test]
fn two_hundred_clients_at_once_get_their_own_answers() {
    let mut daemon = Daemon::echo();
    thread::scope(|scope| {
        for client in 0..200 {
            let daemon = &daemon;
            scope.spawn(move || {
                for call in 0..5 {
                    let body = format!("{client} {call}").repeat(client + 1).into_bytes();
                    assert_eq!(daemon.call(&body).unwrap(), Reply::Control(body));
                }
            });
        }
    });
    daemon.handle.stop().unwrap();
}

#[test]
fn pipelined_requests_are_answered_in_order() {
    let daemon = Daemon::echo();
    let mut stream = daemon.connect();
    let bodies: Vec<Vec<u8>> = (0..50).map(|n: u32| n.to_string().repeat(100).into_bytes()).collect();
    let bytes: Vec<u8> = bodies.iter().flat_map(|body| control_frame(body)).collect();
    stream.write_all(&bytes).unwrap();
    for body in bodies {
        assert_eq!(read_reply(&mut stream), (0x82, body));
    }
}

#[test]
fn a_frame_may_come_byte_by_byte() {
    let daemon = Daemon::echo();
    let mut stream = daemon.connect();
    for byte in control_frame(b"slowly") {
        stream.write_all(&[byte]).unwrap();
    }
    assert_eq!(read_reply(&mut stream), (0x82, b"slowly".to_vec()));
}

#[test]
fn a_client_that_closed_its_half_still_gets_its_answer() {
    let daemon = Daemon::echo();
    let mut stream = daemon.connect();
    stream.write_all(&control_frame(b"last words")).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(read_reply(&mut stream), (0x82, b"last words".to_vec()));
    assert_eq!(read_until_closed(&mut stream), 0);
}

#[test]
fn a_request_of_a_client_that_has_gone_still_arrives() {
    let (daemon, jobs) = Daemon::without_workers(Limits::default());
    daemon.connect().write_all(&control_frame(b"killed in between")).unwrap();
    let job = jobs.recv_timeout(LONG).unwrap();
    assert_eq!(job.request, Request::Control(b"killed in between".to_vec()));
    job.responder.send(Reply::Control(Vec::new()));
    spawn_workers(jobs, echo);
    daemon.assert_healthy();
}

#[test]
fn garbage_is_refused_at_its_first_byte() {
    let daemon = Daemon::echo();
    let mut stream = daemon.connect();
    stream.write_all(b"G").unwrap();
    assert_eq!(read_error(&mut stream).0, ErrorCode::BadMagic as u8);
    assert_eq!(read_until_closed(&mut stream), 0);
    daemon.assert_healthy();
}

#[test]
fn another_version_is_told_both_versions() {
    let daemon = Daemon::echo();
    let mut stream = daemon.connect();
    stream.write_all(b"CI\x09\x01\x00\x00\x00\x00").unwrap();
    let (code, text) = read_error(&mut stream);
    assert_eq!(code, ErrorCode::BadVersion as u8);
    assert!(text.contains("version 9") && text.contains("speaks 1"), "{text}");
    assert_eq!(read_until_closed(&mut stream), 0);
    daemon.assert_healthy();
}

#[test]
fn a_reply_kind_is_no_request() {
    let daemon = Daemon::echo();
    let mut stream = daemon.connect();
    stream.write_all(b"CI\x01\x81\x00\x00\x00\x00").unwrap();
    assert_eq!(read_error(&mut stream).0, ErrorCode::BadKind as u8);
    assert_eq!(read_until_closed(&mut stream), 0);
}

/// INVARIANT (every-request-answered)
#[test]
fn a_request_that_its_worker_drops_is_answered_internal() {
    let daemon = Daemon::with(Limits::default(), drop);
    let reply = daemon.call(b"x").unwrap();
    assert!(matches!(reply, Reply::Error { code: ErrorCode::Internal, .. }), "{reply:?}");
}

/// INVARIANT (every-request-answered)
#[test]
fn a_request_that_nobody_can_take_is_answered_internal() {
    let (daemon, jobs) = Daemon::without_workers(Limits::default());
    drop(jobs);
    let reply = daemon.call(b"x").unwrap();
    assert!(matches!(reply, Reply::Error { code: ErrorCode::Internal, .. }), "{reply:?}");
}

#[test]
fn stopping_refuses_what_is_half_here_and_sends_what_is_outstanding() {
    let (daemon, jobs) = Daemon::without_workers(Limits { stop_max: LONG, ..Limits::default() });
    let mut idle = daemon.connect();
    let mut partial = daemon.connect();
    partial.write_all(&control_frame(b"never finished")[..12]).unwrap();
    let mut outstanding = daemon.connect();
    outstanding.write_all(&control_frame(b"asked")).unwrap();
    let job = jobs.recv_timeout(LONG).unwrap();
    let place = daemon.place.clone();
    let (stopped, stop_result) = mpsc::channel();
    let mut handle = daemon.handle;
    thread::spawn(move || stopped.send(handle.stop()));

    assert_eq!(read_error(&mut idle).0, ErrorCode::ShuttingDown as u8);
    assert_eq!(read_error(&mut partial).0, ErrorCode::ShuttingDown as u8);
    assert_eq!(read_until_closed(&mut partial), 0);
    assert!(stop_result.try_recv().is_err(), "an answer is outstanding");
    assert!(jobs.recv_timeout(LONG).is_err(), "the queue ends for the workers");
    job.responder.send(Reply::Control(b"answered".to_vec()));
    assert_eq!(read_reply(&mut outstanding), (0x82, b"answered".to_vec()));
    stop_result.recv_timeout(LONG).unwrap().unwrap();
    assert!(!place.socket().exists());
    assert!(matches!(Client::call(&place, Request::Control(Vec::new()), LONG), Err(CallError::NotRunning)));
}

#[test]
fn nothing_follows_an_answer_when_the_server_stops() {
    let mut daemon = Daemon::echo();
    let mut answered = daemon.connect();
    answered.write_all(&control_frame(b"asked")).unwrap();
    assert_eq!(read_reply(&mut answered), (0x82, b"asked".to_vec()));
    daemon.handle.stop().unwrap();
    assert_eq!(read_until_closed(&mut answered), 0);
}

#[test]
fn stopping_does_not_wait_for_a_hung_worker_for_ever() {
    let limits = Limits { stop_max: Duration::from_millis(50), ..Limits::default() };
    let (mut daemon, jobs) = Daemon::without_workers(limits);
    let mut stream = daemon.connect();
    stream.write_all(&control_frame(b"x")).unwrap();
    let job = jobs.recv_timeout(LONG).unwrap();
    daemon.handle.stop().unwrap();
    assert_eq!(read_until_closed(&mut stream), 0);
    job.responder.send(Reply::Control(Vec::new())); // too late, and nothing happens
}

#[test]
fn a_client_gives_up_at_its_deadline() {
    let root = tempfile::tempdir().unwrap();
    let place = place_in(root.path());
    let short = Duration::from_millis(50);
    let never_started = Server::bind(&place, Limits::default()).unwrap();
    let result = Client::call(&place, Request::Control(vec![0; 2_000_000]), short);
    assert!(matches!(result, Err(CallError::TimedOut { .. })), "writing: {result:?}");
    let result = Client::call(&place, Request::Control(Vec::new()), short);
    assert!(matches!(result, Err(CallError::TimedOut { .. })), "reading: {result:?}");
    drop(never_started);
}

/// A process that listens at the right place and says `bytes` to whoever comes.
fn impostor(bytes: &'static [u8]) -> Result<Reply, CallError> {
    let root = tempfile::tempdir().unwrap();
    let place = place_in(root.path());
    place.create().unwrap();
    let listener = UnixListener::bind(place.socket()).unwrap();
    std::fs::set_permissions(place.socket(), std::fs::Permissions::from_mode(0o600)).unwrap();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.read_exact(&mut [0; 8]).unwrap();
        stream.write_all(bytes).unwrap();
    });
    let result = Client::call(&place, Request::Control(Vec::new()), LONG);
    server.join().unwrap();
    result
}

#[test]
fn a_reply_that_is_not_one_is_a_protocol_error() {
    let protocol = |bytes| match impostor(bytes) {
        Err(CallError::Protocol(error)) => error,
        other => panic!("{other:?}"),
    };
    assert!(matches!(protocol(b"HTTP/1.1 200 OK\r\n"), ProtocolError::Frame(_)));
    assert!(matches!(protocol(b"CI\x02\x82\x00\x00\x00\x00"), ProtocolError::Frame(_)));
    assert!(matches!(protocol(b"CI\x01\x81\x01\x00\x00\x00x"), ProtocolError::Message(_)));
    assert!(matches!(protocol(b"CI\x01\x82\xff\xff\xff\xff"), ProtocolError::Frame(_)));
    assert_eq!(protocol(b""), ProtocolError::Closed);
    assert_eq!(protocol(b"CI\x01\x82\x05\x00\x00\x00abc"), ProtocolError::Closed);
    assert_eq!(protocol(b"CI\x01\x82\x00\x00\x00\x00more"), ProtocolError::Trailing);
    assert_eq!(impostor(b"CI\x01\x82\x02\x00\x00\x00{}").unwrap(), Reply::Control(b"{}".to_vec()));
}

#[test]
fn a_large_request_in_the_middle_keeps_nobody_waiting() {
    let daemon = Daemon::echo();
    let mut large = connect(&daemon.place);
    let body = vec![b'x'; 7_000_000];
    let bytes = control_frame(&body);
    let (half, rest) = bytes.split_at(bytes.len() / 2);
    large.write_all(half).unwrap();
    daemon.assert_healthy();
    let writer = thread::spawn({
        let (rest, mut stream) = (rest.to_vec(), large.try_clone().unwrap());
        move || stream.write_all(&rest)
    });
    for _ in 0..50 {
        daemon.assert_healthy();
    }
    assert_eq!(read_reply(&mut large), (0x82, body));
    writer.join().unwrap().unwrap();
}
