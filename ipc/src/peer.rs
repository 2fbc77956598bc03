//! Who is on the other end: the kernel's word, not the peer's.

use std::io;
use std::os::fd::AsFd;

/// The process at the other end of a connection, as the kernel saw it when it connected (`SO_PEERCRED`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Process id. The process may be gone and the number in use again: compare start times before trusting it.
    pub pid: u32,
    /// Effective user id.
    pub uid: u32,
}

/// Effective user id of this process.
#[must_use]
pub fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Peer of a connected unix socket.
pub(crate) fn of(socket: impl AsFd) -> io::Result<Peer> {
    let credentials = rustix::net::sockopt::socket_peercred(socket)?;
    Ok(Peer { pid: credentials.pid.as_raw_nonzero().get().unsigned_abs(), uid: credentials.uid.as_raw() })
}
