//! What every call's surroundings share.

use std::sync::{Arc, LazyLock};

use circinus_analyzer::{Real, Surroundings};
use circinus_core::operand::PathContext;

use super::files::real_name;
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
        let named = Surroundings {
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
            real: None,
        };
        let around = named.clone();
        let real = Real { around: LazyLock::new(Box::new(move || really(around))), resolve: real_name };
        Surroundings { real: Some(Arc::new(real)), ..named }
    }
}

/// The surroundings with every directory under its real name.
fn really(around: Surroundings) -> Surroundings {
    let real = |place: Box<str>| real_name(&place).map_or(place, Into::into);
    let all = |places: Vec<Box<str>>| places.into_iter().map(real).collect();
    Surroundings {
        paths: PathContext {
            cwd: real(around.paths.cwd),
            home: real(around.paths.home),
            workspace: real(around.paths.workspace),
            case_sensitive: around.paths.case_sensitive,
        },
        circinus_home: real(around.circinus_home),
        host_config_dirs: all(around.host_config_dirs),
        temp_dirs: all(around.temp_dirs),
        ..around
    }
}
