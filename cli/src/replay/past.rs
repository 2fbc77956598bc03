//! Past sessions of the host, found by their transcripts.
//!
//! A session may stand in several files: one of its own and one for each subagent. Files are grouped by the session
//! that they name first, and the lines of a group are put into the order of their times.

use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use thiserror::Error;

use super::format::{Event, Session, names};
use crate::adapter::claude_code::past::{PastLine, beginning, line};

/// Longest line; far above the largest tool result that a host keeps.
pub const LINE_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Most events of one session; a session is held in memory whole, because its first reads shape the workspace.
pub const SESSION_EVENTS_MAX: usize = 200_000;

/// Lines looked at for the session that a file belongs to.
const HEAD_LINES_MAX: usize = 200;

/// Folders below one another that are searched: the host nests three.
const DEPTH_MAX: usize = 6;

/// Why a transcript could not be read.
#[derive(Debug, Error)]
pub enum PastError {
    /// The operating system refused.
    #[error("cannot {operation} {}: {source}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// On what.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A line that is no JSON.
    #[error("{} line {number}: not a line of a transcript: {source}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        number: u64,
        /// What is wrong.
        source: serde_json::Error,
    },
    /// A bound was reached.
    #[error("{}: {what}", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Which bound.
        what: String,
    },
}

/// A session and the files that it stands in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Past {
    /// The host's id of the session.
    pub session: String,
    /// Its transcripts, sorted by path.
    pub files: Vec<PathBuf>,
}

/// The transcripts that `path` names: itself, or every `.jsonl` below it that changed at `since` or later.
///
/// # Errors
/// `Io` when something cannot be looked at.
pub fn transcripts(path: &Path, since: Option<SystemTime>) -> Result<Vec<PathBuf>, PastError> {
    if !fs::metadata(path).map_err(at("open", path))?.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let (mut found, mut folders) = (Vec::new(), vec![(path.to_owned(), 0)]);
    while let Some((folder, depth)) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(at("list", &folder))? {
            let entry = entry.map_err(at("list", &folder))?;
            let (path, kind) = (entry.path(), entry.file_type().map_err(at("look at", &entry.path()))?);
            if kind.is_dir() && depth < DEPTH_MAX {
                folders.push((path, depth + 1));
            } else if kind.is_file() && path.extension().is_some_and(|ext| ext == "jsonl") {
                let changed =
                    entry.metadata().and_then(|meta| meta.modified()).map_err(at("look at", &path))?;
                if since.is_none_or(|since| changed >= since) {
                    found.push(path);
                }
            }
        }
    }
    found.sort();
    Ok(found)
}

/// Groups files by session. A file that names none in its first lines holds nothing to play and is left out; one whose
/// first lines cannot be read stands for itself, so that reading it says why.
///
/// # Errors
/// `Io`.
pub fn group(files: &[PathBuf]) -> Result<Vec<Past>, PastError> {
    let mut sessions: BTreeMap<String, Vec<PathBuf>> = BTreeMap::new();
    for path in files {
        let session = match first_session(path) {
            Err(PastError::Malformed { .. } | PastError::TooLarge { .. }) => Some(path.display().to_string()),
            read => read?,
        };
        if let Some(session) = session {
            sessions.entry(session).or_default().push(path.clone());
        }
    }
    Ok(sessions.into_iter().map(|(session, files)| Past { session, files }).collect())
}

fn first_session(path: &Path) -> Result<Option<String>, PastError> {
    let mut lines = Lines::open(path)?;
    for _ in 0..HEAD_LINES_MAX {
        let Some(read) = lines.next()? else { break };
        if let Some(first) = read.and_then(|line| line.events.into_iter().next()) {
            return Ok(Some(first.session_id));
        }
    }
    Ok(None)
}

impl Past {
    /// The session with its events in order: a beginning, and each result with the call that it answers.
    ///
    /// # Errors
    /// [`PastError`].
    pub fn read(&self) -> Result<Session, PastError> {
        let mut lines: Vec<PastLine> = Vec::new();
        for path in &self.files {
            let mut file = Lines::open(path)?;
            while let Some(read) = file.next()? {
                lines.extend(read);
                if lines.len() > SESSION_EVENTS_MAX {
                    let what = format!("more than {SESSION_EVENTS_MAX} events in one session");
                    return Err(PastError::TooLarge { path: path.clone(), what });
                }
            }
        }
        // The sort is stable: lines of one millisecond keep the order of their file.
        lines.sort_by_key(|line| line.at_ms);
        Ok(Session { suite: "past".to_owned(), id: self.session.clone(), events: events(lines) })
    }
}

fn events(lines: Vec<PastLine>) -> Vec<Event> {
    let start = lines.first().map_or(0, |line| line.at_ms);
    let mut calls: HashMap<String, Event> = HashMap::new();
    let mut events: Vec<Event> = Vec::new();
    for line in lines {
        for mut event in line.events {
            event.t_ms = line.at_ms.saturating_sub(start);
            if events.is_empty() {
                events.push(beginning(&event));
            }
            let id = event.tool_use_id.clone().unwrap_or_default();
            if event.event == names::PRE_TOOL_USE {
                calls.insert(id, event.clone());
            } else if event.is_post() {
                // A result without its call belongs to a part of the session that another file holds.
                let Some(call) = calls.get(&id) else { continue };
                event.tool_name.clone_from(&call.tool_name);
                event.tool_input.clone_from(&call.tool_input);
            }
            events.push(event);
        }
    }
    events
}

