//! `circinus daemon start | stop | run`.

use std::env;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use circinus_ipc::{BindError, CallError, Client, Reply, Request, SocketPlace};
use clap::{Args, Subcommand};
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;

use super::Context;
use crate::daemon::{self, ControlReply, ControlRequest, RunError};
use crate::exit::Exit;
use crate::ui::{Ui, split_hint};

/// How long a start may take: rebuilding the index of a long history included.
const START_WAIT: Duration = Duration::from_secs(30);

/// How long a stop may take: finishing what was accepted included.
const STOP_WAIT: Duration = Duration::from_secs(30);

/// One question to the daemon.
const CALL_WAIT: Duration = Duration::from_secs(5);

/// Length above which a start puts the daemon's log aside, in bytes. Lines of many years.
const LOG_BYTES_MAX: u64 = 1 << 20;

/// Between two looks at a process that starts or ends.
const LOOK: Duration = Duration::from_millis(5);

/// Arguments of `circinus daemon`.
#[derive(Debug, Args)]
pub struct DaemonArgs {
    #[command(subcommand)]
    command: DaemonCommand,
}

#[derive(Clone, Copy, Debug, Subcommand)]
enum DaemonCommand {
    /// Start it in the background; returns when it answers.
    Start,
    /// Stop it; returns when it has ended.
    Stop,
    /// Run it in the foreground.
    Run,
}

/// Runs the command.
pub fn run(args: &DaemonArgs, context: &Context, ui: &mut Ui) -> Exit {
    match args.command {
        DaemonCommand::Start => start(context, ui),
        DaemonCommand::Stop => stop(context, ui),
        DaemonCommand::Run => serve(context, ui),
    }
}

/// Where the daemon of this home listens.
pub fn place(context: &Context) -> SocketPlace {
    let uid = rustix::process::getuid().as_raw();
    SocketPlace::new(context.places.home_dir(), &|name| env::var_os(name), uid)
}

/// Asks the daemon; none is started.
///
/// # Errors
///
/// See [`CallError`]; an answer that is none is a protocol error.
pub fn ask(place: &SocketPlace, request: &ControlRequest) -> Result<ControlReply, AskError> {
    let body = serde_json::to_vec(request)?;
    match Client::call(place, Request::Control(body), CALL_WAIT)? {
        Reply::Control(json) => Ok(serde_json::from_slice(&json)?),
        Reply::Error { code, text } => Err(AskError::Said(format!("{code:?}: {text}"))),
        Reply::Answer { .. } => Err(AskError::Said("an answer to a hook".into())),
    }
}

/// Why the daemon did not answer a question.
#[derive(Debug, thiserror::Error)]
pub enum AskError {
    /// No exchange.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The reply is not in the agreed form.
    #[error(
        "the daemon's reply is not understood: {0}; hint: is an older daemon running? run `circinus daemon stop`"
    )]
    Form(#[from] serde_json::Error),
    /// The daemon said something else.
    #[error("the daemon said: {0}")]
    Said(String),
}

impl AskError {
    /// How a command ends that could not ask.
    pub fn exit(&self) -> Exit {
        match self {
            Self::Call(CallError::NotRunning) => Exit::NotRunning,
            Self::Call(_) | Self::Form(_) | Self::Said(_) => Exit::Internal,
        }
    }
}

fn serve(context: &Context, ui: &mut Ui) -> Exit {
    // A daemon that was started from a shell must not end with it; a session leader stays what it is.
    match rustix::process::setsid() {
        Ok(_) | Err(Errno::PERM) => {}
        Err(error) => ui.warning(&format!("cannot start a session: {error}")),
    }
    if let Some(refused) = &context.site.commands.refused {
        ui.warning(&format!("the built-in command table alone holds: {refused}"));
    }
    match daemon::run(&context.places, &place(context), context.site.clone()) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            ui.error(&error);
            match error {
                RunError::Bind(BindError::AlreadyRunning { .. }) => Exit::Refused,
                RunError::Places(_)
                | RunError::Config(_)
                | RunError::Endpoint(_)
                | RunError::Open(_)
                | RunError::Seal(_)
                | RunError::Store(_) => Exit::CannotWrite,
                RunError::Bind(_) | RunError::Replay(_) | RunError::System(_) => Exit::Internal,
            }
        }
    }
}

