//! `circinus-loadtest flood`: connections, slow clients and garbage on the socket, while hooks are measured.
//!
//! The flood comes from threads of this process, so the program that does nothing, which the hook is compared with,
//! runs on the same crowded machine.

use std::fmt;
use std::io::{self, Write};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use rustix::process::{Resource, getrlimit, setrlimit};
use thiserror::Error;

use crate::limits::sample::{Sample, in_words};
use crate::load::{Ground, LoadError, Place};
use crate::process::ProgramError;
use crate::profile::Profile;
use crate::workload::events::Host;

/// The most that a hook's p95 may be, as a multiple of the p95 of a program that does nothing.
const RATIO_MAX: f64 = 3.0;

/// The ratio afterwards may be so much above that before: what two measurements of the same differ by.
const AFTER_MAX: f64 = 1.5;

/// Descriptors of this process besides those of the flood.
const DESCRIPTORS_OWN: u64 = 128;

/// Bytes of one write of garbage, and the pause before more is due.
const GARBAGE_BYTES: usize = 64 << 10;
const PAUSE: Duration = Duration::from_millis(2);

/// Between two bytes of a slow client, and before a connection that the daemon closed is made again.
const AGAIN: Duration = Duration::from_secs(1);

/// The command's arguments.
#[derive(Clone, Debug, Args)]
pub struct Options {
    /// Connections that say nothing; what the daemon closes is made again a second later
    #[arg(long, value_name = "N", default_value = "10000", value_parser = clap::value_parser!(u64).range(1..=100_000))]
    pub connections: u64,
    /// Connections besides that send a byte now and then
    #[arg(long, value_name = "N", default_value = "1000", value_parser = clap::value_parser!(u64).range(0..=100_000))]
    pub slow: u64,
    /// Megabytes of garbage a second
    #[arg(long, value_name = "MB", default_value = "100", value_parser = clap::value_parser!(u64).range(0..=10_000))]
    pub garbage: u64,
    /// How long, in seconds
    #[arg(long, value_name = "S", default_value = "60", value_parser = clap::value_parser!(u64).range(1..=3_600))]
    pub seconds: u64,
    /// Where the run takes place
    #[command(flatten)]
    pub place: Place,
}

/// Why there is no report.
#[derive(Debug, Error)]
pub enum FloodError {
    /// The daemon, or a program.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The hook, or the program that does nothing.
    #[error(transparent)]
    Program(#[from] ProgramError),
    /// The limit of open files is too low.
    #[error(
        "{needed} open files are needed and {allowed} are allowed; hint: `ulimit -n {needed}`, or fewer --connections"
    )]
    Descriptors {
        /// How many the flood needs.
        needed: u64,
        /// How many the system allows.
        allowed: u64,
    },
    /// A thread of the flood ended in a panic.
    #[error("a thread of the flood panicked")]
    Panicked,
}

/// A hook beside a program that does nothing.
#[derive(Clone, Copy, Debug)]
pub struct Pair {
    rounds: usize,
    hook_p95: f64,
    noop_p95: f64,
    /// Hooks that were not answered by the daemon.
    unanswered: usize,
}

/// What was measured before, during and after the flood.
#[derive(Clone, Debug)]
pub struct Report {
    before: Pair,
    during: Pair,
    after: Pair,
    connections: u64,
    garbage_bytes: u64,
    seconds: f64,
}

impl Pair {
    fn ratio(&self) -> f64 {
        self.hook_p95 / self.noop_p95
    }
}

impl Report {
    /// Whether every hook was answered as ever, and the flood slowed it down no more than any program.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        let pairs = [self.before, self.during, self.after];
        self.during.ratio() <= RATIO_MAX
            && self.after.ratio() <= self.before.ratio() * AFTER_MAX
            && pairs.iter().all(|pair| pair.unanswered == 0)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rate = self.garbage_bytes as f64 / 1e6 / self.seconds;
        let Self { connections, seconds, .. } = self;
        writeln!(f, "{connections} connections made and {rate:.0} MB/s of garbage taken in {seconds:.0} s")?;
        for (when, pair) in [("before", self.before), ("during", self.during), ("after", self.after)] {
            let Pair { rounds, hook_p95, noop_p95, unanswered } = pair;
            let (hook, noop) = (in_words(hook_p95), in_words(noop_p95));
            let ratio = pair.ratio();
            writeln!(
                f,
                "{when}: hook p95 {hook}, no-op p95 {noop}, ratio {ratio:.2}, {rounds} rounds, {unanswered} unanswered"
            )?;
        }
        writeln!(f, "{}", if self.is_kept() { "met" } else { "missed" })
    }
}

