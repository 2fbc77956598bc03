//! The private daemon of a run: a home of its own, started before the first event and always stopped.

use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use circinus_ipc::path::{HomeDir, HomeError, SocketPlace};
use circinus_ipc::peer::own_uid;
use serde::{Deserialize, Serialize};
use thiserror::Error;
use wait_timeout::ChildExt;

use super::profile::Profile;
use crate::config::Places;
use crate::ui::{ColorChoice, Ui};

/// Time for `circinus daemon start` or `stop`; both return when the daemon listens or has ended.
pub const COMMAND_WAIT_MAX: Duration = Duration::from_secs(60);
/// How much of a failed command's output an error shows.
const OUTPUT_SHOWN_BYTES: usize = 2000;

/// Why the daemon of the run is not as wished.
#[derive(Debug, Error)]
pub enum DaemonError {
    /// There is no program.
    #[error("no `circinus` at `{}`; hint: build it, or name it with --circinus", path.display())]
    NoProgram {
        /// Where it was expected.
        path: PathBuf,
    },
    /// The place of this very program is unknown.
    #[error(
        "cannot find the folder of this program: {source}; hint: name the daemon's program with --circinus"
    )]
    NoSelf {
        /// The system's reason.
        source: io::Error,
    },
    /// The operating system refused.
    #[error("cannot {operation} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Its home cannot be one.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The command ended with an error.
    #[error("`circinus daemon {command}` failed ({status}): {output}")]
    Failed {
        /// `start` or `stop`.
        command: &'static str,
        /// Its status.
        status: ExitStatus,
        /// The end of what it printed.
        output: String,
    },
    /// It does not say how it is.
    #[error("`circinus status --json` says nothing of use ({status}): {output}")]
    NoStatus {
        /// Its status.
        status: ExitStatus,
        /// What it printed.
        output: String,
    },
    /// The command did not end.
    #[error("`circinus daemon {command}` did not end within {} s and was killed", COMMAND_WAIT_MAX.as_secs())]
    Hangs {
        /// `start` or `stop`.
        command: &'static str,
    },
}

#[derive(Deserialize)]
struct StatusJson {
    daemon: DaemonStatus,
}

/// What a daemon says of itself, as far as a measurement needs it.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct DaemonStatus {
    /// Its process.
    pub pid: u32,
    /// Operands in its index.
    pub operands: u64,
    /// Events that it could not record.
    pub unrecorded: u64,
    /// Weighty decisions whose evidence was there.
    pub evidence_ready: u64,
    /// Weighty decisions that waited for evidence and got it.
    pub evidence_waited: u64,
    /// Weighty decisions whose evidence did not come in time.
    pub evidence_not_ready: u64,
}

/// A running private daemon; dropping it stops it.
#[derive(Debug)]
pub struct PrivateDaemon {
    program: PathBuf,
    state: PathBuf,
    home: PathBuf,
    running: bool,
}

impl PrivateDaemon {
    /// Starts `program daemon start` with `state` (made here, mode 0700) as `CIRCINUS_HOME`, `home` (made here too)
    /// as `HOME`, and a configuration that holds the profile.
    ///
    /// # Errors
    /// [`DaemonError`].
    pub fn start(
        program: &Path,
        state: &Path,
        home: &Path,
        profile: Profile,
    ) -> Result<PrivateDaemon, DaemonError> {
        Self::configured(program, state, home, profile, "")
    }

    /// As [`PrivateDaemon::start`], with `more` in the configuration: TOML that stands below the profile.
    ///
    /// # Errors
    /// [`DaemonError`].
    pub fn configured(
        program: &Path,
        state: &Path,
        home: &Path,
        profile: Profile,
        more: &str,
    ) -> Result<PrivateDaemon, DaemonError> {
        if !program.is_file() {
            return Err(DaemonError::NoProgram { path: program.to_owned() });
        }
        for folder in [state, home] {
            DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(io_at("create", folder))?;
        }
        let config = state.join("config.toml");
        let text = format!("profile = \"{}\"\n{more}", profile.word());
        fs::write(&config, text).map_err(io_at("write", &config))?;
        let mut daemon = PrivateDaemon {
            program: program.to_owned(),
            state: state.to_owned(),
            home: home.to_owned(),
            running: true,
        };
        if let Err(error) = daemon.command("start") {
            // A daemon that came up too late would otherwise stay; that there is none to stop is what we expect.
            daemon.running = false;
            return Err(match daemon.command("stop") {
                Ok(()) | Err(DaemonError::Failed { .. }) => error,
                Err(worse) => worse,
            });
        }
        Ok(daemon)
    }