/// The lines of a transcript.
struct Lines {
    path: PathBuf,
    reader: BufReader<File>,
    number: u64,
}

impl Lines {
    fn open(path: &Path) -> Result<Self, PastError> {
        let file = File::open(path).map_err(at("open", path))?;
        Ok(Self { path: path.to_owned(), reader: BufReader::new(file), number: 0 })
    }

    /// The next line, which may stand for nothing; none at the end. A last line without its end is still being
    /// written, and is left.
    fn next(&mut self) -> Result<Option<Option<PastLine>>, PastError> {
        let mut bytes = Vec::new();
        let mut limited = (&mut self.reader).take(LINE_BYTES_MAX + 1);
        limited.read_until(b'\n', &mut bytes).map_err(at("read", &self.path))?;
        self.number += 1;
        if bytes.len() as u64 > LINE_BYTES_MAX {
            let what = format!("line {} is longer than {LINE_BYTES_MAX} bytes", self.number);
            return Err(PastError::TooLarge { path: self.path.clone(), what });
        }
        if bytes.last() != Some(&b'\n') {
            return Ok(None);
        }
        if bytes.trim_ascii().is_empty() {
            return Ok(Some(None));
        }
        line(&bytes).map(Some).map_err(|source| PastError::Malformed {
            path: self.path.clone(),
            number: self.number,
            source,
        })
    }
}

fn at(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> PastError {
    let path = path.to_owned();
    move |source| PastError::Io { operation, path, source }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn transcript(folder: &Path, name: &str, lines: &[Value]) -> PathBuf {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let text: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(&path, text).unwrap();
        path
    }

    fn said(second: u32, kind: &str, content: Value) -> Value {
        json!({ "type": kind, "sessionId": "s", "cwd": "/w", "timestamp": format!("2026-01-01T00:00:{second:02}Z"),
            "message": { "content": content } })
    }

    fn call(id: &str) -> Value {
        json!([{ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": "ls" } }])
    }

    fn result(id: &str) -> Value {
        json!([{ "type": "tool_result", "tool_use_id": id, "content": "a" }])
    }

    #[test]
    fn a_session_is_put_together_from_its_files_in_the_order_of_time() {
        let folder = tempfile::tempdir().unwrap();
        let own = [
            json!({ "type": "mode", "sessionId": "s" }),
            said(1, "user", json!("go")),
            said(2, "assistant", call("one")),
            said(9, "user", result("one")),
        ];
        let agent = [said(3, "assistant", call("two")), said(4, "user", result("two"))];
        transcript(folder.path(), "p/s.jsonl", &own);
        transcript(folder.path(), "p/s/subagents/agent-1.jsonl", &agent);
        let found = group(&transcripts(folder.path(), None).unwrap()).unwrap();
        assert_eq!(found.len(), 1);
        let session = found[0].read().unwrap();
        let told: Vec<_> =
            session.events.iter().map(|event| (&*event.event, event.tool_use_id.as_deref())).collect();
        assert_eq!(
            told,
            [
                ("SessionStart", None),
                ("UserPromptSubmit", None),
                ("PreToolUse", Some("one")),
                ("PreToolUse", Some("two")),
                ("PostToolUse", Some("two")),
                ("PostToolUse", Some("one")),
            ]
        );
        assert_eq!((session.events[5].tool(), session.events[5].t_ms), ("Bash", 8_000));
    }

    #[test]
    fn old_transcripts_and_other_files_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        transcript(folder.path(), "s.jsonl", &[said(1, "user", json!("go"))]);
        transcript(folder.path(), "notes.txt", &[]);
        let later = SystemTime::now() + std::time::Duration::from_secs(3_600);
        assert_eq!(transcripts(folder.path(), Some(later)).unwrap(), Vec::<PathBuf>::new());
        assert_eq!(transcripts(folder.path(), None).unwrap().len(), 1);
    }

    #[test]
    fn a_broken_line_is_named_and_a_line_in_writing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        fs::write(&path, format!("{}\n{{\"type\":\"us", said(1, "user", json!("go")))).unwrap();
        let past = group(std::slice::from_ref(&path)).unwrap().remove(0);
        assert_eq!(past.read().unwrap().events.len(), 2);
        fs::write(&path, format!("{}\nnot json\n", said(1, "user", json!("go")))).unwrap();
        let error = past.read().unwrap_err().to_string();
        assert!(error.contains("s.jsonl line 2"), "{error}");
        fs::write(&path, "not json\n").unwrap();
        let error = group(&[path]).unwrap().remove(0).read().unwrap_err().to_string();
        assert!(error.contains("s.jsonl line 1"), "{error}");
    }
}
