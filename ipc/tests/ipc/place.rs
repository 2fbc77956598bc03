//! Who may be the daemon, and at which place.

use crate::hook::programs;
use crate::support::{Daemon, LONG, echo, place_in, spawn_workers};
use circinus_ipc::client::{CallError, RefusedError};
use circinus_ipc::path::PlaceError;
use circinus_ipc::{BindError, Client, HomeDir, Limits, Reply, Request, Server, SocketPlace};
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

fn call(place: &SocketPlace) -> Result<Reply, CallError> {
    Client::call(place, Request::Control(b"x".to_vec()), LONG)
}

fn bind(place: &SocketPlace) -> Result<Server, BindError> {
    Server::bind(place, Limits::default())
}

fn chmod(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

fn assert_refused(place: &SocketPlace, expected: fn(&PlaceError) -> bool) {
    match call(place) {
        Err(CallError::Refused(RefusedError::Place(error))) if expected(&error) => {}
        other => panic!("the client: {other:?}"),
    }
    match bind(place) {
        Err(BindError::Place(error)) if expected(&error) => {}
        other => panic!("the daemon: {other:?}"),
    }
}

#[test]
fn everything_that_is_made_is_private() {
    let daemon = Daemon::echo();
    let mode = |path: &Path| path.symlink_metadata().unwrap().mode() & 0o7777;
    assert_eq!(mode(daemon.place.home()), 0o700);
    assert_eq!(mode(daemon.place.socket_dir()), 0o700);
    assert_eq!(mode(&daemon.place.socket()), 0o600);
    assert_eq!(mode(&daemon.place.lock_file()), 0o600);
}

#[test]
fn without_a_daemon_the_client_says_so() {
    let root = tempfile::tempdir().unwrap();
    let place = place_in(root.path());
    assert!(matches!(call(&place), Err(CallError::NotRunning)), "no home");
    place.create().unwrap();
    assert!(matches!(call(&place), Err(CallError::NotRunning)), "no socket");
}

/// INVARIANT (one-daemon)
#[test]
fn a_second_daemon_is_refused_and_told_the_first() {
    let daemon = Daemon::echo();
    match bind(&daemon.place) {
        Err(BindError::AlreadyRunning { pid }) => assert_eq!(pid, Some(std::process::id())),
        other => panic!("{other:?}"),
    }
    daemon.assert_healthy();
}

/// INVARIANT (one-daemon)
#[test]
fn the_next_daemon_may_come_when_the_first_has_stopped() {
    let Daemon { mut handle, place, root: _root } = Daemon::echo();
    handle.stop().unwrap();
    assert!(matches!(bind(&place), Err(BindError::AlreadyRunning { .. })), "it may have more to finish");
    drop(handle);
    let next = bind(&place).unwrap();
    assert!(matches!(bind(&place), Err(BindError::AlreadyRunning { .. })));
    drop(next);
    assert!(bind(&place).is_ok());
}

#[test]
fn a_stale_socket_is_replaced() {
    let root = tempfile::tempdir().unwrap();
    let place = place_in(root.path());
    place.create().unwrap();
    {
        let _no_child_inherits_it = programs();
        drop(UnixListener::bind(place.socket()).unwrap());
    }
    chmod(&place.socket(), 0o600);
    assert!(matches!(call(&place), Err(CallError::NotRunning)));
    let server = bind(&place).unwrap();
    spawn_workers(server.jobs(), echo);
    let _handle = server.start().unwrap();
    assert_eq!(call(&place).unwrap(), Reply::Control(b"x".to_vec()));
}

/// INVARIANT (one-daemon)
#[test]
fn the_process_id_of_an_earlier_daemon_is_overwritten_whole() {
    let root = tempfile::tempdir().unwrap();
    let place = place_in(root.path());
    place.create().unwrap();
    fs::write(place.lock_file(), "9999999999\n").unwrap();
    let _first = bind(&place).unwrap();
    assert_eq!(fs::read_to_string(place.lock_file()).unwrap(), format!("{}\n", std::process::id()));
}

#[test]
fn what_is_no_socket_is_not_removed() {
    let root = tempfile::tempdir().unwrap();
    let place = place_in(root.path());
    place.create().unwrap();
    fs::write(place.socket(), "precious").unwrap();
    assert!(matches!(bind(&place), Err(BindError::NotASocket { .. })));
    assert_eq!(fs::read(place.socket()).unwrap(), b"precious");
}

#[test]
fn a_link_in_place_of_the_directory_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let place = place_in(root.path());
    place.create().unwrap();
    let elsewhere = root.path().join("elsewhere");
    fs::rename(place.socket_dir(), &elsewhere).unwrap();
    symlink(&elsewhere, place.socket_dir()).unwrap();
    assert_refused(&place, |error| matches!(error, PlaceError::WrongKind { found: "symbolic link", .. }));
}

#[test]
fn a_file_in_place_of_the_directory_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let place = place_in(root.path());
    fs::create_dir(place.home()).unwrap();
    fs::write(place.socket_dir(), "").unwrap();
    assert_refused(&place, |error| matches!(error, PlaceError::WrongKind { found: "file", .. }));
}

#[test]
fn a_directory_with_rights_for_others_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let place = place_in(root.path());
    place.create().unwrap();
    for mode in [0o710, 0o720, 0o740, 0o701, 0o702, 0o704, 0o777] {
        chmod(place.socket_dir(), mode);
        assert_refused(&place, |error| matches!(error, PlaceError::TooOpen { .. }));
    }
    chmod(place.socket_dir(), 0o700);
    assert!(bind(&place).is_ok());
}

#[test]
fn a_home_that_others_may_write_is_refused() {
    let root = tempfile::tempdir().unwrap();
    let place = place_in(root.path());
    place.create().unwrap();
    chmod(place.home(), 0o770);
    assert_refused(&place, |error| matches!(error, PlaceError::TooOpen { .. }));
    chmod(place.home(), 0o755);
    assert!(bind(&place).is_ok());
}

#[test]
fn the_lock_is_not_taken_through_a_link() {
    let root = tempfile::tempdir().unwrap();
    let place = place_in(root.path());
    place.create().unwrap();
    let victim = root.path().join("victim");
    fs::write(&victim, "precious").unwrap();
    symlink(&victim, place.lock_file()).unwrap();
    assert!(matches!(bind(&place), Err(BindError::Io { operation: "open the lock", .. })));
    assert_eq!(fs::read(&victim).unwrap(), b"precious");
}

#[test]
fn a_home_too_long_for_a_socket_is_served_by_a_hashed_path() {
    let root = tempfile::tempdir().unwrap();
    let runtime = root.path().join("runtime");
    fs::create_dir(&runtime).unwrap();
    let home = HomeDir::at(root.path().join("long".repeat(50))).unwrap();
    let environment = |name: &str| (name == "XDG_RUNTIME_DIR").then(|| OsString::from(&runtime));
    let place = SocketPlace::new(&home, &environment, circinus_ipc::peer::own_uid());
    assert!(place.socket().starts_with(&runtime));
    let server = bind(&place).unwrap();
    spawn_workers(server.jobs(), echo);
    let mut handle = server.start().unwrap();
    assert_eq!(call(&place).unwrap(), Reply::Control(b"x".to_vec()));
    assert!(matches!(bind(&place), Err(BindError::AlreadyRunning { .. })));
    handle.stop().unwrap();
    chmod(place.socket_dir(), 0o755);
    assert_refused(&place, |error| matches!(error, PlaceError::TooOpen { .. }));
}
