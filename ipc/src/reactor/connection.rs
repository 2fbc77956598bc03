//! One accepted socket: bounded reads and writes around a [`Session`].

use crate::limits::{READ_BYTES_PER_TURN, WRITE_BYTES_PER_TURN};
use crate::peer::{self, Peer};
use crate::session::{Phase, Session};
use crate::wire::Request;
use mio::event::Event;
use mio::net::UnixStream;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags};
use std::io::{self, IoSliceMut, Write};
use std::mem::MaybeUninit;
use std::time::Instant;

/// An accepted socket with its session and its place in the reactor's books.
pub(super) struct Connection {
    pub(super) stream: UnixStream,
    pub(super) session: Session,
    pub(super) peer: Peer,
    /// Bytes this connection is booked with.
    pub(super) held_bytes: usize,
    /// The deadline this connection is booked with, and the stage it was set for.
    pub(super) deadline: Option<(Instant, (Phase, u64))>,
    /// Whether it stands in the queue of turns.
    pub(super) is_queued: bool,
    // Events are edge-triggered: readiness is remembered until the kernel says "would block".
    readable: bool,
    writable: bool,
    /// Whether the kernel was asked to tell when there is room to write.
    awaits_room: bool,
    hung_up: bool,
}

impl Connection {
    pub(super) fn new(stream: UnixStream, peer: Peer) -> Self {
        Connection {
            stream,
            session: Session::new(),
            peer,
            held_bytes: 0,
            deadline: None,
            is_queued: false,
            readable: true,
            writable: true,
            awaits_room: false,
            hung_up: false,
        }
    }

    pub(super) fn note(&mut self, event: &Event) {
        self.readable |= event.is_readable() || event.is_read_closed();
        self.writable |= event.is_writable();
        self.hung_up |= event.is_write_closed() || event.is_error();
    }

    /// Writes what the kernel takes, up to one turn's share.
    pub(super) fn write_some(&mut self) -> io::Result<()> {
        let mut left = WRITE_BYTES_PER_TURN;
        while self.writable && self.session.wants_write() && left > 0 {
            let output = self.session.output();
            let share = output.get(..left).unwrap_or(output);
            match self.stream.write(share) {
                Ok(bytes) => {
                    left = left.saturating_sub(bytes);
                    self.session.wrote(bytes);
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.writable = false,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads until a request is complete, the kernel has no more, or one turn's share is used up.
    pub(super) fn read_some(&mut self, chunk: &mut [u8], left: &mut usize) -> io::Result<Option<Request>> {
        while self.can_read() && *left > 0 {
            let share = chunk.len().min(*left);
            match self.receive(chunk.get_mut(..share).unwrap_or_default()) {
                Ok(0) => self.session.end_of_input(),
                Ok(bytes) => {
                    *left -= bytes.min(*left);
                    let request = self.session.receive(chunk.get(..bytes).unwrap_or_default());
                    if request.is_some() {
                        return Ok(request);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => self.readable = false,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Reads once; a descriptor that comes along is looked at and closed.
    fn receive(&mut self, chunk: &mut [u8]) -> io::Result<usize> {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
        let mut control = RecvAncillaryBuffer::new(&mut space);
        let mut slices = [IoSliceMut::new(chunk)];
        let received =
            rustix::net::recvmsg(&self.stream, &mut slices, &mut control, RecvFlags::CMSG_CLOEXEC)?;
        for message in control.drain() {
            if let RecvAncillaryMessage::ScmRights(shown) = message {
                self.peer.input_of = shown.last().and_then(peer::maker_of_pair);
            }
        }
        Ok(received.bytes)
    }

    /// Whether the client took no more and the kernel is to be asked, once, to tell when it does.
    pub(super) fn needs_room(&mut self) -> bool {
        let asks = !self.writable && !self.awaits_room;
        self.awaits_room |= asks;
        asks
    }

    /// The read share of one turn, in bytes.
    pub(super) const READ_SHARE: usize = READ_BYTES_PER_TURN;

    fn can_read(&self) -> bool {
        self.readable && self.session.wants_read()
    }

    /// Whether another turn would bring it on without a new event.
    pub(super) fn wants_turn(&self) -> bool {
        self.can_read() || (self.writable && self.session.wants_write()) || self.session.wants_resume()
    }

    /// Whether it can be closed: all is said, or the client has gone before its answer. (A client that went before
    /// its request was read is still read: an event that reached the socket counts.)
    pub(super) fn is_over(&self) -> bool {
        self.session.is_finished() || (self.hung_up && self.session.stage().0 == Phase::Answering)
    }
}
