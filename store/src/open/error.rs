//! Why opening fails, and how the answers of system and SQLite are told apart.

use std::io;
use std::path::{Path, PathBuf};

use rusqlite::ErrorCode;

use crate::sqlite::ConfigureError;

/// Why a store cannot be opened. The file is as it was before.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file or its directory does not take writes.
    #[error(
        "{operation} {path}: not writable: {reason}\nhint: check owner, permissions and mount of the directory, or set another CIRCINUS_HOME"
    )]
    NotWritable {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        operation: &'static str,
        /// What the system answered.
        reason: String,
    },
    /// The file is one of ours and is damaged.
    #[error(
        "{path}: damaged: {reason}\nhint: nothing was changed; move the file away to start anew, or restore a copy"
    )]
    Corrupt {
        /// The file.
        path: PathBuf,
        /// The first thing that is wrong.
        reason: String,
    },
    /// The file was written by a newer build.
    #[error(
        "{path}: schema {found} is newer than {known}, the newest this build knows\nhint: nothing was changed; install the newer circinus again"
    )]
    TooNew {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// Another process has it.
    #[error(
        "{path}: in use by another process\nhint: one daemon runs per CIRCINUS_HOME; see `circinus status`"
    )]
    Locked {
        /// The file.
        path: PathBuf,
    },
    /// The file is something else.
    #[error("{path}: not a circinus database\nhint: nothing was changed; move the file away")]
    NotADatabase {
        /// The file.
        path: PathBuf,
    },
    /// There is no file, and a reader creates none.
    #[error("{path}: there is no database yet\nhint: the daemon creates it; run `circinus daemon start`")]
    Absent {
        /// The file.
        path: PathBuf,
    },
    /// SQLite does not do what durability needs.
    #[error(
        "{path}: sqlite keeps {pragma} at {found}, {wanted} is needed\nhint: network and some virtual file systems cannot do this; put CIRCINUS_HOME on a local disk"
    )]
    Pragma {
        /// The file.
        path: PathBuf,
        /// Which setting.
        pragma: &'static str,
        /// What was asked for.
        wanted: String,
        /// What it stays at.
        found: String,
    },
    /// The system failed in another way.
    #[error("{operation} {path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What was tried.
        operation: &'static str,
        /// What the system answered.
        source: io::Error,
    },
    /// SQLite failed in another way.
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

pub(super) fn io_error(path: &Path, operation: &'static str, source: io::Error) -> OpenError {
    let path = path.to_owned();
    match source.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            OpenError::NotWritable { path, operation, reason: source.to_string() }
        }
        _ => OpenError::Io { path, operation, source },
    }
}

pub(super) fn configure_error(path: &Path, error: ConfigureError) -> OpenError {
    match error {
        ConfigureError::Refused { pragma, wanted, found } => {
            OpenError::Pragma { path: path.to_owned(), pragma, wanted, found }
        }
        ConfigureError::Sqlite(source) => sqlite_error(path, "open", source),
    }
}

pub(super) fn sqlite_error(path: &Path, operation: &'static str, source: rusqlite::Error) -> OpenError {
    let path = path.to_owned();
    match source.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => OpenError::NotADatabase { path },
        Some(ErrorCode::DatabaseCorrupt) => OpenError::Corrupt { path, reason: source.to_string() },
        Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied | ErrorCode::CannotOpen) => {
            OpenError::NotWritable { path, operation, reason: source.to_string() }
        }
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => OpenError::Locked { path },
        _ => OpenError::Sqlite { path, operation, source },
    }
}
