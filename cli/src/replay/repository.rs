//! Makes the files of a session's start what they were: files of a repository in which the user has committed.
//!
//! The recordings are of people at work in their own repositories, but they do not hold the repositories. So each
//! scratch working directory becomes one, with every file that was laid down in one commit. It is dated long before
//! the run, because a gate may not take what happens while agents are at work for the user's doing; and in a run some
//! agent always is.

use std::io;
use std::path::Path;
use std::process::{Command, Stdio};

use super::workspace::WorkspaceError;

/// When the user committed.
const COMMITTED: &str = "2001-01-01T00:00:00Z";

/// Commits everything below a folder that is no repository yet.
///
/// # Errors
/// [`WorkspaceError`] when git cannot be run or refuses.
pub fn commit_all(folder: &Path) -> Result<(), WorkspaceError> {
    let steps: [&[&str]; 3] = [
        &["init", "--quiet", "--template="],
        &["add", "--all", "--force", "."],
        &["commit", "--quiet", "--allow-empty", "--no-gpg-sign", "--message=start"],
    ];
    steps
        .iter()
        .try_for_each(|step| git(folder, step))
        .map_err(|source| WorkspaceError::commit(folder, source))
}

/// Runs git without any configuration but its own. The folder's names and texts are recorded and may be hostile;
/// without hooks, filters and configuration they are names and texts.
fn git(folder: &Path, arguments: &[&str]) -> io::Result<()> {
    let output = Command::new("git")
        .args(["-c", "core.autocrlf=false", "-c", "core.safecrlf=false", "-c", "core.hooksPath=/dev/null"])
        .args(arguments)
        .env_clear()
        .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
        .env("HOME", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .envs(["GIT_AUTHOR_NAME", "GIT_COMMITTER_NAME"].map(|name| (name, "user")))
        .envs(["GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL"].map(|name| (name, "user@localhost")))
        .envs(["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"].map(|name| (name, COMMITTED)))
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    Err(io::Error::other(String::from_utf8_lossy(&output.stderr).trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn every_file_is_committed_even_one_that_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        for (name, text) in [(".gitignore", "*"), ("sub/a", "x\r\n"), (".gitattributes", "* filter=x text")] {
            fs::write(folder.path().join(name), text).unwrap();
        }
        commit_all(folder.path()).unwrap();
        let log = fs::read_to_string(folder.path().join(".git/logs/HEAD")).unwrap();
        assert!(log.contains("978307200 +0000\tcommit (initial): start"), "{log}");
        let listed = Command::new("git").args(["ls-files"]).current_dir(folder.path()).output().unwrap();
        assert_eq!(String::from_utf8(listed.stdout).unwrap(), ".gitattributes\n.gitignore\nsub/a\n");
    }

    #[test]
    fn a_folder_without_files_has_a_commit() {
        let folder = tempfile::tempdir().unwrap();
        commit_all(folder.path()).unwrap();
        assert!(folder.path().join(".git/logs/HEAD").is_file());
    }
}
