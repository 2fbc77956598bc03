//! Every bound of this crate, each with its reason. Reaching one gives a named error and the stricter outcome.

use std::time::Duration;

/// Bytes of a frame header: magic (2), version (1), kind (1), body length (4).
pub const HEADER_BYTES: usize = 8;

/// Body bytes of a request. The host does not cut its payloads (a 3 MB write becomes a 6 MB event), so 64 MiB is
/// far above real use; the extra 64 KiB let the daemon, not the transport, word the refusal of a 64 MiB payload.
pub const REQUEST_BODY_BYTES_MAX: usize = PAYLOAD_BYTES_MAX + 64 * 1024;

/// Bytes of one host event that the hook forwards.
pub const PAYLOAD_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Body bytes of a reply. A host answer is a few KiB; `explain` and `log` pages are the largest control replies.
pub const REPLY_BODY_BYTES_MAX: usize = 8 * 1024 * 1024;

/// Text bytes of an error reply: one line for a person.
pub const ERROR_TEXT_BYTES_MAX: usize = 1024;

/// Bytes read and thrown away after a refused frame, so that a client in the middle of its write is not cut off
/// before it can read the refusal. Bounded, because the sender chose the length.
pub const DRAIN_BYTES_MAX: u64 = 1024 * 1024;

/// Bytes taken from one connection in one turn: 64 MiB take 256 turns, and others are served between them.
pub const READ_BYTES_PER_TURN: usize = 256 * 1024;

/// Bytes given to one connection in one turn.
pub const WRITE_BYTES_PER_TURN: usize = 256 * 1024;

/// Bytes of one read call; the reactor has one such buffer.
pub const READ_CHUNK_BYTES: usize = 64 * 1024;

/// Connections accepted in one turn, so that a flood of newcomers cannot starve those already in.
pub const ACCEPTS_PER_TURN: usize = 64;

/// Pending connections in the kernel; above it `connect` waits, within the client's deadline.
pub const LISTEN_BACKLOG: i32 = 1024;

/// Pause before the next `accept` after one that failed for want of descriptors or memory.
pub const ACCEPT_RETRY: Duration = Duration::from_millis(100);

/// Descriptors of the process that connections must leave to others (database, logs, providers): a flood of
/// connections must not keep the daemon from writing its records.
pub const DESCRIPTORS_RESERVED: usize = 256;

/// Connections that are allowed however few descriptors the process may have.
pub const CONNECTIONS_MIN: usize = 16;

/// Longest sleep of the reactor with nothing to do. Every wake-up is counted by the kernel (eventfd(2)) and none gets
/// lost; the bound is for a fault that nobody has thought of. It is far above a minute, so that an idle daemon lets a
/// laptop sleep.
pub const POLL_WAIT_MAX: Duration = Duration::from_secs(600);

/// Bytes of a socket path (`sun_path` is 108 bytes with its final NUL).
pub const SOCKET_PATH_BYTES_MAX: usize = 107;

/// Nesting depth of JSON that the last resort of the hook follows; deeper is "cannot be read".
pub const JSON_DEPTH_MAX: usize = 512;

/// Members of the top-level object that the last resort of the hook tells apart; more is "cannot be read".
pub const JSON_MEMBERS_MAX: usize = 128;

/// Bounds of one server. [`Limits::default`] is what the daemon uses; tests tighten single fields.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Connections at one time; for one more, the oldest that has sent no whole request is answered `Busy` and closed,
    /// or it itself where all of them wait for answers. Fewer where the process may not have the descriptors.
    pub connections_max: usize,
    /// Complete requests that wait for a worker; one more is answered `Busy`.
    pub jobs_queued_max: usize,
    /// Requests handed on and not yet answered, waiting or being worked on; one more is answered `Busy`.
    pub jobs_in_flight_max: usize,
    /// Bytes of requests and replies in memory over all connections; a request above it is answered `Busy`.
    pub bytes_held_max: usize,
    /// Time a connection may stay without a request.
    pub idle_max: Duration,
    /// Time from the first to the last byte of a frame (a byte now and then does not prolong it).
    pub frame_max: Duration,
    /// Time a worker has for its reply before the client gets `Internal`.
    pub answer_max: Duration,
    /// Time the client has for taking a whole reply.
    pub send_max: Duration,
    /// Time spent on draining a refused connection.
    pub drain_max: Duration,
    /// Time that outstanding replies get when the server stops.
    pub stop_max: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            connections_max: 1024,
            jobs_queued_max: 512,
            jobs_in_flight_max: 1024,
            bytes_held_max: 512 * 1024 * 1024,
            idle_max: Duration::from_secs(30),
            frame_max: Duration::from_secs(10),
            answer_max: Duration::from_secs(60),
            send_max: Duration::from_secs(10),
            drain_max: Duration::from_secs(1),
            stop_max: Duration::from_secs(2),
        }
    }
}
