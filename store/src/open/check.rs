//! The structure of the file, looked at while it is read for other reasons.

use std::path::Path;
use std::thread::{self, JoinHandle};

use super::error::{io_error, sqlite_error};
use super::{OpenError, open_known};

/// A check that goes on, or that has ended well.
#[derive(Debug)]
pub(super) struct Check(Option<JoinHandle<Result<(), OpenError>>>);

impl Check {
    /// Begins to look at every page, on a thread of its own: it takes time in proportion to the file, and the log
    /// is folded into an index meanwhile.
    pub(super) fn start(path: &Path) -> Result<Self, OpenError> {
        let owned = path.to_owned();
        let thread = thread::Builder::new().name("store-check".to_owned()).spawn(move || check(&owned));
        thread.map(|thread| Self(Some(thread))).map_err(|error| io_error(path, "start the check of", error))
    }

    /// Waits for its end.
    pub(super) fn finish(&mut self, path: &Path) -> Result<(), OpenError> {
        let Some(thread) = self.0.take() else { return Ok(()) };
        let panicked =
            || OpenError::Corrupt { path: path.to_owned(), reason: "the check panicked".to_owned() };
        thread.join().unwrap_or_else(|_| Err(panicked()))
    }
}

fn check(path: &Path) -> Result<(), OpenError> {
    let (conn, _) = open_known(path)?;
    let found: String = conn
        .query_row("PRAGMA quick_check(1)", [], |row| row.get(0))
        .map_err(|error| sqlite_error(path, "check", error))?;
    if found == "ok" { Ok(()) } else { Err(OpenError::Corrupt { path: path.to_owned(), reason: found }) }
}
