//! Reads the host's event, within a byte and a time limit.

use crate::limits::PAYLOAD_BYTES_MAX;
use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::{Errno, read};
use std::io;
use std::os::fd::AsFd;
use std::time::Instant;
use thiserror::Error;

/// Room for an event to begin with: nearly every one of them is smaller, and a page that is not touched costs
/// nothing.
const PAYLOAD_BYTES_USUAL: usize = 8 << 10;

/// Why there is no whole event.
#[derive(Debug, Error)]
pub enum PayloadError {
    /// It is longer than [`PAYLOAD_BYTES_MAX`].
    #[error("it is above the limit of {PAYLOAD_BYTES_MAX} bytes")]
    TooLarge,
    /// The host did not end it in time.
    #[error("the host did not end it in time")]
    TimedOut,
    /// There is no memory for it.
    #[error("there is no memory for it")]
    NoMemory,
    /// The system refused.
    #[error("reading failed: {0}")]
    Io(io::Error),
}

/// Reads to the end of input.
///
/// # Errors
/// [`PayloadError`]; what was read until then is dropped, because a cut event must not be judged as a whole one.
pub fn read_payload(input: impl AsFd, until: Instant) -> Result<Vec<u8>, PayloadError> {
    let input = input.as_fd();
    let mut payload = Vec::new();
    loop {
        if payload.len() == payload.capacity() {
            // Doubled, so that what is moved stays below twice what is read.
            payload
                .try_reserve(payload.len().max(PAYLOAD_BYTES_USUAL))
                .map_err(|_| PayloadError::NoMemory)?;
        }
        let left = until.saturating_duration_since(Instant::now());
        let timeout = Timespec::try_from(left).ok();
        match poll(&mut [PollFd::new(&input, PollFlags::IN)], timeout.as_ref()) {
            Ok(0) => return Err(PayloadError::TimedOut),
            Ok(_) => {}
            Err(Errno::INTR) => continue,
            Err(error) => return Err(PayloadError::Io(error.into())),
        }
        match read(input, spare_capacity(&mut payload)) {
            Ok(0) => return Ok(payload),
            Ok(_) if payload.len() > PAYLOAD_BYTES_MAX => return Err(PayloadError::TooLarge),
            Ok(_) => {}
            Err(Errno::INTR | Errno::AGAIN) => {}
            Err(error) => return Err(PayloadError::Io(error.into())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Seek, Write};
    use std::time::Duration;

    fn soon() -> Instant {
        Instant::now() + Duration::from_secs(20)
    }

    #[test]
    fn files_and_pipes_are_read_to_their_end() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(b"event").unwrap();
        file.rewind().unwrap();
        assert_eq!(read_payload(&file, soon()).unwrap(), b"event");
        let (reader, mut writer) = io::pipe().unwrap();
        let sender = std::thread::spawn(move || writer.write_all(&vec![7; 300_000]));
        assert_eq!(read_payload(&reader, soon()).unwrap(), vec![7; 300_000]);
        sender.join().unwrap().unwrap();
    }

    #[test]
    fn a_payload_above_the_cap_is_an_error() {
        let file = tempfile::tempfile().unwrap();
        file.set_len(PAYLOAD_BYTES_MAX as u64).unwrap();
        assert_eq!(read_payload(&file, soon()).unwrap().len(), PAYLOAD_BYTES_MAX);
        let mut file = tempfile::tempfile().unwrap();
        file.set_len(PAYLOAD_BYTES_MAX as u64 + 1).unwrap();
        file.rewind().unwrap();
        assert!(matches!(read_payload(&file, soon()), Err(PayloadError::TooLarge)));
    }

    #[test]
    fn an_input_that_never_ends_is_an_error() {
        let (reader, mut writer) = io::pipe().unwrap();
        writer.write_all(b"{").unwrap();
        let until = Instant::now() + Duration::from_millis(30);
        assert!(matches!(read_payload(&reader, until), Err(PayloadError::TimedOut)));
    }
}
