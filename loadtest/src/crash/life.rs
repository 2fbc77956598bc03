//! One seed: a few lives of a daemon in one home, each ended by force, checked after each.

use std::collections::BTreeSet;
use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use circinus::daemon::{ControlReply, ControlRequest};
use circinus_ipc::client::{CallError, Client};
use circinus_ipc::path::{HomeDir, SocketPlace};
use circinus_ipc::peer::own_uid;
use circinus_ipc::wire::{Reply, RequestRef};
use circinus_store::Step;
use wait_timeout::ChildExt;

use super::check::{Sample, Tally, check, compare};
use super::load::{CLIENTS, Promise, Sender};
use super::random::Random;
use super::stand_in::STORE_FAILED;
use super::{CrashError, Failure, Kind, Programs, io, unexpected};

/// Lives of one seed.
const LIVES: u64 = 2;

/// A daemon is killed at the latest this long after its start, if its step has not come.
const LIFE_MS_MAX: u64 = 500;

/// The step comes at the latest the so manieth time.
const STEP_COUNT_MAX: u64 = 60;

/// States of the index taken of one life.
const SAMPLES_MAX: usize = 4;

/// Time for a daemon to answer after its start, and to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// Between two looks.
const LOOK: Duration = Duration::from_millis(2);

pub(super) fn try_seed(
    kind: Kind,
    seed: u64,
    folder: &Path,
    programs: &Programs,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let mut random = Random::new(seed, 0);
    let home = folder.join("home");
    let project = folder.join("project");
    for made in [&home, &project] {
        DirBuilder::new().mode(0o700).create(made).map_err(io("create a folder"))?;
    }
    let place =
        SocketPlace::new(&HomeDir::at(&home).map_err(unexpected)?, &|name| std::env::var_os(name), own_uid());
    let mut promised = BTreeSet::new();
    for number in 0..LIVES {
        let mut life = Life {
            home: &home,
            project: &project,
            place: &place,
            seed,
            number,
            millis: random.below(LIFE_MS_MAX),
        };
        let command = life.command(kind, &mut random, programs);
        let (kept, samples) = life.live(command)?;
        tally.lives += 1;
        tally.promised(&kept);
        promised.extend(kept);
        check(&home, &promised, &samples, tally)?;
    }
    last_life(&home, &place, programs, tally)?;
    check(&home, &promised, &[], tally)
}

/// The real daemon takes over: it starts, its index is the fold of its log, and it ends in order.
fn last_life(
    home: &Path,
    place: &SocketPlace,
    programs: &Programs,
    tally: &mut Tally,
) -> Result<(), Failure> {
    let mut child = spawn(daemon_command(&programs.circinus, home)?)?;
    let compared = (|| {
        let sample = wait_for_index(place, &mut child)?;
        compare(home, &sample, tally)
    })();
    if ask(place, &ControlRequest::Stop).is_none() {
        child.kill().map_err(io("kill the daemon"))?;
    }
    let ended = child.wait_timeout(PATIENCE).map_err(io("wait for the daemon"))?;
    compared?;
    match ended {
        Some(status) if status.success() => Ok(()),
        other => Err(CrashError::Unexpected(format!("the last daemon ended with {other:?}")).into()),
    }
}

struct Life<'a> {
    home: &'a Path,
    project: &'a Path,
    place: &'a SocketPlace,
    seed: u64,
    number: u64,
    /// How long it is left alive.
    millis: u64,
}

