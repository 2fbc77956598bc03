//! The scratch folders of one session: the files that its tools saw, never anything that its commands did.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Component, Path, PathBuf};

use serde::Serialize;
use thiserror::Error;

use super::file_event::{FileEvent, Hunk, Replacement};
use super::reconstruct::StartFiles;

/// What became of the files of a session; sums over sessions. These are the files that a gate may find unexplained
/// because a replay is no live workspace.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct FileCounts {
    /// Laid down before the session with every byte known.
    pub whole: u64,
    /// Laid down before the session with gaps.
    pub partial: u64,
    /// Written by the session.
    pub written: u64,
    /// Edits that did not fit what lay there, so that the file was left as it was.
    pub edits_unfit: u64,
    /// Brought to what a read showed, because something unrecorded (mostly a command) had changed it.
    pub changed_unseen: u64,
    /// Not laid down: outside the scratch folders, inside a version control folder, or under a name that the file
    /// system does not take.
    pub skipped: u64,
}

impl FileCounts {
    /// Adds another session's.
    pub fn add(&mut self, other: FileCounts) {
        self.whole += other.whole;
        self.partial += other.partial;
        self.written += other.written;
        self.edits_unfit += other.edits_unfit;
        self.changed_unseen += other.changed_unseen;
        self.skipped += other.skipped;
    }
}

/// The disk refused.
#[derive(Debug, Error)]
#[error("cannot {operation} `{}`: {source}", path.display())]
pub struct WorkspaceError {
    operation: &'static str,
    path: PathBuf,
    source: io::Error,
}

impl WorkspaceError {
    /// That a folder could not be made a repository.
    #[must_use]
    pub fn commit(path: &Path, source: io::Error) -> WorkspaceError {
        at("commit the files of", path)(source)
    }

    /// That a folder could not be removed.
    #[must_use]
    pub fn remove(path: &Path, source: io::Error) -> WorkspaceError {
        at("remove", path)(source)
    }
}

/// The scratch folders of one session.
#[derive(Debug)]
pub struct Workspace {
    roots: Vec<PathBuf>,
    counts: FileCounts,
}

impl Workspace {
    /// Makes the folders.
    ///
    /// # Errors
    /// [`WorkspaceError`].
    pub fn create<'a>(roots: impl Iterator<Item = &'a Path>) -> Result<Workspace, WorkspaceError> {
        let roots: Vec<PathBuf> = roots.map(Path::to_owned).collect();
        for root in &roots {
            fs::create_dir_all(root).map_err(at("create", root))?;
        }
        Ok(Workspace { roots, counts: FileCounts::default() })
    }

    /// What became of the files so far.
    #[must_use]
    pub fn counts(&self) -> FileCounts {
        self.counts
    }

    /// Whether a path lies in the scratch folders, so that it may be written.
    ///
    /// INVARIANT (scratch-only): no recorded path reaches a file outside; and none reaches version control's own
    /// folder, whose configuration and hooks name programs that a later `git` would run.
    #[must_use]
    pub fn holds(&self, path: &Path) -> bool {
        let plain = path.components().all(|part| match part {
            Component::Normal(name) => !name.eq_ignore_ascii_case(".git"),
            Component::RootDir => true,
            Component::Prefix(_) | Component::CurDir | Component::ParentDir => false,
        });
        plain && self.roots.iter().any(|root| path.starts_with(root))
    }

    /// Makes a working directory exist, or puts `instead` in its place where it lies outside.
    ///
    /// # Errors
    /// [`WorkspaceError`].
    pub fn admit_cwd(&self, cwd: &mut String, instead: &Path) -> Result<(), WorkspaceError> {
        if !self.holds(Path::new(cwd)) {
            *cwd = instead.to_string_lossy().into_owned();
        }
        let path = Path::new(cwd);
        if path.is_dir() { Ok(()) } else { fs::create_dir_all(path).map_err(at("create", path)) }
    }

    /// Lays down the files of the session's start.
    ///
    /// # Errors
    /// [`WorkspaceError`].
    pub fn lay_down(&mut self, files: &StartFiles) -> Result<(), WorkspaceError> {
        for (path, file) in files {
            if self.write(Path::new(path), &file.content)? {
                let count = if file.whole { &mut self.counts.whole } else { &mut self.counts.partial };
                *count += 1;
            }
        }
        Ok(())
    }

    /// Brings a file to what a read is about to show.
    ///
    /// # Errors
    /// [`WorkspaceError`].
    pub fn before_read(&mut self, fact: &FileEvent) -> Result<(), WorkspaceError> {
        let FileEvent::Read { path, start, content, whole } = fact else { return Ok(()) };
        let path = Path::new(path);
        let Some(present) = self.read(path)? else { return Ok(()) };
        let wanted = if *whole { content.clone() } else { overlay(&present, *start, content) };
        if wanted != present && self.write(path, &wanted)? {
            self.counts.changed_unseen += 1;
        }
        Ok(())
    }

    /// Does what a write or an edit that ran did.
    ///
    /// # Errors
    /// [`WorkspaceError`].
    pub fn after_change(&mut self, fact: &FileEvent) -> Result<(), WorkspaceError> {
        let path = Path::new(fact.path());
        let content = match fact {
            FileEvent::Read { .. } => return Ok(()),
            FileEvent::Write { content, .. } => Some(content.clone()),
            FileEvent::Edit { replacements, hunks, .. } => match self.read(path)? {
                Some(present) => replace(&present, replacements).or_else(|| splice(&present, hunks)),
                None => return Ok(()),
            },
        };
        let Some(content) = content else {
            self.counts.edits_unfit += 1;
            return Ok(());
        };
        if self.write(path, &content)? {
            self.counts.written += 1;
        }
        Ok(())
    }

    /// The text of a file; empty when there is none, nothing when it may not be touched or is no text.
    fn read(&mut self, path: &Path) -> Result<Option<String>, WorkspaceError> {
        if !self.holds(path) {
            self.counts.skipped += 1;
            return Ok(None);
        }
        match fs::read_to_string(path) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Some(String::new())),
            Err(error) if is_name_fault(&error) => {
                self.counts.skipped += 1;
                Ok(None)
            }
            Err(error) => Err(at("read", path)(error)),
        }
    }

    /// Writes a file and the folders above it; false when the recording's path cannot be one here.
    fn write(&mut self, path: &Path, content: &str) -> Result<bool, WorkspaceError> {
        if !self.holds(path) {
            self.counts.skipped += 1;
            return Ok(false);
        }
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        match made.and_then(|()| fs::write(path, content)) {
            Ok(()) => Ok(true),
            Err(error) if is_name_fault(&error) => {
                self.counts.skipped += 1;
                Ok(false)
            }
            Err(error) => Err(at("write", path)(error)),
        }
    }
}

