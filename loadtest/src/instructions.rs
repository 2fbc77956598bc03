//! `circinus-loadtest instructions`: what the processor is asked to do, counted by valgrind instead of timed.
//!
//! A count is the same on a busy machine and on an idle one, so that it can hold where a time cannot.

use std::collections::BTreeMap;
use std::fmt;
use std::fs;
use std::hint::black_box;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use circinus_core::gate::{self, Circumstances};
use circinus_core::policy::Profile;
use circinus_core::time::UnixMillis;
use clap::Args;
use thiserror::Error;

use crate::daemon::{self, DaemonError, PrivateDaemon};
use crate::process::{Program, ProgramError};
use crate::profile;
use crate::workload::events::Host;
use crate::workload::index;

/// Growth that is still noise: hash seeds differ from run to run, and with them the length of a search.
const GROWTH_MAX: f64 = 1.05;

/// Decisions that are counted together.
const DECISIONS: u64 = 200;

const OPERANDS: usize = 10_000;
const URLS: usize = 12;

/// The command's arguments.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Kept counts, one `name count` a line
    #[arg(long, value_name = "FILE", default_value = "benches/instructions.txt")]
    pub kept: PathBuf,
    /// Keep what is counted now
    #[arg(long)]
    pub write: bool,
    /// The daemon's program; `circinus` beside this program when absent
    #[arg(long, value_name = "PATH")]
    pub circinus: Option<PathBuf>,
    /// The hook's program; `circinus-hook` beside the daemon's when absent
    #[arg(long, value_name = "PATH")]
    pub hook: Option<PathBuf>,
}

/// Why nothing was counted.
#[derive(Debug, Error)]
pub enum CountError {
    /// The private daemon.
    #[error(transparent)]
    Daemon(#[from] DaemonError),
    /// A hook outside valgrind.
    #[error(transparent)]
    Program(#[from] ProgramError),
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
    /// What was counted did not run as it should.
    #[error("valgrind counted nothing of {what}: {said}")]
    NoCount {
        /// What.
        what: &'static str,
        /// What it printed.
        said: String,
    },
    /// A line of the kept counts.
    #[error("`{}` line {line} is not `name count`", path.display())]
    Kept {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: usize,
    },
}

/// What was counted, and what is kept.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    counts: BTreeMap<String, u64>,
    kept: BTreeMap<String, u64>,
}

impl Outcome {
    /// Whether nothing grew beyond its bound.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        self.counts.keys().all(|name| self.growth(name).is_none_or(|growth| growth <= GROWTH_MAX))
    }

    fn growth(&self, name: &str) -> Option<f64> {
        Some(*self.counts.get(name)? as f64 / *self.kept.get(name)? as f64)
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.counts.is_empty() {
            return writeln!(f, "skipped: no valgrind on this machine");
        }
        for (name, count) in &self.counts {
            let word = match self.growth(name) {
                None => "not kept yet".to_owned(),
                Some(growth) if growth > GROWTH_MAX => format!("{growth:.3} of what is kept: missed"),
                Some(growth) => format!("{growth:.3} of what is kept: met"),
            };
            writeln!(f, "{name:28} {count:>12} instructions, {word}")?;
        }
        Ok(())
    }
}

/// Counts, and compares with what is kept.
///
/// # Errors
/// [`CountError`]; a machine without valgrind is none.
pub fn run(options: &Options) -> Result<Outcome, CountError> {
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        return Ok(Outcome::default());
    }
    let kept = read(&options.kept)?;
    // Another machine's language has other counts.
    let name = |what: &str| format!("{what}-{}", std::env::consts::ARCH);
    let counts = BTreeMap::from([(name("decision"), decision()?), (name("hook"), hook(options)?)]);
    if options.write {
        let text: String = counts.iter().map(|(name, count)| format!("{name} {count}\n")).collect();
        fs::write(&options.kept, text).map_err(io_at("write", &options.kept))?;
    }
    Ok(Outcome { counts, kept })
}

