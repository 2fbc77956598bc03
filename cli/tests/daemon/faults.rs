//! Faults and tiers: what the host is answered when something is broken, as a table.
//!
//! `docs/FAULTS.md` is this table, in profile balanced, through the real hook program. Written anew with
//! `CIRCINUS_WRITE_DOCS=1 cargo test -p circinus --test daemon faults`.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::symlink;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::Path;
use std::thread;
use std::time::Duration;

use rustix::process::{Signal, getuid};

use super::answer::Answer;
use super::payloads::Session;
use super::process::signal;
use super::world::World;

/// One call for each tier, in words that the table shows.
const CALLS: [(&str, &str); 4] = [
    ("T0", "git status"),
    ("T1", "cargo test"),
    ("T2", "git push origin main"),
    ("T3", "echo 'export A=1' >> ~/.bashrc"),
];

/// Something that is broken: its name, and how it is broken; gives what must live while it is tried.
type Fault = (&'static str, fn(&World) -> Broken);

/// Keeps a fault there.
struct Broken {
    world_after: Option<fn(&World)>,
}

impl Broken {
    const NOTHING: Self = Self { world_after: None };
}

const FAULTS: [Fault; 13] = [
    ("nothing (the answers of a daemon that is well)", |world| {
        world.start();
        Broken::NOTHING
    }),
    ("no daemon, and none can start (the database is a folder)", |world| {
        make_home(world);
        fs::create_dir(world.database()).unwrap();
        Broken::NOTHING
    }),
    ("the home cannot be written", |world| {
        make_home(world);
        World::mode(world.home(), 0o500);
        Broken { world_after: Some(|world| World::mode(world.home(), 0o700)) }
    }),
    ("others can enter the home", |world| {
        make_home(world);
        World::mode(world.home(), 0o755);
        Broken { world_after: Some(|world| World::mode(world.home(), 0o700)) }
    }),
    ("a configuration that cannot be read", |world| {
        make_home(world);
        fs::write(world.home().join("config.toml"), "profile = [").unwrap();
        Broken::NOTHING
    }),
    ("the daemon hangs (SIGSTOP)", |world| {
        world.start();
        signal(world.pid(), Signal::STOP);
        Broken {
            world_after: Some(|world| {
                let daemons = super::process::daemons(world.home());
                daemons.iter().for_each(|pid| signal(*pid, Signal::CONT));
            }),
        }
    }),
    ("it takes the event and ends before it answers", |world| {
        serve(world, |mut stream| read_request(&mut stream));
        Broken::NOTHING
    }),
    ("it ends in the middle of its answer", |world| {
        serve(world, |mut stream| {
            read_request(&mut stream);
            send(&mut stream, b"CI\x01\x81\x40\0\0\0\0\0\0");
        });
        Broken::NOTHING
    }),
    ("it answers garbage", |world| {
        serve(world, |mut stream| {
            read_request(&mut stream);
            send(&mut stream, b"HTTP/1.1 200 OK\r\n\r\n{}");
        });
        Broken::NOTHING
    }),
    ("it speaks another version of the protocol", |world| {
        serve(world, |mut stream| {
            read_request(&mut stream);
            send(&mut stream, b"CI\x07\x81\x02\0\0\0{}");
        });
        Broken::NOTHING
    }),
    ("it answers a byte a second", |world| {
        serve(world, |mut stream| {
            read_request(&mut stream);
            for byte in b"CI\x01\x81\x40\0\0\0" {
                if stream.write_all(&[*byte]).is_err() {
                    return;
                }
                thread::sleep(Duration::from_secs(1));
            }
            thread::sleep(Duration::from_secs(60));
        });
        Broken::NOTHING
    }),
    ("a link stands in the place of the socket", |world| {
        let socket = prepared(world);
        let elsewhere = world.at("tmp/elsewhere.sock");
        listen(&elsewhere, |mut stream| {
            read_request(&mut stream);
            send(&mut stream, b"CI\x01\x81\x09\0\0\0\0\0\0\0\0\0\0\0\0");
        });
        symlink(&elsewhere, socket).unwrap();
        Broken::NOTHING
    }),
    ("another user's socket stands there", |world| {
        let socket = prepared(world);
        listen(&socket, |mut stream| {
            read_request(&mut stream);
            send(&mut stream, b"CI\x01\x81\x09\0\0\0\0\0\0\0\0\0\0\0\0");
        });
        if getuid().is_root() {
            std::os::unix::fs::chown(&socket, Some(65_534), Some(65_534)).unwrap();
        }
        // Where the tests do not run as the superuser, a socket that others may use stands for it.
        World::mode(&socket, 0o666);
        Broken::NOTHING
    }),
];

fn make_home(world: &World) {
    fs::create_dir_all(world.home()).unwrap();
    World::mode(world.home(), 0o700);
}

/// The place of the socket, with its folder, as a daemon that was stopped leaves them.
fn prepared(world: &World) -> std::path::PathBuf {
    world.start();
    world.stop();
    world.place().socket()
}

fn serve(world: &World, answer: impl Fn(UnixStream) + Send + Sync + Copy + 'static) {
    let socket = prepared(world);
    listen(&socket, answer);
    World::mode(&socket, 0o600);
}

/// Answers every connection in a thread of its own; ends with the test's process.
fn listen(socket: &Path, answer: impl Fn(UnixStream) + Send + Sync + Copy + 'static) {
    let listener = UnixListener::bind(socket).unwrap();
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            thread::spawn(move || answer(stream));
        }
    });
}

