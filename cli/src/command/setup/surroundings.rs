//! What a command takes from the process around it, passed in so that tests can say it.

use std::env;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// Looks up one environment variable.
type Variables = Box<dyn Fn(&str) -> Option<OsString>>;

/// Environment, folders and clock of a command.
pub struct Surroundings {
    env: Variables,
    folder: PathBuf,
    executable: PathBuf,
    now_ms: u64,
}

impl Surroundings {
    /// The surroundings of this process.
    ///
    /// # Errors
    /// The working folder, the path of the executable or the time cannot be told.
    pub fn from_process() -> io::Result<Self> {
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
        let now_ms = u64::try_from(since_epoch.as_millis()).map_err(io::Error::other)?;
        let executable = env::current_exe()?.canonicalize()?;
        let folder = env::current_dir()?;
        Ok(Self::new(|name| env::var_os(name), folder, executable, now_ms))
    }

    /// Surroundings from its parts; `executable` is the running `circinus`, links followed, and `now_ms` is Unix
    /// time in milliseconds.
    pub fn new(
        env: impl Fn(&str) -> Option<OsString> + 'static,
        folder: impl Into<PathBuf>,
        executable: impl Into<PathBuf>,
        now_ms: u64,
    ) -> Self {
        Self { env: Box::new(env), folder: folder.into(), executable: executable.into(), now_ms }
    }

    /// The environment.
    pub fn env(&self) -> &dyn Fn(&str) -> Option<OsString> {
        &self.env
    }

    /// The working folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A file that was installed beside the running executable.
    #[must_use]
    pub fn sibling(&self, name: &str) -> PathBuf {
        self.executable.with_file_name(name)
    }

    /// Unix time in milliseconds, taken once when the command started.
    #[must_use]
    pub const fn now_ms(&self) -> u64 {
        self.now_ms
    }
}
