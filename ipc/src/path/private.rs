//! Directories and sockets that belong to one user alone.
//!
//! The checks look at the name itself (`lstat`), so a symbolic link that somebody put there first is refused. What
//! changes between a check and its use is caught by the peer check: both sides ask the kernel for the other's uid.

use std::fs::{DirBuilder, Metadata};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use thiserror::Error;

const GROUP_OR_OTHER: u32 = 0o077;
const GROUP_OR_OTHER_WRITE: u32 = 0o022;

/// Why a place must not be used.
#[derive(Debug, Error)]
pub enum PlaceError {
    /// Nothing is there.
    #[error("{} does not exist", path.display())]
    Missing {
        /// The path.
        path: PathBuf,
    },
    /// Something else is there: a symbolic link, a file.
    #[error("{} is not a {wanted} but a {found}; hint: somebody may have put it there, look at it and remove it", path.display())]
    WrongKind {
        /// The path.
        path: PathBuf,
        /// What should be there.
        wanted: &'static str,
        /// What is there.
        found: &'static str,
    },
    /// It belongs to another user.
    #[error("{} belongs to user {uid}, not to user {uid_wanted}; hint: remove it or choose another CIRCINUS_HOME", path.display())]
    ForeignOwner {
        /// The path.
        path: PathBuf,
        /// Its owner.
        uid: u32,
        /// The user of this process.
        uid_wanted: u32,
    },
    /// Others have access.
    #[error("{} has mode {mode:04o}, so that others have access; hint: run `chmod go-{letters} {}`", path.display(), path.display())]
    TooOpen {
        /// The path.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
        /// The permissions to take away, as `chmod` writes them.
        letters: &'static str,
    },
    /// The system refused.
    #[error("cannot {operation} {}: {source}", path.display())]
    Io {
        /// What was tried.
        operation: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Makes a directory of mode 0700 with its parents; one that is there already is left as it is.
pub(super) fn create_private_dir(path: &Path) -> Result<(), PlaceError> {
    match DirBuilder::new().recursive(true).mode(0o700).create(path) {
        Ok(()) => Ok(()),
        // A name that is taken is judged by the check that follows, whose error says what is there.
        Err(source) if source.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(source) => Err(PlaceError::Io { operation: "create directory", path: path.to_owned(), source }),
    }
}

/// A real directory, ours, without any right for others.
pub(super) fn check_private_dir(path: &Path, uid: u32) -> Result<(), PlaceError> {
    let found = look(path, path.symlink_metadata())?;
    check_kind(path, &found, "directory", found.is_dir())?;
    check_access(path, &found, uid, GROUP_OR_OTHER, "rwx")
}

/// The home may be reached by a symbolic link of its owner's, and may be readable, but nobody else may rename what
/// is in it.
pub(super) fn check_home(path: &Path, uid: u32) -> Result<(), PlaceError> {
    let found = look(path, path.metadata())?;
    check_kind(path, &found, "directory", found.is_dir())?;
    check_access(path, &found, uid, GROUP_OR_OTHER_WRITE, "w")
}

/// A socket, ours, without any right for others.
pub(super) fn check_socket(path: &Path, uid: u32) -> Result<(), PlaceError> {
    let found = look(path, path.symlink_metadata())?;
    check_kind(path, &found, "socket", found.file_type().is_socket())?;
    check_access(path, &found, uid, GROUP_OR_OTHER, "rwx")
}

fn look(path: &Path, found: io::Result<Metadata>) -> Result<Metadata, PlaceError> {
    found.map_err(|source| match source.kind() {
        io::ErrorKind::NotFound => PlaceError::Missing { path: path.to_owned() },
        _ => PlaceError::Io { operation: "look at", path: path.to_owned(), source },
    })
}

fn check_kind(
    path: &Path,
    found: &Metadata,
    wanted: &'static str,
    is_wanted: bool,
) -> Result<(), PlaceError> {
    if is_wanted {
        return Ok(());
    }
    let kind = found.file_type();
    let found = if kind.is_symlink() {
        "symbolic link"
    } else if kind.is_dir() {
        "directory"
    } else if kind.is_file() {
        "file"
    } else if kind.is_socket() {
        "socket"
    } else {
        "device or pipe"
    };
    Err(PlaceError::WrongKind { path: path.to_owned(), wanted, found })
}

fn check_access(
    path: &Path,
    found: &Metadata,
    uid_wanted: u32,
    forbidden: u32,
    letters: &'static str,
) -> Result<(), PlaceError> {
    if found.uid() != uid_wanted {
        return Err(PlaceError::ForeignOwner { path: path.to_owned(), uid: found.uid(), uid_wanted });
    }
    let mode = found.mode() & 0o7777;
    if mode & forbidden != 0 {
        return Err(PlaceError::TooOpen { path: path.to_owned(), mode, letters });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peer::own_uid;
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn chmod(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn a_new_directory_is_private_with_its_parents() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a/b");
        create_private_dir(&path).unwrap();
        check_private_dir(&path, own_uid()).unwrap();
        assert_eq!(root.path().join("a").metadata().unwrap().mode() & 0o777, 0o700);
        create_private_dir(&path).unwrap();
    }

    #[test]
    fn any_right_for_others_is_refused() {
        let root = tempfile::tempdir().unwrap();
        for bit in 0..6 {
            chmod(root.path(), 0o700 | 1 << bit);
            let refused = check_private_dir(root.path(), own_uid());
            assert!(matches!(refused, Err(PlaceError::TooOpen { .. })), "bit {bit}");
        }
        chmod(root.path(), 0o755);
        check_home(root.path(), own_uid()).unwrap();
        chmod(root.path(), 0o775);
        assert!(matches!(check_home(root.path(), own_uid()), Err(PlaceError::TooOpen { .. })));
    }

    #[test]
    fn links_files_strangers_and_nothing_are_told_apart() {
        let root = tempfile::tempdir().unwrap();
        let [real, link, file] = ["real", "link", "file"].map(|name| root.path().join(name));
        create_private_dir(&real).unwrap();
        symlink(&real, &link).unwrap();
        fs::write(&file, "").unwrap();
        let kind = |path: &Path| match check_private_dir(path, own_uid()) {
            Err(PlaceError::WrongKind { found, .. }) => found,
            other => panic!("{other:?}"),
        };
        assert_eq!(kind(&link), "symbolic link");
        assert_eq!(kind(&file), "file");
        assert!(matches!(check_socket(&file, own_uid()), Err(PlaceError::WrongKind { .. })));
        let stranger = check_private_dir(&real, own_uid() + 1);
        assert!(matches!(stranger, Err(PlaceError::ForeignOwner { .. })));
        let nothing = check_private_dir(&root.path().join("none"), own_uid());
        assert!(matches!(nothing, Err(PlaceError::Missing { .. })));
    }
}
