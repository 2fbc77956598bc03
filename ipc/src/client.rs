//! The blocking client: one request, one reply, one deadline over connecting, writing and reading.

use crate::limits::HEADER_BYTES;
use crate::path::{PlaceError, SocketPlace};
use crate::peer::{self, Peer, own_uid};
use crate::wire::{Decoder, Direction, EncodeError, FrameError, MessageError, Reply, Request, RequestRef};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix,
    SocketFlags, SocketType,
};
use std::io;
use std::io::IoSlice;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};
use thiserror::Error;

/// First and longest pause between two attempts to enter a full accept queue, where the kernel offers no event.
const CONNECT_RETRY: [Duration; 2] = [Duration::from_micros(200), Duration::from_millis(10)];

/// Why there is no reply. (That the daemon *answered* with an error is a [`Reply::Error`].)
#[derive(Debug, Error)]
pub enum CallError {
    /// No daemon listens at this place.
    #[error("no daemon is running; hint: run `circinus daemon start`")]
    NotRunning,
    /// The place, or who listens there, is not ours alone.
    #[error("the daemon's place is not trusted: {0}")]
    Refused(RefusedError),
    /// The deadline passed.
    #[error("no answer within {} ms; hint: the daemon is busy or hangs; try again in a moment", timeout.as_millis())]
    TimedOut {
        /// The time that was given.
        timeout: Duration,
    },
    /// What came back is not one reply.
    #[error("the daemon's answer is not understood: {0}")]
    Protocol(ProtocolError),
    /// The request is above its cap; nothing was sent.
    #[error("the request is too large: {0}")]
    TooLarge(EncodeError),
    /// The system refused.
    #[error("cannot {operation}: {source}")]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The system's reason.
        source: io::Error,
    },
}

/// Why the daemon's place is not trusted.
#[derive(Debug, Error)]
pub enum RefusedError {
    /// Owner, mode or kind of the place.
    #[error(transparent)]
    Place(#[from] PlaceError),
    /// Another user listens.
    #[error("the process that listens belongs to user {uid}")]
    ForeignPeer {
        /// That user.
        uid: u32,
    },
    /// The system forbids to connect.
    #[error("connecting is forbidden: {0}")]
    Forbidden(io::Error),
}

/// Why bytes are not one reply.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProtocolError {
    /// Not a frame.
    #[error(transparent)]
    Frame(#[from] FrameError),
    /// Not a message.
    #[error(transparent)]
    Message(#[from] MessageError),
    /// The connection ended before a whole reply.
    #[error("the connection ended before a whole reply")]
    Closed,
    /// More bytes than one reply.
    #[error("there are bytes behind the reply")]
    Trailing,
}

/// The blocking client.
#[derive(Debug)]
pub struct Client;

impl Client {
    /// Sends one request and waits for its reply, for at most `timeout` in all.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn call(place: &SocketPlace, request: Request, timeout: Duration) -> Result<Reply, CallError> {
        Client::call_ref(place, request.as_ref(), timeout)
    }

    /// The same, for a process that shows its standard input along, see [`Peer::input_of`].
    ///
    /// # Errors
    /// [`CallError`].
    pub fn call_showing(
        place: &SocketPlace,
        request: RequestRef<'_>,
        input: BorrowedFd<'_>,
        timeout: Duration,
    ) -> Result<Reply, CallError> {
        Client::exchange(place, request, &[input], timeout)
    }

    /// The same, for a caller that keeps the body.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn call_ref(
        place: &SocketPlace,
        request: RequestRef<'_>,
        timeout: Duration,
    ) -> Result<Reply, CallError> {
        Client::exchange(place, request, &[], timeout)
    }

    fn exchange(
        place: &SocketPlace,
        request: RequestRef<'_>,
        shown: &[BorrowedFd<'_>],
        timeout: Duration,
    ) -> Result<Reply, CallError> {
        let header = request.header().map_err(CallError::TooLarge)?;
        let deadline = Deadline::after(timeout);
        place.check().map_err(|error| match error {
            PlaceError::Missing { .. } => CallError::NotRunning,
            error => CallError::Refused(error.into()),
        })?;
        let socket = connect(place, deadline)?;
        let daemon =
            peer::of(&socket).map_err(|source| CallError::Io { operation: "ask for the peer", source })?;
        check_peer(daemon, own_uid()).map_err(CallError::Refused)?;
        write(&socket, &header, request.body(), shown, deadline)?;
        read(&socket, deadline)
    }
}

/// INVARIANT (same-user-only): nothing is sent to a process of another user, whatever the file system said.
fn check_peer(daemon: Peer, uid: u32) -> Result<(), RefusedError> {
    if daemon.uid == uid { Ok(()) } else { Err(RefusedError::ForeignPeer { uid: daemon.uid }) }
}

#[derive(Debug, Clone, Copy)]
struct Deadline {
    timeout: Duration,
    at: Instant,
}

impl Deadline {
    fn after(timeout: Duration) -> Self {
        Deadline { timeout, at: Instant::now() + timeout }
    }

