//! One connection on the daemon's side, as a state machine without input or output.
//!
//! Bytes go in, requests come out; replies go in, bytes come out. Requests are answered in order, one outstanding at
//! a time: the next one is decoded only when the reply before it has left.

use crate::limits::{DRAIN_BYTES_MAX, READ_CHUNK_BYTES};
use crate::wire::{Decoder, Direction, ErrorCode, FrameError, Reply, Request};

/// What a connection waits for; each phase has its own time limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Phase {
    /// For the first byte of a request.
    Idle,
    /// For the rest of a frame.
    Receiving,
    /// For the daemon's reply.
    Answering,
    /// For the client to take the reply.
    Sending,
    /// For the client to see its refusal; what it still sends is thrown away.
    Draining,
}

#[derive(Debug)]
enum State {
    Open,
    Answering,
    Refused { drain_bytes: u64 },
}

/// The state machine of one connection.
#[derive(Debug)]
pub struct Session {
    state: State,
    decoder: Decoder,
    /// Bytes that came in behind a request which is not answered yet.
    unread: Vec<u8>,
    output: Vec<u8>,
    written: usize,
    input_ended: bool,
    requests: u64,
}

impl Default for Session {
    fn default() -> Self {
        Session::new()
    }
}

impl Session {
    /// A fresh connection.
    #[must_use]
    pub fn new() -> Self {
        Session {
            state: State::Open,
            decoder: Decoder::new(Direction::Request),
            unread: Vec::new(),
            output: Vec::new(),
            written: 0,
            input_ended: false,
            requests: 0,
        }
    }

    /// Takes bytes from the client; gives a request once one is complete, which must then be answered by
    /// [`Session::reply`] or [`Session::refuse`]. Bytes that are no frame queue an error reply and end the session.
    ///
    /// *Invariants*: never call it with more than one read chunk while [`Session::wants_read`] is false; more is
    /// refused, because it would be an unbounded buffer.
    #[must_use]
    pub fn receive(&mut self, bytes: &[u8]) -> Option<Request> {
        match &mut self.state {
            State::Open if self.output.is_empty() && self.unread.is_empty() => self.decode(bytes),
            State::Open | State::Answering => {
                if self.unread.len() + bytes.len() > READ_CHUNK_BYTES {
                    self.refuse(ErrorCode::Busy, "more requests at once than a connection may hold");
                } else {
                    self.unread.extend_from_slice(bytes);
                }
                None
            }
            State::Refused { drain_bytes } => {
                *drain_bytes = drain_bytes.saturating_sub(bytes.len() as u64);
                None
            }
        }
    }

    /// Whether bytes that had come in early can be gone on with.
    #[must_use]
    pub fn wants_resume(&self) -> bool {
        !self.unread.is_empty() && self.output.is_empty() && matches!(self.state, State::Open)
    }

    /// Goes on with bytes that had come in early, once all output has been written.
    #[must_use]
    pub fn resume(&mut self) -> Option<Request> {
        if !self.wants_resume() {
            return None;
        }
        let early = std::mem::take(&mut self.unread);
        self.decode(&early)
    }

    fn decode(&mut self, bytes: &[u8]) -> Option<Request> {
        match self.decoder.feed(bytes) {
            Ok((taken, Some(frame))) => match Request::from_frame(frame) {
                Ok(request) => {
                    self.unread.extend_from_slice(bytes.get(taken..).unwrap_or_default());
                    self.state = State::Answering;
                    self.requests += 1;
                    Some(request)
                }
                Err(error) => {
                    self.refuse(ErrorCode::BadKind, &error.to_string());
                    None
                }
            },
            Ok((_, None)) => None,
            Err(error) => {
                self.refuse(error.code(), &error.to_string());
                if let FrameError::TooLarge { bytes, .. } = error {
                    self.state = State::Refused { drain_bytes: u64::from(bytes).min(DRAIN_BYTES_MAX) };
                }
                None
            }
        }
    }

    /// Queues the reply to the outstanding request. Without one (it was refused meanwhile) the reply is dropped.
    /// A reply above its cap becomes an `Internal` error: a cut answer must never look like a whole one.
    pub fn reply(&mut self, reply: &Reply) {
        if !matches!(self.state, State::Answering) {
            return;
        }
        match reply.encode() {
            Ok(bytes) => {
                self.output = bytes;
                self.written = 0;
                self.state = State::Open;
            }
            Err(error) => self.refuse(ErrorCode::Internal, &format!("the reply cannot be sent: {error}")),
        }
    }

    /// Queues an error reply and ends the session after it. Output of an earlier reply still goes first.
    pub fn refuse(&mut self, code: ErrorCode, text: &str) {
        if matches!(self.state, State::Refused { .. }) {
            return;
        }
        self.state = State::Refused { drain_bytes: 0 };
        self.decoder = Decoder::new(Direction::Request);
        self.unread = Vec::new();
        // An error frame is at most its capped text, so its encoding cannot fail; were it to, closing without a
        // reply is what the client takes as a failure anyway.
        self.output.extend(Reply::error(code, text).encode().unwrap_or_default());
    }

    /// Notes that the client sends nothing more (it may still read).
    pub fn end_of_input(&mut self) {
        self.input_ended = true;
    }

    /// Bytes to be written next.
    #[must_use]
    pub fn output(&self) -> &[u8] {
        self.output.get(self.written..).unwrap_or_default()
    }

    /// Notes that `bytes` bytes of [`Session::output`] were written.
    pub fn wrote(&mut self, bytes: usize) {
        self.written = self.written.saturating_add(bytes);
        if self.written >= self.output.len() {
            self.output = Vec::new();
            self.written = 0;
        }
    }

    /// Whether reading can bring the session on.
    #[must_use]
    pub fn wants_read(&self) -> bool {
        !self.input_ended
            && match self.state {
                State::Open => self.output.is_empty() && self.unread.is_empty(),
                State::Answering => false,
                State::Refused { drain_bytes } => drain_bytes > 0,
            }
    }

    /// Whether there is something to write.
    #[must_use]
    pub fn wants_write(&self) -> bool {
        !self.output.is_empty()
    }

    /// Whether nothing is left to do and the connection can be closed.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        self.output.is_empty()
            && match self.state {
                State::Open => self.input_ended && self.unread.is_empty(),
                State::Answering => false,
                State::Refused { drain_bytes } => drain_bytes == 0 || self.input_ended,
            }
    }

    /// What the session waits for, and how many requests it has had. A change of either starts a new time limit.
    #[must_use]
    pub fn stage(&self) -> (Phase, u64) {
        let phase = match self.state {
            State::Answering => Phase::Answering,
            _ if !self.output.is_empty() => Phase::Sending,
            State::Refused { .. } => Phase::Draining,
            State::Open if self.decoder.is_at_boundary() => Phase::Idle,
            State::Open => Phase::Receiving,
        };
        (phase, self.requests)
    }

    /// Bytes in memory for this session, without a request that was handed on.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        self.decoder.held_bytes() + self.unread.len() + self.output.len()
    }
}

#[cfg(test)]
mod tests;
