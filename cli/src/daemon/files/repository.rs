//! A git repository as files: where it is, what HEAD names, and what its reflog tells. No program runs here.

use std::path::{Path, PathBuf};

use circinus_core::event::Repository;
use circinus_core::index::Snapshot;
use circinus_core::operand::{Kind, Operand, PathContext};
use circinus_core::time::UnixMillis;

/// Symbolic references followed from HEAD; git itself stops at five.
const SYMBOLIC_MAX: usize = 5;

/// The folders of a repository: a linked worktree has one of its own beside the common one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct GitFolders {
    own: PathBuf,
    common: PathBuf,
}

impl GitFolders {
    /// Those of the repository whose working tree has its top at `workspace` (gitrepository-layout(5)).
    pub(super) fn of(workspace: &str) -> Option<Self> {
        let entry = Path::new(workspace).join(".git");
        let own = if entry.is_dir() {
            entry
        } else {
            // A worktree or a submodule: a file that says where.
            let text = text(&entry)?;
            Path::new(workspace).join(text.strip_prefix("gitdir:")?.trim())
        };
        let common = match text(&own.join("commondir")) {
            Some(path) => own.join(path.trim()),
            None => own.clone(),
        };
        Some(Self { own, common })
    }

    /// Where the objects are.
    pub(super) fn objects(&self) -> PathBuf {
        self.common.join("objects")
    }

    /// The commit in HEAD; none without one, and none where references are kept in another form than files.
    fn head(&self) -> Option<Box<str>> {
        let mut content = text(&self.own.join("HEAD"))?;
        for _ in 0..SYMBOLIC_MAX {
            let Some(name) = content.strip_prefix("ref:").map(str::trim) else {
                return is_object_id(content.trim()).then(|| content.trim().into());
            };
            let plain = name.starts_with("refs/") && !name.split('/').any(|part| part == "..");
            if !plain {
                return None;
            }
            content = text(&self.common.join(name)).or_else(|| self.packed(name))?;
        }
        None
    }

    fn packed(&self, name: &str) -> Option<String> {
        let packed = text(&self.common.join("packed-refs"))?;
        let mut references = packed.lines().filter_map(|line| line.split_once(' '));
        references.find(|(_, known)| *known == name).map(|(id, _)| id.to_owned())
    }

    /// Whether a reflog holds a commit that the user made: at a time of which nothing is recorded, in a log
    /// that no recorded step wrote.
    fn shows_own_commit(&self, snapshot: &Snapshot) -> bool {
        let logs = [&self.own, &self.common].map(|folder| folder.join("logs/HEAD"));
        logs.iter()
            .filter(|log| !is_recorded(log, snapshot))
            .filter_map(|log| text(log))
            .any(|log| log.lines().filter_map(commit_time).any(|at| !snapshot.was_active(at)))
    }
}

/// The repository of a workspace as it is now; none when it is no repository.
///
/// A workspace that was the user's stays the user's: the reflog expires, the fact does not.
pub(crate) fn look(workspace: &str, snapshot: &Snapshot) -> Option<Repository> {
    let folders = GitFolders::of(workspace)?;
    let was_own = snapshot
        .sessions()
        .filter(|(_, session)| session.workspace.as_str() == workspace)
        .any(|(_, session)| session.repository.as_ref().is_some_and(|repository| repository.own));
    Some(Repository { head: folders.head(), own: was_own || folders.shows_own_commit(snapshot) })
}

/// Whether a recorded step wrote the file, or the tree that it lies in.
fn is_recorded(path: &Path, snapshot: &Snapshot) -> bool {
    let anywhere =
        PathContext { cwd: "/".into(), home: "/".into(), workspace: "/".into(), case_sensitive: true };
    let path = path.to_str().and_then(|path| Operand::parse(Kind::Path, path, &anywhere));
    path.is_none_or(|path| snapshot.binding(&path).is_some())
}

