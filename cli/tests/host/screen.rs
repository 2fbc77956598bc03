//! The interactive client in a terminal: what it shows, and the keys that a person presses.

use std::io::{Read, Write};
use std::process::{ChildStdin, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use super::client::servers;
use super::model::Model;
use super::process::{Guarded, WAIT_MAX, within};
use super::stage::Stage;

/// Gives a program a terminal of a usual size and copies between that and the standard streams.
const TERMINAL: &str = "import pty, sys; pty.spawn(['/bin/sh', '-c', 'stty rows 45 cols 140; exec \"$@\"', 'sh'] + sys.argv[1:])";

/// What a terminal is asked at the start, and what it answers: its kind, and where the cursor is.
const QUESTIONS: [(&[u8], &[u8]); 2] = [(b"\x1b[c", b"\x1b[?62;c"), (b"\x1b[6n", b"\x1b[1;1R")];

/// Keys that a person presses.
pub(super) const ENTER: &[u8] = b"\r";
pub(super) const ESCAPE: &[u8] = b"\x1b";

/// The client in a terminal.
pub(super) struct Screen {
    shown: Arc<Mutex<Vec<u8>>>,
    keys: Arc<Mutex<ChildStdin>>,
    /// Ends the client when the test ends.
    _client: Guarded,
}

impl Screen {
    /// Starts it with what the user types first.
    pub(super) fn open(stage: &Stage, model: &Model, prompt: &str) -> Self {
        let mut child = stage
            .speaking(stage.python(), model.port)
            .args(["-c", TERMINAL])
            .arg(stage.client())
            .args(["--permission-mode", "default", "--mcp-config", &servers(stage), "--strict-mcp-config"])
            .arg(prompt)
            .env("TERM", "xterm-256color")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let keys = Arc::new(Mutex::new(child.stdin.take().unwrap()));
        let shown = Arc::new(Mutex::new(Vec::new()));
        let out = child.stdout.take().unwrap();
        let (screen, answers) = (Arc::clone(&shown), Arc::clone(&keys));
        thread::spawn(move || copy(out, &screen, &answers));
        Self { shown, keys, _client: Guarded(child) }
    }

    pub(super) fn press(&self, keys: &[u8]) {
        let mut pipe = self.keys.lock().unwrap();
        pipe.write_all(keys).unwrap();
        pipe.flush().unwrap();
    }

    /// All that was ever shown, without blanks: the client moves the cursor where a blank would stand.
    fn text(&self) -> String {
        let shown = String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned();
        without_controls(&shown).split_whitespace().collect()
    }

    pub(super) fn wait_for(&self, words: &str) {
        let words: String = words.split_whitespace().collect();
        let look = || self.text().contains(&words).then_some(());
        within(WAIT_MAX, look).unwrap_or_else(|| panic!("`{words}` was never shown: {}", self.text()));
    }
}

/// Copies what is shown until the program has ended, and answers what the terminal is asked.
fn copy(mut out: impl Read, screen: &Mutex<Vec<u8>>, answers: &Mutex<ChildStdin>) {
    let mut part = [0; 1 << 16];
    while let Ok(got @ 1..) = out.read(&mut part) {
        screen.lock().unwrap().extend_from_slice(&part[..got]);
        for (question, answer) in QUESTIONS {
            if part[..got].windows(question.len()).any(|bytes| bytes == question) {
                answers.lock().unwrap().write_all(answer).unwrap();
            }
        }
    }
}

/// `text` without control sequences (ECMA-48: CSI up to its final byte, OSC up to BEL or the next escape).
fn without_controls(text: &str) -> String {
    let mut parts = text.split('\u{1b}');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = match part.chars().next() {
            Some('[') => part[1..].split_once(|c: char| ('@'..='~').contains(&c)).map(|(_, rest)| rest),
            Some(']') => part.split_once('\u{7}').map(|(_, rest)| rest),
            Some(first) => part.get(first.len_utf8()..),
            None => None,
        };
        out.push_str(rest.unwrap_or_default());
    }
    out
}

#[test]
fn control_sequences_are_left_out() {
    assert_eq!(without_controls("a\u{1b}[1;31mb\u{1b}]0;title\u{7}c\u{1b}7d"), "abcd");
}