/// Floods a daemon of its own.
///
/// # Errors
/// [`FloodError`].
pub fn run(options: &Options) -> Result<Report, FloodError> {
    make_room(options.connections + options.slow + DESCRIPTORS_OWN)?;
    let ground = Ground::new(&options.place, Profile::Balanced)?;
    let mut scene =
        Scene { host: Host::new("flood", &ground.root.to_string_lossy()), number: 0, ground: &ground };
    let rest = Duration::from_secs(options.seconds.div_ceil(6).min(10));
    let before = scene.measure(rest)?;
    let place = ground.daemon.place().map_err(LoadError::from)?;
    let flood = Flood { socket: place.socket().to_owned(), ..Flood::default() };
    let began = Instant::now();
    let during = thread::scope(|scope| {
        let threads = [
            scope.spawn(|| flood.hold(options.connections, false)),
            scope.spawn(|| flood.hold(options.slow, true)),
            scope.spawn(|| flood.babble(options.garbage * 1_000_000)),
        ];
        let during = scene.measure(Duration::from_secs(options.seconds));
        flood.ended.store(true, Ordering::Relaxed);
        let all_ended = threads.into_iter().all(|thread| thread.join().is_ok());
        if all_ended { during } else { Err(FloodError::Panicked) }
    })?;
    let seconds = began.elapsed().as_secs_f64();
    let after = scene.measure(rest)?;
    ground.close()?;
    let [connections, garbage_bytes] =
        [&flood.connections, &flood.garbage_bytes].map(|count| count.load(Ordering::Relaxed));
    Ok(Report { before, during, after, connections, garbage_bytes, seconds })
}

/// Raises the soft limit of open files as far as the flood needs.
fn make_room(needed: u64) -> Result<(), FloodError> {
    let limit = getrlimit(Resource::Nofile);
    let is_enough = |limit: Option<u64>| limit.is_none_or(|limit| limit >= needed);
    if is_enough(limit.current) {
        return Ok(());
    }
    let raised = rustix::process::Rlimit { current: Some(needed), maximum: limit.maximum };
    if is_enough(limit.maximum) && setrlimit(Resource::Nofile, raised).is_ok() {
        return Ok(());
    }
    Err(FloodError::Descriptors { needed, allowed: limit.maximum.unwrap_or_default() })
}

struct Scene<'a> {
    host: Host,
    number: usize,
    ground: &'a Ground,
}

impl Scene<'_> {
    /// A hook and a program that does nothing, in turn, for so long.
    fn measure(&mut self, time: Duration) -> Result<Pair, FloodError> {
        let (mut hooks, mut noops, mut unanswered) = (Vec::new(), Vec::new(), 0);
        let until = Instant::now() + time;
        while hooks.is_empty() || Instant::now() < until {
            self.number += 1;
            noops.push(self.ground.noop.run(b"")?.0);
            let event = self.host.shell(self.number, "git push origin main", 1_024);
            let (took, answer) = self.ground.hook.run(&event)?;
            hooks.push(took);
            // The daemon lets it pass; without one it is asked about.
            unanswered += usize::from(answer.exit != 0 || !answer.stdout.is_empty());
        }
        let (hooks, noops) = (Sample::new(hooks), Sample::new(noops));
        Ok(Pair { rounds: hooks.len(), hook_p95: hooks.p95(), noop_p95: noops.p95(), unanswered })
    }
}

#[derive(Default)]
struct Flood {
    socket: PathBuf,
    ended: AtomicBool,
    connections: AtomicU64,
    garbage_bytes: AtomicU64,
}

impl Flood {
    fn has_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed)
    }

    /// Keeps so many connections open; slow ones send a byte now and then.
    fn hold(&self, wanted: u64, slow: bool) {
        let mut held: Vec<UnixStream> = Vec::new();
        while !self.has_ended() {
            while (held.len() as u64) < wanted && !self.has_ended() {
                let Ok(stream) = connect(&self.socket) else { break };
                self.connections.fetch_add(1, Ordering::Relaxed);
                held.push(stream);
            }
            // What the daemon has closed is made again.
            held.retain_mut(|stream| if slow { stream.write(b"C").is_ok() } else { !is_closed(stream) });
            thread::sleep(AGAIN);
        }
    }

    /// Sends what is no frame, at a rate, on ever new connections.
    fn babble(&self, bytes_per_s: u64) {
        let mut draw = fastrand::Rng::with_seed(1);
        let garbage: Vec<u8> = (0..GARBAGE_BYTES).map(|_| draw.u8(..)).collect();
        let began = Instant::now();
        let mut sent = 0;
        while !self.has_ended() && bytes_per_s > 0 {
            let due = (began.elapsed().as_secs_f64() * bytes_per_s as f64) as u64;
            while sent < due && !self.has_ended() {
                let Ok(mut stream) = connect(&self.socket) else { break };
                self.connections.fetch_add(1, Ordering::Relaxed);
                // The daemon refuses it at its first bytes and reads a bounded rest; then the write fails.
                while let Ok(bytes) = stream.write(&garbage) {
                    sent += bytes as u64;
                    if sent >= due || bytes == 0 {
                        break;
                    }
                }
            }
            thread::sleep(PAUSE);
        }
        self.garbage_bytes.store(sent, Ordering::Relaxed);
    }
}

/// A connection that never blocks its thread.
fn connect(socket: &Path) -> io::Result<UnixStream> {
    let stream = UnixStream::connect(socket)?;
    stream.set_nonblocking(true)?;
    Ok(stream)
}

/// Whether the daemon has closed it, with what it had to say.
fn is_closed(stream: &mut UnixStream) -> bool {
    let mut said = [0; 256];
    !matches!(io::Read::read(stream, &mut said), Err(error) if error.kind() == io::ErrorKind::WouldBlock)
}
