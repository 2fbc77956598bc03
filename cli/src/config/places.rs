//! Every file under `CIRCINUS_HOME`, named once.

use std::fs::{self, DirBuilder, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use circinus_ipc::path::{Environment, HomeDir, HomeError};
use thiserror::Error;

/// File name of the configuration.
pub(super) const CONFIG_NAME: &str = "config.toml";

/// File name of the user's additions to the command table.
pub(super) const COMMANDS_NAME: &str = "commands.toml";

/// Mode of every folder: its owner, and nobody else.
const PRIVATE_DIR_MODE: u32 = 0o700;

/// Where everything is kept. Sockets and locks are named by `circinus_ipc::path::SocketPlace`, inside
/// [`Places::run_dir`] unless that path is too long for a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Places {
    home: HomeDir,
    /// The configuration, written by a person only.
    pub config: PathBuf,
    /// The additions to the command table, written by a person only.
    pub commands: PathBuf,
    /// The SQLite database.
    pub database: PathBuf,
    /// Sockets and locks.
    pub run_dir: PathBuf,
    /// What the daemon has to say.
    pub log: PathBuf,
    /// Events taken while no daemon could be started, one JSON object per line, ingested at its next start.
    pub unrecorded: PathBuf,
    /// The key under which secrets are hashed.
    pub key: PathBuf,
    /// Empty git repositories that git works in while it reads the objects of others.
    pub git: PathBuf,
}

/// Why the folders are not usable.
#[derive(Debug, Error)]
pub enum CreatePlacesError {
    /// The folder cannot be made.
    #[error("cannot create folder {}: {source}; hint: set CIRCINUS_HOME to a folder you can write", path.display())]
    Create {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The folder cannot be looked at.
    #[error("cannot look at folder {}: {source}; hint: set CIRCINUS_HOME to a folder you can write", path.display())]
    Inspect {
        /// The folder.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// Something other than a folder has the name.
    #[error("{} is not a folder; hint: move it away, or set CIRCINUS_HOME to another place", path.display())]
    NotAFolder {
        /// The path.
        path: PathBuf,
    },
    /// The folder is another user's.
    #[error("folder {} belongs to user {uid}, not to you; hint: set CIRCINUS_HOME to a folder of your own", path.display())]
    Foreign {
        /// The folder.
        path: PathBuf,
        /// Its owner.
        uid: u32,
    },
    /// Others can enter the folder.
    #[error("folder {} has mode {mode:04o}, so others can enter it; hint: chmod 700 '{}'", path.display(), path.display())]
    Open {
        /// The folder.
        path: PathBuf,
        /// Its permission bits.
        mode: u32,
    },
}

impl Places {
    /// The places under the home that the environment names: `CIRCINUS_HOME`, else `$XDG_DATA_HOME/circinus`,
    /// else `$HOME/.local/share/circinus`.
    ///
    /// # Errors
    /// [`HomeError`] when none of them is an absolute path.
    pub fn resolve(environment: Environment<'_>) -> Result<Self, HomeError> {
        HomeDir::resolve(environment).map(Self::under)
    }

    /// The places under a given home.
    #[must_use]
    pub fn under(home: HomeDir) -> Self {
        let at = |name: &str| home.as_path().join(name);
        Self {
            config: at(CONFIG_NAME),
            commands: at(COMMANDS_NAME),
            database: at("circinus.db"),
            run_dir: home.run_dir(),
            log: at("daemon.log"),
            unrecorded: at("unrecorded.jsonl"),
            key: at("secret.key"),
            git: at("git"),
            home,
        }
    }

    /// The folder that holds all of them; absolute.
    #[must_use]
    pub fn home(&self) -> &Path {
        self.home.as_path()
    }

    /// The same folder, as `circinus_ipc` wants it.
    #[must_use]
    pub const fn home_dir(&self) -> &HomeDir {
        &self.home
    }

    /// Makes the folders where they are missing, mode 0700 with their missing parents, and refuses one that
    /// others own or can enter: what it holds decides what an agent may do.
    ///
    /// # Errors
    /// [`CreatePlacesError`].
    pub fn create(&self) -> Result<(), CreatePlacesError> {
        for folder in [self.home(), self.run_dir.as_path()] {
            create_private(folder)?;
        }
        Ok(())
    }
}

fn create_private(path: &Path) -> Result<(), CreatePlacesError> {
    let made = DirBuilder::new().mode(PRIVATE_DIR_MODE).create(path).or_else(|error| match error.kind() {
        io::ErrorKind::NotFound => DirBuilder::new().recursive(true).mode(PRIVATE_DIR_MODE).create(path),
        _ => Err(error),
    });
    match made {
        // A restrictive umask would take bits away that the owner needs.
        Ok(()) => fs::set_permissions(path, Permissions::from_mode(PRIVATE_DIR_MODE))
            .map_err(|source| CreatePlacesError::Create { path: path.to_owned(), source })?,
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        Err(source) => return Err(CreatePlacesError::Create { path: path.to_owned(), source }),
    }
    check_private(path, rustix::process::geteuid().as_raw())
}

fn check_private(path: &Path, own_uid: u32) -> Result<(), CreatePlacesError> {
    let path = path.to_owned();
    let found = match fs::metadata(&path) {
        Ok(found) => found,
        Err(source) => return Err(CreatePlacesError::Inspect { path, source }),
    };
    let mode = found.mode() & 0o7777;
    if !found.is_dir() {
        Err(CreatePlacesError::NotAFolder { path })
    } else if found.uid() != own_uid {
        Err(CreatePlacesError::Foreign { path, uid: found.uid() })
    } else if mode & 0o077 != 0 {
        Err(CreatePlacesError::Open { path, mode })
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(home: &Path) -> Places {
        Places::under(HomeDir::at(home).unwrap())
    }

    #[test]
    fn new_folders_are_private_and_stay_usable() {
        let root = tempfile::tempdir().unwrap();
        let places = places(&root.path().join("a/home"));
        places.create().unwrap();
        places.create().unwrap();
        for folder in [places.home(), &places.run_dir] {
            assert_eq!(fs::metadata(folder).unwrap().mode() & 0o7777, PRIVATE_DIR_MODE);
        }
    }

    #[test]
    fn a_folder_that_others_can_enter_is_refused() {
        let root = tempfile::tempdir().unwrap();
        for mode in [0o701, 0o710, 0o750, 0o707] {
            fs::set_permissions(root.path(), Permissions::from_mode(mode)).unwrap();
            let refused = places(root.path()).create();
            assert!(matches!(refused, Err(CreatePlacesError::Open { .. })), "{mode:o}");
        }
    }

    #[test]
    fn a_foreign_folder_and_a_file_are_refused() {
        let root = tempfile::tempdir().unwrap();
        let own = rustix::process::geteuid().as_raw();
        assert!(matches!(check_private(root.path(), own + 1), Err(CreatePlacesError::Foreign { .. })));
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        assert!(matches!(places(&file).create(), Err(CreatePlacesError::NotAFolder { .. })));
    }

    #[test]
    fn the_error_of_a_place_that_cannot_be_made_names_it() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("file");
        fs::write(&file, "").unwrap();
        let error = places(&file.join("home")).create().unwrap_err().to_string();
        assert!(error.contains("file/home") && error.contains("hint: set CIRCINUS_HOME"), "{error}");
    }
}
