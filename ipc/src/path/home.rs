//! The directory that holds everything Circinus keeps.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Looks up one environment variable. [`std::env::var_os`] outside tests.
pub type Environment<'a> = &'a dyn Fn(&str) -> Option<OsString>;

/// The directory that holds everything Circinus keeps; an absolute path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HomeDir(PathBuf);

/// Why there is no home directory.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum HomeError {
    /// `CIRCINUS_HOME` is set to something that is not an absolute path.
    #[error("CIRCINUS_HOME is `{}`, which is not an absolute path; hint: set it to an absolute path or unset it", path.display())]
    NotAbsolute {
        /// The value.
        path: PathBuf,
    },
    /// No variable names a place.
    #[error("neither CIRCINUS_HOME, XDG_DATA_HOME nor HOME names an absolute path; hint: set CIRCINUS_HOME")]
    Unset,
}

impl HomeDir {
    /// `CIRCINUS_HOME`, else `$XDG_DATA_HOME/circinus`, else `$HOME/.local/share/circinus`.
    ///
    /// A relative `XDG_DATA_HOME` is ignored, as the XDG Base Directory Specification demands; a relative
    /// `CIRCINUS_HOME` is an error, because it would be another place in every working directory.
    ///
    /// # Errors
    /// [`HomeError`].
    pub fn resolve(environment: Environment<'_>) -> Result<HomeDir, HomeError> {
        let set = |name: &str| environment(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        if let Some(path) = set("CIRCINUS_HOME") {
            return HomeDir::at(path);
        }
        let absolute = |name: &str| set(name).filter(|path| path.is_absolute());
        absolute("XDG_DATA_HOME")
            .or_else(|| absolute("HOME").map(|home| home.join(".local/share")))
            .map(|share| HomeDir(share.join("circinus")))
            .ok_or(HomeError::Unset)
    }

    /// A home at a given path.
    ///
    /// # Errors
    /// `NotAbsolute`.
    pub fn at(path: impl Into<PathBuf>) -> Result<HomeDir, HomeError> {
        let path = path.into();
        if path.is_absolute() { Ok(HomeDir(path)) } else { Err(HomeError::NotAbsolute { path }) }
    }

    /// The path.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// The private directory of sockets and locks.
    #[must_use]
    pub fn run_dir(&self) -> PathBuf {
        self.0.join("run")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve(variables: &[(&str, &str)]) -> Result<HomeDir, HomeError> {
        HomeDir::resolve(&|name| {
            variables.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        })
    }

    fn path(variables: &[(&str, &str)]) -> String {
        resolve(variables).unwrap().as_path().display().to_string()
    }

    #[test]
    fn the_most_specific_variable_wins() {
        let all = [("CIRCINUS_HOME", "/c"), ("XDG_DATA_HOME", "/x"), ("HOME", "/h")];
        assert_eq!(path(&all), "/c");
        assert_eq!(path(&all[1..]), "/x/circinus");
        assert_eq!(path(&all[2..]), "/h/.local/share/circinus");
    }

    #[test]
    fn empty_and_relative_values() {
        assert_eq!(path(&[("CIRCINUS_HOME", ""), ("HOME", "/h")]), "/h/.local/share/circinus");
        assert_eq!(path(&[("XDG_DATA_HOME", "x"), ("HOME", "/h")]), "/h/.local/share/circinus");
        assert_eq!(resolve(&[("HOME", "h")]), Err(HomeError::Unset));
        assert_eq!(resolve(&[]), Err(HomeError::Unset));
        let relative = resolve(&[("CIRCINUS_HOME", "c"), ("HOME", "/h")]);
        assert_eq!(relative, Err(HomeError::NotAbsolute { path: PathBuf::from("c") }));
    }
}
