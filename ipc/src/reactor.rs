//! The event loop: one thread, one poll, all connections.
//!
//! A connection gets turns; in a turn it reads and writes a bounded share, so a 64 MiB frame never keeps a small one
//! waiting. The reactor never blocks on the daemon: a full queue is answered `Busy`.

mod connection;
mod timers;

use crate::limits::{ACCEPT_RETRY, ACCEPTS_PER_TURN, Limits, POLL_WAIT_MAX, READ_CHUNK_BYTES};
use crate::peer;
use crate::queue::{Completion, ConnectionId, Job, Outbox, Responder, Wake};
use crate::session::Phase;
use crate::wire::{ErrorCode, Reply, Request};
use connection::Connection;
use crossbeam_channel::{Receiver, Sender, TrySendError};
use mio::net::{UnixListener, UnixStream};
use mio::{Events, Interest, Poll, Token, Waker};
use std::collections::{HashMap, VecDeque};
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use timers::Timers;

const LISTENER: Token = Token(0);
const WAKER: Token = Token(1);
const FIRST_CONNECTION: usize = 2;
const EVENTS_PER_POLL: usize = 256;

impl Wake for Waker {
    fn wake(&self) {
        // The kernel refuses a wake-up only when one is pending already (mio clears that) or the poll is gone. What
        // is missed is picked up after POLL_WAIT_MAX.
        let _pending = Waker::wake(self);
    }
}

/// The server's thread.
pub(crate) struct Reactor {
    poll: Poll,
    listener: Option<UnixListener>,
    accept_ready: bool,
    accept_retry_at: Option<Instant>,
    connections: HashMap<ConnectionId, Connection>,
    next_id: usize,
    turns: VecDeque<ConnectionId>,
    timers: Timers,
    jobs: Option<Sender<Job>>,
    outbox: Arc<Outbox>,
    completions: Receiver<Completion>,
    in_flight: usize,
    /// Bytes of buffers and of requests in flight.
    held_bytes: usize,
    chunk: Vec<u8>,
    limits: Limits,
    own_uid: u32,
    stop: Arc<AtomicBool>,
    stop_at: Option<Instant>,
}

impl Reactor {
    /// Registers the listener; nothing is accepted before [`Reactor::run`].
    pub(crate) fn new(
        listener: std::os::unix::net::UnixListener,
        jobs: Sender<Job>,
        limits: Limits,
        stop: Arc<AtomicBool>,
    ) -> io::Result<Reactor> {
        let poll = Poll::new()?;
        let waker = Waker::new(poll.registry(), WAKER)?;
        let mut listener = UnixListener::from_std(listener);
        poll.registry().register(&mut listener, LISTENER, Interest::READABLE)?;
        let (sender, completions) = crossbeam_channel::bounded(limits.jobs_in_flight_max);
        Ok(Reactor {
            poll,
            listener: Some(listener),
            accept_ready: true,
            accept_retry_at: None,
            connections: HashMap::new(),
            next_id: FIRST_CONNECTION,
            turns: VecDeque::new(),
            timers: Timers::default(),
            jobs: Some(jobs),
            outbox: Arc::new(Outbox { completions: sender, waker: Box::new(waker) }),
            completions,
            in_flight: 0,
            held_bytes: 0,
            chunk: vec![0; READ_CHUNK_BYTES],
            limits,
            own_uid: peer::own_uid(),
            stop,
            stop_at: None,
        })
    }

    /// Wakes the loop from another thread.
    pub(crate) fn outbox(&self) -> Arc<Outbox> {
        Arc::clone(&self.outbox)
    }

