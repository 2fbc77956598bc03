//! A private home, project and installation for one test with the real client.

use std::env;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Once;

use rustix::process::{Pid, Signal, kill_process, test_kill_process};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::process::wait_for;

/// A key that belongs to nobody; the scripted model does not look at it.
pub(super) const KEY: &str = "sk-ant-dummy-0000000000000000000000";

const CIRCINUS: &str = env!("CARGO_BIN_EXE_circinus");

/// Where the parts of one test are.
pub(super) struct Stage {
    root: TempDir,
    client: PathBuf,
    harness: PathBuf,
    python: PathBuf,
}

impl Stage {
    /// A home that knows the client, a project that it trusts, and no hooks yet. `None`, told on standard
    /// error, where the environment does not name the client and the scripted model.
    pub(super) fn set() -> Option<Self> {
        let (Some(client), Some(harness)) =
            (env::var_os("CIRCINUS_TEST_CLAUDE"), env::var_os("CIRCINUS_TEST_HARNESS"))
        else {
            eprintln!(
                "skipped: set CIRCINUS_TEST_CLAUDE and CIRCINUS_TEST_HARNESS to run the tests with the real client"
            );
            return None;
        };
        let root = tempfile::Builder::new().prefix("circinus-host-").tempdir().unwrap();
        let stage = Self { root, client: client.into(), harness: harness.into(), python: python() };
        for folder in ["bin", "tmp", "home/.claude", "project"] {
            DirBuilder::new().recursive(true).mode(0o700).create(stage.at(folder)).unwrap();
        }
        symlink(&stage.client, stage.at("bin/claude")).unwrap();
        let known = json!({
            "hasCompletedOnboarding": true,
            "theme": "dark",
            "bypassPermissionsModeAccepted": true,
            "customApiKeyResponses": { "approved": [&KEY[KEY.len() - 20..]], "rejected": [] },
            "projects": { stage.at("project").to_str().unwrap(): {
                "hasTrustDialogAccepted": true, "hasCompletedProjectOnboarding": true, "allowedTools": [],
            } },
        });
        fs::write(stage.at("home/.claude.json"), known.to_string()).unwrap();
        Some(stage)
    }

    /// The same with the user's permissions `allowed` and our hooks registered by `circinus setup`.
    pub(super) fn guarded(allowed: &[&str]) -> Option<Self> {
        let stage = Self::set()?;
        stage.allow(allowed);
        stage.set_up();
        Some(stage)
    }

    /// Writes the user's settings: these tools need no prompt.
    pub(super) fn allow(&self, tools: &[&str]) {
        let settings = json!({
            "permissions": { "allow": tools },
            "skipDangerousModePermissionPrompt": true,
        });
        fs::write(self.at("home/.claude/settings.json"), settings.to_string()).unwrap();
    }

    /// Registers the hooks as a user does.
    pub(super) fn set_up(&self) {
        build_hook();
        let done = self.circinus(&["setup", "--yes"]);
        assert!(done.status.success(), "{done:?}");
    }

    /// A path below the root.
    pub(super) fn at(&self, path: &str) -> PathBuf {
        self.root.path().canonicalize().unwrap().join(path)
    }

    /// Writes a file of the project.
    pub(super) fn write(&self, path: &str, text: &str) {
        fs::write(self.at("project").join(path), text).unwrap();
    }

    /// The interpreter of the scripted model.
    pub(super) fn python(&self) -> &Path {
        &self.python
    }

    /// A file of the harness.
    pub(super) fn harness(&self, name: &str) -> PathBuf {
        self.harness.join(name)
    }

    /// A command in the project that sees this stage and nothing else of the machine's environment.
    pub(super) fn command(&self, program: &Path) -> Command {
        let path = env::var("PATH").unwrap();
        let mut command = Command::new(program);
        command
            .env_clear()
            .env("PATH", format!("{}:{path}", self.at("bin").display()))
            .env("HOME", self.at("home"))
            .env("TMPDIR", self.at("tmp"))
            .env("CIRCINUS_HOME", self.at("circinus"))
            .env("LANG", "C.UTF-8")
            .env("SHELL", "/bin/bash")
            .env("USER", "dev")
            .env("TERM", "dumb")
            .env("NO_COLOR", "1")
            .current_dir(self.at("project"))
            .stdin(Stdio::null());
        command
    }

