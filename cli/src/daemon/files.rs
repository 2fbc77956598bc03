//! What a file is: the artifact or the origin that explains its bytes, from the bindings and the file system.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use circinus_core::artifact::Binding;
use circinus_core::authority::Secrecy;
use circinus_core::digest::Digest;
use circinus_core::id::SessionId;
use circinus_core::index::Snapshot;
use circinus_core::lineage::{Observed, Step};
use circinus_core::operand::{Kind, Operand, PathContext};
use circinus_core::origin::Origin;
use circinus_core::time::UnixMillis;
use rustix::fs::OFlags;

/// Bytes read of one file. What is longer is bound by the digest of its first part.
const FILE_BYTES_MAX: u64 = 8 << 20;

/// Directory names under which dependencies live.
const DEPENDENCY_TREES: [&str; 8] =
    ["node_modules", "site-packages", "vendor", ".venv", "venv", "bower_components", "Pods", "registry"];

/// A file's bytes and how they are explained.
#[derive(Debug)]
pub struct Explained {
    /// Where they came from.
    pub origin: Origin,
    /// Artifacts that they were copied from.
    pub parents: Vec<Observed>,
    /// Whether they are confidential.
    pub secrecy: Secrecy,
}

/// Reads a regular file, bounded.
///
/// # Errors
///
/// The operating system's; reading something that is no regular file is `InvalidInput`.
pub fn read(path: &str) -> io::Result<Vec<u8>> {
    // Not blocking: opening a named pipe would wait for its other end.
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    let mut bytes = Vec::new();
    file.take(FILE_BYTES_MAX).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// The binding of a path to the bytes it holds now; a path that cannot be read is bound as a tree would be,
/// by name alone.
pub fn bind(path: &Operand, bytes: Option<&[u8]>) -> Binding {
    Binding { path: path.clone(), content: bytes.map(Digest::of), tree: bytes.is_none() }
}

/// Explains the bytes of a file, strictest first: a recorded binding of the path, then what was there before
/// the session, then a recorded binding of the same bytes elsewhere, else nothing explains them.
///
/// INVARIANT (read-back-cannot-launder): a binding is consulted before the file's age, in every session.
pub fn explain(path: &Operand, paths: &PathContext, session: &SessionId, snapshot: &Snapshot) -> Explained {
    // Read only where the bytes decide.
    let content = || read(path.canonical()).ok().map(|bytes| Digest::of(&bytes));
    let secrecy = if is_credential(path) { Secrecy::Secret } else { Secrecy::Public };
    let whole = |parent| vec![Observed { parent, step: Step::Whole }];
    let origin_of = |id| snapshot.artifact(id).map_or(Origin::Opaque, |artifact| artifact.origin);
    if let Some(bound) = snapshot.binding(path) {
        let unchanged = bound.tree || content().is_some_and(|content| bound.content == Some(content));
        let origin = if unchanged { origin_of(bound.artifact) } else { Origin::WsUnexplained };
        return Explained { origin, parents: whole(bound.artifact), secrecy };
    }
    let inside = is_inside(path.canonical(), &paths.workspace);
    if predates(path.canonical(), session, snapshot) {
        let origin = match (inside, is_dependency(path.canonical(), &paths.workspace)) {
            (false, _) => Origin::FileOutside,
            (true, true) => Origin::DepTree,
            (true, false) => Origin::WsUntracked,
        };
        return Explained { origin, parents: Vec::new(), secrecy };
    }
    if let Some(elsewhere) = content().and_then(|content| snapshot.holding(&content)) {
        return Explained { origin: origin_of(elsewhere), parents: whole(elsewhere), secrecy };
    }
    Explained { origin: Origin::WsUnexplained, parents: Vec::new(), secrecy }
}

/// Whether the file has not changed since before the session: its inode's change time, which a program
/// cannot set at will, is not later than the session's beginning.
pub fn predates(path: &str, session: &SessionId, snapshot: &Snapshot) -> bool {
    let Some(session) = snapshot.session(session) else { return false };
    let Ok(metadata) = fs::metadata(path) else { return false };
    changed_at(&metadata).is_some_and(|changed| changed <= session.opened)
}

fn changed_at(metadata: &fs::Metadata) -> Option<UnixMillis> {
    let seconds = u64::try_from(metadata.ctime()).ok()?;
    let millis = u64::try_from(metadata.ctime_nsec()).ok()? / 1_000_000;
    Some(UnixMillis(seconds.checked_mul(1_000)?.checked_add(millis)?))
}

/// Whether `path` is `root` or lies below it.
pub fn is_inside(path: &str, root: &str) -> bool {
    path.strip_prefix(root)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || root.ends_with('/'))
}

fn is_dependency(path: &str, workspace: &str) -> bool {
    let below = path.strip_prefix(workspace).unwrap_or(path);
    below.split('/').any(|component| DEPENDENCY_TREES.contains(&component))
}

/// Whether the path is a credential store.
pub fn is_credential(path: &Operand) -> bool {
    path.kind() == Kind::Path && circinus_analyzer::call::is_credential_path(path.canonical())
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
    use super::is_inside;

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
