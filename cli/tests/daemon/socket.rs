//! Bytes straight on the socket, a socket that is a leftover, and a second daemon.

use std::fs;
use std::io::{Read, Write};
use std::net::Shutdown;
use std::os::unix::fs::{FileTypeExt, PermissionsExt};
use std::os::unix::net::{UnixListener, UnixStream};
use std::thread;

use super::answer::Answer;
use super::payloads::Session;
use super::process::{PATIENCE, daemons};
use super::world::World;

/// Sends raw bytes and reads until the daemon closes.
fn exchange(world: &World, bytes: &[u8]) -> Vec<u8> {
    let mut stream = UnixStream::connect(world.place().socket()).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    stream.write_all(bytes).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    let mut reply = Vec::new();
    stream.read_to_end(&mut reply).unwrap();
    reply
}

/// Code and text of an error frame (magic, version, kind 0x83, length, code, text).
#[track_caller]
fn error(reply: &[u8]) -> (u8, String) {
    assert_eq!(reply[..4], [b'C', b'I', 1, 0x83], "{reply:?}");
    let length = u32::from_le_bytes(reply[4..8].try_into().unwrap()) as usize;
    assert_eq!(reply.len(), 8 + length);
    (reply[8], String::from_utf8(reply[9..].to_vec()).unwrap())
}

#[test]
fn what_is_no_frame_is_refused_by_name() {
    let world = World::new();
    world.start();
    let (bad_magic, bad_version, bad_kind, too_large) = (1, 2, 3, 4);
    for (bytes, code, word) in [
        (&b"GET / HTTP/1.1\r\n\r\n"[..], bad_magic, ""),
        (b"CI\x02\x01\x02\0\0\0{}", bad_version, "version 2"),
        (b"CI\x00\x01\0\0\0\0", bad_version, "version 0"),
        (b"CI\x01\x7f\0\0\0\0", bad_kind, ""),
        (b"CI\x01\x81\0\0\0\0", bad_kind, ""),
        (b"CI\x01\x01\xff\xff\xff\xff", too_large, ""),
        (b"CI\x01\x02\x04\0\0\0oops", bad_kind, ""),
        (b"CI\x01\x02\x0f\0\0\0{\"ask\":\"dance\"}", bad_kind, "dance"),
    ] {
        let (found, text) = error(&exchange(&world, bytes));
        assert!(found == code && text.contains(word), "{bytes:?}: {found} {text}");
    }
    for cut in [&b""[..], b"C", b"CI\x01", b"CI\x01\x01\x09\0\0\0{\"ses"] {
        assert_eq!(exchange(&world, cut), b"", "a client that goes away gets nothing: {cut:?}");
    }
    assert_eq!(world.send(&Session::new("s", &world.project()).bash("c", "ls")), Answer::Silent);
}

#[test]
fn a_stale_socket_is_replaced() {
    let world = World::new();
    world.start();
    world.kill();
    let socket = world.place().socket();
    assert!(fs::metadata(&socket).unwrap().file_type().is_socket(), "a killed daemon leaves its socket");
    assert_eq!(world.send(&Session::new("s", &world.project()).bash("c", "ls")), Answer::Silent);
    world.stop();
    assert!(!socket.exists(), "a stopped daemon takes it away");
    drop(UnixListener::bind(&socket).unwrap());
    world.start();
    world.status();
}

#[test]
fn a_file_in_the_place_of_the_socket_is_no_reason_to_pass() {
    let world = World::new();
    world.start();
    world.stop();
    let socket = world.place().socket();
    fs::write(&socket, "mine").unwrap();
    let session = Session::new("s", &world.project());
    assert!(world.send(&session.bash("c", "git push origin main")).stops());
    assert_eq!(fs::read_to_string(&socket).unwrap(), "mine", "what is no socket is not removed");
}

#[test]
fn a_second_daemon_is_refused() {
    let world = World::new();
    world.start();
    let pid = world.pid();
    let second = world.circinus(&["daemon", "run"]);
    assert_eq!(second.code, 2, "{second:?}");
    assert!(second.err.contains("already") && second.err.contains(&pid.to_string()), "{second:?}");
    world.start();
    assert_eq!((world.pid(), daemons(world.home())), (pid, vec![pid]));
}

/// Exit code 70 of the table.
#[test]
fn something_else_that_listens_is_no_absent_daemon() {
    let world = World::new();
    world.start();
    world.stop();
    let socket = world.place().socket();
    let listener = UnixListener::bind(&socket).unwrap();
    fs::set_permissions(&socket, fs::Permissions::from_mode(0o600)).unwrap();
    let commands = [&["status"][..], &["profile"], &["daemon", "stop"]];
    let answering = thread::spawn(move || {
        for stream in listener.incoming().take(commands.len()) {
            stream.unwrap().write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").unwrap();
        }
    });
    for arguments in commands {
        let ran = world.circinus(arguments);
        assert_eq!(ran.code, 70, "{arguments:?}: {ran:?}");
        assert!(ran.err.contains("not understood") && ran.err.contains("hint: "), "{ran:?}");
    }
    answering.join().unwrap();
    fs::remove_file(&socket).unwrap();
}