    /// Serves until told to stop and every connection is answered or out of time.
    pub(crate) fn run(mut self) -> io::Result<()> {
        let mut events = Events::with_capacity(EVENTS_PER_POLL);
        loop {
            match self.poll.poll(&mut events, Some(self.wait(Instant::now()))) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                result => result?,
            }
            for event in &events {
                match event.token() {
                    LISTENER => self.accept_ready = true,
                    WAKER => {}
                    Token(id) => {
                        if let Some(connection) = self.connections.get_mut(&ConnectionId(id)) {
                            connection.note(event);
                            self.queue_turn(ConnectionId(id));
                        }
                    }
                }
            }
            self.take_completions();
            self.accept_some();
            if self.stop.load(Ordering::Acquire) {
                self.begin_stop();
            }
            self.expire();
            self.take_turns();
            if let Some(at) = self.stop_at
                && (self.connections.is_empty() || Instant::now() >= at)
            {
                return Ok(());
            }
        }
    }

    fn wait(&self, now: Instant) -> Duration {
        if !self.turns.is_empty() || self.accept_ready {
            return Duration::ZERO;
        }
        [self.timers.next(), self.accept_retry_at, self.stop_at]
            .into_iter()
            .flatten()
            .map(|at| at.saturating_duration_since(now))
            .fold(POLL_WAIT_MAX, Duration::min)
    }

    fn accept_some(&mut self) {
        let now = Instant::now();
        if self.accept_retry_at.is_some_and(|at| at <= now) {
            self.accept_retry_at = None;
            self.accept_ready = true;
        }
        for _ in 0..ACCEPTS_PER_TURN {
            let Some(listener) = self.listener.as_ref().filter(|_| self.accept_ready) else { return };
            match listener.accept() {
                Ok((stream, _)) => self.admit(stream),
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted | io::ErrorKind::ConnectionAborted => {}
                    io::ErrorKind::WouldBlock => self.accept_ready = false,
                    // Out of descriptors or memory: those waiting stay in the kernel's queue.
                    _ => {
                        self.accept_ready = false;
                        self.accept_retry_at = Some(now + ACCEPT_RETRY);
                    }
                },
            }
        }
    }

    /// INVARIANT (same-user-only): a connection whose peer the kernel does not name as our own user is closed
    /// before a byte of it is read.
    fn admit(&mut self, mut stream: UnixStream) {
        let peer = match peer::of(&stream) {
            Ok(peer) if peer.uid == self.own_uid => peer,
            _ => return,
        };
        if self.connections.len() >= self.limits.connections_max && !self.make_place() {
            let busy = Reply::error(ErrorCode::Busy, "too many connections; hint: try again");
            // A fresh socket has room for this; a client that is gone already needs no answer.
            let _gone = busy.encode().map(|bytes| stream.write(&bytes));
            return;
        }
        let id = ConnectionId(self.next_id);
        if self.poll.registry().register(&mut stream, Token(id.0), Interest::READABLE).is_err() {
            return; // the client sees a closed connection, which it takes as a failure
        }
        self.next_id += 1;
        self.connections.insert(id, Connection::new(stream, peer));
        self.queue_turn(id);
    }

    /// Closes the connection that has been there longest without a whole request: a flood of silent and of slow ones
    /// keeps nobody out who has something to ask. False where every connection waits for its answer.
    fn make_place(&mut self) -> bool {
        let idle = self.connections.iter().filter(|(_, connection)| {
            matches!(connection.session.stage().0, Phase::Idle | Phase::Receiving | Phase::Draining)
        });
        let Some(oldest) = idle.map(|(id, _)| *id).min() else { return false };
        if let Some(mut connection) = self.connections.remove(&oldest) {
            let busy = Reply::error(ErrorCode::Busy, "too many connections; hint: try again");
            // It has asked nothing yet, so that one that does not read loses nothing.
            let _unread = busy.encode().map(|bytes| connection.stream.write(&bytes));
            self.close(oldest, connection);
        }
        true
    }

    fn take_completions(&mut self) {
        while let Ok(Completion { connection: id, request_bytes, reply }) = self.completions.try_recv() {
            self.in_flight = self.in_flight.saturating_sub(1);
            self.held_bytes = self.held_bytes.saturating_sub(request_bytes);
            if let Some(connection) = self.connections.get_mut(&id) {
                connection.session.reply(&reply);
                self.queue_turn(id);
            }
        }
    }

    fn queue_turn(&mut self, id: ConnectionId) {
        if let Some(connection) = self.connections.get_mut(&id)
            && !connection.is_queued
        {
            connection.is_queued = true;
            self.turns.push_back(id);
        }
    }

    /// One turn for each connection that is queued now; who wants more is queued behind them.
    fn take_turns(&mut self) {
        for _ in 0..self.turns.len() {
            let Some(id) = self.turns.pop_front() else { return };
            let Some(mut connection) = self.connections.remove(&id) else { continue };
            connection.is_queued = false;
            let failed =
                self.turn(id, &mut connection).and_then(|()| self.await_room(id, &mut connection)).is_err();
            if failed || connection.is_over() {
                self.close(id, connection);
                continue;
            }
            self.settle(id, &mut connection);
            let again = connection.wants_turn();
            self.connections.insert(id, connection);
            if again {
                self.queue_turn(id);
            }
        }
    }

    fn turn(&mut self, id: ConnectionId, connection: &mut Connection) -> io::Result<()> {
        connection.write_some()?;
        let mut request = connection.session.resume();
        let mut left = Connection::READ_SHARE;
        let mut chunk = std::mem::take(&mut self.chunk);
        let read = loop {
            if let Some(request) = request.take() {
                self.submit(id, connection, request);
            }
            match connection.read_some(&mut chunk, &mut left) {
                Ok(Some(next)) => request = Some(next),
                other => break other.map(|_| ()),
            }
        };
        self.chunk = chunk;
        read?;
        let grown = connection.session.held_bytes().saturating_sub(connection.held_bytes);
        if connection.session.stage().0 == Phase::Receiving
            && self.held_bytes + grown > self.limits.bytes_held_max
        {
            connection
                .session
                .refuse(ErrorCode::Busy, "too many bytes of requests in memory; hint: try again");
        }
        connection.write_some()
    }

    /// Asks to be told when a client that took no more has room again. Asked from the start, the kernel would wake
    /// the loop for every client that reads its answer.
    fn await_room(&self, id: ConnectionId, connection: &mut Connection) -> io::Result<()> {
        if !connection.needs_room() {
            return Ok(());
        }
        let both = Interest::READABLE | Interest::WRITABLE;
        self.poll.registry().reregister(&mut connection.stream, Token(id.0), both)
    }

    fn submit(&mut self, id: ConnectionId, connection: &mut Connection, request: Request) {
        let bytes = request.body_bytes();
        // What the connection was booked with while it received becomes this request.
        let held_bytes = self.held_bytes.saturating_sub(connection.held_bytes).saturating_add(bytes);
        if self.in_flight >= self.limits.jobs_in_flight_max || held_bytes > self.limits.bytes_held_max {
            return connection.session.reply(&busy());
        }
        let Some(jobs) = &self.jobs else {
            return connection.session.refuse(ErrorCode::ShuttingDown, SHUTTING_DOWN);
        };
        let responder = Responder::new(id, bytes, Arc::clone(&self.outbox));
        match jobs.try_send(Job { peer: connection.peer, request, responder }) {
            Ok(()) => {
                self.in_flight += 1;
                self.held_bytes += bytes;
            }
            Err(TrySendError::Full(job)) => {
                job.responder.disarm();
                connection.session.reply(&busy());
            }
            Err(TrySendError::Disconnected(job)) => {
                job.responder.disarm();
                connection.session.reply(&Reply::error(ErrorCode::Internal, "no worker takes requests"));
            }
        }
    }

    /// Books what the turn changed: bytes in memory and the deadline of the new stage.
    fn settle(&mut self, id: ConnectionId, connection: &mut Connection) {
        let held = connection.session.held_bytes();
        self.held_bytes = (self.held_bytes + held).saturating_sub(connection.held_bytes);
        connection.held_bytes = held;
        let stage = connection.session.stage();
        if connection.deadline.is_some_and(|(_, set_for)| set_for == stage) {
            return;
        }
        if let Some((at, _)) = connection.deadline {
            self.timers.clear(at, id);
        }
        let limit = match stage.0 {
            Phase::Idle => self.limits.idle_max,
            Phase::Receiving => self.limits.frame_max,
            Phase::Answering => self.limits.answer_max,
            Phase::Sending => self.limits.send_max,
            Phase::Draining => self.limits.drain_max,
        };
        let at = Instant::now() + limit;
        connection.deadline = Some((at, stage));
        self.timers.set(at, id);
    }

    fn expire(&mut self) {
        let now = Instant::now();
        while let Some(id) = self.timers.pop_due(now) {
            let Some(connection) = self.connections.get_mut(&id) else { continue };
            let stage = connection.session.stage();
            let set_for = connection.deadline.take().map(|(_, set_for)| set_for);
            if set_for != Some(stage) {
                self.queue_turn(id); // it has moved on in this round: its turn sets the new deadline
            } else if stage.0 == Phase::Answering {
                connection.session.refuse(ErrorCode::Internal, "the daemon gave no answer in time");
                self.queue_turn(id);
            } else if let Some(connection) = self.connections.remove(&id) {
                self.close(id, connection);
            }
        }
    }

    fn close(&mut self, id: ConnectionId, mut connection: Connection) {
        self.held_bytes = self.held_bytes.saturating_sub(connection.held_bytes);
        if let Some((at, _)) = connection.deadline {
            self.timers.clear(at, id);
        }
        // Dropping the socket takes it out of the poll as well; an error here changes nothing.
        let _closed_anyway = self.poll.registry().deregister(&mut connection.stream);
    }

    /// Accepts nothing more, refuses what is half here, leaves outstanding answers their time.
    fn begin_stop(&mut self) {
        if self.stop_at.is_some() {
            return;
        }
        self.stop_at = Some(Instant::now() + self.limits.stop_max);
        self.listener = None;
        self.accept_ready = false;
        self.accept_retry_at = None;
        self.jobs = None;
        let ids: Vec<ConnectionId> = self.connections.keys().copied().collect();
        for id in ids {
            if let Some(connection) = self.connections.get_mut(&id) {
                let (phase, requests) = connection.session.stage();
                match phase {
                    Phase::Answering | Phase::Sending => connection.session.end_of_input(),
                    // Its last request was answered: a second frame behind that answer would spoil it.
                    Phase::Idle if requests > 0 => connection.session.end_of_input(),
                    Phase::Idle | Phase::Receiving | Phase::Draining => {
                        connection.session.refuse(ErrorCode::ShuttingDown, SHUTTING_DOWN);
                        connection.session.end_of_input();
                    }
                }
                self.queue_turn(id);
            }
        }
    }
}

