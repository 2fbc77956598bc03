//! A person at a terminal of their own.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;

use rustix::io::Errno;
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

/// What stands around the letters that are to be typed.
const QUESTION: [&str; 2] = ["Type ", " to confirm:"];

/// What a program printed, and what stood on the person's terminal.
#[derive(Debug)]
pub(super) struct Told {
    pub(super) output: Output,
    pub(super) screen: String,
}

/// Runs a command as the leader of a session with a new terminal, and answers its question with what `types`
/// makes of the letters that it shows.
pub(super) fn at_a_terminal(command: &Command, types: impl Fn(&str) -> String + Send) -> Told {
    answering(command, move |shown| {
        let (_, rest) = shown.split_once(QUESTION[0])?;
        let (letters, _) = rest.split_once(QUESTION[1])?;
        Some(types(letters))
    })
}

/// The same; `answer` is given what was shown since the last answer, and gives the next one when it is time.
pub(super) fn answering(command: &Command, answer: impl FnMut(&str) -> Option<String> + Send) -> Told {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap().into_string().unwrap();
    let slave = OpenOptions::new().read(true).write(true).open(name).unwrap();
    let mut leader = Command::new("setsid");
    leader.args(["--ctty", "--wait"]).arg(command.get_program()).args(command.get_args()).env_clear();
    leader.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    leader.current_dir(command.get_current_dir().unwrap_or(Path::new("/")));
    leader.stdin(Stdio::from(slave)).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = leader.spawn().unwrap();
    // The command holds the other end of the terminal: without it, reading ends when the program has.
    drop(leader);
    thread::scope(|scope| {
        let screen = scope.spawn(move || watch(File::from(master), answer));
        let output = child.wait_with_output().unwrap();
        Told { output, screen: screen.join().unwrap() }
    })
}

/// Copies what is shown until nobody has the terminal any more.
fn watch(mut terminal: File, mut answer: impl FnMut(&str) -> Option<String>) -> String {
    let mut shown = Vec::new();
    let mut part = [0; 4096];
    let mut answered = 0;
    loop {
        match terminal.read(&mut part) {
            Ok(0) => break,
            Ok(got) => shown.extend_from_slice(&part[..got]),
            Err(error) if error.raw_os_error() == Some(Errno::IO.raw_os_error()) => break,
            Err(error) => panic!("{error}"),
        }
        if let Some(typed) = answer(&String::from_utf8_lossy(&shown[answered..])) {
            terminal.write_all(format!("{typed}\n").as_bytes()).unwrap();
            answered = shown.len();
        }
    }
    String::from_utf8(shown).unwrap()
}
