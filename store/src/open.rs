//! Opening: everything is checked before anything is changed.

mod check;
mod error;

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use circinus_core::digest::Digest;
use circinus_core::id::EventSeq;
use circinus_core::time::{Clock, UnixMillis};
use rusqlite::Connection;

use crate::chain::{GENESIS, Head, Link};
use crate::recover;
use crate::retain::{Retention, Sweep};
use crate::sqlite;
use crate::{limits, schema};
use check::Check;
pub use error::OpenError;
use error::{configure_error, io_error, sqlite_error};

/// Between two looks at a lock that somebody else holds.
const LOCK_LOOK: Duration = Duration::from_millis(2);

/// An open store: the only writer of its file, in this process and in every other.
pub struct Store {
    pub(crate) conn: Connection,
    pub(crate) path: PathBuf,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) head: Head,
    pub(crate) retention: Retention,
    /// The look at every page that is still going on.
    check: Check,
    /// Held for as long as the store or its writer lives.
    pub(crate) lock: File,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store").field("path", &self.path).field("head", &self.head).finish_non_exhaustive()
    }
}

/// What was found on opening.
#[derive(Debug)]
pub struct Recovered {
    /// Contents whose analysis was queued and never finished; [`crate::Reader::tasks`] hands them out.
    pub unfinished: u64,
    /// The last event of the log; 0 for an empty one.
    pub last_seq: EventSeq,
}

impl Store {
    /// Opens the store at `path`, creating directory (mode 0700) and file (mode 0600) if there is none.
    ///
    /// The file is first looked at through a connection that cannot write: mark, schema version and the last
    /// link of the chain. Only then is it opened for writing, every setting that durability rests on is set and
    /// read back, and the schema is brought up to date. Its structure is checked meanwhile, page by page, and
    /// nothing is appended before that has ended well (`Writer::start`).
    ///
    /// # Errors
    /// See [`OpenError`]; the database is unchanged in every case.
    pub fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<(Self, Recovered), OpenError> {
        if let Some(dir) = path.parent().filter(|dir| !dir.as_os_str().is_empty()) {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(dir)
                .map_err(|e| io_error(dir, "create directory", e))?;
        }
        let lock = acquire_lock(path)?;
        create_if_absent(path)?;
        check_writable(path)?;
        let head = inspect(path)?;

        let failed = |operation| move |e| sqlite_error(path, operation, e);
        let mut conn = sqlite::open_writer(path).map_err(|e| configure_error(path, e))?;
        if conn.is_readonly("main").map_err(failed("open"))? {
            return Err(OpenError::NotWritable {
                path: path.to_owned(),
                operation: "open",
                reason: "the file is read-only".to_owned(),
            });
        }
        schema::migrate(&mut conn).map_err(failed("migrate"))?;
        let unfinished = recover::task_count(&conn).map_err(failed("count unfinished tasks of"))?;

        let recovered = Recovered { unfinished, last_seq: head.seq };
        let check = Check::start(path)?;
        let retention = Retention::default();
        Ok((Self { conn, path: path.to_owned(), clock, head, retention, check, lock }, recovered))
    }

    /// Waits until every page was looked at; gives the store back if all are sound.
    ///
    /// # Errors
    /// `Corrupt`, or why they could not be looked at.
    pub fn checked(mut self) -> Result<Self, OpenError> {
        self.check.finish(&self.path)?;
        Ok(self)
    }

    /// Keeps texts by another rule than the default one.
    pub fn retain(&mut self, retention: Retention) {
        self.retention = retention;
    }

    /// Removes every text that was last recorded `age_ms` milliseconds ago or earlier and whose analysis is not
    /// queued; gives how many. What is freed is overwritten, also in the write-ahead log.
    ///
    /// # Errors
    /// See [`OpenError`]; what went before the fault is gone.
    pub fn forget(&mut self, age_ms: u64) -> Result<u64, OpenError> {
        self.check.finish(&self.path)?;
        let path = self.path.clone();
        let failed = |operation| {
            let path = path.clone();
            move |e| sqlite_error(&path, operation, e)
        };
        let count = |conn: &Connection| {
            conn.query_row("SELECT count(*) FROM contents WHERE body IS NOT NULL", [], |row| {
                row.get::<_, u64>(0)
            })
        };
        let before = count(&self.conn).map_err(failed("count the texts of"))?;
        // An age of 0 means all, also what a clock that was set back has dated in the future.
        let now = if age_ms == 0 { UnixMillis(u64::MAX) } else { self.clock.now() };
        let retention = Retention { age_ms_max: age_ms, bytes_max: u64::MAX };
        let mut sweep = Sweep::default();
        while !sweep.slice(&mut self.conn, retention, now).map_err(failed("erase texts of"))? {}
        let after = count(&self.conn).map_err(failed("count the texts of"))?;
        self.conn
            .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
            .map_err(failed("copy back the log of"))?;
        Ok(before.saturating_sub(after))
    }

    /// Whether an existing file would take writes; one that is not there yet is for [`Store::open`] to make.
    ///
    /// # Errors
    /// [`OpenError::NotWritable`], [`OpenError::NotADatabase`].
    pub fn check_writable(path: &Path) -> Result<(), OpenError> {
        if path.exists() { check_writable(path) } else { Ok(()) }
    }

