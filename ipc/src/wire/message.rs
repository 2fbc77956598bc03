//! Messages: what the bodies of frames mean.

use crate::limits::{ERROR_TEXT_BYTES_MAX, HEADER_BYTES, REPLY_BODY_BYTES_MAX, REQUEST_BODY_BYTES_MAX};
use crate::wire::frame::{Frame, Kind, header};
use thiserror::Error;

/// What a client asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// One event of the host, as it came on the hook's standard input; unparsed, possibly not even UTF-8.
    Hook(Vec<u8>),
    /// JSON for the daemon. Opaque here: whether it is UTF-8 and JSON is for its reader to say.
    Control(Vec<u8>),
}

/// A request that borrows its body, for clients that keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestRef<'a> {
    /// See [`Request::Hook`].
    Hook(&'a [u8]),
    /// See [`Request::Control`].
    Control(&'a [u8]),
}

/// What the daemon replies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reply {
    /// To `Hook`: what the hook process does, byte for byte.
    Answer {
        /// Exit code of the hook process.
        exit: u8,
        /// Its standard output: empty, or exactly one JSON object.
        stdout: Vec<u8>,
        /// Its standard error.
        stderr: Vec<u8>,
    },
    /// To `Control`: JSON, opaque here.
    Control(Vec<u8>),
    /// To anything: it was not done.
    Error {
        /// Why, for programs.
        code: ErrorCode,
        /// Why, for people: one line.
        text: String,
    },
}

/// Why a request was not done. Closed: a new code is a new wire version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum ErrorCode {
    /// The first bytes were not `CI`.
    BadMagic = 1,
    /// Another wire version; the text names both.
    BadVersion = 2,
    /// No such request.
    BadKind = 3,
    /// The body is above its cap.
    TooLarge = 4,
    /// A bound was reached (connections, queue, memory); the same request may work later.
    Busy = 5,
    /// The daemon failed; nothing may be concluded.
    Internal = 6,
    /// The daemon is going down.
    ShuttingDown = 7,
}

impl ErrorCode {
    fn from_byte(byte: u8) -> Option<ErrorCode> {
        match byte {
            1 => Some(ErrorCode::BadMagic),
            2 => Some(ErrorCode::BadVersion),
            3 => Some(ErrorCode::BadKind),
            4 => Some(ErrorCode::TooLarge),
            5 => Some(ErrorCode::Busy),
            6 => Some(ErrorCode::Internal),
            7 => Some(ErrorCode::ShuttingDown),
            _ => None,
        }
    }
}

/// Why a message cannot be put into a frame.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EncodeError {
    /// The body is above the cap of its direction.
    #[error("a body of {bytes} bytes is above the limit of {bytes_max} bytes")]
    TooLarge {
        /// Length of the body.
        bytes: usize,
        /// The cap.
        bytes_max: usize,
    },
}

/// Why the body of a well-formed frame is not a message.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum MessageError {
    /// The frame goes the other way.
    #[error("frame kind {0:?} does not belong to this direction")]
    WrongDirection(Kind),
    /// The lengths inside do not add up, or a code is unknown, or text is not UTF-8.
    #[error("the body of a {0:?} frame is malformed")]
    Malformed(Kind),
}

impl RequestRef<'_> {
    /// The body.
    #[must_use]
    pub fn body(&self) -> &[u8] {
        match self {
            RequestRef::Hook(body) | RequestRef::Control(body) => body,
        }
    }

    /// The header that goes before the body.
    ///
    /// # Errors
    /// `TooLarge` above [`REQUEST_BODY_BYTES_MAX`].
    pub fn header(&self) -> Result<[u8; HEADER_BYTES], EncodeError> {
        let kind = match self {
            RequestRef::Hook(_) => Kind::Hook,
            RequestRef::Control(_) => Kind::Control,
        };
        capped_header(kind, self.body().len(), REQUEST_BODY_BYTES_MAX)
    }
}

impl Request {
    /// The same request without a copy of its body.
    #[must_use]
    pub fn as_ref(&self) -> RequestRef<'_> {
        match self {
            Request::Hook(body) => RequestRef::Hook(body),
            Request::Control(body) => RequestRef::Control(body),
        }
    }

    /// Bytes of the body.
    #[must_use]
    pub fn body_bytes(&self) -> usize {
        self.as_ref().body().len()
    }

    /// The request that a frame holds.
    ///
    /// # Errors
    /// `WrongDirection` for the frame of a reply.
    pub fn from_frame(frame: Frame) -> Result<Request, MessageError> {
        match frame.kind {
            Kind::Hook => Ok(Request::Hook(frame.body)),
            Kind::Control => Ok(Request::Control(frame.body)),
            kind @ (Kind::Answer | Kind::ControlReply | Kind::Error) => {
                Err(MessageError::WrongDirection(kind))
            }
        }
    }
}

