//! Whether a changed settings file leaves the gate in force.

use std::env;
use std::path::Path;

use super::super::version::HostVersion;
use super::{Protection, SurveyPaths, survey};

/// The least capable host that was looked at. Taking it where the version is not known assumes that an invalid
/// entry anywhere drops all hooks, and does not ask for `onFailure`, which old installs do not have.
const LEAST_CAPABLE: HostVersion = HostVersion::new(2, 1, 197);

/// Whether the hooks are still in force with the settings file at `path` as it is now; the project is the folder
/// that holds the file's `.claude`.
#[must_use]
pub fn still_guards(path: &str) -> bool {
    let project = Path::new(path).parent().and_then(Path::parent).unwrap_or(Path::new("/"));
    still_guards_in(project)
}

/// As [`still_guards`], over the user's, the managed and the given project's settings.
///
/// Settings that cannot be looked at count as a gate that is gone.
#[must_use]
pub fn still_guards_in(project: &Path) -> bool {
    SurveyPaths::new(&|name| env::var_os(name), project).is_some_and(|paths| paths.leave_gate_in_force())
}

impl SurveyPaths {
    /// Whether some gate is in force with the files as they are now.
    #[must_use]
    pub fn leave_gate_in_force(&self) -> bool {
        survey(&self.sources(), Some(LEAST_CAPABLE), None).protection != Protection::Absent
    }
}