fn read(path: &Path) -> Result<BTreeMap<String, u64>, CountError> {
    let text = match fs::read_to_string(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(BTreeMap::new()),
        read => read.map_err(io_at("read", path))?,
    };
    let lines = text.lines().enumerate().map(|(at, line)| {
        let pair =
            line.split_once(' ').and_then(|(name, count)| Some((name.to_owned(), count.parse().ok()?)));
        pair.ok_or_else(|| CountError::Kept { path: path.to_owned(), line: at + 1 })
    });
    lines.collect()
}

/// What valgrind is to count: some decisions and nothing else.
pub fn decide(decisions: usize) {
    let snapshot = index::snapshot(OPERANDS);
    let here = Circumstances { profile: Profile::Balanced, store_up: true, now: UnixMillis(0) };
    for round in 0..decisions {
        let asked = index::action((0..URLS).map(|url| (round * 7_919 + url * 811) % OPERANDS));
        drop(black_box(gate::decide(black_box(&asked), &snapshot, here)));
    }
}

/// Instructions of one decision.
fn decision() -> Result<u64, CountError> {
    let own = std::env::current_exe().map_err(io_at("find", Path::new("this program")))?;
    let own = own.to_string_lossy();
    let probe =
        ["--toggle-collect=circinus_core::gate::decide", &own, "probe", "decide", &DECISIONS.to_string()];
    Ok(count("a decision", &probe, &[], b"")? / DECISIONS)
}

/// Instructions of a hook from its start to its end.
fn hook(options: &Options) -> Result<u64, CountError> {
    let circinus = daemon::program(options.circinus.as_deref())?;
    let hook = options.hook.clone().unwrap_or_else(|| circinus.with_file_name("circinus-hook"));
    let scratch = tempfile::tempdir().map_err(io_at("make a folder in", &std::env::temp_dir()))?;
    let (state, home) = (scratch.path().join("state"), scratch.path().join("home"));
    let daemon = PrivateDaemon::start(&circinus, &state, &home, profile::Profile::Balanced)?;
    let host = Host::new("count", &scratch.path().to_string_lossy());
    let environment = daemon.environment();
    Program::new(&hook).environment(environment.clone()).run(&host.start())?;
    let event = host.shell(1, "cargo build --workspace", 1_024);
    let counted = count("the hook", &[&hook.to_string_lossy()], &environment, &event);
    daemon.stop()?;
    counted
}

fn count(
    what: &'static str,
    program: &[&str],
    environment: &[(&'static str, PathBuf)],
    input: &[u8],
) -> Result<u64, CountError> {
    let valgrind = Path::new("valgrind");
    let input_file =
        tempfile::NamedTempFile::new().map_err(io_at("make a file in", &std::env::temp_dir()))?;
    fs::write(input_file.path(), input).map_err(io_at("write", input_file.path()))?;
    let stdin = fs::File::open(input_file.path()).map_err(io_at("open", input_file.path()))?;
    let output = Command::new(valgrind)
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .args(program)
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(stdin)
        .output()
        .map_err(io_at("start", valgrind))?;
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().find_map(|line| line.split_once("Collected :"));
    let counted = line.and_then(|(_, count)| count.trim().parse().ok()).filter(|count| *count > 0);
    counted
        .filter(|_| output.status.success())
        .ok_or_else(|| CountError::NoCount { what, said: said.trim().to_owned() })
}

fn io_at(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CountError + use<> {
    let path = path.to_owned();
    move |source| CountError::Io { operation, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn growth_beyond_the_bound_is_a_miss_and_what_is_not_kept_is_none() {
        let outcome = |count, kept| Outcome {
            counts: BTreeMap::from([(String::from("hook"), count)]),
            kept: BTreeMap::from([(String::from(kept), 1_000)]),
        };
        assert!(outcome(1_040, "hook").is_kept());
        assert!(!outcome(1_060, "hook").is_kept());
        assert!(outcome(9_000, "other").is_kept());
        assert!(outcome(1_060, "hook").to_string().contains("missed"));
    }
}
