//! A key that can be used and not shown.

use std::fmt;

/// Bytes of a key; real ones have under three hundred.
const SECRET_BYTES_MAX: usize = 4_096;

/// A key. It has no `Display`, its `Debug` does not show it, and only the client of this crate reads it.
///
/// INVARIANT (a-key-is-never-shown): nothing outside `provider` can read the text again.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(Box<str>);

/// Why a text is no key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// Nothing but white space.
    #[error("the key is empty")]
    Empty,
    /// Longer than any key.
    #[error("the key has more than {SECRET_BYTES_MAX} bytes")]
    TooLong,
    /// It cannot stand in a header (RFC 9110, 5.5).
    #[error("the key has characters that are not visible ASCII")]
    NotVisible,
}

impl Secret {
    /// Takes a key, without the white space around it.
    ///
    /// # Errors
    /// [`SecretError`]; it does not hold the text.
    pub fn new(text: &str) -> Result<Self, SecretError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(SecretError::Empty);
        }
        if text.len() > SECRET_BYTES_MAX {
            return Err(SecretError::TooLong);
        }
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(SecretError::NotVisible);
        }
        Ok(Self(text.into()))
    }

    pub(super) fn expose(&self) -> &str {
        &self.0
    }

    /// Whether `text` holds the key, and where.
    pub(crate) fn found_in(&self, text: &[u8]) -> Vec<(usize, usize)> {
        memchr::memmem::find_iter(text, self.0.as_bytes()).map(|at| (at, at + self.0.len())).collect()
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(not shown)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown() {
        let key = Secret::new(" sk-test-123\n").unwrap();
        assert_eq!((key.expose(), format!("{key:?}").as_str()), ("sk-test-123", "Secret(not shown)"));
    }

    #[test]
    fn what_cannot_stand_in_a_header_is_no_key() {
        for (text, error) in [
            (" \n", SecretError::Empty),
            ("a\r\nX-Other: b", SecretError::NotVisible),
            ("schlüssel", SecretError::NotVisible),
        ] {
            assert_eq!(Secret::new(text), Err(error));
        }
        assert_eq!(Secret::new(&"k".repeat(SECRET_BYTES_MAX + 1)), Err(SecretError::TooLong));
    }
}
