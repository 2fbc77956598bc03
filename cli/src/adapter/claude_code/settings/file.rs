//! Reads and replaces a settings file as a whole, or not at all.

use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::json::SETTINGS_BYTES_MAX;

/// Mode of a settings file that we make: settings may hold tokens.
const NEW_FILE_MODE: u32 = 0o600;

/// Names tried for a backup or a temporary file before giving up.
const NAMES_TRIED_MAX: u64 = 16;

/// A settings file as it was read.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    target: PathBuf,
    text: Option<String>,
    mode: u32,
}

/// Why a settings file cannot be read.
#[derive(Debug, Error)]
pub enum ReadSettingsError {
    /// The system refused.
    #[error("cannot read {}: {source}; hint: make it readable for you", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A symbolic link leads nowhere.
    #[error("{} is a link to a file that is not there; hint: make the file or remove the link", path.display())]
    Dangling {
        /// The link.
        path: PathBuf,
    },
    /// A folder, pipe or device has the name.
    #[error("{} is not a regular file; hint: move it away", path.display())]
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// The file is far larger than settings are.
    #[error("{} has more than {SETTINGS_BYTES_MAX} bytes; hint: is it the right file?", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// The file is not text.
    #[error("{} is not UTF-8, so the host ignores it; hint: save it as UTF-8", path.display())]
    NotUtf8 {
        /// The file.
        path: PathBuf,
    },
}

/// Why a settings file was not replaced; it is as it was.
#[derive(Debug, Error)]
pub enum WriteSettingsError {
    /// The system refused.
    #[error("cannot {operation} {}: {source}; hint: is the folder writable and the disk not full?", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Someone wrote the file after it was read.
    #[error("{} was changed in the meantime; hint: nothing was written, run the command again", path.display())]
    Changed {
        /// The file.
        path: PathBuf,
    },
    /// The file is another user's; replacing it would make it ours.
    #[error("{} belongs to user {uid}, not to you; hint: run as that user", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its owner.
        uid: u32,
    },
}

/// What was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Written {
    /// The file that was replaced or removed, links followed.
    pub target: PathBuf,
    /// The copy of the file from before; `None` when there was none or it held only our entries.
    pub backup: Option<PathBuf>,
}