impl Life<'_> {
    fn command(
        &mut self,
        kind: Kind,
        random: &mut Random,
        programs: &Programs,
    ) -> Result<Command, CrashError> {
        if kind == Kind::Kill {
            return daemon_command(&programs.circinus, self.home);
        }
        // Long enough for the step to come; where it comes, the process is gone at once.
        self.millis = if kind == Kind::Step { 2 * LIFE_MS_MAX } else { LIFE_MS_MAX / 2 + self.millis };
        let at = random.below(Step::ALL.len() as u64);
        let step =
            usize::try_from(at).ok().and_then(|at| Step::ALL.get(at)).copied().unwrap_or(Step::Gathered);
        let mut command = daemon_command(&programs.stand_in, self.home)?;
        command
            .arg("--step")
            .arg(format!("{step:?}"))
            .arg("--count")
            .arg((1 + random.below(STEP_COUNT_MAX)).to_string());
        if kind == Kind::Fault {
            command.arg("--fail");
        }
        Ok(command)
    }

    /// Runs the daemon under load until it is gone; gives what it promised and states of its index.
    fn live(&self, command: Result<Command, CrashError>) -> Result<(Vec<Promise>, Vec<Sample>), CrashError> {
        let mut child = spawn(command?)?;
        let gone = AtomicBool::new(false);
        let ends = Instant::now() + Duration::from_millis(self.millis);
        thread::scope(|scope| {
            let senders: Vec<_> = (0..CLIENTS)
                .map(|client| {
                    let sender = Sender {
                        place: self.place,
                        gone: &gone,
                        name: format!("life{}c{client}", self.number),
                        random: Random::new(self.seed, 1 + self.number * CLIENTS + client),
                        project: self.project.display().to_string(),
                    };
                    scope.spawn(move || sender.run())
                })
                .collect();
            let (samples, killed) = self.watch(&mut child, ends);
            gone.store(true, Ordering::Release);
            killed?;
            let mut promised = Vec::new();
            for sender in senders {
                let kept =
                    sender.join().map_err(|_| CrashError::Unexpected("a client panicked".to_owned()))?;
                promised.extend(kept);
            }
            Ok((promised, samples))
        })
    }

    /// Takes states of the index while the daemon lives, kills it at its time and reaps it.
    fn watch(&self, child: &mut Child, ends: Instant) -> (Vec<Sample>, Result<(), CrashError>) {
        let mut samples = Vec::new();
        loop {
            match child.try_wait() {
                Ok(None) => {}
                Ok(Some(status)) if is_kill(status) || is_failure(status) => return (samples, Ok(())),
                Ok(Some(status)) => {
                    let said = fs::read_to_string(self.home.join("said.log")).unwrap_or_default();
                    return (
                        samples,
                        Err(CrashError::Unexpected(format!("the daemon ended with {status}: {said}"))),
                    );
                }
                Err(source) => return (samples, Err(io("wait for the daemon")(source))),
            }
            if Instant::now() >= ends {
                let killed =
                    child.kill().and_then(|()| child.wait()).map(drop).map_err(io("kill the daemon"));
                return (samples, killed);
            }
            if samples.len() < SAMPLES_MAX {
                samples.extend(index(self.place));
            }
            thread::sleep(LOOK);
        }
    }
}

fn is_kill(status: std::process::ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;
    status.signal() == Some(rustix::process::Signal::KILL.as_raw())
}

/// Whether the daemon ended because its store failed.
fn is_failure(status: std::process::ExitStatus) -> bool {
    status.code() == Some(i32::from(STORE_FAILED))
}

/// `program daemon run` with a home and nothing else of this process's environment that matters.
fn daemon_command(program: &Path, home: &Path) -> Result<Command, CrashError> {
    let said =
        File::options().append(true).create(true).open(home.join("said.log")).map_err(io("open a log"))?;
    let mut command = Command::new(program);
    command
        .args(["daemon", "run"])
        .env("CIRCINUS_HOME", home)
        .env("HOME", home)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(said);
    Ok(command)
}

fn spawn(mut command: Command) -> Result<Child, CrashError> {
    command.spawn().map_err(io("start the daemon"))
}

fn wait_for_index(place: &SocketPlace, child: &mut Child) -> Result<Sample, CrashError> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        if let Some(sample) = index(place) {
            return Ok(sample);
        }
        if let Some(status) = child.try_wait().map_err(io("wait for the daemon"))? {
            return Err(CrashError::Unexpected(format!("the daemon does not start again: {status}")));
        }
        if Instant::now() >= deadline {
            return Err(CrashError::Unexpected("the daemon does not answer".to_owned()));
        }
        thread::sleep(LOOK);
    }
}

fn index(place: &SocketPlace) -> Option<Sample> {
    match ask(place, &ControlRequest::Index)? {
        ControlReply::Index { last, identity, .. } => Some((last, identity)),
        _ => None,
    }
}

/// The daemon's answer; none when there is none, which is what a killed daemon gives.
fn ask(place: &SocketPlace, request: &ControlRequest) -> Option<ControlReply> {
    let body = serde_json::to_vec(request).ok()?;
    let reply: Result<Reply, CallError> = Client::call_ref(place, RequestRef::Control(&body), PATIENCE);
    match reply {
        Ok(Reply::Control(json)) => serde_json::from_slice(&json).ok(),
        Ok(_) | Err(_) => None,
    }
}