const SHUTTING_DOWN: &str = "the daemon is shutting down";

fn busy() -> Reply {
    Reply::error(ErrorCode::Busy, "too many requests are waiting; hint: try again")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read;

    /// The reply that a stranger gets whose first bytes are no frame; `uid` is whose connections are served.
    fn greet(uid: u32) -> Vec<u8> {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("socket");
        let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
        listener.set_nonblocking(true).unwrap();
        let (jobs, _receiver) = crossbeam_channel::bounded(1);
        let stop = Arc::new(AtomicBool::new(false));
        let mut reactor = Reactor::new(listener, jobs, Limits::default(), Arc::clone(&stop)).unwrap();
        reactor.own_uid = uid;
        let outbox = reactor.outbox();
        let thread = std::thread::spawn(move || reactor.run());
        let mut client = std::os::unix::net::UnixStream::connect(&path).unwrap();
        client.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
        // A refused client may find the connection closed already; what it can read is what counts.
        let _closed = client.write_all(b"hello");
        let mut reply = Vec::new();
        let _reset = client.read_to_end(&mut reply);
        stop.store(true, Ordering::Release);
        outbox.waker.wake();
        thread.join().unwrap().unwrap();
        reply
    }

    /// INVARIANT (same-user-only)
    #[test]
    fn a_connection_of_another_user_is_closed_without_a_word() {
        assert!(!greet(peer::own_uid()).is_empty(), "our own user is told what is wrong");
        assert!(greet(peer::own_uid() + 1).is_empty());
    }
}
