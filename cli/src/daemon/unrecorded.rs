//! Events that came while no daemon could be started: kept as they are, taken in at the next start.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// Size above which nothing more is appended: the user has run without a daemon for long, and the caller
/// says so each time.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// Longest line: one event, as the hook caps it, with its line feed.
const LINE_BYTES_MAX: u64 = (64 << 20) + 1;

/// Times that the file is opened anew because a start took it away; a start does that once.
const OPENS_MAX: usize = 8;

/// Appends one event, synced.
///
/// # Errors
///
/// The system's, or `StorageFull` when the file has reached its limit.
pub fn append(path: &Path, payload: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = open_locked(path)?;
    let length = file.metadata()?.len();
    if length > FILE_BYTES_MAX {
        let message = format!("{} is full; hint: start the daemon", path.display());
        return Err(io::Error::new(io::ErrorKind::StorageFull, message));
    }
    // One line per event: JSON holds no raw line feed inside a string, so outside it a blank is the same.
    let mut line = Vec::with_capacity(payload.len() + 2);
    if is_torn(&mut file, length)? {
        line.push(b'\n');
    }
    line.extend(payload.iter().map(|byte| if *byte == b'\n' { b' ' } else { *byte }));
    line.push(b'\n');
    file.write_all(&line)?;
    file.sync_data()
}

/// Opens the file for one writer at a time, and against a daemon that takes it away meanwhile: what is appended to
/// it afterwards would be gone.
fn open_locked(path: &Path) -> io::Result<File> {
    for _ in 0..OPENS_MAX {
        let file = OpenOptions::new().read(true).append(true).create(true).mode(0o600).open(path)?;
        file.lock()?;
        if has_name(&file, path)? {
            return Ok(file);
        }
    }
    Err(io::Error::new(
        io::ErrorKind::ResourceBusy,
        format!("{} is taken away again and again", path.display()),
    ))
}

/// Whether the open file is the one that has this name now.
fn has_name(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(named) => Ok((named.dev(), named.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// Whether an earlier append was cut off within its line.
fn is_torn(file: &mut File, length: u64) -> io::Result<bool> {
    let Some(last) = length.checked_sub(1) else { return Ok(false) };
    let mut byte = [0];
    file.seek(SeekFrom::Start(last))?;
    file.read_exact(&mut byte)?;
    Ok(byte != *b"\n")
}

/// Gives every kept event to `take`, in order: first what an earlier start had taken and not finished, then what
/// came since. Each file is removed after its last event.
///
/// INVARIANT (unrecorded-kept): a file goes only when every event was taken; a crash in between delivers some of
/// them again, which the store recognises.
///
/// # Errors
///
/// The system's, or what `take` reports; the file stays.
pub fn drain(path: &Path, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let taken = taken_name(path);
    if taken.exists() {
        drain_taken(&taken, &mut take)?;
    }
    match fs::rename(path, &taken) {
        Ok(()) => drain_taken(&taken, &mut take),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

fn drain_taken(taken: &Path, take: &mut impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    let file = File::open(taken)?;
    // Whoever opened the file before it got its new name finishes first.
    file.lock()?;
    let mut lines = BufReader::new(file);
    loop {
        let mut line = Vec::new();
        (&mut lines).take(LINE_BYTES_MAX).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            break;
        }
        if !line.trim_ascii().is_empty() {
            take(line.trim_ascii())?;
        }
    }
    fs::remove_file(taken)
}

/// Bytes of events that the next start will take in.
pub fn waiting_bytes(path: &Path) -> u64 {
    [path.to_owned(), taken_name(path)]
        .iter()
        .filter_map(|path| fs::metadata(path).ok())
        .map(|file| file.len())
        .sum()
}

fn taken_name(path: &Path) -> PathBuf {
    path.with_extension("jsonl.taken")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_back_in_order_and_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("unrecorded.jsonl");
        append(&path, b"{\"a\":\n1}").unwrap();
        append(&path, b"{\"b\":2}").unwrap();
        let mut seen = Vec::new();
        drain(&path, |event| {
            seen.push(String::from_utf8_lossy(event).into_owned());
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, ["{\"a\": 1}", "{\"b\":2}"]);
        drain(&path, |_| Err(io::Error::other("nothing is left"))).unwrap();
    }

    #[test]
    fn a_line_that_was_cut_off_takes_no_other_event_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("unrecorded.jsonl");
        fs::write(&path, b"{\"cut\":").unwrap();
        append(&path, b"{\"whole\":1}").unwrap();
        let mut seen = Vec::new();
        drain(&path, |event| {
            seen.push(String::from_utf8_lossy(event).into_owned());
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, ["{\"cut\":", "{\"whole\":1}"]);
    }

    #[test]
    fn a_file_that_was_taken_away_has_lost_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("unrecorded.jsonl");
        let file = open_locked(&path).unwrap();
        assert!(has_name(&file, &path).unwrap());
        fs::rename(&path, taken_name(&path)).unwrap();
        assert!(!has_name(&file, &path).unwrap());
        let other = open_locked(&path).unwrap();
        assert!(has_name(&other, &path).unwrap() && !has_name(&file, &path).unwrap());
    }

    #[test]
    fn a_failure_keeps_every_event_for_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("unrecorded.jsonl");
        append(&path, b"1").unwrap();
        append(&path, b"2").unwrap();
        let mut seen = 0;
        drain(&path, |event| if event == b"2" { Err(io::Error::other("store down")) } else { Ok(()) })
            .unwrap_err();
        append(&path, b"3").unwrap();
        drain(&path, |_| {
            seen += 1;
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, 3, "both events of the first file, and the one that came since");
    }
}
