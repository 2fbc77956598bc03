//! Whole copies: a backup beside a running writer, and a restore in its absence.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use crate::limits;
use crate::open::{OpenError, acquire_lock, beside, sync_directory_of};
use crate::query::Reader;
use crate::verify;

/// Why there is no copy. What was there before is there still.
#[derive(Debug, thiserror::Error)]
pub enum CopyError {
    /// The source cannot be opened, or the target is in use.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A copy is never written over something.
    #[error("{path}: there is a file already\nhint: name another one, or move it away")]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The source is not as it was written.
    #[error(
        "{path}: damaged, {count} problems, the first: {first}\nhint: `circinus verify` lists them; nothing was changed"
    )]
    Damaged {
        /// The file.
        path: PathBuf,
        /// How many problems there are.
        count: usize,
        /// The first of them.
        first: String,
    },
    /// It cannot be checked.
    #[error("verify {path}: {source}")]
    Verify {
        /// The file.
        path: PathBuf,
        /// What SQLite answered.
        source: verify::Error,
    },
    /// The system failed.
    #[error("{operation} {path}: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        operation: &'static str,
        /// What the system answered.
        source: io::Error,
    },
    /// SQLite failed.
    #[error("{operation} {path}: {source}")]
    Sqlite {
        /// The file.
        path: PathBuf,
        /// What was tried.
        operation: &'static str,
        /// What SQLite answered.
        source: rusqlite::Error,
    },
}

/// Copies the database at `from` to the new private file `to`: one consistent state, also beside a running writer.
/// The copy gets its name when it is whole, checked and synced.
///
/// # Errors
/// See [`CopyError`].
pub fn backup(from: &Path, to: &Path) -> Result<(), CopyError> {
    if to.symlink_metadata().is_ok() {
        return Err(CopyError::Exists { path: to.to_owned() });
    }
    let part = beside(to, ".part");
    copy(&Reader::open(from)?, &part)?;
    check(&part)?;
    // Unlike a rename, a link never replaces what has got the name meanwhile.
    fs::hard_link(&part, to).map_err(|e| match e.kind() {
        io::ErrorKind::AlreadyExists => CopyError::Exists { path: to.to_owned() },
        _ => failed(to, "link")(e),
    })?;
    fs::remove_file(&part).map_err(failed(&part, "remove"))?;
    Ok(sync_directory_of(to)?)
}

/// Puts a copy of the database at `from` in the place of the one at `to`, which no process may have open; gives the
/// name under which the former one is kept, if there was one.
///
/// # Errors
/// See [`CopyError`]; [`OpenError::Locked`] while a daemon runs.
pub fn restore(from: &Path, to: &Path) -> Result<Option<PathBuf>, CopyError> {
    check(from)?;
    let _lock = acquire_lock(to)?;
    let part = beside(to, ".part");
    copy(&Reader::open(from)?, &part)?;
    check(&part)?;
    let kept = keep_former(to)?;
    fs::rename(&part, to).map_err(failed(to, "rename to"))?;
    sync_directory_of(to)?;
    Ok(kept)
}

/// Moves the write-ahead log of the former database aside before another database gets its name: SQLite would take
/// it for that one's. A restore that is cut off in between is run again.
fn keep_former(path: &Path) -> Result<Option<PathBuf>, CopyError> {
    if !path.exists() {
        return Ok(None);
    }
    let names = (1..=limits::FORMER_MAX).map(|number| beside(path, &format!(".former-{number}")));
    let Some(former) = names.into_iter().find(|name| !name.exists()) else {
        return Err(CopyError::Exists { path: beside(path, &format!(".former-{}", limits::FORMER_MAX)) });
    };
    fs::hard_link(path, &former).map_err(failed(&former, "link"))?;
    move_if_there(&beside(path, "-wal"), &beside(&former, "-wal"))?;
    // An index of the log, made anew by whoever opens it.
    match fs::remove_file(beside(path, "-shm")) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(path, "remove the index of")(e)),
        _ => Ok(Some(former)),
    }
}

fn move_if_there(from: &Path, to: &Path) -> Result<(), CopyError> {
    match fs::rename(from, to) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => Err(failed(from, "move")(e)),
        _ => Ok(()),
    }
}

/// All pages in one step, and so in one read transaction: with several, each commit of a writer begins the copy anew.
fn copy(from: &Reader, part: &Path) -> Result<(), CopyError> {
    match fs::remove_file(part) {
        Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(failed(part, "remove")(e)),
        _ => {}
    }
    let file = OpenOptions::new().create_new(true).write(true).mode(0o600).open(part);
    drop(file.map_err(failed(part, "create"))?);
    let sqlite = |operation| move |source| CopyError::Sqlite { path: part.to_owned(), operation, source };
    let mut conn =
        Connection::open_with_flags(part, OpenFlags::SQLITE_OPEN_READ_WRITE).map_err(sqlite("open"))?;
    Backup::new(&from.conn, &mut conn).and_then(|backup| backup.step(-1)).map_err(sqlite("copy to"))?;
    conn.close().map_err(|(_, e)| sqlite("close")(e))?;
    File::open(part).and_then(|file| file.sync_all()).map_err(failed(part, "sync"))
}

fn check(path: &Path) -> Result<(), CopyError> {
    let problems =
        Reader::open(path)?.verify().map_err(|source| CopyError::Verify { path: path.to_owned(), source })?;
    match problems.first() {
        None => Ok(()),
        Some(first) => {
            Err(CopyError::Damaged { path: path.to_owned(), count: problems.len(), first: first.to_string() })
        }
    }
}

fn failed(path: &Path, operation: &'static str) -> impl Fn(io::Error) -> CopyError {
    let path = path.to_owned();
    move |source| CopyError::Io { path: path.clone(), operation, source }
}
