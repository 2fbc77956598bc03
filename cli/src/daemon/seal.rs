//! The local key that seals secrets: 32 random bytes in a file that only its owner can read.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::rand::{GetRandomFlags, getrandom};

/// Reads the key, or makes it where there is none.
///
/// # Errors
///
/// The system's; `InvalidData` when the file is not such a key, `PermissionDenied` when others can read it.
pub(super) fn load_or_make(path: &Path) -> io::Result<[u8; 32]> {
    match File::open(path) {
        Ok(file) => load(file),
        Err(error) if error.kind() == io::ErrorKind::NotFound => make(path),
        Err(error) => Err(error),
    }
}

fn load(mut file: File) -> io::Result<[u8; 32]> {
    if file.metadata()?.mode() & 0o077 != 0 {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "others can read it"));
    }
    let mut bytes = Vec::new();
    (&mut file).take(33).read_to_end(&mut bytes)?;
    bytes.try_into().map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "not 32 bytes long"))
}

/// Written aside and linked into place, so that a crash leaves no half key and a race has one winner.
fn make(path: &Path) -> io::Result<[u8; 32]> {
    let mut key = [0_u8; 32];
    let filled = getrandom(&mut key, GetRandomFlags::empty())?;
    if filled != key.len() {
        return Err(io::Error::other("the system gave too few random bytes"));
    }
    let aside = path.with_extension(format!("new-{}", std::process::id()));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&aside)?;
    file.write_all(&key)?;
    file.sync_all()?;
    let linked = fs::hard_link(&aside, path);
    fs::remove_file(&aside)?;
    match linked {
        Ok(()) => Ok(key),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => load(File::open(path)?),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_key_is_made_once_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret.key");
        let made = load_or_make(&path).unwrap();
        assert_ne!(made, [0; 32]);
        assert_eq!(load_or_make(&path).unwrap(), made);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }

    #[test]
    fn a_key_that_others_can_read_or_of_another_length_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret.key");
        fs::write(&path, [1; 31]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(load_or_make(&path).unwrap_err().kind(), io::ErrorKind::InvalidData);
        fs::write(&path, [1; 32]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(load_or_make(&path).unwrap_err().kind(), io::ErrorKind::PermissionDenied);
    }
}
