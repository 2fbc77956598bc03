//! One private installation: a home, a project, an environment, and the daemon that it may have.

use std::fs::{self, DirBuilder, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use circinus_ipc::{HomeDir, SocketPlace};
use rustix::process::{Signal, geteuid, getuid};
use serde_json::Value;
use tempfile::TempDir;

use super::answer::{Answer, Ran};
use super::process::{circinus, circinus_hook, daemons, has_ended, signal, until};

/// Everything below one folder that goes at the end, the daemon first.
pub(super) struct World {
    root: TempDir,
    home: PathBuf,
    /// Whether programs run without the privilege to ignore permission bits.
    bound: bool,
    /// Bytes that a file may have, if they are limited.
    limit: Option<u32>,
}

impl World {
    pub(super) fn new() -> Self {
        Self::with_home("home")
    }

    /// A world whose `CIRCINUS_HOME` has another name; the folder is made by the programs.
    pub(super) fn with_home(name: &str) -> Self {
        let root = tempfile::tempdir().unwrap();
        for folder in ["user", "project", "runtime", "tmp"] {
            DirBuilder::new().mode(0o700).create(root.path().join(folder)).unwrap();
        }
        let home = root.path().join(name);
        Self { root, home, bound: false, limit: None }
    }

    /// Makes permission bits count, even where the tests run as the superuser.
    pub(super) fn bound_by_permissions(mut self) -> Self {
        self.bound = true;
        self
    }

    /// Lets no file of any program grow beyond so many bytes, as on a full disk; none lifts it.
    pub(super) fn limit_files(&mut self, bytes: Option<u32>) {
        self.limit = bytes;
    }

    pub(super) fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    /// `CIRCINUS_HOME`.
    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    pub(super) fn project(&self) -> PathBuf {
        self.at("project")
    }

    pub(super) fn database(&self) -> PathBuf {
        self.home.join("circinus.db")
    }

    pub(super) fn unrecorded(&self) -> PathBuf {
        self.home.join("unrecorded.jsonl")
    }

    /// What the daemon has said.
    pub(super) fn daemon_log(&self) -> String {
        fs::read_to_string(self.home.join("daemon.log")).unwrap_or_default()
    }

    pub(super) fn mode(path: &Path, mode: u32) {
        fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    }

    /// Where the daemon listens.
    pub(super) fn place(&self) -> SocketPlace {
        let runtime = self.at("runtime");
        let environment = move |name: &str| (name == "XDG_RUNTIME_DIR").then(|| runtime.clone().into());
        SocketPlace::new(&HomeDir::at(&self.home).unwrap(), &environment, getuid().as_raw())
    }

    /// A program of ours in this world's environment and nothing else.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = if self.bound && geteuid().is_root() {
            let powers = "-dac_override,-dac_read_search";
            let mut command = Command::new("setpriv");
            command.args(["--bounding-set", powers, "--inh-caps", powers, "--"]).arg(program);
            command
        } else if let Some(bytes) = self.limit {
            // dash(1) counts blocks of 512 bytes; ignoring the signal makes writes fail instead.
            let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", bytes / 512);
            let mut command = Command::new("sh");
            command.args(["-c", &script, "sh"]).arg(program);
            command
        } else {
            Command::new(program)
        };
        command
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.at("user"))
            .env("CIRCINUS_HOME", &self.home)
            .env("XDG_RUNTIME_DIR", self.at("runtime"))
            .env("TMPDIR", self.at("tmp"))
            .env("NO_COLOR", "1")
            .current_dir(self.project())
            .stdin(Stdio::null());
        command
    }

    pub(super) fn circinus(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(circinus()).args(arguments).output().unwrap())
    }

    #[track_caller]
    pub(super) fn start(&self) {
        assert_eq!(self.circinus(&["daemon", "start"]).good(), "");
    }

    #[track_caller]
    pub(super) fn stop(&self) {
        assert_eq!(self.circinus(&["daemon", "stop"]).good(), "");
    }

    /// Runs the hook with raw bytes on its standard input.
    #[track_caller]
    pub(super) fn hook(&self, payload: &[u8]) -> Answer {
        let mut command = self.command(circinus_hook());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        let fed = thread::scope(|scope| {
            let feeding = scope.spawn(move || stdin.write_all(payload));
            let output = child.wait_with_output().unwrap();
            (output, feeding.join().unwrap())
        });
        // A hook that refuses a payload for its length does not read it to the end.
        assert!(fed.1.as_ref().is_ok() || fed.1.unwrap_err().kind() == ErrorKind::BrokenPipe);
        Answer::of(&Ran::of(fed.0))
    }

    /// Runs the hook with an event.
    #[track_caller]
    pub(super) fn send(&self, event: &Value) -> Answer {
        self.hook(event.to_string().as_bytes())
    }

    /// Everything recorded; the newest 10,000 events.
    #[track_caller]
    pub(super) fn log(&self) -> Vec<Value> {
        self.circinus(&["log", "--json", "--last", "10000"]).objects()
    }

    /// Labels of the recorded artifacts.
    #[track_caller]
    pub(super) fn labels(&self) -> Vec<String> {
        let artifacts = self.log().into_iter().filter(|row| row["kind"] == "artifact");
        artifacts.map(|row| row["label"].as_str().unwrap().to_owned()).collect()
    }

    /// What the daemon says of itself.
    #[track_caller]
    pub(super) fn status(&self) -> Value {
        let mut status = self.circinus(&["status", "--json"]).objects();
        assert_eq!(status.len(), 1);
        status[0]["daemon"].take()
    }

    #[track_caller]
    pub(super) fn pid(&self) -> i32 {
        i32::try_from(self.status()["pid"].as_i64().unwrap()).unwrap()
    }

    /// Kills the daemon as a crash would.
    pub(super) fn kill(&self) {
        let pid = self.pid();
        signal(pid, Signal::KILL);
        until("a killed daemon ends", || has_ended(pid));
    }
}

impl Drop for World {
    fn drop(&mut self) {
        let stopped = self.command(circinus()).args(["daemon", "stop"]).output();
        let left = daemons(&self.home);
        // Only reached when `stop` fails: nothing that a test started may outlive it.
        left.iter().for_each(|pid| signal(*pid, Signal::KILL));
        if !thread::panicking() {
            assert!(left.is_empty(), "daemons {left:?} were still running: {stopped:?}");
        }
    }
}

/// Starts the daemon in profile strict.
pub(super) fn strict(world: &World) {
    fs::create_dir_all(world.home()).unwrap();
    World::mode(world.home(), 0o700);
    fs::write(world.home().join("config.toml"), "profile = \"strict\"\n").unwrap();
    world.start();
}
