//! Tools that read, write and search files.

use circinus_core::action::{Flag, SlotValue, Tier, WriteSource};
use circinus_core::effect::Effect;

use crate::Surroundings;
use crate::command::found::Found;
use crate::command::guard::{HOOK, SWITCHES};
use crate::place::{Place, locate};

/// Keys of a package manifest whose commands run by themselves.
const LIFECYCLE: &[&str] = &[
    "\"preinstall\"",
    "\"install\"",
    "\"postinstall\"",
    "\"prepare\"",
    "\"prepublishOnly\"",
    "\"prepack\"",
    "\"pretest\"",
    "\"prebuild\"",
    "\"postbuild\"",
];

pub(super) fn read(path: &str, around: &Surroundings) -> Found {
    let mut found = Found::default();
    let place = locate(path, Some(around.cwd()), around);
    found.reads_place("file_path", &place, true);
    found
}

pub(super) fn search(path: Option<&str>, around: &Surroundings) -> Found {
    let mut found = Found::default();
    found.effect(Effect::Read);
    if let Some(path) = path {
        let place = locate(path, Some(around.cwd()), around);
        found.reads_place("path", &place, place.secret);
    }
    found
}

/// Writes `new` in place of `old`, or as the whole content.
pub(super) fn write(path: &str, old: Option<&str>, new: &str, around: &Surroundings) -> Found {
    let mut found = Found::default();
    let mut place = locate(path, Some(around.cwd()), around);
    if place.persists.is_none() && runs_by_itself(&place, old, new) {
        place.persists = Some(Flag::PersistWs);
    }
    let source = WriteSource::Agent;
    found.raise(Tier::T1);
    found.writes_place("file_path", &place, source, false);
    if place.persists.is_some() {
        if !new.trim().is_empty() {
            found.slot("content", Effect::Persist, SlotValue::Text(new.into()), Tier::T3);
        }
    } else {
        found.content("content", Effect::Write, new);
    }
    if drops_the_hook(&place, old, new) {
        found.guard();
    }
    found
}

/// An edit of a package manifest that adds or changes what a package manager runs by itself.
fn runs_by_itself(place: &Place, old: Option<&str>, new: &str) -> bool {
    let Some(name) = place.path.as_deref().and_then(|path| path.rsplit('/').next()) else { return false };
    match name {
        "package.json" => LIFECYCLE.iter().any(|key| {
            let lines = |text: &str| {
                text.lines().filter(|line| line.contains(key)).map(str::trim).collect::<Vec<_>>().join("\n")
            };
            new.contains(key) && old.is_none_or(|old| lines(old) != lines(new))
        }),
        "pyproject.toml" => {
            new.contains("build-backend")
                && new.contains("backend-path")
                && !old.is_some_and(|old| old.contains("backend-path"))
        }
        _ => false,
    }
}

/// Whether the settings would lose our hook entries, or switch hooks off.
fn drops_the_hook(place: &Place, old: Option<&str>, new: &str) -> bool {
    let Some(path) = place.path.as_deref() else { return false };
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_settings = name.starts_with("settings") && name.ends_with(".json") && path.contains(".claude/");
    let is_managed = name == "managed-settings.json" || path.contains("managed-settings.d/");
    if !is_settings && !is_managed {
        return false;
    }
    let switched = SWITCHES.iter().any(|key| new.contains(key) && !old.is_some_and(|old| old.contains(key)));
    let removed = match old {
        Some(old) => old.contains(HOOK) && old.matches(HOOK).count() > new.matches(HOOK).count(),
        // Only the user's or the system's own settings hold our entries.
        None => place.hooks && !new.contains(HOOK),
    };
    switched || removed
}