/// Starts a daemon where none answers.
///
/// # Errors
///
/// When it cannot be started, ends, or does not answer in time.
pub fn ensure(context: &Context) -> io::Result<()> {
    let place = place(context);
    if ask(&place, &ControlRequest::Status).is_ok() {
        return Ok(());
    }
    context.places.create().map_err(io::Error::other)?;
    rotate(&context.places.log)?;
    let said_before = std::fs::metadata(&context.places.log).map_or(0, |log| log.len());
    wait_until_it_answers(spawn(context)?, &place).map_err(|error| {
        let said = said_since(&context.places.log, said_before);
        if said.is_empty() { error } else { io::Error::new(error.kind(), format!("{error}: {said}")) }
    })
}

/// Puts the log of earlier daemons aside, once, when it has grown long. A daemon writes a line per failure of its
/// surroundings and none per event, so that its start is often enough.
fn rotate(log: &Path) -> io::Result<()> {
    match std::fs::metadata(log) {
        Ok(found) if found.len() > LOG_BYTES_MAX => std::fs::rename(log, log.with_extension("log.1")),
        Ok(_) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// What the daemon wrote into its log since it was `before` bytes long, in one line.
fn said_since(log: &Path, before: u64) -> String {
    const SAID_BYTES_MAX: u64 = 2_048;
    let mut said = Vec::new();
    let read = File::open(log).and_then(|mut file| {
        file.seek(SeekFrom::Start(before))?;
        file.take(SAID_BYTES_MAX).read_to_end(&mut said)
    });
    if read.is_err() {
        return String::new();
    }
    let said = String::from_utf8_lossy(&said);
    said.lines().map(|line| line.trim_start_matches("error: ")).collect::<Vec<_>>().join("; ")
}

fn start(context: &Context, ui: &mut Ui) -> Exit {
    match ensure(context) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            let error = format!("the daemon did not start: {error}");
            match split_hint(&error) {
                (_, Some(_)) => ui.error(&error),
                (_, None) => ui.error_with_hint(&error, &format!("see {}", context.places.log.display())),
            }
            Exit::NotRunning
        }
    }
}

fn spawn(context: &Context) -> io::Result<Child> {
    let log = open_log(context)?;
    // What the host left open must not be held open by a process that outlives it.
    close_fds::set_fds_cloexec_threadsafe(3, &[]);
    Command::new(env::current_exe()?)
        .args(["daemon", "run"])
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::from(log.try_clone()?))
        .stderr(Stdio::from(log))
        .spawn()
}

fn open_log(context: &Context) -> io::Result<File> {
    OpenOptions::new().append(true).create(true).mode(0o600).open(&context.places.log)
}

fn wait_until_it_answers(mut child: Child, place: &SocketPlace) -> io::Result<()> {
    let deadline = Instant::now() + START_WAIT;
    loop {
        if ask(place, &ControlRequest::Status).is_ok() {
            return Ok(());
        }
        if let Some(status) = child.try_wait()? {
            // Another start may have won the race: then its daemon answers soon.
            if status.code() != Some(i32::from(Exit::Refused.code())) {
                return Err(io::Error::other(format!("it ended with {status}")));
            }
        }
        if Instant::now() >= deadline {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "it does not answer"));
        }
        thread::sleep(LOOK);
    }
}

fn stop(context: &Context, ui: &mut Ui) -> Exit {
    let place = place(context);
    let process = match ask(&place, &ControlRequest::Stop) {
        Ok(ControlReply::Stopping { pid }) => pid,
        Ok(_) => {
            ui.error(&"the daemon answered something else");
            return Exit::Internal;
        }
        Err(AskError::Call(CallError::NotRunning)) => return Exit::Ok,
        Err(error) => {
            ui.error(&error);
            return error.exit();
        }
    };
    match wait_until_it_has_ended(&place, process) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            ui.error(&format!("the daemon was told to stop and has not ended: {error}"));
            Exit::Internal
        }
    }
}

/// The daemon frees its lock when everything is on disk, and then its process ends.
fn wait_until_it_has_ended(place: &SocketPlace, process: u32) -> io::Result<()> {
    let lock = File::open(place.lock_file())?;
    let deadline = Instant::now() + STOP_WAIT;
    while flock(&lock, FlockOperation::NonBlockingLockShared).is_err() || is_running(process) {
        if Instant::now() >= deadline {
            return Err(io::Error::new(io::ErrorKind::TimedOut, "still running"));
        }
        thread::sleep(LOOK);
    }
    Ok(())
}

/// Whether the process is there and not only waits to be reaped by whoever started it. Its first thread may
/// have ended before the others have.
fn is_running(process: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"));
    let has_ended = stat.map_or(true, |stat| {
        stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with(['Z', 'X']))
    });
    !has_ended || std::fs::read_dir(format!("/proc/{process}/task")).is_ok_and(|threads| threads.count() > 1)
}