impl Reply {
    /// An error reply.
    pub fn error(code: ErrorCode, text: impl Into<String>) -> Reply {
        Reply::Error { code, text: text.into() }
    }

    /// Header and body. Texts of errors are cut to [`ERROR_TEXT_BYTES_MAX`] bytes.
    ///
    /// # Errors
    /// `TooLarge` above [`REPLY_BODY_BYTES_MAX`].
    pub fn encode(&self) -> Result<Vec<u8>, EncodeError> {
        match self {
            Reply::Answer { exit, stdout, stderr } => {
                let lengths = [stdout.len(), stderr.len()];
                let body_bytes =
                    lengths.iter().fold(1 + 4 + 4, |sum: usize, length| sum.saturating_add(*length));
                let mut bytes = begin(Kind::Answer, body_bytes)?;
                bytes.push(*exit);
                for length in lengths {
                    // Each part is shorter than the body, which `begin` found to be within its cap.
                    bytes.extend_from_slice(&(length as u32).to_le_bytes());
                }
                bytes.extend_from_slice(stdout);
                bytes.extend_from_slice(stderr);
                Ok(bytes)
            }
            Reply::Control(json) => {
                let mut bytes = begin(Kind::ControlReply, json.len())?;
                bytes.extend_from_slice(json);
                Ok(bytes)
            }
            Reply::Error { code, text } => {
                let cut = text.floor_char_boundary(ERROR_TEXT_BYTES_MAX);
                let text = text.get(..cut).unwrap_or_default();
                let mut bytes = begin(Kind::Error, 1 + text.len())?;
                bytes.push(*code as u8);
                bytes.extend_from_slice(text.as_bytes());
                Ok(bytes)
            }
        }
    }

    /// The reply that a frame holds.
    ///
    /// # Errors
    /// `WrongDirection` for the frame of a request, `Malformed` where the body does not add up.
    pub fn from_frame(frame: Frame) -> Result<Reply, MessageError> {
        let malformed = MessageError::Malformed(frame.kind);
        match frame.kind {
            Kind::Answer => answer(&frame.body).ok_or(malformed),
            Kind::ControlReply => Ok(Reply::Control(frame.body)),
            Kind::Error => error(&frame.body).ok_or(malformed),
            kind @ (Kind::Hook | Kind::Control) => Err(MessageError::WrongDirection(kind)),
        }
    }
}

fn capped_header(kind: Kind, bytes: usize, bytes_max: usize) -> Result<[u8; HEADER_BYTES], EncodeError> {
    match u32::try_from(bytes) {
        Ok(length) if bytes <= bytes_max => Ok(header(kind, length)),
        _ => Err(EncodeError::TooLarge { bytes, bytes_max }),
    }
}

fn begin(kind: Kind, body_bytes: usize) -> Result<Vec<u8>, EncodeError> {
    let head = capped_header(kind, body_bytes, REPLY_BODY_BYTES_MAX)?;
    let mut bytes = Vec::with_capacity(HEADER_BYTES + body_bytes);
    bytes.extend_from_slice(&head);
    Ok(bytes)
}

fn answer(body: &[u8]) -> Option<Reply> {
    let (&exit, rest) = body.split_first()?;
    let (stdout_bytes, rest) = rest.split_first_chunk::<4>()?;
    let (stderr_bytes, rest) = rest.split_first_chunk::<4>()?;
    let (stdout, stderr) = rest.split_at_checked(u32::from_le_bytes(*stdout_bytes) as usize)?;
    let whole = stderr.len() == u32::from_le_bytes(*stderr_bytes) as usize;
    whole.then(|| Reply::Answer { exit, stdout: stdout.to_vec(), stderr: stderr.to_vec() })
}

fn error(body: &[u8]) -> Option<Reply> {
    let (&code, text) = body.split_first()?;
    let text = std::str::from_utf8(text).ok()?;
    Some(Reply::Error { code: ErrorCode::from_byte(code)?, text: text.to_owned() })
}

#[cfg(test)]
mod tests;
