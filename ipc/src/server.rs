//! The daemon's end: bind one place, serve it on a thread of its own, stop.

mod descriptors;
mod lock;

use crate::limits::{LISTEN_BACKLOG, Limits};
use crate::path::{PlaceError, SocketPlace};
use crate::queue::{Job, Outbox};
use crate::reactor::Reactor;
use crossbeam_channel::{Receiver, Sender};
use lock::DaemonLock;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType};
use std::fs;
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use thiserror::Error;

/// Why a process cannot become the daemon.
#[derive(Debug, Error)]
pub enum BindError {
    /// Another process is the daemon of this home.
    #[error("a daemon is running already{}; hint: one daemon serves a home, see `circinus status`", pid.map(|pid| format!(" (pid {pid})")).unwrap_or_default())]
    AlreadyRunning {
        /// Its process id, unless it has not written it yet.
        pid: Option<u32>,
    },
    /// The place is not ours alone.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Something that is no socket has the socket's name.
    #[error("{} is there and is not a socket; hint: look at it and remove it", path.display())]
    NotASocket {
        /// The path.
        path: PathBuf,
    },
    /// The system refused.
    #[error("cannot {operation} {}: {source}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Why a bound server cannot serve.
#[derive(Debug, Error)]
#[error("cannot {operation}: {source}")]
pub struct StartError {
    /// What was tried.
    pub operation: &'static str,
    /// The system's reason.
    pub source: io::Error,
}

/// Why a server did not stop in order. It is stopped all the same.
#[derive(Debug, Error)]
pub enum StopError {
    /// The poll had failed.
    #[error("the server had stopped by itself: {0}")]
    Poll(io::Error),
    /// The server's thread panicked.
    #[error("the server had stopped by itself: its thread panicked")]
    Panicked,
    /// The socket is left behind; the next daemon removes it.
    #[error("cannot remove {}: {source}", path.display())]
    Remove {
        /// The socket.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// The socket's name, and the lock that gives the right to it; the lock is freed when this is dropped.
#[derive(Debug)]
struct Held {
    socket: PathBuf,
    _lock: DaemonLock,
}

/// A bound socket that is not served yet; clients that connect wait in the kernel.
#[derive(Debug)]
pub struct Server {
    held: Held,
    listener: UnixListener,
    limits: Limits,
    sender: Sender<Job>,
    receiver: Receiver<Job>,
}

impl Server {
    /// Becomes the daemon of a place: makes and checks its directories, takes the lock, removes a stale socket,
    /// listens on a socket of mode 0600.
    ///
    /// INVARIANT (one-daemon): the socket is touched only by the holder of the exclusive lock, so a socket that is
    /// there when the lock was free belongs to a dead daemon.
    ///
    /// # Errors
    /// [`BindError`].
    pub fn bind(place: &SocketPlace, limits: Limits) -> Result<Server, BindError> {
        place.create()?;
        let lock = DaemonLock::acquire(&place.lock_file())?;
        let socket = place.socket();
        remove_stale(&socket)?;
        let listener = listen(&socket).map_err(|source| BindError::Io {
            operation: "listen on",
            path: socket.clone(),
            source,
        })?;
        let (sender, receiver) = crossbeam_channel::bounded(limits.jobs_queued_max);
        Ok(Server { held: Held { socket, _lock: lock }, listener, limits, sender, receiver })
    }

    /// The queue of requests, for any number of workers. It ends (`recv` errs) when the server stops. Take it before
    /// [`Server::start`]; a server whose receivers are all gone answers `Internal`.
    #[must_use]
    pub fn jobs(&self) -> Receiver<Job> {
        self.receiver.clone()
    }

    /// Serves on a thread of its own.
    ///
    /// # Errors
    /// [`StartError`] where the system gives no poll or no thread.
    pub fn start(self) -> Result<ServerHandle, StartError> {
        let stop = Arc::new(AtomicBool::new(false));
        let connections_max = descriptors::make_room(self.limits.connections_max);
        let limits = Limits { connections_max, ..self.limits };
        let reactor = Reactor::new(self.listener, self.sender, limits, Arc::clone(&stop))
            .map_err(|source| StartError { operation: "set up the poll", source })?;
        let outbox = reactor.outbox();
        let thread = std::thread::Builder::new()
            .name("circinus-ipc".into())
            .spawn(move || reactor.run())
            .map_err(|source| StartError { operation: "start the server thread", source })?;
        Ok(ServerHandle { thread: Some(thread), stop, outbox, held: self.held })
    }
}

/// A server at work. Dropping it stops it too, without a report.
pub struct ServerHandle {
    thread: Option<JoinHandle<io::Result<()>>>,
    stop: Arc<AtomicBool>,
    outbox: Arc<Outbox>,
    held: Held,
}

impl ServerHandle {
    /// Stops: accepts nothing more, refuses half-read requests with `ShuttingDown`, gives outstanding answers
    /// [`Limits::stop_max`], joins the thread, removes the socket. The lock is held until the handle is dropped,
    /// so that what the daemon still has to finish is finished before another one can start.
    ///
    /// # Errors
    /// [`StopError`].
    pub fn stop(&mut self) -> Result<(), StopError> {
        self.join()
    }

    /// Whether the server has ended by itself.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    fn join(&mut self) -> Result<(), StopError> {
        let Some(thread) = self.thread.take() else { return Ok(()) };
        self.stop.store(true, Ordering::Release);
        self.outbox.waker.wake();
        let served = thread.join();
        let path = &self.held.socket;
        match fs::remove_file(path) {
            Err(source) if source.kind() != io::ErrorKind::NotFound => {
                return Err(StopError::Remove { path: path.clone(), source });
            }
            _ => {}
        }
        match served {
            Ok(Ok(())) => Ok(()),
            Ok(Err(source)) => Err(StopError::Poll(source)),
            Err(_) => Err(StopError::Panicked),
        }
    }
}

impl Drop for ServerHandle {
    fn drop(&mut self) {
        // Who wants the report calls `stop`; a socket left behind is removed by the next daemon.
        let _unreported = self.join();
    }
}

fn remove_stale(socket: &Path) -> Result<(), BindError> {
    let io = |operation, source| BindError::Io { operation, path: socket.to_owned(), source };
    match socket.symlink_metadata() {
        Ok(found) if found.file_type().is_socket() => {
            fs::remove_file(socket).map_err(|source| io("remove the stale socket", source))
        }
        Ok(_) => Err(BindError::NotASocket { path: socket.to_owned() }),
        Err(source) if source.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(io("look at", source)),
    }
}

fn listen(path: &Path) -> io::Result<UnixListener> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    // The name made by `bind` takes its mode from the socket (unix(7), Linux): never open to others, not for a moment.
    rustix::fs::fchmod(&socket, rustix::fs::Mode::from_raw_mode(0o600))?;
    rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
    rustix::net::listen(&socket, LISTEN_BACKLOG)?;
    Ok(UnixListener::from(socket))
}