/// When a reflog line says that a commit was made; none for every other line.
///
/// The line is `OLD NEW NAME <MAIL> SECONDS ZONE`, a tab, and a message: `commit: ...`, `commit (amend): ...`.
fn commit_time(line: &str) -> Option<UnixMillis> {
    let (head, message) = line.split_once('\t')?;
    let is_commit = message.starts_with("commit:") || message.starts_with("commit (");
    let seconds: u64 = head.rsplit(' ').nth(1)?.parse().ok()?;
    is_commit.then_some(UnixMillis(seconds.checked_mul(1_000)?))
}

fn is_object_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// A small file of a repository. What is longer than a file may be, or no text, is as good as absent.
fn text(path: &Path) -> Option<String> {
    String::from_utf8(super::read(path.to_str()?).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ID: &str = "0123456789abcdef0123456789abcdef01234567";

    fn repository(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, content) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        folder
    }

    fn head(files: &[(&str, &str)], workspace: &str) -> Option<Box<str>> {
        let folder = repository(files);
        GitFolders::of(folder.path().join(workspace).to_str().unwrap())?.head()
    }

    #[test]
    fn head_is_found_loose_packed_detached_and_in_a_worktree() {
        let branch = ("w/.git/HEAD", "ref: refs/heads/main\n");
        let id = format!("{ID}\n");
        let packed = format!("# pack-refs with: peeled fully-peeled sorted \n{ID} refs/heads/main\n");
        assert_eq!(head(&[branch, ("w/.git/refs/heads/main", &id)], "w").as_deref(), Some(ID));
        assert_eq!(head(&[branch, ("w/.git/packed-refs", &packed)], "w").as_deref(), Some(ID));
        assert_eq!(head(&[("w/.git/HEAD", &id)], "w").as_deref(), Some(ID));
        let linked = [
            ("linked/.git", "gitdir: ../w/.git/worktrees/linked\n"),
            ("w/.git/worktrees/linked/commondir", "../..\n"),
            ("w/.git/worktrees/linked/HEAD", "ref: refs/heads/side\n"),
            ("w/.git/refs/heads/side", &id),
        ];
        assert_eq!(head(&linked, "linked").as_deref(), Some(ID));
    }

    #[test]
    fn head_that_is_unborn_or_leads_astray_is_none() {
        for content in
            ["ref: refs/heads/main", "ref: ../../secret", "ref: refs/../../secret", "", ID.get(1..).unwrap()]
        {
            assert_eq!(head(&[("w/.git/HEAD", content), ("secret", ID)], "w"), None, "{content}");
        }
        let circle = [("w/.git/HEAD", "ref: refs/a"), ("w/.git/refs/a", "ref: refs/a")];
        assert_eq!(head(&circle, "w"), None);
        assert_eq!(head(&[("w/file", "")], "w"), None);
    }

    #[test]
    fn only_commits_of_a_reflog_count() {
        let line = |message: &str| format!("{ID} {ID} A B <a@b.example> 1700000000 +0200\t{message}");
        for message in ["commit: x", "commit (initial): x", "commit (amend): x", "commit (merge): x"] {
            assert_eq!(commit_time(&line(message)), Some(UnixMillis(1_700_000_000_000)), "{message}");
        }
        for message in ["clone: from x", "checkout: moving", "pull: Fast-forward", "reset: x", "committed"] {
            assert_eq!(commit_time(&line(message)), None, "{message}");
        }
        assert_eq!(commit_time("commit: x"), None);
    }

    #[test]
    fn a_commit_counts_once_and_for_all_outside_recorded_activity() {
        let log = format!("{ID} {ID} A <a@b.example> 1700000000 +0000\tcommit: x\n");
        let folder = repository(&[("w/.git/HEAD", ID), ("w/.git/logs/HEAD", &log)]);
        let workspace = folder.path().join("w");
        let look = |snapshot: &Snapshot| look(workspace.to_str().unwrap(), snapshot).unwrap();
        assert!(look(&Snapshot::default()).own);
        let mut active = Snapshot::default();
        active.apply(&circinus_core::event::Recorded {
            seq: circinus_core::id::EventSeq(1),
            at: UnixMillis(1_700_000_000_000),
            event: circinus_core::event::Event::SessionClosed {
                session: circinus_core::id::SessionId::new("s"),
            },
        });
        assert_eq!(look(&active), Repository { head: Some(ID.into()), own: false });
    }
}
