//! Who is on the other end: the kernel's word, not the peer's.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// The process at the other end of a connection, as the kernel saw it when it connected (`SO_PEERCRED`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Peer {
    /// Process id. The process may be gone and the number in use again: compare start times before trusting it.
    pub pid: u32,
    /// Effective user id.
    pub uid: u32,
    /// The process that made the socket which stands for the peer's standard input, where the peer showed it.
    pub input_of: Option<u32>,
}

/// Effective user id of this process.
#[must_use]
pub fn own_uid() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Peer of a connected unix socket.
pub(crate) fn of(socket: impl AsFd) -> io::Result<Peer> {
    let credentials = rustix::net::sockopt::socket_peercred(socket)?;
    let pid = credentials.pid.as_raw_nonzero().get().unsigned_abs();
    Ok(Peer { pid, uid: credentials.uid.as_raw(), input_of: None })
}

/// The process that made a pair of connected sockets, by one of them; none for anything else.
///
/// Only a pair has no name on either side: who accepts a connection has the name of the listener, who makes one has it
/// at the other side. So nobody gets such a socket from a process but by inheriting it.
pub(crate) fn maker_of_pair(descriptor: OwnedFd) -> Option<u32> {
    // The standard library gives addresses of sockets of this family only.
    let socket = UnixStream::from(descriptor);
    let is_pair = socket.local_addr().ok()?.is_unnamed() && socket.peer_addr().ok()?.is_unnamed();
    is_pair.then(|| of(&socket).ok()).flatten().map(|peer| peer.pid)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::net::UnixListener;

    #[test]
    fn only_a_pair_names_its_maker() {
        let (one, other) = UnixStream::pair().unwrap();
        let own = Some(std::process::id());
        assert_eq!((maker_of_pair(one.into()), maker_of_pair(other.into())), (own, own));
        let folder = tempfile::tempdir().unwrap();
        let listener = UnixListener::bind(folder.path().join("s")).unwrap();
        let client = UnixStream::connect(folder.path().join("s")).unwrap();
        let (accepted, _) = listener.accept().unwrap();
        assert_eq!((maker_of_pair(client.into()), maker_of_pair(accepted.into())), (None, None));
        let (reads, _writes) = std::io::pipe().unwrap();
        assert_eq!(maker_of_pair(reads.into()), None);
        assert_eq!(maker_of_pair(std::fs::File::open("/dev/null").unwrap().into()), None);
    }
}
