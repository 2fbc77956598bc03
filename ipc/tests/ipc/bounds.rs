//! Every bound of the server, reached: a named refusal or a closed connection, and the others are served.

use crate::support::{
    Daemon, LONG, connect, control_frame, echo, read_error, read_reply, read_until_closed, spawn_workers,
    wait_for,
};
use circinus_ipc::client::CallError;
use circinus_ipc::limits::{PAYLOAD_BYTES_MAX, REQUEST_BODY_BYTES_MAX};
use circinus_ipc::{Client, ErrorCode, Limits, Reply, Request};
use std::io::Write;
use std::thread;
use std::time::Duration;

const SHORT: Duration = Duration::from_millis(100);

fn is_busy(reply: &Reply) -> bool {
    matches!(reply, Reply::Error { code: ErrorCode::Busy, .. })
}

#[test]
fn a_client_that_dribbles_is_dropped() {
    let daemon = Daemon::with(Limits { frame_max: SHORT, ..Limits::default() }, echo);
    let mut slow = daemon.connect();
    let mut dribble = slow.try_clone().unwrap();
    let dribbler = thread::spawn(move || {
        // A byte now and then must not prolong the time: the body alone would take far longer than LONG.
        dribble.write_all(&control_frame(&[0; 1_000_000])[..8]).unwrap();
        while dribble.write_all(b"x").is_ok() {
            thread::sleep(Duration::from_millis(5));
        }
    });
    assert_eq!(read_until_closed(&mut slow), 0);
    dribbler.join().unwrap();
    daemon.assert_healthy();
}

#[test]
fn an_idle_client_is_dropped() {
    let daemon = Daemon::with(Limits { idle_max: SHORT, ..Limits::default() }, echo);
    let mut idle = daemon.connect();
    assert_eq!(read_until_closed(&mut idle), 0);
    let mut idle_later = daemon.connect();
    idle_later.write_all(&control_frame(b"one")).unwrap();
    assert_eq!(read_reply(&mut idle_later), (0x82, b"one".to_vec()));
    assert_eq!(read_until_closed(&mut idle_later), 0);
    daemon.assert_healthy();
}

#[test]
fn a_client_that_does_not_read_is_dropped() {
    let daemon = Daemon::with(Limits { send_max: SHORT, ..Limits::default() }, echo);
    let mut deaf = daemon.connect();
    let body = vec![0; 4_000_000];
    deaf.write_all(&control_frame(&body)).unwrap();
    let mut probe = deaf.try_clone().unwrap();
    wait_for("the deaf client is dropped", || probe.write_all(b"C").is_err());
    assert!(read_until_closed(&mut deaf) < body.len());
    daemon.assert_healthy();
}

#[test]
fn a_worker_that_does_not_answer_is_answered_for() {
    let limits = Limits { answer_max: SHORT, ..Limits::default() };
    let (daemon, jobs) = Daemon::without_workers(limits);
    let reply = daemon.call(b"x").unwrap();
    assert!(matches!(reply, Reply::Error { code: ErrorCode::Internal, .. }), "{reply:?}");
    jobs.recv_timeout(LONG).unwrap().responder.send(Reply::Control(b"late".to_vec()));
    spawn_workers(jobs, echo);
    daemon.assert_healthy();
}

#[test]
fn a_full_queue_is_busy_and_recovers() {
    let (daemon, jobs) = Daemon::without_workers(Limits { jobs_queued_max: 2, ..Limits::default() });
    let mut waiting: Vec<_> = (0..2).map(|_| daemon.connect()).collect();
    for (n, stream) in waiting.iter_mut().enumerate() {
        stream.write_all(&control_frame(b"queued")).unwrap();
        wait_for("the request is queued", || jobs.len() == n + 1);
    }
    let mut third = daemon.connect();
    third.write_all(&control_frame(b"one too many")).unwrap();
    assert_eq!(read_error(&mut third).0, ErrorCode::Busy as u8);
    spawn_workers(jobs, echo);
    for stream in &mut waiting {
        assert_eq!(read_reply(stream), (0x82, b"queued".to_vec()));
    }
    third.write_all(&control_frame(b"again")).unwrap();
    assert_eq!(read_reply(&mut third), (0x82, b"again".to_vec()), "Busy does not cost the connection");
}

#[test]
fn too_many_requests_in_flight_are_busy_though_the_queue_is_empty() {
    let (daemon, jobs) = Daemon::without_workers(Limits { jobs_in_flight_max: 1, ..Limits::default() });
    let mut first = daemon.connect();
    first.write_all(&control_frame(b"in work")).unwrap();
    let job = jobs.recv_timeout(LONG).unwrap();
    assert!(is_busy(&daemon.call(b"second").unwrap()));
    echo(job);
    assert_eq!(read_reply(&mut first), (0x82, b"in work".to_vec()));
    spawn_workers(jobs, echo);
    daemon.assert_healthy();
}

#[test]
fn a_connection_above_the_cap_takes_the_place_of_the_oldest_that_asks_nothing() {
    let daemon = Daemon::with(Limits { connections_max: 2, ..Limits::default() }, echo);
    let mut held: Vec<_> = (0..2).map(|_| daemon.connect()).collect();
    for stream in &mut held {
        stream.write_all(&control_frame(b"in")).unwrap();
        assert_eq!(read_reply(stream), (0x82, b"in".to_vec()));
    }
    let mut third = daemon.connect();
    assert_eq!(read_error(&mut held[0]).0, ErrorCode::Busy as u8);
    assert_eq!(read_until_closed(&mut held[0]), 0);
    for stream in [&mut third, &mut held[1]] {
        stream.write_all(&control_frame(b"still")).unwrap();
        assert_eq!(read_reply(stream), (0x82, b"still".to_vec()));
    }
}

