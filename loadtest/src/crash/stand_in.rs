//! The daemon in this program, killed or failed at a step of its writer. Run by `circinus-loadtest crash`.

use std::env;
use std::io;
use std::thread;

use circinus::config::{CommandOverlay, Places};
use circinus::daemon::{self, RunError, Site};
use circinus_ipc::path::{HomeError, SocketPlace};
use circinus_ipc::peer::own_uid;
use circinus_store::{Step, Watch};
use clap::{Args, Subcommand};
use rustix::process::{Signal, getpid, kill_process};
use thiserror::Error;

/// How it ends when its store failed.
pub(super) const STORE_FAILED: u8 = 4;

/// Arguments of the stand-in; the words are those of `circinus daemon run`.
#[derive(Clone, Debug, Args)]
pub struct Options {
    #[command(subcommand)]
    command: Words,
}

#[derive(Clone, Debug, Subcommand)]
enum Words {
    /// Runs the daemon
    Run {
        /// The step, by its name; without it nothing happens to the daemon
        #[arg(long)]
        step: Option<String>,
        /// The how manieth time
        #[arg(long, default_value = "1")]
        count: u64,
        /// Fail the step instead of killing the process
        #[arg(long)]
        fail: bool,
    },
}

/// Why there is no daemon.
#[derive(Debug, Error)]
pub enum StandInError {
    /// The home.
    #[error(transparent)]
    Home(#[from] HomeError),
    /// The step has no such name.
    #[error("no step of the writer is called `{0}`")]
    Step(String),
    /// The daemon.
    #[error(transparent)]
    Run(#[from] RunError),
}

impl StandInError {
    /// What the stand-in ends with; a store that failed is told from everything else.
    #[must_use]
    pub fn code(&self) -> u8 {
        if matches!(self, Self::Run(RunError::Store(_))) { STORE_FAILED } else { 1 }
    }
}

/// Runs the daemon of the home that the environment names, until it is stopped or killed.
///
/// # Errors
/// [`StandInError`].
pub fn run(options: &Options) -> Result<(), StandInError> {
    let Words::Run { step, count, fail } = &options.command;
    let watch = match step {
        Some(step) => watch(named(step)?, *count, *fail),
        None => Box::new(|_| Ok(())),
    };
    let places = Places::resolve(&|name| env::var_os(name))?;
    let home: Box<str> = places.home().to_string_lossy().into();
    let site = Site {
        home: home.clone(),
        circinus_home: home,
        host_config_dirs: Vec::new(),
        temp_dirs: Vec::new(),
        commands: CommandOverlay::load(places.home()),
    };
    let place = SocketPlace::new(places.home_dir(), &|name| env::var_os(name), own_uid());
    Ok(daemon::run_watched(&places, &place, site, watch)?)
}

fn named(step: &str) -> Result<Step, StandInError> {
    let known = Step::ALL.into_iter().find(|known| format!("{known:?}") == step);
    known.ok_or_else(|| StandInError::Step(step.to_owned()))
}

/// Kills this process at the `count`th `wanted` step, or fails it.
fn watch(wanted: Step, count: u64, fail: bool) -> Watch {
    let mut left = count;
    Box::new(move |step| {
        if step != wanted || left == 0 {
            return Ok(());
        }
        left -= 1;
        if left > 0 {
            return Ok(());
        }
        if fail {
            return Err(io::Error::other("a failure that was asked for"));
        }
        kill_process(getpid(), Signal::KILL)?;
        loop {
            // The signal ends every thread; this one must do nothing more until it arrives.
            thread::park();
        }
    })
}
