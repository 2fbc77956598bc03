//! The files of a commit: path and blob id of each, as `git ls-tree` tells them.
//!
//! A repository may be hostile, and its configuration can name programs that git runs. So git is never shown
//! the repository itself: it works in an empty repository of ours and is pointed at the objects alone, which
//! are data. Nothing is fetched, no hook, filter, pager or monitor is configured, and the time is bounded.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use thiserror::Error;
use wait_timeout::ChildExt;

use super::fingerprint::{ObjectFormat, ObjectId};

/// Longest time for a listing. A hundred thousand files take a fifth of a second.
const GIT_WAIT_MAX: Duration = Duration::from_secs(3);

/// Bytes of a listing: about 300,000 files. A larger tree is not known, so its files count as untracked.
const LISTING_BYTES_MAX: u64 = 32 << 20;

/// Why the files of a commit are not known.
#[derive(Debug, Error)]
pub enum ListError {
    /// The commit's id is none.
    #[error("HEAD names no object")]
    NoCommit,
    /// The empty repository cannot be made.
    #[error("cannot make {}: {source}", path.display())]
    Prepare {
        /// Which file or folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The program cannot be started, or its output not be read.
    #[error("cannot run git: {0}; hint: install git")]
    Run(#[from] io::Error),
    /// It ended with an error: the objects are not all there.
    #[error("git cannot list the commit")]
    Failed,
    /// It did not end in time.
    #[error("git did not list the commit within {} s", GIT_WAIT_MAX.as_secs())]
    Slow,
    /// There are too many files.
    #[error("the commit has more files than are looked at")]
    TooLong,
}

/// The files of one commit.
#[derive(Debug)]
pub(crate) struct Listing {
    format: ObjectFormat,
    by_path: HashMap<Box<str>, ObjectId>,
    blobs: HashSet<ObjectId>,
}

impl Listing {
    /// How the repository names its objects.
    pub(super) const fn format(&self) -> ObjectFormat {
        self.format
    }

    /// Whether the file at `path` (relative to the top) has that blob.
    pub(super) fn holds_at(&self, path: &str, blob: ObjectId) -> bool {
        self.by_path.get(path) == Some(&blob)
    }

    /// Whether any file has that blob.
    pub(super) fn holds(&self, blob: ObjectId) -> bool {
        self.blobs.contains(&blob)
    }

    /// Reads the output of `git ls-tree -r -z`: `MODE blob ID`, a tab, the path, and a zero byte for each. Names
    /// that are not UTF-8 are no operands and are left out, as are links and submodules, whose blobs are not
    /// what a reader gets.
    fn parse(text: &[u8], format: ObjectFormat) -> Self {
        let entries = text.split(|byte| *byte == 0).filter_map(|entry| {
            let (head, path) = std::str::from_utf8(entry).ok()?.split_once('\t')?;
            let mut head = head.split(' ');
            let (mode, kind, id) = (head.next()?, head.next()?, head.next()?);
            let file = kind == "blob" && mode.starts_with("100");
            let (id, its_format) = ObjectId::parse(id)?;
            (file && its_format == format).then(|| (Box::from(path), id))
        });
        let by_path: HashMap<Box<str>, ObjectId> = entries.collect();
        let blobs = by_path.values().copied().collect();
        Self { format, by_path, blobs }
    }
}

/// Lists the files of `commit`, whose objects lie in the folder `objects`; `place` is a folder of ours.
///
/// # Errors
///
/// [`ListError`]; the program does not outlive the call.
pub(super) fn list(place: &Path, objects: &Path, commit: &str) -> Result<Listing, ListError> {
    let (_, format) = ObjectId::parse(commit).ok_or(ListError::NoCommit)?;
    let repository = empty_repository(place, format)?;
    let text = output(
        git()
            .args(["--no-pager", "ls-tree", "-r", "-z", "--full-tree", commit])
            .env("HOME", &repository)
            .env("GIT_DIR", &repository)
            .env("GIT_OBJECT_DIRECTORY", objects),
    )?;
    Ok(Listing::parse(&text, format))
}

/// What git says of its version.
///
/// # Errors
///
/// [`ListError`], when no file can be known to be tracked.
pub fn version() -> Result<String, ListError> {
    let text = output(git().arg("--version"))?;
    Ok(String::from_utf8_lossy(&text).trim().to_owned())
}

/// The program, in an environment without any configuration of the user's or of a repository.
///
/// INVARIANT (repositories-run-nothing): git is shown the objects of a repository and nothing else of it.
fn git() -> Command {
    let mut git = Command::new("git");
    git.env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_TERMINAL_PROMPT", "0")
        // A list without a name: no transport may be used, whatever asks for one.
        .env("GIT_ALLOW_PROTOCOL", "none")
        .current_dir("/")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null());
    git
}

/// The output of a program that ends well and in time.
fn output(command: &mut Command) -> Result<Vec<u8>, ListError> {
    let mut child = command.spawn()?;
    let text = output_of(&mut child);
    // Whatever happened to its output: it is not left behind. Killing what has ended does nothing.
    let killed = child.kill().and_then(|()| child.wait());
    let text = text?;
    killed?;
    Ok(text)
}

fn output_of(child: &mut Child) -> Result<Vec<u8>, ListError> {
    let stdout = child.stdout.take().ok_or(ListError::Failed)?;
    thread::scope(|scope| {
        let reading = scope.spawn(move || {
            let mut text = Vec::new();
            // Beyond the bound the pipe is closed, and the program ends by that.
            stdout.take(LISTING_BYTES_MAX + 1).read_to_end(&mut text).map(|_| text)
        });
        let ended = child.wait_timeout(GIT_WAIT_MAX);
        if !matches!(ended, Ok(Some(_))) {
            // The reader waits for the end of the pipe.
            child.kill()?;
        }
        let text = reading.join().map_err(|_| ListError::Failed)??;
        match ended? {
            None => Err(ListError::Slow),
            Some(_) if text.len() as u64 > LISTING_BYTES_MAX => Err(ListError::TooLong),
            Some(status) if !status.success() => Err(ListError::Failed),
            Some(_) => Ok(text),
        }
    })
}

/// A repository without anything in it, for each format one.
fn empty_repository(place: &Path, format: ObjectFormat) -> Result<PathBuf, ListError> {
    let (name, config) = match format {
        ObjectFormat::Sha1 => ("sha1", "[core]\n\trepositoryformatversion = 0\n\tbare = true\n"),
        ObjectFormat::Sha256 => (
            "sha256",
            "[core]\n\trepositoryformatversion = 1\n\tbare = true\n[extensions]\n\tobjectformat = sha256\n",
        ),
    };
    let folder = place.join(name);
    for path in [folder.join("refs"), folder.join("objects")] {
        fs::create_dir_all(&path).map_err(|source| ListError::Prepare { path, source })?;
    }
    for (name, content) in [("HEAD", "ref: refs/heads/none\n"), ("config", config)] {
        let path = folder.join(name);
        fs::write(&path, content).map_err(|source| ListError::Prepare { path, source })?;
    }
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn git(folder: &Path, arguments: &[&str]) -> String {
        let ran = Command::new("git")
            .args(["-c", "user.name=A", "-c", "user.email=a@b.example", "-c", "commit.gpgsign=false"])
            .args(arguments)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .current_dir(folder)
            .output()
            .unwrap();
        assert!(ran.status.success(), "{ran:?}");
        String::from_utf8(ran.stdout).unwrap().trim().to_owned()
    }

    fn committed(format: &str) -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        git(folder.path(), &["init", "-q", "--object-format", format, "."]);
        fs::create_dir(folder.path().join("sub")).unwrap();
        fs::write(folder.path().join("sub/a b"), "hello\n").unwrap();
        std::os::unix::fs::symlink("sub/a b", folder.path().join("link")).unwrap();
        git(folder.path(), &["add", "."]);
        git(folder.path(), &["commit", "-q", "-m", "x"]);
        let head = git(folder.path(), &["rev-parse", "HEAD"]);
        (folder, head)
    }

