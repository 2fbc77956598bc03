//! What every call's surroundings share.

use std::sync::Arc;

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
        let named = |place: &str| Box::from(place);
        let really = |place: &str| real_name(place).map_or_else(|| place.into(), Into::into);
        let real = Real { around: self.seen(cwd, workspace, really), resolve: real_name };
        Surroundings { real: Some(Arc::new(real)), ..self.seen(cwd, workspace, named) }
    }

    fn seen(&self, cwd: &str, workspace: &str, name: impl Fn(&str) -> Box<str>) -> Surroundings {
        let all = |places: &[Box<str>]| places.iter().map(|place| name(place)).collect();
        Surroundings {
            paths: PathContext {
                cwd: name(cwd),
                home: name(&self.home),
                workspace: name(workspace),
                case_sensitive: true,
            },
            circinus_home: name(&self.circinus_home),
            host_config_dirs: all(&self.host_config_dirs),
            temp_dirs: all(&self.temp_dirs),
            overlay: Arc::clone(&self.commands.rows),
            real: None,
        }
    }
}
