//! What every call's surroundings share.

use std::sync::Arc;

use circinus_analyzer::Surroundings;
use circinus_core::operand::PathContext;

use crate::config::CommandOverlay;

/// Facts about this machine and user that do not change while the daemon runs.
#[derive(Clone, Debug)]
pub struct Site {
    /// The user's home directory.
    pub home: Box<str>,
    /// Where Circinus keeps its files.
    pub circinus_home: Box<str>,
    /// Where the host keeps its configuration.
    pub host_config_dirs: Vec<Box<str>>,
    /// Where scratch files go.
    pub temp_dirs: Vec<Box<str>>,
    /// The user's additions to the command table.
    pub commands: CommandOverlay,
}

impl Site {
    /// The surroundings of a call made in `cwd` of `workspace`.
    pub fn around(&self, cwd: &str, workspace: &str) -> Surroundings {
        Surroundings {
            paths: PathContext {
                cwd: cwd.into(),
                home: self.home.clone(),
                workspace: workspace.into(),
                case_sensitive: true,
            },
            circinus_home: self.circinus_home.clone(),
            host_config_dirs: self.host_config_dirs.clone(),
            temp_dirs: self.temp_dirs.clone(),
            overlay: Arc::clone(&self.commands.rows),
        }
    }
}