    #[test]
    fn the_files_of_a_commit_are_listed_in_both_formats() {
        for format in ["sha1", "sha256"] {
            let (folder, head) = committed(format);
            let place = tempfile::tempdir().unwrap();
            let listing = list(place.path(), &folder.path().join(".git/objects"), &head).unwrap();
            let path = folder.path().join("sub/a b");
            let print =
                super::super::fingerprint::of_file(path.to_str().unwrap(), Some(listing.format())).unwrap();
            let blob = print.blob.unwrap();
            assert!(listing.holds_at("sub/a b", blob) && listing.holds(blob));
            assert!(!listing.holds_at("a b", blob) && !listing.by_path.contains_key("link"));
        }
    }

    #[test]
    fn what_a_repository_configures_does_not_run() {
        let (folder, head) = committed("sha1");
        let mark = folder.path().join("mark");
        let script = folder.path().join("script");
        fs::write(&script, format!("#!/bin/sh\ntouch '{}'\n", mark.display())).unwrap();
        git(folder.path(), &["update-index", "--chmod=+x", "--add", "script"]);
        let script = script.to_str().unwrap();
        let url = format!("ext::sh {script}");
        for (key, value) in [
            ("core.fsmonitor", script),
            ("core.pager", script),
            ("core.sshCommand", script),
            ("core.hooksPath", folder.path().to_str().unwrap()),
            ("remote.origin.url", url.as_str()),
            ("remote.origin.promisor", "true"),
            ("protocol.ext.allow", "always"),
            ("extensions.partialClone", "origin"),
        ] {
            git(folder.path(), &["config", key, value]);
        }
        // The tree of the commit is missing, so that git would fetch it if it knew from where.
        let tree = git(folder.path(), &["-c", "core.fsmonitor=false", "rev-parse", "HEAD^{tree}"]);
        let (first, rest) = tree.split_at(2);
        fs::remove_file(folder.path().join(".git/objects").join(first).join(rest)).unwrap();
        let place = tempfile::tempdir().unwrap();
        let listed = list(place.path(), &folder.path().join(".git/objects"), &head);
        assert!(matches!(listed, Err(ListError::Failed)), "{listed:?}");
        assert!(!mark.exists());
    }

    #[test]
    fn an_option_is_no_commit() {
        let place = tempfile::tempdir().unwrap();
        let listed = list(place.path(), place.path(), "--help");
        assert!(matches!(listed, Err(ListError::NoCommit)), "{listed:?}");
    }
}
