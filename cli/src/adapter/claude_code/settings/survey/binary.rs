//! The hook binary that an entry names.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use rustix::fs::{Access, access};

use super::super::inspect::Problem;
use super::Severity;

/// What is wrong with a hook binary, worst first.
pub(super) fn check_binary(path: &Path) -> Option<Problem> {
    let again = "run `circinus setup` again";
    if !path.is_absolute() {
        return Some(Problem::new(Severity::Fatal, "the hook is not named by an absolute path", again));
    }
    let found = match fs::metadata(path) {
        Ok(found) => found,
        Err(error) => {
            let what = format!("the hook binary cannot be found: {error}");
            return Some(Problem::new(Severity::Fatal, what, again));
        }
    };
    if !found.is_file() || access(path, Access::EXEC_OK).is_err() {
        return Some(Problem::new(Severity::Fatal, "the hook binary is not an executable file", again));
    }
    if found.mode() & 0o022 != 0 {
        let fix = format!("chmod go-w '{}'", path.display());
        return Some(Problem::new(Severity::Warning, "others can change the hook binary", fix));
    }
    None
}

/// Whether the binary and every folder above it belong to root and nobody else can change them.
#[must_use]
pub fn is_root_owned(path: &Path) -> bool {
    path.is_absolute()
        && path
            .ancestors()
            .all(|part| fs::metadata(part).is_ok_and(|found| found.uid() == 0 && found.mode() & 0o022 == 0))
}
