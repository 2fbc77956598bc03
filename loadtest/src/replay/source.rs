//! Where sessions come from: files of the replay format, plain or compressed with zstd, read as a stream.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::format::{Event, Session};
use super::zstd::Frames;

/// Longest line; far above the largest recorded tool result, and small enough to hold a few at once.
pub const LINE_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// Most events of one session; a session is held in memory whole, because its first reads shape the workspace.
pub const SESSION_EVENTS_MAX: usize = 200_000;

/// Why a corpus file could not be read to its end.
#[derive(Debug, Error)]
pub enum SourceError {
    /// The operating system refused.
    #[error("cannot {operation} `{}`: {source}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// Its answer.
        source: io::Error,
    },
    /// A folder without any recording.
    #[error("`{}` holds no .jsonl or .jsonl.zst file", path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
    /// A line that is no event.
    #[error("`{}` line {line}: not an event of the replay format: {source}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A line above [`LINE_BYTES_MAX`].
    #[error("`{}` line {line}: longer than {LINE_BYTES_MAX} bytes", path.display())]
    LineTooLong {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
    },
    /// More events than [`SESSION_EVENTS_MAX`].
    #[error("`{}` line {line}: session `{session}` has more than {SESSION_EVENTS_MAX} events", path.display())]
    SessionTooLong {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// Its id.
        session: String,
    },
    /// The events of one session do not stand together.
    #[error("`{}` line {line}: session `{session}` goes on after another one began; hint: group the file by session_id", path.display())]
    SessionSplit {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        line: u64,
        /// Its id.
        session: String,
    },
}

/// The recordings that `path` names: itself, or every `.jsonl` and `.jsonl.zst` below it, sorted by path.
///
/// # Errors
/// `Io` when it cannot be looked at, `Empty` when a folder holds none.
pub fn files(path: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let io = |operation, path: &Path| {
        let path = path.to_owned();
        move |source| SourceError::Io { operation, path, source }
    };
    if !std::fs::metadata(path).map_err(io("open", path))?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let (mut found, mut folders) = (Vec::new(), vec![path.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).map_err(io("list", &folder))? {
            let entry = entry.map_err(io("list", &folder))?;
            // A link is not followed: a folder that links to its parent would never end.
            let kind = entry.file_type().map_err(io("look at", &entry.path()))?;
            if kind.is_dir() {
                folders.push(entry.path());
            } else if is_recording(&entry.path()) {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    if found.is_empty() { Err(SourceError::Empty { path: path.to_owned() }) } else { Ok(found) }
}

fn is_recording(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".jsonl") || name.ends_with(".jsonl.zst")
}

/// The suite of a file: its name up to `.jsonl`.
#[must_use]
pub fn suite_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(".zst").unwrap_or(&name).trim_end_matches(".jsonl").to_owned()
}

/// The sessions of one file, one at a time; after an error there are no more.
pub struct Sessions {
    path: PathBuf,
    reader: Box<dyn BufRead + Send>,
    line: u64,
    /// First event of the next session.
    held: Option<Event>,
    seen: HashSet<String>,
    ended: bool,
}

impl Sessions {
    /// Opens a file; `watch` wraps the raw reader, for a progress bar.
    ///
    /// # Errors
    /// `Io`.
    pub fn open<R: Read + Send + 'static>(
        path: &Path,
        watch: impl FnOnce(File) -> R,
    ) -> Result<Sessions, SourceError> {
        let file = File::open(path).map_err(|source| SourceError::Io {
            operation: "open",
            path: path.to_owned(),
            source,
        })?;
        let raw = BufReader::new(watch(file));
        let reader: Box<dyn BufRead + Send> = if path.extension().is_some_and(|ext| ext == "zst") {
            Box::new(BufReader::new(Frames::new(raw)))
        } else {
            Box::new(raw)
        };
        Ok(Sessions {
            path: path.to_owned(),
            reader,
            line: 0,
            held: None,
            seen: HashSet::new(),
            ended: false,
        })
    }

    fn next_event(&mut self) -> Result<Option<Event>, SourceError> {
        loop {
            let mut line = Vec::new();
            let mut limited = (&mut self.reader).take(LINE_BYTES_MAX + 1);
            let bytes = limited.read_until(b'\n', &mut line).map_err(|source| SourceError::Io {
                operation: "read",
                path: self.path.clone(),
                source,
            })?;
            if bytes == 0 {
                return Ok(None);
            }
            self.line += 1;
            if line.len() as u64 > LINE_BYTES_MAX {
                return Err(SourceError::LineTooLong { path: self.path.clone(), line: self.line });
            }
            if line.trim_ascii().is_empty() {
                continue;
            }
            return Event::parse(&line).map(Some).map_err(|source| SourceError::Malformed {
                path: self.path.clone(),
                line: self.line,
                source,
            });
        }
    }

    fn next_session(&mut self) -> Result<Option<Session>, SourceError> {
        let first = match self.held.take() {
            Some(event) => event,
            None => match self.next_event()? {
                Some(event) => event,
                None => return Ok(None),
            },
        };
        let id = first.session_id.clone();
        if !self.seen.insert(id.clone()) {
            return Err(SourceError::SessionSplit { path: self.path.clone(), line: self.line, session: id });
        }
        let mut events = vec![first];
        while let Some(event) = self.next_event()? {
            if event.session_id != id {
                self.held = Some(event);
                break;
            }
            if events.len() == SESSION_EVENTS_MAX {
                let (path, line) = (self.path.clone(), self.line);
                return Err(SourceError::SessionTooLong { path, line, session: id });
            }
            events.push(event);
        }
        Ok(Some(Session { suite: suite_of(&self.path), id, events }))
    }
}

impl Iterator for Sessions {
    type Item = Result<Session, SourceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let next = self.next_session().transpose();
        self.ended = !matches!(next, Some(Ok(_)));
        next
    }
}
