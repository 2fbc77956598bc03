//! The host's settings while sessions run: whether our hooks stay in force.

use std::path::Path;

use super::site::Site;
use crate::adapter::claude_code::response::{self, HookOutput};
use crate::adapter::claude_code::settings_change::{Weakness, still_guards, weakness};

/// The answer to a changed settings file, which may not take the gate away while the session runs.
pub fn change(path: Option<&str>, cwd: &str, site: &Site) -> HookOutput {
    let user: Vec<_> =
        site.host_config_dirs.iter().map(|directory| format!("{directory}/settings.json")).collect();
    let user: Vec<_> = user.iter().map(Path::new).collect();
    let Some(weakness) = in_force(cwd, site) else { return HookOutput::silent() };
    // Hooks that stand in no file were given in another way, and only what this file does counts.
    if !weakness.is_registered && path.is_some_and(|path| still_guards(Path::new(path), &user)) {
        return HookOutput::silent();
    }
    response::keep_settings(&format!(
        "Circinus: the changed settings would switch the gate off ({}); the settings in force are kept. \
         Run `circinus uninstall` in your own terminal if you want it gone.",
        weakness.what
    ))
}

/// Tells the person when a session starts with hooks that do not guard it: some of our entries are there, for this
/// very hook ran.
pub(super) fn at_start(cwd: &str, site: &Site) -> HookOutput {
    match in_force(cwd, site).filter(|weakness| weakness.is_registered) {
        None => HookOutput::silent(),
        Some(weakness) => response::tell_person(&format!(
            "Circinus does not guard this session: {}. Run `circinus doctor`.",
            weakness.what
        )),
    }
}

fn in_force(cwd: &str, site: &Site) -> Option<Weakness> {
    weakness(site.host_config_dirs.first()?, Path::new(cwd))
}