/// Faults of the recorded path, not of the disk: a file stands where a folder would, or the name is too long.
fn is_name_fault(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::NotADirectory
            | ErrorKind::IsADirectory
            | ErrorKind::AlreadyExists
            | ErrorKind::InvalidFilename
            | ErrorKind::InvalidInput
            | ErrorKind::InvalidData
    )
}

/// The text with the lines from `start` on replaced by those of `seen`.
fn overlay(present: &str, start: usize, seen: &str) -> String {
    let mut lines: Vec<&str> = present.split('\n').collect();
    for (offset, line) in seen.split('\n').enumerate() {
        let index = start.saturating_add(offset).saturating_sub(1);
        if index >= super::file_event::LINES_MAX {
            break;
        }
        if lines.len() <= index {
            lines.resize(index + 1, "");
        }
        if let Some(place) = lines.get_mut(index) {
            *place = line;
        }
    }
    lines.join("\n")
}

/// The text with all replacements done; nothing when one finds no place.
fn replace(present: &str, replacements: &[Replacement]) -> Option<String> {
    let mut text = present.to_owned();
    for step in replacements {
        if step.old.is_empty() && text.is_empty() {
            text.clone_from(&step.new);
        } else if step.old.is_empty() || !text.contains(&step.old) {
            return None;
        } else if step.all {
            text = text.replace(&step.old, &step.new);
        } else {
            text = text.replacen(&step.old, &step.new, 1);
        }
    }
    (!replacements.is_empty()).then_some(text)
}

/// The text with the hunks' lines put where they say; nothing when there is no hunk or it lies beyond the end.
fn splice(present: &str, hunks: &[Hunk]) -> Option<String> {
    let mut lines: Vec<&str> = present.split('\n').collect();
    for hunk in hunks.iter().rev() {
        let first = hunk.old_start - 1;
        let end = first.checked_add(hunk.old.len()).filter(|end| *end <= lines.len())?;
        lines.splice(first..end, hunk.new.iter().map(String::as_str));
    }
    (!hunks.is_empty()).then(|| lines.join("\n"))
}

fn at(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> WorkspaceError {
    let path = path.to_owned();
    move |source| WorkspaceError { operation, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlay_keeps_the_rest() {
        assert_eq!(overlay("a\nb\nc\n", 2, "X"), "a\nX\nc\n");
        assert_eq!(overlay("a", 3, "c"), "a\n\nc");
        assert_eq!(overlay("a", usize::MAX, "c"), "a");
    }

    #[test]
    fn replacements_need_a_place() {
        let step = |old: &str, all| Replacement { old: old.to_owned(), new: "n".to_owned(), all };
        assert_eq!(replace("o o", &[step("o", false)]).unwrap(), "n o");
        assert_eq!(replace("o o", &[step("o", true)]).unwrap(), "n n");
        assert_eq!(replace("o o", &[step("x", true)]), None);
        assert_eq!(replace("", &[step("", false)]).unwrap(), "n");
        assert_eq!(replace("o", &[]), None);
    }

    #[test]
    fn splice_puts_lines_from_the_end_backwards() {
        let hunk = |start, old: &[&str], new: &[&str]| Hunk {
            old_start: start,
            new_start: start,
            old: old.iter().map(|line| (*line).to_owned()).collect(),
            new: new.iter().map(|line| (*line).to_owned()).collect(),
        };
        let hunks = [hunk(1, &["a"], &["A", "AA"]), hunk(3, &["c"], &[])];
        assert_eq!(splice("a\nb\nc\nd", &hunks).unwrap(), "A\nAA\nb\nd");
        assert_eq!(splice("a", &[hunk(2, &["b"], &["B"])]), None);
    }
}
