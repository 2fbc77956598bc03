//! Frames: an eight byte header and a capped body.
//!
//! The decoder takes bytes in pieces of any size. Each header byte is judged as soon as it is there, so a peer that
//! speaks something else is refused at its first byte, not after a timeout.

use crate::limits::{HEADER_BYTES, READ_CHUNK_BYTES, REPLY_BODY_BYTES_MAX, REQUEST_BODY_BYTES_MAX};
use crate::wire::message::ErrorCode;
use crate::wire::version::{MAGIC, VERSION, mismatch};
use thiserror::Error;

/// What a frame is; the fourth byte of the header. Requests are below 0x80, replies above.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    /// Request: one event of the host, raw.
    Hook = 0x01,
    /// Request: JSON for the daemon itself.
    Control = 0x02,
    /// Reply to `Hook`: exit code, standard output, standard error.
    Answer = 0x81,
    /// Reply to `Control`: JSON.
    ControlReply = 0x82,
    /// Reply to anything: a code and one line of text.
    Error = 0x83,
}

/// Which way a frame goes; a decoder accepts one way only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From client to daemon.
    Request,
    /// From daemon to client.
    Reply,
}

impl Direction {
    /// Largest body of this direction, in bytes.
    #[must_use]
    pub fn body_bytes_max(self) -> usize {
        match self {
            Direction::Request => REQUEST_BODY_BYTES_MAX,
            Direction::Reply => REPLY_BODY_BYTES_MAX,
        }
    }

    fn kind(self, byte: u8) -> Option<Kind> {
        match (self, byte) {
            (Direction::Request, 0x01) => Some(Kind::Hook),
            (Direction::Request, 0x02) => Some(Kind::Control),
            (Direction::Reply, 0x81) => Some(Kind::Answer),
            (Direction::Reply, 0x82) => Some(Kind::ControlReply),
            (Direction::Reply, 0x83) => Some(Kind::Error),
            _ => None,
        }
    }
}

/// A complete frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Frame {
    /// What the body is.
    pub kind: Kind,
    /// The body, within the cap of its direction.
    pub body: Vec<u8>,
}

/// Why bytes are not a frame. After one of these the stream has no known frame boundary and must be closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum FrameError {
    /// The first two bytes are not `CI`.
    #[error("not a circinus frame: the first bytes are not `CI`")]
    BadMagic,
    /// The peer speaks another version.
    #[error("{}", mismatch(*theirs))]
    BadVersion {
        /// Version byte of the peer.
        theirs: u8,
    },
    /// No such kind in this direction.
    #[error("frame kind {kind:#04x} is unknown in this direction")]
    BadKind {
        /// Kind byte of the peer.
        kind: u8,
    },
    /// The announced body is above the cap.
    #[error("a body of {bytes} bytes is above the limit of {bytes_max} bytes")]
    TooLarge {
        /// Announced length.
        bytes: u32,
        /// The cap of this direction.
        bytes_max: usize,
    },
    /// The body is within the cap, but there is no memory for it.
    #[error("no memory for a body of {bytes} bytes")]
    NoMemory {
        /// Announced length.
        bytes: u32,
    },
}

impl FrameError {
    /// The code under which the peer learns of this error.
    #[must_use]
    pub fn code(self) -> ErrorCode {
        match self {
            FrameError::BadMagic => ErrorCode::BadMagic,
            FrameError::BadVersion { .. } => ErrorCode::BadVersion,
            FrameError::BadKind { .. } => ErrorCode::BadKind,
            FrameError::TooLarge { .. } => ErrorCode::TooLarge,
            FrameError::NoMemory { .. } => ErrorCode::Busy,
        }
    }
}

/// The header of a frame with a body of `body_bytes` bytes.
#[must_use]
pub fn header(kind: Kind, body_bytes: u32) -> [u8; HEADER_BYTES] {
    let [a, b] = MAGIC;
    let [l0, l1, l2, l3] = body_bytes.to_le_bytes();
    [a, b, VERSION, kind as u8, l0, l1, l2, l3]
}

#[derive(Debug)]
enum Step {
    Header { seen: Vec<u8> },
    Body { kind: Kind, bytes: u32, body: Vec<u8> },
    Failed(FrameError),
}

