//! Who is the daemon: the holder of an exclusive lock. The kernel frees it with the process, however that ends.

use super::BindError;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of the lock file that are looked at: a process id and a line end.
const PID_BYTES_MAX: u64 = 16;

/// How long a lock that is held is tried for. A daemon that was killed while it started a program leaves its lock
/// with the child until that has executed it, which is a moment even on a busy machine.
const LOCK_WAIT_MAX: Duration = Duration::from_millis(500);

/// Between two tries.
const LOCK_LOOK: Duration = Duration::from_millis(5);

/// The exclusive lock; freed when dropped. The file stays, because removing it would let two processes lock two
/// files of one name.
#[derive(Debug)]
pub(super) struct DaemonLock {
    file: File,
}

impl Drop for DaemonLock {
    fn drop(&mut self) {
        // Closing alone would leave the lock with a child that was forked and has not executed its program yet.
        // Where unlocking fails, closing is what is left.
        let _closed_next = self.file.unlock();
    }
}

impl DaemonLock {
    pub(super) fn acquire(path: &Path) -> Result<DaemonLock, BindError> {
        let io = |operation, source| BindError::Io { operation, path: path.to_owned(), source };
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .custom_flags(rustix::fs::OFlags::NOFOLLOW.bits().cast_signed())
            .open(path)
            .map_err(|source| io("open the lock", source))?;
        let deadline = Instant::now() + LOCK_WAIT_MAX;
        loop {
            match file.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(LOCK_LOOK),
                Err(TryLockError::WouldBlock) => {
                    return Err(BindError::AlreadyRunning { pid: read_pid(&mut file) });
                }
                Err(TryLockError::Error(source)) => return Err(io("lock", source)),
            }
        }
        write_pid(&mut file).map_err(|source| io("write the process id to", source))?;
        Ok(DaemonLock { file })
    }
}

fn write_pid(file: &mut File) -> io::Result<()> {
    file.set_len(0)?;
    file.write_all(format!("{}\n", std::process::id()).as_bytes())
}

fn read_pid(file: &mut File) -> Option<u32> {
    let mut text = String::new();
    file.take(PID_BYTES_MAX).read_to_string(&mut text).ok()?;
    text.trim_end().parse().ok()
}
