//! The targets.

use circinus_analyzer::Surroundings;
use circinus_core::operand::PathContext;

mod command;
mod content;
mod frame;
mod view;

/// A target: its name, which is that of its folder of seeds and of its dictionary, and what it does.
pub type Target = (&'static str, fn(&[u8]));

/// All of them.
pub const TARGETS: &[Target] =
    &[("command", command::run), ("content", content::run), ("frame", frame::run), ("view", view::run)];

/// Runs the target of that name.
///
/// # Panics
///
/// When it has no such name, and when the target finds something.
pub fn run(name: &str, bytes: &[u8]) {
    let (_, target) = TARGETS.iter().find(|(known, _)| *known == name).expect("the name of a target");
    target(bytes);
}

fn paths() -> PathContext {
    PathContext {
        cwd: "/home/user/work".into(),
        home: "/home/user".into(),
        workspace: "/home/user/work".into(),
        case_sensitive: true,
    }
}

fn around() -> Surroundings {
    Surroundings {
        paths: paths(),
        circinus_home: "/home/user/.local/share/circinus".into(),
        host_config_dirs: vec!["/home/user/.claude".into()],
        temp_dirs: vec!["/tmp".into()],
        overlay: Default::default(),
        real: None,
    }
}