/// Reads what a client sends, up to the end of one frame.
fn read_request(stream: &mut UnixStream) {
    let mut head = [0; 8];
    if stream.read_exact(&mut head).is_ok() {
        let length = u32::from_le_bytes(head[4..].try_into().unwrap());
        let read = std::io::copy(&mut stream.take(length.into()), &mut std::io::sink());
        assert!(read.is_ok_and(|read| read == u64::from(length)));
    }
}

fn send(stream: &mut UnixStream, bytes: &[u8]) {
    // A client that has given up already is none of ours.
    let sent = stream.write_all(bytes);
    assert!(sent.as_ref().is_ok() || sent.unwrap_err().kind() == ErrorKind::BrokenPipe);
}

/// What the host does after an answer, in one word.
fn word(answer: &Answer) -> &'static str {
    match answer {
        Answer::Silent => "passes",
        Answer::Asks(_) => "asked",
        Answer::Denies(_) | Answer::Refuses(_) => "refused",
        Answer::Keeps(_) | Answer::Reports(_) | Answer::Tells(_) => panic!("no answer to a call: {answer:?}"),
    }
}

/// The answers to all calls with one fault.
fn tried((name, breaks): Fault) -> (&'static str, [&'static str; 4]) {
    let world = World::new().bound_by_permissions();
    fs::write(world.at("user/.bashrc"), "").unwrap();
    let broken = breaks(&world);
    let answers = thread::scope(|scope| {
        let world = &world;
        let asking = CALLS.map(|(tier, command)| {
            scope.spawn(move || {
                let session = Session::new(format!("faults-{tier}"), &world.project());
                word(&world.send(&session.bash(tier, command)))
            })
        });
        asking.map(|asked| asked.join().unwrap())
    });
    if let Some(mend) = broken.world_after {
        mend(&world);
    }
    (name, answers)
}

#[test]
fn no_fault_lets_a_weighty_call_pass_unseen() {
    let rows = thread::scope(|scope| {
        let trying = FAULTS.map(|fault| scope.spawn(move || tried(fault)));
        trying.map(|tried| tried.join().unwrap())
    });
    for (name, answers) in rows.iter().skip(1) {
        assert!(answers[2] != "passes" && answers[3] != "passes", "{name}: {answers:?}");
    }
    let head = CALLS.map(|(tier, command)| format!("{tier}: `{command}`")).join(" | ");
    let rows = rows.map(|(name, answers)| format!("| {name} | {} |\n", answers.join(" | "))).concat();
    let text = format!(
        "# Faults\n\nWhat the host is answered in profile balanced, by tier of the call, when something is broken. `passes` \
         is no opinion:\nthe host's own permissions decide. This page is generated; `cargo test` holds it to the programs.\n\n\
         | fault | {head} |\n|---|---|---|---|---|\n{rows}"
    );
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/FAULTS.md");
    if std::env::var_os("CIRCINUS_WRITE_DOCS").is_some() {
        fs::write(&page, &text).unwrap();
    }
    let is = fs::read_to_string(&page).unwrap_or_default();
    assert_eq!(is, text, "docs/FAULTS.md is stale; write it with CIRCINUS_WRITE_DOCS=1");
}