    /// What is left; `TimedOut` when nothing is.
    fn left(self) -> Result<Duration, CallError> {
        match self.at.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(CallError::TimedOut { timeout: self.timeout }),
            left => Ok(left),
        }
    }

    fn wait(self, socket: &OwnedFd, flags: PollFlags) -> Result<PollFlags, CallError> {
        loop {
            let left = Timespec::try_from(self.left()?).ok();
            let mut polled = [PollFd::new(socket, flags)];
            match poll(&mut polled, left.as_ref()) {
                Ok(0) | Err(Errno::INTR) => {}
                Ok(_) => return Ok(polled.iter().fold(PollFlags::empty(), |all, one| all | one.revents())),
                Err(error) => return Err(failed("wait for the daemon", error)),
            }
        }
    }
}

fn failed(operation: &'static str, error: Errno) -> CallError {
    CallError::Io { operation, source: error.into() }
}

fn connect(place: &SocketPlace, deadline: Deadline) -> Result<OwnedFd, CallError> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = rustix::net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)
        .map_err(|error| failed("open a socket", error))?;
    let address =
        SocketAddrUnix::new(place.socket()).map_err(|error| failed("name the daemon's socket", error))?;
    let [mut pause, pause_max] = CONNECT_RETRY;
    loop {
        match rustix::net::connect(&socket, &address) {
            Ok(()) => return Ok(socket),
            Err(Errno::NOENT | Errno::CONNREFUSED) => return Err(CallError::NotRunning),
            Err(error @ (Errno::ACCESS | Errno::PERM)) => {
                return Err(CallError::Refused(RefusedError::Forbidden(error.into())));
            }
            Err(Errno::AGAIN) => {
                thread::sleep(pause.min(deadline.left()?));
                pause = (pause * 2).min(pause_max);
            }
            Err(Errno::INTR) => {
                deadline.left()?;
            }
            Err(error) => return Err(failed("connect to the daemon", error)),
        }
    }
}

/// Writes the frame. A daemon that answers or hangs up before it has read all has refused it: then its reason is
/// there to be read, and the rest need not be written.
fn write(
    socket: &OwnedFd,
    header: &[u8; HEADER_BYTES],
    body: &[u8],
    shown: &[BorrowedFd<'_>],
    deadline: Deadline,
) -> Result<(), CallError> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if !shown.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(shown));
    }
    let mut sent = 0;
    while sent < HEADER_BYTES + body.len() {
        let head = header.get(sent..).unwrap_or_default();
        let rest = body.get(sent.saturating_sub(HEADER_BYTES)..).unwrap_or_default();
        let slices = [IoSlice::new(head), IoSlice::new(rest)];
        match rustix::net::sendmsg(socket, &slices, &mut control, SendFlags::NOSIGNAL) {
            Ok(bytes) => {
                sent += bytes;
                control.clear();
            }
            Err(Errno::AGAIN) => {
                let ready = deadline.wait(socket, PollFlags::OUT | PollFlags::IN)?;
                if ready.contains(PollFlags::IN) {
                    return Ok(());
                }
            }
            Err(Errno::PIPE | Errno::CONNRESET) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(failed("write to the daemon", error)),
        }
    }
    Ok(())
}

/// Bytes of one read: an answer to a hook is smaller, and a process that lives for a moment needs no more room.
const REPLY_BYTES_USUAL: usize = 4 << 10;

fn read(socket: &OwnedFd, deadline: Deadline) -> Result<Reply, CallError> {
    let protocol = |error| CallError::Protocol(error);
    let mut decoder = Decoder::new(Direction::Reply);
    let mut chunk = [0; REPLY_BYTES_USUAL];
    loop {
        match rustix::net::recv(socket, chunk.as_mut_slice(), RecvFlags::empty()) {
            Ok((_, 0)) | Err(Errno::CONNRESET | Errno::PIPE) => return Err(protocol(ProtocolError::Closed)),
            Ok((_, bytes)) => {
                let bytes = chunk.get(..bytes).unwrap_or_default();
                let (taken, frame) = decoder.feed(bytes).map_err(|error| protocol(error.into()))?;
                if let Some(frame) = frame {
                    if taken < bytes.len() {
                        return Err(protocol(ProtocolError::Trailing));
                    }
                    return Reply::from_frame(frame).map_err(|error| protocol(error.into()));
                }
                deadline.left()?;
            }
            Err(Errno::AGAIN) => {
                deadline.wait(socket, PollFlags::IN)?;
            }
            Err(Errno::INTR) => {}
            Err(error) => return Err(failed("read from the daemon", error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// INVARIANT (same-user-only)
    #[test]
    fn a_daemon_of_another_user_is_refused() {
        assert!(check_peer(Peer { pid: 1, uid: 7, input_of: None }, 7).is_ok());
        let refused = check_peer(Peer { pid: 1, uid: 7, input_of: None }, 8);
        assert!(matches!(refused, Err(RefusedError::ForeignPeer { uid: 7 })));
    }
}