    /// Where it listens.
    ///
    /// # Errors
    /// `Home` when its home is no absolute path.
    pub fn place(&self) -> Result<SocketPlace, DaemonError> {
        let home = HomeDir::at(&self.state)?;
        Ok(SocketPlace::new(&home, &|name| std::env::var_os(name), own_uid()))
    }

    /// Its database.
    ///
    /// # Errors
    /// `Home` when its home is no absolute path.
    pub fn database(&self) -> Result<PathBuf, DaemonError> {
        Ok(Places::under(HomeDir::at(&self.state)?).database)
    }

    /// What a hook process needs in its environment to find this daemon.
    #[must_use]
    pub fn environment(&self) -> Vec<(&'static str, PathBuf)> {
        vec![("CIRCINUS_HOME", self.state.clone()), ("HOME", self.home.clone())]
    }

    /// How it says that it is.
    ///
    /// # Errors
    /// `NoStatus` when it does not answer, and all others of [`DaemonError`].
    pub fn status(&self) -> Result<DaemonStatus, DaemonError> {
        let failed = io_at("ask through", &self.program);
        let output = Command::new(&self.program)
            .args(["status", "--json"])
            .envs(self.environment())
            .stdin(Stdio::null())
            .output()
            .map_err(failed)?;
        let parsed = serde_json::from_slice::<StatusJson>(&output.stdout);
        parsed.map(|json| json.daemon).map_err(|_| DaemonError::NoStatus {
            status: output.status,
            output: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        })
    }

    /// Stops it and starts it again; gives how long the start took until it answered.
    ///
    /// # Errors
    /// As [`PrivateDaemon::start`]; the daemon is down then.
    pub fn restart(&mut self) -> Result<Duration, DaemonError> {
        self.running = false;
        self.command("stop")?;
        let began = Instant::now();
        self.command("start")?;
        self.running = true;
        Ok(began.elapsed())
    }

    /// Stops it; returns after it has ended.
    ///
    /// # Errors
    /// `Failed` when it had died before, and all others of [`DaemonError`].
    pub fn stop(mut self) -> Result<(), DaemonError> {
        self.running = false;
        self.command("stop")
    }

    /// Runs `circinus daemon COMMAND`. Its output goes to a file, because a daemon that inherited a pipe would keep
    /// its reader waiting.
    fn command(&self, command: &'static str) -> Result<(), DaemonError> {
        let log = self.state.with_file_name(format!("daemon-{command}.log"));
        let stdout = File::create(&log).map_err(io_at("create", &log))?;
        let stderr = stdout.try_clone().map_err(io_at("open", &log))?;
        let mut child = Command::new(&self.program)
            .args(["daemon", command])
            .envs(self.environment())
            .stdin(Stdio::null())
            .stdout(stdout)
            .stderr(stderr)
            .spawn()
            .map_err(io_at("start", &self.program))?;
        let Some(status) = child.wait_timeout(COMMAND_WAIT_MAX).map_err(io_at("wait for", &self.program))?
        else {
            child.kill().map_err(io_at("kill", &self.program))?;
            child.wait().map_err(io_at("wait for", &self.program))?;
            return Err(DaemonError::Hangs { command });
        };
        if status.success() {
            return Ok(());
        }
        let output = fs::read(&log).map_err(io_at("read", &log))?;
        let tail = output.get(output.len().saturating_sub(OUTPUT_SHOWN_BYTES)..).unwrap_or_default();
        let output = String::from_utf8_lossy(tail).trim().to_owned();
        Err(DaemonError::Failed { command, status, output })
    }
}

impl Drop for PrivateDaemon {
    fn drop(&mut self) {
        if self.running
            && let Err(error) = self.command("stop")
        {
            complain(&error);
        }
    }
}

/// A destructor can hand its error to nobody else.
fn complain(error: &DaemonError) {
    let mut ui = Ui::stdio(ColorChoice::Auto, &|name| std::env::var_os(name));
    ui.warning(&format!("the private daemon may still run: {error}"));
    // Where even the warning cannot be written there is nothing left to do.
    let _ = ui.finish();
}

/// The daemon's program: `given`, or `circinus` beside this program.
///
/// # Errors
/// `NoSelf`, `NoProgram`.
pub fn program(given: Option<&Path>) -> Result<PathBuf, DaemonError> {
    let path = match given {
        Some(path) => path.to_owned(),
        None => std::env::current_exe()
            .map_err(|source| DaemonError::NoSelf { source })?
            .with_file_name("circinus"),
    };
    if !path.is_file() {
        return Err(DaemonError::NoProgram { path });
    }
    fs::canonicalize(&path).map_err(io_at("resolve", &path))
}

fn io_at(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> DaemonError {
    let path = path.to_owned();
    move |source| DaemonError::Io { operation, path, source }
}
