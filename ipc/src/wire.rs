//! The wire: header, frames, messages. No input or output happens here.

pub mod frame;
pub mod message;
pub mod version;

pub use frame::{Decoder, Direction, Frame, FrameError, Kind};
pub use message::{EncodeError, ErrorCode, MessageError, Reply, Request, RequestRef};
