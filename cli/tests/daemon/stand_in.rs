//! A process that stands in for a host: it starts hooks, so that a session is bound to it and not to the test.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::Value;

use super::answer::{Answer, Ran};
use super::process::circinus_hook;
use super::world::World;

/// Reads lines: names of payload files, to start one hook for each of them, all of a line at once; or, after
/// `run`, the name of a script.
const STARTS_HOOKS: &str = r#"
while read -r names; do
  case "$names" in run*) /bin/sh "${names#run }"; echo; continue ;; esac
  started=
  for name in $names; do
    "$0" < "$name" > "$name.out" 2> "$name.err" &
    started="$started $name:$!"
  done
  for pair in $started; do wait "${pair##*:}"; echo $? > "${pair%:*}.code"; done
  echo
done"#;

/// The host of the sessions whose events it sends.
pub(super) struct StandIn {
    child: Child,
    /// Closed at the end: then it ends.
    lines: Option<ChildStdin>,
    ready: BufReader<ChildStdout>,
    folder: PathBuf,
    sent: u32,
}

impl StandIn {
    pub(super) fn new(world: &World) -> Self {
        Self::running(world, Path::new("/bin/sh"))
    }

    /// One that looks like a host.
    pub(super) fn looking_like_one(world: &World) -> Self {
        let program = world.at("claude");
        symlink("/bin/sh", &program).unwrap();
        Self::running(world, &program)
    }

    fn running(world: &World, program: &Path) -> Self {
        let folder = world.at("tmp");
        let mut child = world
            .command(program)
            .args(["-c", STARTS_HOOKS])
            .arg(circinus_hook())
            .current_dir(&folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let (lines, ready) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, lines, ready, folder, sent: 0 }
    }

    /// Runs one hook with an event.
    #[track_caller]
    pub(super) fn send(&mut self, event: &Value) -> Answer {
        self.race(&[event]).remove(0)
    }

    /// Runs one hook for each event, all at the same time.
    #[track_caller]
    pub(super) fn race(&mut self, events: &[&Value]) -> Vec<Answer> {
        let names: Vec<String> = events.iter().map(|event| self.keep(event)).collect();
        self.told(&names.join(" "));
        names.iter().map(|name| self.answer(name)).collect()
    }

    /// Runs a script, as an agent would.
    #[track_caller]
    pub(super) fn run(&mut self, script: &str) {
        fs::write(self.folder.join("script"), script).unwrap();
        self.told("run script");
    }

    #[track_caller]
    fn told(&mut self, line: &str) {
        writeln!(self.lines.as_mut().unwrap(), "{line}").unwrap();
        assert_eq!(self.ready.read_line(&mut String::new()).unwrap(), 1, "the stand-in has ended");
    }

    fn keep(&mut self, event: &Value) -> String {
        self.sent += 1;
        let name = format!("event-{}", self.sent);
        fs::write(self.folder.join(&name), event.to_string()).unwrap();
        name
    }

    #[track_caller]
    fn answer(&self, name: &str) -> Answer {
        let read = |kind: &str| fs::read_to_string(self.folder.join(format!("{name}.{kind}"))).unwrap();
        let code = read("code").trim().parse().unwrap();
        Answer::of(&Ran { code, out: read("out"), err: read("err") })
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        drop(self.lines.take());
        self.child.wait().unwrap();
    }
}
