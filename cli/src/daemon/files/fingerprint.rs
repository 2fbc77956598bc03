//! What identifies the bytes of a file: their digest, and the name that git gives them.

use std::fs::File;
use std::io::{self, Read};

use circinus_core::digest::{Digest, Digester};
use sha1_checked::{CollisionResult, Sha1};
use sha2::{Digest as _, Sha256};

/// Bytes of a file that are looked at to know it; what is longer is not explained by its content. A second's
/// work at most.
const FILE_BYTES_MAX: u64 = 64 << 20;

/// Bytes read at a time.
const PIECE_BYTES: usize = 64 << 10;

/// How a repository names its objects (gitformat-pack(5), `extensions.objectFormat`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum ObjectFormat {
    /// 40 digits.
    Sha1,
    /// 64 digits.
    Sha256,
}

/// The id of a git object; that of a SHA-1 repository has zeros behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct ObjectId([u8; 32]);

impl ObjectId {
    /// Reads hexadecimal digits; their number says the format.
    pub(super) fn parse(digits: &str) -> Option<(Self, ObjectFormat)> {
        let format = match digits.len() {
            40 => ObjectFormat::Sha1,
            64 => ObjectFormat::Sha256,
            _ => return None,
        };
        let mut id = [0; 32];
        for (byte, place) in id.iter_mut().zip((0..digits.len()).step_by(2)) {
            *byte = u8::from_str_radix(digits.get(place..place + 2)?, 16).ok()?;
        }
        Some((Self(id), format))
    }

    fn of(bytes: &[u8]) -> Self {
        let mut id = [0; 32];
        id.iter_mut().zip(bytes).for_each(|(place, byte)| *place = *byte);
        Self(id)
    }
}

/// What identifies the bytes of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint {
    /// Their digest.
    pub(super) content: Digest,
    /// Their name as a git blob; none when no format was asked for, and none for bytes that were made to
    /// collide under SHA-1.
    pub(super) blob: Option<ObjectId>,
}

/// Looks at the whole of a regular file.
///
/// # Errors
///
/// The operating system's; `InvalidInput` for what is no regular file, `FileTooLarge` beyond the bound, and
/// `Interrupted` when the file changed its length meanwhile.
pub(super) fn of_file(path: &str, format: Option<ObjectFormat>) -> io::Result<Fingerprint> {
    let file = super::open(path)?;
    let length = file.metadata()?.len();
    if length > FILE_BYTES_MAX {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    of(file, length, format)
}

fn of(file: File, length: u64, format: Option<ObjectFormat>) -> io::Result<Fingerprint> {
    let header = format!("blob {length}\0");
    let mut digester = Digester::default();
    let mut sha1 = (format == Some(ObjectFormat::Sha1)).then(|| Sha1::new_with_prefix(&header));
    let mut sha256 = (format == Some(ObjectFormat::Sha256)).then(|| Sha256::new_with_prefix(&header));
    let mut piece = vec![0; PIECE_BYTES];
    let mut seen = 0;
    let mut file = file.take(length + 1);
    loop {
        let count = file.read(&mut piece)?;
        let Some(bytes) = piece.get(..count).filter(|bytes| !bytes.is_empty()) else { break };
        seen += count as u64;
        digester.update(bytes);
        sha1.iter_mut().for_each(|hasher| hasher.update(bytes));
        sha256.iter_mut().for_each(|hasher| hasher.update(bytes));
    }
    if seen != length {
        return Err(io::ErrorKind::Interrupted.into());
    }
    let sha1 = sha1.and_then(|hasher| match hasher.try_finalize() {
        CollisionResult::Ok(id) => Some(ObjectId::of(&id)),
        _ => None,
    });
    let blob = sha1.or_else(|| sha256.map(|hasher| ObjectId::of(&hasher.finalize())));
    Ok(Fingerprint { content: digester.finish(), blob })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn blob(content: &[u8], format: ObjectFormat) -> Option<ObjectId> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, content).unwrap();
        let print = of_file(path.to_str().unwrap(), Some(format)).unwrap();
        assert_eq!(print.content, Digest::of(content));
        print.blob
    }

    #[test]
    fn bytes_have_the_names_that_git_gives_them() {
        let cases = [
            (&b""[..], ObjectFormat::Sha1, "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"),
            (b"hello\n", ObjectFormat::Sha1, "ce013625030ba8dba906f756967f9e9ca394464a"),
            (b"", ObjectFormat::Sha256, "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"),
        ];
        for (content, format, id) in cases {
            assert_eq!(blob(content, format), Some(ObjectId::parse(id).unwrap().0));
        }
    }

    #[test]
    fn a_file_beyond_the_bound_has_no_fingerprint() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        File::create(&path).unwrap().set_len(FILE_BYTES_MAX + 1).unwrap();
        let error = of_file(path.to_str().unwrap(), None).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }

    #[test]
    fn what_is_no_id_is_refused() {
        for text in ["", "e69d", &"g".repeat(40), &"é".repeat(20)] {
            assert_eq!(ObjectId::parse(text), None, "{text}");
        }
    }
}
