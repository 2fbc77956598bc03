//! Changes one key of `config.toml` and keeps everything else in it as it is, comments included.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use thiserror::Error;
use toml_edit::{DocumentMut, Item, TableLike, Value};

use super::keys::Key;
use super::read::{self, Wrong, invalid};
use super::{Config, LoadConfigError};

/// Why a key was not changed; the file is as it was.
#[derive(Debug, Error)]
pub enum EditConfigError {
    /// The file, or the value that would be in it, is not valid.
    #[error(transparent)]
    Invalid(#[from] LoadConfigError),
    /// What should hold the key is something else.
    #[error("`{table}` in {} is no table; hint: write [{table}] on a line of its own", path.display())]
    NoTable {
        /// The file.
        path: PathBuf,
        /// The name of what is no table.
        table: &'static str,
    },
}

/// Why the changed file was not written; the old one is as it was.
#[derive(Debug, Error)]
#[error("cannot write {}: {source}; hint: is the folder writable and the disk not full?", path.display())]
pub struct WriteConfigError {
    path: PathBuf,
    source: io::Error,
}

/// A change that is not written yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigEdit {
    /// The file.
    pub path: PathBuf,
    /// Its text; empty when there is no file.
    pub before: String,
    /// What it would be.
    pub after: String,
}

impl ConfigEdit {
    /// The change of one key of the configuration under `home`. `value` is TOML, or a string without its quotes.
    ///
    /// # Errors
    /// [`EditConfigError`]: whatever the reader would refuse afterwards is not offered.
    pub fn new(home: &Path, key: &Key, value: &str) -> Result<Self, EditConfigError> {
        Self::of(home, &[(key, value)])
    }

    /// The change of several keys at once; only what they make together must be valid.
    ///
    /// # Errors
    /// [`EditConfigError`].
    pub fn of(home: &Path, changes: &[(&Key, &str)]) -> Result<Self, EditConfigError> {
        let path = home.join(super::places::CONFIG_NAME);
        let bytes = read::read(&path)?.unwrap_or_default();
        let before = read::text(&path, &bytes)?.to_owned();
        let mut after = before.clone();
        for (key, value) in changes {
            after = edited(&path, &after, key, value)?;
        }
        Config::from_bytes(&path, after.as_bytes())?;
        Ok(Self { path, before, after })
    }

    /// Writes the change: all of it, or nothing.
    ///
    /// # Errors
    /// [`WriteConfigError`].
    pub fn write(&self) -> Result<(), WriteConfigError> {
        let folder = self.path.parent().unwrap_or(Path::new("/"));
        let replace = || -> io::Result<()> {
            // Made with mode 0600: what it says is nobody else's business.
            let mut file = NamedTempFile::new_in(folder)?;
            file.write_all(self.after.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(&self.path).map_err(|failed| failed.error)?;
            Ok(())
        };
        replace().map_err(|source| WriteConfigError { path: self.path.clone(), source })
    }
}

fn edited(path: &Path, text: &str, key: &Key, value: &str) -> Result<String, EditConfigError> {
    let mut doc: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| {
        let end = text.len()..text.len();
        let wrong = Wrong::new(error.message(), error.span().unwrap_or(end), "the file is TOML (toml.io)");
        invalid(path, text, wrong)
    })?;
    let (tables, own) = key.path();
    let mut table: &mut dyn TableLike = doc.as_table_mut();
    for name in tables {
        table = table
            .entry(name)
            .or_insert_with(toml_edit::table)
            .as_table_like_mut()
            .ok_or_else(|| EditConfigError::NoTable { path: path.to_owned(), table: name })?;
    }
    let mut value = value.parse().unwrap_or_else(|_| Value::from(value));
    match table.get_mut(own).and_then(Item::as_value_mut) {
        Some(old) => {
            *value.decor_mut() = old.decor().clone();
            *old = value;
        }
        None => {
            value.decor_mut().clear();
            table.insert(own, Item::Value(value));
        }
    }
    Ok(doc.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(text: &str, name: &str, value: &str) -> Result<String, EditConfigError> {
        let home = tempfile::tempdir().unwrap();
        std::fs::write(home.path().join("config.toml"), text).unwrap();
        ConfigEdit::new(home.path(), Key::by_name(name).unwrap(), value).map(|edit| edit.after)
    }

    #[test]
    fn only_the_value_changes() {
        let text = "# mine\nprofile  =  'strict' # because\n\n[claude_code]\n# long\nhook_timeout_s = 60\n";
        let expected = text.replace("'strict'", "\"critical\"");
        assert_eq!(set(text, "profile", "critical").unwrap(), expected);
        let expected = text.replace("60", "90");
        assert_eq!(set(text, "claude_code.hook_timeout_s", "90").unwrap(), expected);
    }

    #[test]
    fn a_missing_key_and_its_table_are_added() {
        assert_eq!(set("", "profile", "\"strict\"").unwrap(), "profile = \"strict\"\n");
        let text = "[claude_code]\nhook_timeout_s = 60\n";
        assert_eq!(set(text, "profile", "strict").unwrap(), format!("profile = \"strict\"\n{text}"));
        let text = "profile = \"strict\"\n";
        let expected = format!("{text}\n[claude_code]\nhook_timeout_s = 90\n");
        assert_eq!(set(text, "claude_code.hook_timeout_s", "90").unwrap(), expected);
    }

    #[test]
    fn what_the_reader_refuses_is_not_offered() {
        for (text, name, value) in [
            ("", "profile", "paranoid"),
            ("", "profile", "3"),
            ("", "claude_code.hook_timeout_s", "5"),
            ("claude_code = 1\n", "claude_code.hook_timeout_s", "90"),
            ("profil = 1\n", "profile", "strict"),
            ("profile = \n", "profile", "strict"),
        ] {
            assert!(set(text, name, value).is_err(), "{text:?} {name} {value}");
        }
    }

    #[test]
    fn a_change_is_written_as_a_whole_and_is_private() {
        use std::os::unix::fs::PermissionsExt;
        let home = tempfile::tempdir().unwrap();
        let edit = ConfigEdit::new(home.path(), Key::by_name("profile").unwrap(), "strict").unwrap();
        edit.write().unwrap();
        assert_eq!(Config::load(home.path()).unwrap().profile.name(), "strict");
        let mode = std::fs::metadata(&edit.path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        let nowhere = ConfigEdit { path: home.path().join("none/config.toml"), ..edit };
        assert!(nowhere.write().is_err());
    }
}