impl SettingsFile {
    /// Reads a settings file; one that is not there is no error. A symbolic link is followed, and its target is
    /// what gets replaced.
    ///
    /// # Errors
    /// [`ReadSettingsError`].
    pub fn read(path: &Path) -> Result<Self, ReadSettingsError> {
        let path = path.to_owned();
        let target = match fs::canonicalize(&path) {
            Ok(target) => target,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return match fs::symlink_metadata(&path) {
                    Ok(_) => Err(ReadSettingsError::Dangling { path }),
                    Err(_) => Ok(Self { target: path, text: None, mode: NEW_FILE_MODE }),
                };
            }
            Err(source) => return Err(ReadSettingsError::Io { path, source }),
        };
        // Looked at before it is opened: opening a pipe would wait for its other end.
        let found = match fs::metadata(&target) {
            Ok(found) => found,
            Err(source) => return Err(ReadSettingsError::Io { path, source }),
        };
        if !found.is_file() {
            return Err(ReadSettingsError::NotAFile { path });
        }
        let bytes =
            read_bounded(&target).map_err(|source| ReadSettingsError::Io { path: path.clone(), source })?;
        if bytes.len() > SETTINGS_BYTES_MAX {
            return Err(ReadSettingsError::TooLarge { path });
        }
        let text = String::from_utf8(bytes).map_err(|_| ReadSettingsError::NotUtf8 { path })?;
        Ok(Self { target, text: Some(text), mode: found.mode() & 0o7777 })
    }

    /// The same file, to be written so that every user can read it.
    #[must_use]
    pub fn readable_by_all(mut self) -> Self {
        self.mode |= 0o444;
        self
    }

    /// The text; `None` when there is no file.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.text.as_deref()
    }

    /// The file, links followed.
    #[must_use]
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Replaces the file by `text`, or removes it with `None`: all of it or nothing, even in a crash.
    ///
    /// The file from before is copied beside it, as `<name>.circinus-backup-<now_ms>`; `now_ms` is Unix time in
    /// milliseconds. A removed file held only our entries and leaves no copy.
    ///
    /// # Errors
    /// [`WriteSettingsError`]; the file is then as it was.
    pub fn replace(self, text: Option<&str>, now_ms: u64) -> Result<Written, WriteSettingsError> {
        self.check_owner()?;
        let folder = self.target.parent().unwrap_or(Path::new("/")).to_owned();
        fs::create_dir_all(&folder).map_err(|source| io_error("create folder", &folder, source))?;
        let Some(text) = text else {
            self.check_unchanged()?;
            fs::remove_file(&self.target).map_err(|source| io_error("remove", &self.target, source))?;
            sync_folder(&folder)?;
            return Ok(Written { target: self.target, backup: None });
        };
        let backup = match &self.text {
            Some(before) => Some(write_beside(&self.target, "circinus-backup", now_ms, before, self.mode)?),
            None => None,
        };
        let temporary = write_beside(&self.target, "circinus-new", now_ms, text, self.mode)?;
        let placed = self.check_unchanged().and_then(|()| self.place(&temporary));
        if let Err(error) = placed {
            for left in std::iter::once(&temporary).chain(&backup) {
                // A leftover that cannot be removed is the more pressing error: it names the file to remove.
                fs::remove_file(left).map_err(|source| io_error("remove", left, source))?;
            }
            return Err(error);
        }
        sync_folder(&folder)?;
        Ok(Written { target: self.target, backup })
    }

    /// Moves the finished file to its name. A file that must be new is linked, which fails if one is there.
    fn place(&self, temporary: &Path) -> Result<(), WriteSettingsError> {
        if self.text.is_some() {
            return fs::rename(temporary, &self.target)
                .map_err(|source| io_error("replace", &self.target, source));
        }
        match fs::hard_link(temporary, &self.target) {
            Ok(()) => fs::remove_file(temporary).map_err(|source| io_error("remove", temporary, source)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(WriteSettingsError::Changed { path: self.target.clone() })
            }
            Err(source) => Err(io_error("create", &self.target, source)),
        }
    }

    fn check_owner(&self) -> Result<(), WriteSettingsError> {
        if self.text.is_none() {
            return Ok(());
        }
        let found = fs::metadata(&self.target).map_err(|source| io_error("look at", &self.target, source))?;
        if found.uid() != rustix::process::geteuid().as_raw() {
            return Err(WriteSettingsError::Foreign { path: self.target.clone(), uid: found.uid() });
        }
        Ok(())
    }

    /// INVARIANT (settings-not-lost): what someone wrote since we read is not overwritten. The check stands
    /// directly before the rename, since no file system compares and renames in one step: a write within those
    /// microseconds is the one that can be lost.
    fn check_unchanged(&self) -> Result<(), WriteSettingsError> {
        let now = match read_bounded(&self.target) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(source) => return Err(io_error("read", &self.target, source)),
        };
        if now.as_deref() == self.text.as_deref().map(str::as_bytes) {
            Ok(())
        } else {
            Err(WriteSettingsError::Changed { path: self.target.clone() })
        }
    }
}

fn io_error(operation: &'static str, path: &Path, source: io::Error) -> WriteSettingsError {
    WriteSettingsError::Io { operation, path: path.to_owned(), source }
}

/// At most one byte more than settings may have, so that the caller can tell.
fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(SETTINGS_BYTES_MAX as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a new file `<target>.<word>-<number>` beside the target, to the disk.
fn write_beside(
    target: &Path,
    word: &str,
    number: u64,
    text: &str,
    mode: u32,
) -> Result<PathBuf, WriteSettingsError> {
    let mut tried = 0;
    loop {
        let mut name = target.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{word}-{}", number.saturating_add(tried)));
        let path = target.with_file_name(name);
        match OpenOptions::new().write(true).create_new(true).mode(NEW_FILE_MODE).open(&path) {
            Ok(mut file) => {
                let written = file
                    .write_all(text.as_bytes())
                    // The mode given at creation is cut by the umask.
                    .and_then(|()| file.set_permissions(Permissions::from_mode(mode)))
                    .and_then(|()| file.sync_all());
                return match written {
                    Ok(()) => Ok(path),
                    Err(source) => {
                        fs::remove_file(&path).map_err(|source| io_error("remove", &path, source))?;
                        Err(io_error("write", &path, source))
                    }
                };
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && tried < NAMES_TRIED_MAX => {
                tried += 1
            }
            Err(source) => return Err(io_error("create", &path, source)),
        }
    }
}

/// Makes the rename itself durable.
fn sync_folder(folder: &Path) -> Result<(), WriteSettingsError> {
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(|source| io_error("sync", folder, source))
}