/// Turns bytes into frames of one direction.
///
/// *Invariants*: holds at most one body of the capped length, and memory only for bytes that came in (an announced
/// length alone reserves nothing above one read).
#[derive(Debug)]
pub struct Decoder {
    direction: Direction,
    step: Step,
}

impl Decoder {
    /// A decoder at a frame boundary.
    #[must_use]
    pub fn new(direction: Direction) -> Self {
        Decoder { direction, step: Step::Header { seen: Vec::new() } }
    }

    /// Takes bytes up to the end of one frame; returns how many were taken, and the frame once it is complete.
    ///
    /// Bytes after a complete frame are left to the caller. The result does not depend on how the bytes are cut.
    ///
    /// # Errors
    /// [`FrameError`]; the same one again on every later call.
    pub fn feed(&mut self, bytes: &[u8]) -> Result<(usize, Option<Frame>), FrameError> {
        let mut taken = 0;
        for &byte in bytes {
            let Step::Header { seen } = &mut self.step else { break };
            seen.push(byte);
            taken += 1;
            match judge(self.direction, seen) {
                Ok(None) => {}
                Ok(Some((kind, bytes))) => self.step = Step::Body { kind, bytes, body: Vec::new() },
                Err(error) => return Err(self.fail(error)),
            }
        }
        let rest = bytes.get(taken..).unwrap_or_default();
        match &mut self.step {
            Step::Failed(error) => Err(*error),
            Step::Header { .. } => Ok((taken, None)),
            Step::Body { kind, bytes, body } => {
                let (kind, wanted) = (*kind, *bytes as usize);
                let take = rest.len().min(wanted.saturating_sub(body.len()));
                if !reserve(body, take, wanted) {
                    let error = FrameError::NoMemory { bytes: *bytes };
                    return Err(self.fail(error));
                }
                body.extend_from_slice(rest.get(..take).unwrap_or_default());
                if body.len() < wanted {
                    return Ok((taken + take, None));
                }
                let body = std::mem::take(body);
                self.step = Step::Header { seen: Vec::new() };
                Ok((taken + take, Some(Frame { kind, body })))
            }
        }
    }

    /// Whether the decoder stands between two frames.
    #[must_use]
    pub fn is_at_boundary(&self) -> bool {
        matches!(&self.step, Step::Header { seen } if seen.is_empty())
    }

    /// Bytes of the unfinished body.
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        match &self.step {
            Step::Body { body, .. } => body.len(),
            Step::Header { .. } | Step::Failed(_) => 0,
        }
    }

    fn fail(&mut self, error: FrameError) -> FrameError {
        self.step = Step::Failed(error);
        error
    }
}

/// Makes room for `more` bytes of a body of `wanted` bytes, without trusting `wanted` far ahead of what came in.
fn reserve(body: &mut Vec<u8>, more: usize, wanted: usize) -> bool {
    if body.capacity() - body.len() >= more {
        return true;
    }
    let ahead = body.len().max(READ_CHUNK_BYTES).max(more).min(wanted - body.len());
    body.try_reserve_exact(ahead).is_ok()
}

/// Judges a header prefix; `Some` once it is whole.
fn judge(direction: Direction, seen: &[u8]) -> Result<Option<(Kind, u32)>, FrameError> {
    if seen.iter().zip(MAGIC).any(|(&byte, magic)| byte != magic) {
        return Err(FrameError::BadMagic);
    }
    if let Some(&theirs) = seen.get(2)
        && theirs != VERSION
    {
        return Err(FrameError::BadVersion { theirs });
    }
    let Some(&byte) = seen.get(3) else { return Ok(None) };
    let kind = direction.kind(byte).ok_or(FrameError::BadKind { kind: byte })?;
    let Some(length) = seen.get(4..HEADER_BYTES).and_then(|length| length.first_chunk::<4>()) else {
        return Ok(None);
    };
    let bytes = u32::from_le_bytes(*length);
    let bytes_max = direction.body_bytes_max();
    if bytes as usize > bytes_max {
        return Err(FrameError::TooLarge { bytes, bytes_max });
    }
    Ok(Some((kind, bytes)))
}

#[cfg(test)]
mod tests;
