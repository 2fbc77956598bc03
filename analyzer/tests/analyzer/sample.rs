//! Surroundings that all tests share.

use circinus_analyzer::Surroundings;
use circinus_core::action::{Flag, Flags};
use circinus_core::operand::PathContext;

/// A workspace below the home of somebody.
pub(crate) fn around() -> Surroundings {
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
        overlay: Default::default(),
        real: None,
    }
}

/// The flag of that name.
pub(crate) fn flag(name: &str) -> Flag {
    Flag::ALL.into_iter().find(|flag| flag.name() == name).expect("the name of a flag")
}

/// The flags of those names.
pub(crate) fn flags(names: &[String]) -> Flags {
    Flags::of(names.iter().map(|name| flag(name)))
}
