//! The interactive client in a terminal: a REVIEW asks the person, and the person's word holds.

use std::io::{Read, Write};
use std::process::{ChildStdin, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

use serde_json::json;

use super::client::servers;
use super::model::{Model, turns};
use super::page::{ALLOWED, MARKER, obey, plain_page, read};
use super::process::{Guarded, WAIT_MAX, wait_for, within};
use super::stage::Stage;

/// Gives a program a terminal of a usual size and copies between that and the standard streams.
const TERMINAL: &str = "import pty, sys; pty.spawn(['/bin/sh', '-c', 'stty rows 45 cols 140; exec \"$@\"', 'sh'] + sys.argv[1:])";

/// What a terminal is asked at the start, and what it answers: its kind, and where the cursor is.
const QUESTIONS: [(&[u8], &[u8]); 2] = [(b"\x1b[c", b"\x1b[?62;c"), (b"\x1b[6n", b"\x1b[1;1R")];

/// Keys that a person presses.
const ENTER: &[u8] = b"\r";
const ESCAPE: &[u8] = b"\x1b";

/// The client in a terminal.
struct Screen {
    shown: Arc<Mutex<Vec<u8>>>,
    keys: Arc<Mutex<ChildStdin>>,
    /// Ends the client when the test ends.
    _client: Guarded,
}

impl Screen {
    fn open(stage: &Stage, model: &Model) -> Self {
        let mut child = stage
            .speaking(stage.python(), model.port)
            .args(["-c", TERMINAL])
            .arg(stage.client())
            .args(["--permission-mode", "default", "--mcp-config", &servers(stage), "--strict-mcp-config"])
            .arg("set the project up")
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

    fn press(&self, keys: &[u8]) {
        let mut pipe = self.keys.lock().unwrap();
        pipe.write_all(keys).unwrap();
        pipe.flush().unwrap();
    }

    /// All that was ever shown, without blanks: the client moves the cursor where a blank would stand.
    fn text(&self) -> String {
        let shown = String::from_utf8_lossy(&self.shown.lock().unwrap()).into_owned();
        without_controls(&shown).split_whitespace().collect()
    }

    fn wait_for(&self, words: &str) {
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

/// Shows the question of a REVIEW and gives the stage as it is then.
fn asked(check: impl FnOnce(&Stage, &Model, &Screen)) {
    let Some(stage) = Stage::guarded(&ALLOWED) else { return };
    let model = Model::start(&stage, &turns(vec![read(&plain_page()), obey(), json!("done"), json!("done")]));
    let screen = Screen::open(&stage, &model);
    screen.wait_for("Do you want to proceed?");
    screen.wait_for("Circinus REVIEW");
    assert!(!stage.at(MARKER).exists(), "it ran before the person answered");
    check(&stage, &model, &screen);
    let explained = stage.told(&["explain", "last", "--json"]);
    assert_eq!(explained["verdict"], "REVIEW", "{explained}");
}

#[test]
fn what_the_person_approves_runs() {
    asked(|stage, model, screen| {
        screen.press(ENTER);
        let result = wait_for("the result", || model.told().results().remove("toolu_act"));
        assert!(stage.at(MARKER).exists(), "it did not run: {result:?}");
    });
}

#[test]
fn what_the_person_denies_does_not_run() {
    asked(|stage, model, screen| {
        screen.press(ESCAPE);
        // The client ends the turn; the model learns of it with the next prompt.
        screen.wait_for("Interrupted");
        screen.press(b"go on");
        screen.wait_for("go on");
        screen.press(ENTER);
        let result = wait_for("the result", || model.told().results().remove("toolu_act"));
        assert!(result.is_error && !stage.at(MARKER).exists(), "it ran: {result:?}");
    });
}

#[test]
fn control_sequences_are_left_out() {
    assert_eq!(without_controls("a\u{1b}[1;31mb\u{1b}]0;title\u{7}c\u{1b}7d"), "abcd");
}
