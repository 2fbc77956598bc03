//! Facts about where a call happens.

use std::sync::{Arc, LazyLock};

use circinus_core::operand::PathContext;

use crate::overlay::Overlay;

/// Facts about where a call happens; whoever calls collects them, nothing here looks for them.
#[derive(Clone, Debug)]
pub struct Surroundings {
    /// Working directory, home and workspace.
    pub paths: PathContext,
    /// The directory of Circinus, absolute: touching it is touching the guard.
    pub circinus_home: Box<str>,
    /// Directories of the host's own configuration, absolute, such as `/home/me/.claude`.
    pub host_config_dirs: Vec<Box<str>>,
    /// Directories for scratch files, absolute; the first is what `$TMPDIR` stands for.
    pub temp_dirs: Vec<Box<str>>,
    /// The user's additions to the command table.
    pub overlay: Arc<Overlay>,
    /// How the places really lie; without it only names count.
    pub real: Option<Arc<Real>>,
}

/// How places lie without symbolic links.
#[derive(Debug)]
pub struct Real {
    /// The same surroundings with every directory under its real name: looked up by the first path that has one,
    /// for most calls name none.
    pub around: LazyLock<Surroundings, Box<dyn FnOnce() -> Surroundings + Send>>,
    /// The real name of an absolute path, which may lead through links and `..`; none when it is not known.
    pub resolve: fn(&str) -> Option<String>,
}

impl Surroundings {
    /// The home directory.
    pub(crate) fn home(&self) -> &str {
        &self.paths.home
    }

    /// The working directory.
    pub(crate) fn cwd(&self) -> &str {
        &self.paths.cwd
    }

    /// The workspace directory.
    pub(crate) fn workspace(&self) -> &str {
        &self.paths.workspace
    }

    /// The same surroundings seen from another working directory.
    pub(crate) fn paths_at(&self, cwd: Option<&str>) -> PathContext {
        let mut paths = self.paths.clone();
        paths.cwd = cwd.unwrap_or_default().into();
        paths
    }
}

/// Surroundings for tests of this crate.
#[cfg(test)]
pub(crate) fn sample() -> Surroundings {
    Surroundings {
        paths: PathContext {
            cwd: "/home/kim/work/app".into(),
            home: "/home/kim".into(),
            workspace: "/home/kim/work/app".into(),
            case_sensitive: true,
        },
        circinus_home: "/home/kim/.local/share/circinus".into(),
        host_config_dirs: vec!["/home/kim/.claude".into()],
        temp_dirs: vec!["/tmp".into()],
        overlay: Arc::default(),
        real: None,
    }
}
