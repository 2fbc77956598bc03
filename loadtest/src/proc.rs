//! What the system says of a process (proc(5)).

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why the system says nothing.
#[derive(Debug, Error)]
#[error("cannot read `{}`: {source}", path.display())]
pub struct ProcError {
    path: PathBuf,
    source: io::Error,
}

/// Resident memory of a process, in bytes.
///
/// # Errors
/// When there is no such process.
pub fn resident_bytes(pid: u32) -> Result<u64, ProcError> {
    let path = PathBuf::from(format!("/proc/{pid}/status"));
    Ok(1_024 * field(&path, "VmRSS:")?)
}

/// Voluntary context switches of all threads of a process since each began.
///
/// # Errors
/// When there is no such process.
pub fn voluntary_switches(pid: u32) -> Result<u64, ProcError> {
    let folder = PathBuf::from(format!("/proc/{pid}/task"));
    let failed = |source| ProcError { path: folder.clone(), source };
    let mut switches = 0;
    for thread in fs::read_dir(&folder).map_err(failed)? {
        let path = thread.map_err(failed)?.path().join("status");
        switches += field(&path, "voluntary_ctxt_switches:")?;
    }
    Ok(switches)
}

fn field(path: &Path, name: &str) -> Result<u64, ProcError> {
    let failed = |source| ProcError { path: path.to_owned(), source };
    let text = fs::read_to_string(path).map_err(failed)?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|rest| rest.split_whitespace().next()?.parse().ok());
    number.ok_or_else(|| failed(io::Error::new(io::ErrorKind::InvalidData, format!("no field `{name}`"))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_resident_and_no_process_is_an_error() {
        let own = std::process::id();
        assert!(resident_bytes(own).unwrap() > 100_000);
        assert!(voluntary_switches(own).is_ok());
        assert!(resident_bytes(u32::MAX).is_err());
    }
}