    /// Where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// Asks before SQLite is asked: it would give its side files the mode of a database that cannot be written,
/// and those would stay when the user has mended the mode.
fn check_writable(path: &Path) -> Result<(), OpenError> {
    let found = std::fs::metadata(path).map_err(|e| io_error(path, "inspect", e))?;
    if !found.is_file() {
        return Err(OpenError::NotADatabase { path: path.to_owned() });
    }
    match OpenOptions::new().write(true).open(path) {
        Ok(_) => Ok(()),
        Err(error) => Err(OpenError::NotWritable {
            path: path.to_owned(),
            operation: "open",
            reason: error.to_string(),
        }),
    }
}

/// Takes the advisory lock that makes this store the only one. It is a file of its own, because closing
/// any descriptor of the database would drop the locks that SQLite holds on it (POSIX fcntl locks).
pub(crate) fn acquire_lock(path: &Path) -> Result<File, OpenError> {
    let lock_path = beside(path, ".lock");
    let file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .write(true)
        .mode(0o600)
        .open(&lock_path)
        .map_err(|e| io_error(&lock_path, "open", e))?;
    let deadline = Instant::now() + limits::LOCK_WAIT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => thread::sleep(LOCK_LOOK),
            Err(TryLockError::WouldBlock) => return Err(OpenError::Locked { path: path.to_owned() }),
            Err(TryLockError::Error(e)) => return Err(io_error(&lock_path, "lock", e)),
        }
    }
}

/// Makes a new database where there is none yet, or an empty file.
///
/// It is made under another name and gets its own when it is whole: a process that is killed meanwhile leaves no
/// half-made database, whose journal a reader could not roll back.
fn create_if_absent(path: &Path) -> Result<(), OpenError> {
    match std::fs::metadata(path) {
        Ok(found) if !found.is_file() || found.len() > 0 => return Ok(()),
        Ok(_) => check_writable(path)?,
        Err(e) if e.kind() == io::ErrorKind::NotFound => {}
        Err(e) => return Err(io_error(path, "inspect", e)),
    }
    let new = beside(path, ".new");
    for left in [new.clone(), beside(&new, "-journal"), beside(&new, "-wal"), beside(&new, "-shm")] {
        match std::fs::remove_file(&left) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(io_error(&left, "remove", e)),
            _ => {}
        }
    }
    // SQLite would create it with the umask's mode.
    let file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(&new);
    drop(file.map_err(|e| io_error(&new, "create", e))?);
    let mut conn = sqlite::open_writer(&new).map_err(|e| configure_error(&new, e))?;
    schema::migrate(&mut conn).map_err(|e| sqlite_error(&new, "migrate", e))?;
    conn.close().map_err(|(_, e)| sqlite_error(&new, "close", e))?;
    File::open(&new).and_then(|file| file.sync_all()).map_err(|e| io_error(&new, "sync", e))?;
    std::fs::rename(&new, path).map_err(|e| io_error(&new, "rename", e))?;
    sync_directory_of(path)
}

/// A name must survive a power cut as well as the bytes.
pub(crate) fn sync_directory_of(path: &Path) -> Result<(), OpenError> {
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(|e| io_error(dir, "sync", e))
}

/// The path with something behind its name.
pub(crate) fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// Looks at an existing file without any means to change it.
fn inspect(path: &Path) -> Result<Head, OpenError> {
    let len = std::fs::metadata(path).map_err(|e| io_error(path, "inspect", e))?.len();
    if len == 0 {
        return Ok(Head::EMPTY);
    }
    let (conn, found) = open_known(path)?;
    if found == 0 { Ok(Head::EMPTY) } else { chain_head(&conn, path) }
}

/// A connection that cannot write to a file that is ours, and the schema of that file, which is known.
pub(crate) fn open_known(path: &Path) -> Result<(Connection, u32), OpenError> {
    let failed = |operation| move |e| sqlite_error(path, operation, e);
    let conn = sqlite::open_reader(path).map_err(|e| configure_error(path, e))?;
    if !schema::is_ours(&conn).map_err(failed("inspect"))? {
        return Err(OpenError::NotADatabase { path: path.to_owned() });
    }
    let found = schema::version(&conn).map_err(failed("inspect"))?;
    if found > schema::VERSION {
        return Err(OpenError::TooNew { path: path.to_owned(), found, known: schema::VERSION });
    }
    Ok((conn, found))
}

/// The last event, whose hash must follow from its row and the row before.
fn chain_head(conn: &Connection, path: &Path) -> Result<Head, OpenError> {
    let read = || -> rusqlite::Result<Option<(Head, Digest)>> {
        let mut statement = conn.prepare(
            "SELECT e.seq, e.at_ms, e.kind, e.version, e.payload, e.hash, p.hash
               FROM events e LEFT JOIN events p ON p.seq = e.seq - 1 ORDER BY e.seq DESC LIMIT 1",
        )?;
        let mut rows = statement.query([])?;
        let Some(row) = rows.next()? else { return Ok(None) };
        let link = Link {
            seq: EventSeq(row.get(0)?),
            at: UnixMillis(row.get(1)?),
            kind: row.get(2)?,
            version: row.get(3)?,
            payload: row.get_ref(4)?.as_blob()?,
        };
        let prev = row.get::<_, Option<[u8; 32]>>(6)?.map_or(GENESIS, Digest);
        Ok(Some((Head { seq: link.seq, hash: Digest(row.get(5)?) }, link.hash(prev))))
    };
    match read().map_err(|e| sqlite_error(path, "read the last event of", e))? {
        None => Ok(Head::EMPTY),
        Some((head, computed)) if head.hash == computed => Ok(head),
        Some((head, _)) => Err(OpenError::Corrupt {
            path: path.to_owned(),
            reason: format!("the hash chain is broken at its last event, {}", head.seq.0),
        }),
    }
}
