//! Socket, its directory and the daemon's lock.

use super::home::{Environment, HomeDir, HomeError};
use super::private::{PlaceError, check_home, check_private_dir, check_socket, create_private_dir};
use crate::limits::SOCKET_PATH_BYTES_MAX;
use crate::peer::own_uid;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use thiserror::Error;

const SOCKET_NAME: &str = "circinus.sock";
const LOCK_NAME: &str = "daemon.lock";

/// Where one home's daemon listens.
///
/// *Invariants*: the socket path fits `sun_path`; the lock is always inside the home, so two daemons of one home
/// exclude each other wherever their sockets are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SocketPlace {
    home: PathBuf,
    run_dir: PathBuf,
    socket_dir: PathBuf,
    uid: u32,
}

/// Why the place of the socket is unknown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LocateError {
    /// There is no home directory.
    #[error(transparent)]
    Home(#[from] HomeError),
}

impl SocketPlace {
    /// The place for the home that the environment names, for the user of this process.
    ///
    /// # Errors
    /// [`LocateError`].
    pub fn resolve(environment: Environment<'_>) -> Result<SocketPlace, LocateError> {
        Ok(SocketPlace::new(&HomeDir::resolve(environment)?, environment, own_uid()))
    }

    /// The place for `home`: `<home>/run`, or, where the socket path would not fit, a directory named after a hash
    /// of the home, in `XDG_RUNTIME_DIR` or `/tmp`.
    #[must_use]
    pub fn new(home: &HomeDir, environment: Environment<'_>, uid: u32) -> SocketPlace {
        let run_dir = home.run_dir();
        let socket_dir = if fits(&run_dir) { run_dir.clone() } else { hashed_dir(home, environment, uid) };
        SocketPlace { home: home.as_path().to_owned(), run_dir, socket_dir, uid }
    }

    /// The home directory.
    #[must_use]
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The socket.
    #[must_use]
    pub fn socket(&self) -> PathBuf {
        self.socket_dir.join(SOCKET_NAME)
    }

    /// The directory of the socket.
    #[must_use]
    pub fn socket_dir(&self) -> &Path {
        &self.socket_dir
    }

    /// The file whose exclusive lock makes a process the daemon of this home; it holds that daemon's process id.
    #[must_use]
    pub fn lock_file(&self) -> PathBuf {
        self.run_dir.join(LOCK_NAME)
    }

    /// Makes the directories where they are missing, and checks them.
    ///
    /// # Errors
    /// [`PlaceError`], also where a directory was there before and is not ours alone.
    pub fn create(&self) -> Result<(), PlaceError> {
        create_private_dir(&self.home)?;
        check_home(&self.home, self.uid)?;
        for directory in [&self.run_dir, &self.socket_dir] {
            create_private_dir(directory)?;
            check_private_dir(directory, self.uid)?;
        }
        Ok(())
    }

    /// Checks home, directory and socket before a client connects.
    ///
    /// # Errors
    /// [`PlaceError`]; `Missing` where there is no socket.
    pub fn check(&self) -> Result<(), PlaceError> {
        check_home(&self.home, self.uid)?;
        check_private_dir(&self.socket_dir, self.uid)?;
        check_socket(&self.socket(), self.uid)
    }
}

fn fits(directory: &Path) -> bool {
    directory.join(SOCKET_NAME).as_os_str().len() <= SOCKET_PATH_BYTES_MAX
}

fn hashed_dir(home: &HomeDir, environment: Environment<'_>, uid: u32) -> PathBuf {
    let hash = fnv1a_64(home.as_path().as_os_str().as_bytes());
    environment("XDG_RUNTIME_DIR")
        .map(PathBuf::from)
        .filter(|runtime| runtime.is_absolute())
        .map(|runtime| runtime.join(format!("circinus-{hash:016x}")))
        .filter(|directory| fits(directory))
        .unwrap_or_else(|| PathBuf::from(format!("/tmp/circinus-{uid}-{hash:016x}")))
}

/// FNV-1a, 64 bits (Fowler, Noll, Vo; constants of the IETF draft draft-eastlake-fnv). It only has to be stable
/// and spread well: the directory's owner and mode, not its name, keep others out.
fn fnv1a_64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn place(home: &str, runtime: Option<&str>) -> SocketPlace {
        let home = HomeDir::at(home).unwrap();
        SocketPlace::new(
            &home,
            &|name| runtime.filter(|_| name == "XDG_RUNTIME_DIR").map(OsString::from),
            1000,
        )
    }

    #[test]
    fn fnv_matches_its_published_vectors() {
        assert_eq!(fnv1a_64(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fnv1a_64(b"a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(fnv1a_64(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn a_short_home_holds_its_socket() {
        let place = place("/home/dev/.local/share/circinus", Some("/run/user/1000"));
        assert_eq!(place.socket(), Path::new("/home/dev/.local/share/circinus/run/circinus.sock"));
    }

    #[test]
    fn the_longest_home_that_fits_is_used_and_one_byte_more_is_hashed() {
        let tail = "/run/circinus.sock".len();
        let longest = format!("/{}", "x".repeat(SOCKET_PATH_BYTES_MAX - tail - 1));
        assert_eq!(place(&longest, None).socket().as_os_str().len(), SOCKET_PATH_BYTES_MAX);
        assert!(place(&longest, None).socket().starts_with(&longest));
        assert!(place(&format!("{longest}x"), None).socket().starts_with("/tmp"));
    }

    #[test]
    fn a_long_home_gets_a_hashed_runtime_directory_and_keeps_its_lock() {
        let long = format!("/{}", "x".repeat(200));
        let hash = format!("{:016x}", fnv1a_64(long.as_bytes()));
        let runtime = place(&long, Some("/run/user/1000"));
        assert_eq!(runtime.socket(), Path::new(&format!("/run/user/1000/circinus-{hash}/circinus.sock")));
        assert!(runtime.lock_file().starts_with(&long));
        let expected = format!("/tmp/circinus-1000-{hash}/circinus.sock");
        assert_eq!(place(&long, None).socket(), Path::new(&expected));
        assert_eq!(place(&long, Some("relative")).socket(), Path::new(&expected));
        let long_runtime = format!("/{}", "r".repeat(100));
        assert_eq!(place(&long, Some(&long_runtime)).socket(), Path::new(&expected));
    }
}