#[test]
fn where_all_wait_for_answers_one_more_is_busy_and_closed() {
    let (daemon, jobs) = Daemon::without_workers(Limits { connections_max: 2, ..Limits::default() });
    let mut held: Vec<_> = (0..2).map(|_| daemon.connect()).collect();
    let asked: Vec<_> = held
        .iter_mut()
        .map(|stream| {
            stream.write_all(&control_frame(b"x")).unwrap();
            jobs.recv_timeout(LONG).unwrap()
        })
        .collect();
    let mut third = daemon.connect();
    assert_eq!(read_error(&mut third).0, ErrorCode::Busy as u8);
    assert_eq!(read_until_closed(&mut third), 0);
    assert!(is_busy(&daemon.call(b"x").unwrap()), "the blocking client reads the refusal too");
    spawn_workers(jobs, echo);
    drop(asked);
    held.clear();
    wait_for("a place is free again", || daemon.call(b"x").unwrap() == Reply::Control(b"x".to_vec()));
}

/// Slow ones send a byte now and then, silent ones none; both come again and again.
#[test]
fn silent_and_slow_connections_keep_nobody_out() {
    let daemon = Daemon::with(Limits { connections_max: 64, ..Limits::default() }, echo);
    let mut held = Vec::new();
    for round in 0..8 {
        for _ in 0..64 {
            let mut stream = daemon.connect();
            stream.write_all(&control_frame(b"slow")[..3]).unwrap();
            held.push(stream);
        }
        assert_eq!(daemon.call(b"x").unwrap(), Reply::Control(b"x".to_vec()), "round {round}");
    }
}

#[test]
fn hundreds_of_silent_connections_leave_the_daemon_healthy() {
    let daemon = Daemon::with(Limits { connections_max: 300, idle_max: SHORT, ..Limits::default() }, echo);
    let silent: Vec<_> = (0..400).map(|_| connect(&daemon.place)).collect();
    wait_for("silent ones make room", || daemon.call(b"x").unwrap() == Reply::Control(b"x".to_vec()));
    drop(silent);
}

#[test]
fn a_frame_above_the_cap_is_refused_while_it_is_being_written() {
    let daemon = Daemon::echo();
    let mut stream = daemon.connect();
    let mut writer = stream.try_clone().unwrap();
    let writing = thread::spawn(move || {
        let mut written: u64 = 0;
        if writer.write_all(b"CI\x01\x01\xff\xff\xff\xff").is_ok() {
            while written < u64::from(u32::MAX) && writer.write_all(&[0; 65536]).is_ok() {
                written += 65536;
            }
        }
        written
    });
    let (code, text) = read_error(&mut stream);
    assert_eq!(code, ErrorCode::TooLarge as u8);
    assert!(text.contains("4294967295"), "{text}");
    assert_eq!(read_until_closed(&mut stream), 0);
    assert!(writing.join().unwrap() < 64 << 20, "the refused body was read on and on");
    daemon.assert_healthy();
}

#[test]
fn a_payload_at_its_cap_gets_through_and_one_above_the_frame_cap_is_not_sent() {
    let daemon = Daemon::with(Limits::default(), |job| {
        let size = job.request.body_bytes().to_string();
        job.responder.send(Reply::Control(size.into_bytes()));
    });
    let mut body = vec![b'x'; PAYLOAD_BYTES_MAX];
    let reply = Client::call(&daemon.place, Request::Hook(body.clone()), LONG).unwrap();
    assert_eq!(reply, Reply::Control(PAYLOAD_BYTES_MAX.to_string().into_bytes()));
    body.resize(REQUEST_BODY_BYTES_MAX + 1, b'x');
    let refused = Client::call(&daemon.place, Request::Hook(body), LONG);
    assert!(matches!(refused, Err(CallError::TooLarge(_))), "{refused:?}");
}

#[test]
fn requests_above_the_memory_bound_are_busy_and_small_ones_pass() {
    let daemon = Daemon::with(Limits { bytes_held_max: 1_000_000, ..Limits::default() }, echo);
    for _ in 0..3 {
        assert!(is_busy(&daemon.call(&vec![0; 3_000_000]).unwrap()));
        assert_eq!(daemon.call(&[0; 500_000]).unwrap(), Reply::Control(vec![0; 500_000]));
    }
    daemon.assert_healthy();
}

#[test]
fn requests_in_work_count_as_memory() {
    let (daemon, jobs) = Daemon::without_workers(Limits { bytes_held_max: 500_000, ..Limits::default() });
    let mut in_work: Vec<_> = (0..2).map(|_| daemon.connect()).collect();
    for (n, stream) in in_work.iter_mut().enumerate() {
        stream.write_all(&control_frame(&[0; 200_000])).unwrap();
        wait_for("the request is queued", || jobs.len() == n + 1);
    }
    assert!(is_busy(&daemon.call(&[0; 200_000]).unwrap()));
    spawn_workers(jobs, echo);
    for stream in &mut in_work {
        assert_eq!(read_reply(stream).1.len(), 200_000);
    }
    assert_eq!(daemon.call(&[0; 200_000]).unwrap(), Reply::Control(vec![0; 200_000]));
}

#[test]
fn a_client_that_left_during_the_work_frees_its_place() {
    let (daemon, jobs) = Daemon::without_workers(Limits { connections_max: 1, ..Limits::default() });
    let mut leaves = daemon.connect();
    leaves.write_all(&control_frame(b"x")).unwrap();
    let unanswered = jobs.recv_timeout(LONG).unwrap();
    drop(leaves);
    spawn_workers(jobs, echo);
    wait_for("the place is free", || daemon.call(b"y").unwrap() == Reply::Control(b"y".to_vec()));
    drop(unanswered);
}
