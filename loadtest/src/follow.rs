//! The log of a running daemon, read as it grows.

use std::path::Path;

use circinus_core::digest::Digest;
use circinus_core::event::Recorded;
use circinus_core::id::EventSeq;
use circinus_store::limits::PAGE_ROWS_MAX;
use circinus_store::{OpenError, QueryError, Reader};

/// A place in the log.
pub struct Follower {
    reader: Reader,
    next: EventSeq,
}

impl Follower {
    /// At the beginning of the log in `database`.
    ///
    /// # Errors
    /// When the database cannot be opened.
    pub fn open(database: &Path) -> Result<Self, OpenError> {
        Ok(Self { reader: Reader::open(database)?, next: EventSeq(0) })
    }

    /// Up to [`PAGE_ROWS_MAX`] events that were not given before; none when there are no more yet.
    ///
    /// # Errors
    /// When the log cannot be read.
    pub fn page(&mut self) -> Result<Vec<Recorded>, QueryError> {
        let page = self.reader.events(self.next, PAGE_ROWS_MAX)?;
        if let Some(last) = page.last() {
            self.next = EventSeq(last.seq.0 + 1);
        }
        Ok(page)
    }

    /// The bytes of a content.
    ///
    /// # Errors
    /// When they cannot be read, or are not kept; in words.
    pub fn body(&self, content: Digest) -> Result<Box<[u8]>, String> {
        let body = self.reader.body(content).map_err(|error| error.to_string())?;
        body.ok_or_else(|| format!("no body of {content}"))
    }
}
