//! A file that another program appends to, read on from where the last look ended.
//!
//! The path comes from the host's event, so from whoever can start a hook: only a regular file of the same
//! user below the host's own folders is read, and never through a symbolic link at its end.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;
use rustix::process::geteuid;

/// Bytes read at a time; what is left waits for the next look. Lines of a host hold a few hundred KiB.
const LOOK_BYTES_MAX: u64 = 8 << 20;

/// Longest line that is read whole: the longest event that a hook may carry.
const LINE_BYTES_MAX: u64 = 64 << 20;

/// How far a file has been read.
#[derive(Debug, Default)]
pub(super) struct Tail {
    offset: u64,
    /// Lines that were longer than [`LINE_BYTES_MAX`].
    pub(super) skipped: u64,
}

/// What one look gave.
#[derive(Debug, Default)]
pub(super) struct Look {
    /// Whole lines, in order.
    pub(super) lines: Vec<Vec<u8>>,
    /// Whether the file began anew: it is shorter than what was read of it.
    pub(super) anew: bool,
    /// Whether there is more to read now.
    pub(super) more: bool,
}

impl Tail {
    /// Reads on.
    ///
    /// # Errors
    ///
    /// The system's, and `PermissionDenied` for a file that is not to be read.
    pub(super) fn look(&mut self, path: &Path) -> io::Result<Look> {
        let mut file = open(path)?;
        let length = file.metadata()?.len();
        let anew = length < self.offset;
        if anew {
            *self = Self::default();
        }
        let mut limit = LOOK_BYTES_MAX;
        let (mut bytes, mut end);
        loop {
            file.seek(SeekFrom::Start(self.offset))?;
            bytes = Vec::new();
            (&mut file).take(limit).read_to_end(&mut bytes)?;
            end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
            let is_cut = end == 0 && bytes.len() as u64 == limit;
            if !is_cut || limit >= LINE_BYTES_MAX {
                break;
            }
            limit *= 2;
        }
        if end == 0 && bytes.len() as u64 >= LINE_BYTES_MAX {
            // The rest of the line is read as a line of its own, which does not parse and is counted too.
            self.skipped += 1;
            end = bytes.len();
            bytes.clear();
        }
        self.offset += end as u64;
        bytes.truncate(end);
        let lines = bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty());
        Ok(Look { lines: lines.map(<[u8]>::to_vec).collect(), anew, more: self.offset < length && end > 0 })
    }
}

/// The first lines of a file, within `bytes_max`.
///
/// # Errors
///
/// As for [`Tail::look`].
pub(super) fn head(path: &Path, bytes_max: u64) -> io::Result<Vec<Vec<u8>>> {
    let mut bytes = Vec::new();
    open(path)?.take(bytes_max).read_to_end(&mut bytes)?;
    let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |last| last + 1);
    bytes.truncate(end);
    Ok(bytes.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect())
}

/// The path where its folder lies below one of `roots`, with the links in the folder's own path resolved.
pub(super) fn admitted(path: &str, roots: &[Box<str>]) -> Option<PathBuf> {
    let path = Path::new(path);
    let folder = fs::canonicalize(path.parent()?).ok()?;
    let below = |root: &str| fs::canonicalize(root).is_ok_and(|root| folder.starts_with(root));
    let named = path.extension().is_some_and(|extension| extension == "jsonl");
    (named && roots.iter().any(|root| below(root))).then(|| folder.join(path.file_name().unwrap_or_default()))
}

fn open(path: &Path) -> io::Result<File> {
    // Not blocking: opening a named pipe would wait for its other end.
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.uid() != geteuid().as_raw() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "not a regular file of this user"));
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn lines(tail: &mut Tail, path: &Path) -> Vec<String> {
        let look = tail.look(path).unwrap();
        look.lines.into_iter().map(|line| String::from_utf8(line).unwrap()).collect()
    }

    #[test]
    fn only_whole_lines_are_read_and_each_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let mut tail = Tail::default();
        fs::write(&path, "one\ntw").unwrap();
        assert_eq!(lines(&mut tail, &path), ["one"]);
        assert!(lines(&mut tail, &path).is_empty());
        fs::write(&path, "one\ntwo\nthree\n").unwrap();
        assert_eq!(lines(&mut tail, &path), ["two", "three"]);
    }

    #[test]
    fn a_file_that_was_cut_is_read_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.jsonl");
        let mut tail = Tail::default();
        fs::write(&path, "one\ntwo\n").unwrap();
        tail.look(&path).unwrap();
        fs::write(&path, "1\n").unwrap();
        let look = tail.look(&path).unwrap();
        assert!(look.anew);
        assert_eq!(look.lines, [b"1"]);
    }

    #[test]
    fn a_link_a_pipe_and_a_place_elsewhere_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let (host, other) = (folder.path().join("host"), folder.path().join("other"));
        fs::create_dir(&host).unwrap();
        fs::create_dir(&other).unwrap();
        fs::write(other.join("t.jsonl"), "secret\n").unwrap();
        symlink(other.join("t.jsonl"), host.join("t.jsonl")).unwrap();
        symlink(&other, host.join("folder")).unwrap();
        assert!(Tail::default().look(&host.join("t.jsonl")).is_err());
        let roots = [Box::<str>::from(host.to_str().unwrap())];
        assert!(admitted(host.join("folder/t.jsonl").to_str().unwrap(), &roots).is_none());
        assert!(admitted(host.join("../other/t.jsonl").to_str().unwrap(), &roots).is_none());
        assert!(admitted(host.join("t.txt").to_str().unwrap(), &roots).is_none());
        assert!(admitted(host.join("t.jsonl").to_str().unwrap(), &roots).is_some());
        let pipe = host.join("pipe.jsonl");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        assert!(Tail::default().look(&pipe).is_err());
    }
}