    /// The client itself.
    pub(super) fn client(&self) -> &Path {
        &self.client
    }

    /// A command for the client or what starts it: told to speak with the model at `port` and nobody else.
    pub(super) fn speaking(&self, program: &Path, port: u16) -> Command {
        let mut command = self.command(program);
        command
            .env("ANTHROPIC_API_KEY", KEY)
            .env("ANTHROPIC_BASE_URL", format!("http://127.0.0.1:{port}"))
            // Where no test may reach, no command of a test reaches either: every way out is a dead proxy.
            .envs(["http_proxy", "https_proxy", "all_proxy"].map(|name| (name, "http://127.0.0.1:9")))
            .envs(["no_proxy", "NO_PROXY"].map(|name| (name, "127.0.0.1,localhost")))
            // The client refuses to bypass permissions as root unless it is told that it is in a sandbox.
            .env("IS_SANDBOX", "1")
            .envs(
                [
                    "DISABLE_TELEMETRY",
                    "DISABLE_ERROR_REPORTING",
                    "DISABLE_AUTOUPDATER",
                    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC",
                ]
                .map(|name| (name, "1")),
            );
        command
    }

    /// Runs `circinus`.
    pub(super) fn circinus(&self, arguments: &[&str]) -> Output {
        self.command(Path::new(CIRCINUS)).args(arguments).output().unwrap()
    }

    /// What `circinus ARGUMENTS` printed; it must succeed.
    pub(super) fn said(&self, arguments: &[&str]) -> String {
        let output = self.circinus(arguments);
        assert!(output.status.success(), "circinus {arguments:?}: {output:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// One JSON object that `circinus ARGUMENTS` printed.
    pub(super) fn told(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.said(arguments)).unwrap()
    }

    /// Every recorded decision, oldest first.
    pub(super) fn decisions(&self) -> Vec<Value> {
        let log = self.said(&["log", "--decisions", "--json", "-n", "10000"]);
        log.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// The daemon's process; it must be running.
    pub(super) fn daemon(&self) -> Pid {
        let pid = &self.told(&["status", "--json"])["daemon"]["pid"];
        Pid::from_raw(i32::try_from(pid.as_i64().unwrap()).unwrap()).unwrap()
    }

    /// Ends the daemon as a crash does, and returns when it is gone.
    pub(super) fn kill_daemon(&self) -> Pid {
        let pid = self.daemon();
        kill_process(pid, Signal::KILL).unwrap();
        wait_for("the end of the daemon", || (!is_running(pid)).then_some(()));
        pid
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // A test that has failed says why already; its daemon is told to stop like any other.
        let stopped = self.circinus(&["daemon", "stop"]);
        if !stopped.status.success() && !std::thread::panicking() {
            panic!("the daemon did not stop: {stopped:?}");
        }
    }
}

/// Whether the process lives; one that waits for its parent to collect it does not.
fn is_running(pid: Pid) -> bool {
    let state = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).unwrap_or_default();
    let is_zombie = state.rsplit_once(')').is_some_and(|(_, rest)| rest.trim_start().starts_with('Z'));
    test_kill_process(pid).is_ok() && !is_zombie
}

/// The interpreter itself: a wrapper that stands for it on the PATH may need the machine's own home.
fn python() -> PathBuf {
    let asked = Command::new("python3").args(["-c", "import sys; print(sys.executable)"]).output().unwrap();
    assert!(asked.status.success(), "{asked:?}");
    String::from_utf8(asked.stdout).unwrap().trim().into()
}

/// The hook lies beside `circinus`; a build of this package alone does not make it.
pub(super) fn build_hook() {
    static BUILT: Once = Once::new();
    BUILT.call_once(|| {
        let folder = Path::new(CIRCINUS).parent().unwrap();
        if folder.join("circinus-hook").is_file() {
            return;
        }
        let mut build = Command::new(env!("CARGO"));
        build.args(["build", "-p", "circinus-ipc", "--bin", "circinus-hook", "--target-dir"]);
        build.arg(folder.parent().unwrap()).current_dir(env!("CARGO_MANIFEST_DIR"));
        if folder.ends_with("release") {
            build.arg("--release");
        }
        assert!(build.status().unwrap().success(), "circinus-hook could not be built");
    });
}
