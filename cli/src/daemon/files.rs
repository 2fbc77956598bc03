//! What a file is: the artifact or the origin that explains its bytes, from the bindings, the repository as it
//! was when the session began, and the file system.

mod explain;
mod fingerprint;
mod listing;
mod listings;
mod prior;
mod real;
mod repository;
mod written;

use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;
use std::time::UNIX_EPOCH;

use circinus_core::digest::Digest;
use circinus_core::operand::{Kind, Operand};
use circinus_core::time::UnixMillis;
use rustix::fs::OFlags;

pub(super) use self::explain::{Explained, Scene, explain, lesser};
pub use self::listing::{ListError, version as git_version};
pub(super) use self::listings::{Deferred, Listings};
pub(super) use self::prior::{Announced, Place, Prior};
pub use self::real::real_name;
pub(super) use self::repository::look as look_at_repository;
pub(super) use self::written::{bind_file, look as look_at_written};

/// Bytes read of one file as the content of an artifact; its digest is that of the whole file.
const READ_BYTES_MAX: u64 = 8 << 20;

/// Folders that package managers fill by themselves. `vendor` is none: it is mostly tracked.
const INSTALLED: [&str; 5] = ["node_modules", ".venv", "venv", "bower_components", "Pods"];

/// Reads a regular file, bounded.
///
/// # Errors
///
/// The operating system's; reading something that is no regular file is `InvalidInput`.
pub fn read(path: &str) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(READ_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn open(path: &str) -> io::Result<File> {
    // Not blocking: opening a named pipe would wait for its other end.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    Ok(file)
}

/// The digest of all bytes of a regular file; none when it cannot be read or is too long to be known.
pub(super) fn content_of(path: &str) -> Option<Digest> {
    fingerprint::of_file(path, None).ok().map(|print| print.content)
}

/// Whether something has not changed since `moment`: its inode's change time, which a program cannot set at
/// will, is not later.
pub(super) fn is_older_than(path: &str, moment: UnixMillis) -> bool {
    let Ok(metadata) = fs::metadata(path) else { return false };
    changed_at(&metadata).is_some_and(|changed| changed <= moment)
}

fn changed_at(metadata: &Metadata) -> Option<UnixMillis> {
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let millis = u64::try_from(metadata.ctime_nsec()).ok()? / 1_000_000;
    Some(UnixMillis(seconds.checked_mul(1_000)?.checked_add(millis)?))
}

fn created_at(metadata: &Metadata) -> Option<UnixMillis> {
    let since = metadata.created().ok()?.duration_since(UNIX_EPOCH).ok()?;
    Some(UnixMillis(u64::try_from(since.as_millis()).ok()?))
}

/// Whether `path` is `root` or lies below it.
pub fn is_inside(path: &str, root: &str) -> bool {
    path.strip_prefix(root)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || root.ends_with('/'))
}

/// Whether the path is a credential store.
pub fn is_credential(path: &Operand) -> bool {
    path.kind() == Kind::Path && circinus_analyzer::call::is_credential_path(path.canonical())
}

/// The folders of installed dependencies that lie directly in one of `places`.
pub(super) fn installed_in(places: &[&str]) -> Vec<String> {
    let folders = places.iter().flat_map(|place| INSTALLED.map(|name| format!("{place}/{name}")));
    let mut found: Vec<_> = folders.filter(|folder| Path::new(folder).is_dir()).collect();
    found.sort();
    found.dedup();
    found
}

/// The directory that a session works in: the nearest one at or above `cwd` that holds a repository, else
/// `cwd` itself. The home directory is never taken for a workspace only because it is versioned.
pub fn workspace_of(cwd: &str, home: &str) -> String {
    let mut place = cwd;
    loop {
        if place != home && fs::symlink_metadata(format!("{place}/.git")).is_ok() {
            return place.to_owned();
        }
        match place.rsplit_once('/') {
            Some((above, _)) if !above.is_empty() => place = above,
            _ => return cwd.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use circinus_core::action::FileWrite;
    use circinus_core::index::Snapshot;
    use circinus_core::operand::PathContext;

    use super::*;

    /// A folder with a workspace `w` in it.
    pub(super) struct Folder(tempfile::TempDir);

    impl Folder {
        pub(super) fn with(names: &[&str]) -> Self {
            let folder = Self(tempfile::tempdir().unwrap());
            names.iter().for_each(|name| folder.write(name));
            folder
        }

        pub(super) fn write(&self, name: &str) {
            let path = self.0.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, name).unwrap();
        }

        pub(super) fn context(&self) -> PathContext {
            let workspace: Box<str> = self.0.path().join("w").to_str().unwrap().into();
            PathContext { cwd: workspace.clone(), home: "/h".into(), workspace, case_sensitive: true }
        }

        /// A path of the workspace.
        pub(super) fn path(&self, name: &str) -> Operand {
            Operand::parse(Kind::Path, name, &self.context()).unwrap()
        }

        pub(super) fn prior(&self, writes: &[FileWrite], began: UnixMillis) -> Prior {
            let (listings, thread) = Listings::open(self.0.path().join("git")).unwrap();
            let (paths, snapshot) = (self.context(), Snapshot::default());
            let scene = Scene { paths: &paths, session: None, snapshot: &snapshot, listings: &listings };
            let prior = Prior::look(writes, false, began, &scene);
            listings.close();
            thread.join().unwrap();
            prior
        }
    }

    /// A moment after the file was written and before the next one will be, both by more than the file system's
    /// clock can be behind.
    pub(super) fn now_after(folder: &Folder, name: &str) -> UnixMillis {
        let metadata = fs::metadata(folder.0.path().join(name)).unwrap();
        let written = changed_at(&metadata).unwrap();
        let probe = folder.0.path().join("probe");
        loop {
            fs::write(&probe, "").unwrap();
            let now = changed_at(&fs::metadata(&probe).unwrap()).unwrap();
            if now.0 > written.0 + 40 {
                return now;
            }
        }
    }

    #[test]
    fn a_named_pipe_is_refused_and_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
        assert!(made.success());
        let error = super::read(pipe.to_str().unwrap()).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    }

    #[test]
    fn a_sibling_with_a_longer_name_is_not_inside() {
        assert!(is_inside("/w/a/b", "/w/a"));
        assert!(is_inside("/w/a", "/w/a"));
        assert!(!is_inside("/w/ab", "/w/a"));
        assert!(is_inside("/x", "/"));
    }
}
