//! Where a key comes from: the environment, a file of its owner alone, or a program that asks a keyring.

use std::env;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use circinus_analyzer::provider::{Secret, SecretError};
use thiserror::Error;
use wait_timeout::ChildExt;

/// Bytes that are read for a key.
const KEY_BYTES_MAX: u64 = 8 << 10;

/// How long a program may take to print a key. A keyring that must be unlocked first is not waited for longer.
const COMMAND_WAIT: Duration = Duration::from_secs(10);

/// Why there is no key. No variant holds any part of one.
#[derive(Debug, Error)]
pub enum KeyError {
    /// The environment has no such variable.
    #[error(
        "the environment variable {name} is not set; hint: set it where the agent is started, or use key_file"
    )]
    NotSet {
        /// Its name.
        name: Box<str>,
    },
    /// The file cannot be read.
    #[error("cannot read {}: {source}; hint: write the key into it, then chmod 600", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Others can read the file, or it is another user's.
    #[error("{} is not yours alone (mode {mode:04o}, user {uid}); hint: chmod 600 '{}'", path.display(), path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
        /// Its owner.
        uid: u32,
    },
    /// The program cannot be run.
    #[error("cannot run {program}: {source}; hint: give key_command a program and its arguments")]
    Run {
        /// Its name.
        program: Box<str>,
        /// The system's reason.
        source: io::Error,
    },
    /// The program failed, or took too long.
    #[error("{program} printed no key within {} s; hint: run it yourself to see why", COMMAND_WAIT.as_secs())]
    Failed {
        /// Its name.
        program: Box<str>,
    },
    /// What was found is no key.
    #[error("{place}: {source}; hint: it should hold the key and nothing else")]
    NotAKey {
        /// Where.
        place: Box<str>,
        /// What is wrong with it.
        source: SecretError,
    },
}

/// The key in an environment variable.
///
/// # Errors
/// [`KeyError`].
pub(super) fn from_environment(name: &str) -> Result<Secret, KeyError> {
    let value = env::var_os(name).ok_or_else(|| KeyError::NotSet { name: name.into() })?;
    secret(name, value.as_encoded_bytes())
}

/// The key in a file that only its owner can read.
///
/// # Errors
/// [`KeyError`]; a file that others can read holds no key any more.
pub(super) fn from_file(path: &Path) -> Result<Secret, KeyError> {
    let failed = |source| KeyError::Read { path: path.to_owned(), source };
    let file = File::open(path).map_err(failed)?;
    // Of the opened file, so that nothing can be put in its place in between.
    let metadata = file.metadata().map_err(failed)?;
    let (mode, uid) = (metadata.mode() & 0o7777, metadata.uid());
    if mode & 0o077 != 0 || uid != rustix::process::geteuid().as_raw() {
        return Err(KeyError::Open { path: path.to_owned(), mode, uid });
    }
    let mut bytes = Vec::new();
    file.take(KEY_BYTES_MAX).read_to_end(&mut bytes).map_err(failed)?;
    secret(&path.to_string_lossy(), &bytes)
}

/// The key that a program prints. It is run as it is written, without a shell, and what it says on its standard
/// error is not kept.
///
/// # Errors
/// [`KeyError`].
pub(super) fn from_command(words: &[Box<str>]) -> Result<Secret, KeyError> {
    let (program, arguments) = words.split_first().ok_or_else(|| KeyError::Failed { program: "".into() })?;
    let failed = |source| KeyError::Run { program: program.clone(), source };
    let mut child = Command::new(&**program)
        .args(arguments.iter().map(|word| &**word))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(failed)?;
    let mut bytes = Vec::new();
    // A pipe holds more than a key, so a program that prints one does not wait for its reader.
    let status = child.wait_timeout(COMMAND_WAIT).map_err(failed)?;
    if !status.is_some_and(|status| status.success()) {
        child.kill().map_err(failed)?;
        child.wait().map_err(failed)?;
        return Err(KeyError::Failed { program: program.clone() });
    }
    if let Some(stdout) = child.stdout.take() {
        stdout.take(KEY_BYTES_MAX).read_to_end(&mut bytes).map_err(failed)?;
    }
    secret(program, &bytes)
}

fn secret(place: &str, bytes: &[u8]) -> Result<Secret, KeyError> {
    let text = std::str::from_utf8(bytes).unwrap_or("\u{fffd}");
    Secret::new(text).map_err(|source| KeyError::NotAKey { place: place.into(), source })
}

#[cfg(test)]
mod tests {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_file_that_others_can_read_is_refused_with_a_hint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(&path, "sk-test-1\n").unwrap();
        for (mode, good) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o644, false)] {
            fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
            let read = from_file(&path);
            assert_eq!(read.is_ok(), good, "{mode:o}");
            if let Err(error) = read {
                let said = error.to_string();
                assert!(said.contains("hint: chmod 600") && !said.contains("sk-test-1"), "{said}");
            }
        }
    }

    #[test]
    fn a_program_prints_the_key() {
        let words = |words: &[&str]| words.iter().map(|word| Box::from(*word)).collect::<Vec<Box<str>>>();
        assert_eq!(from_command(&words(&["echo", "sk-test-1"])).unwrap(), Secret::new("sk-test-1").unwrap());
        assert!(matches!(from_command(&words(&["false"])), Err(KeyError::Failed { .. })));
        assert!(matches!(from_command(&words(&["/no/such/program"])), Err(KeyError::Run { .. })));
        assert!(matches!(from_command(&words(&["true"])), Err(KeyError::NotAKey { .. })));
    }

    #[test]
    fn no_error_shows_what_was_found() {
        let said = secret("place", b"two words-of-a-key").unwrap_err().to_string();
        assert!(!said.contains("words"), "{said}");
        assert!(matches!(from_environment("CIRCINUS_TEST_NOT_SET"), Err(KeyError::NotSet { .. })));
    }
}
