//! A settings file that changes while a session runs.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::settings;
use crate::ui::escape_untrusted;

/// Bytes of a settings file; larger ones are not settings.
const SETTINGS_BYTES_MAX: u64 = 4 << 20;

/// A version of the host whose entries need no word for a failing hook.
const BEFORE_ON_FAILURE: settings::HostVersion = settings::HostVersion::new(2, 1, 294);

/// What stands against the gate, as the settings files are now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weakness {
    /// Whether a file still holds entries of ours.
    pub is_registered: bool,
    /// The worst of it, for people.
    pub what: String,
}

/// Looks at all settings of a user and a project; none when the gate is in force.
///
/// The host does not say its version to a hook, so entries count that any version accepts.
pub fn weakness(config_dir: &str, project: &Path) -> Option<Weakness> {
    let environment = |name: &str| (name == "CLAUDE_CONFIG_DIR").then(|| config_dir.into());
    let sources = settings::SurveyPaths::new(&environment, project)?.sources();
    let surveys = [None, Some(BEFORE_ON_FAILURE)].map(|host| settings::survey(&sources, host, None));
    if surveys.iter().any(|survey| survey.protection != settings::Protection::Absent) {
        return None;
    }
    let survey = surveys.into_iter().next()?;
    let what = survey.findings.first().map_or_else(
        || "no settings file registers its hooks".to_owned(),
        |worst| match &worst.path {
            Some(path) => format!("{}: {}", escape_untrusted(&path.display().to_string()), worst.what),
            None => worst.what.clone(),
        },
    );
    Some(Weakness { is_registered: !survey.installed.is_empty(), what })
}

/// Whether the gate still runs with the changed file: hooks are not switched off in it, and the user's own
/// file, where we are registered, still registers the gate.
///
/// A file that cannot be read or is no JSON is ignored by the host, so nothing of it comes into force.
pub fn still_guards(path: &Path, user_settings: &[&Path]) -> bool {
    let mut text = String::new();
    let read = File::open(path).and_then(|file| file.take(SETTINGS_BYTES_MAX).read_to_string(&mut text));
    if read.is_err() {
        // A removed file of the user's takes our entries with it.
        return !user_settings.contains(&path);
    }
    let Ok(settings) = serde_json::from_str::<Value>(&text) else { return true };
    if settings.get("disableAllHooks").and_then(Value::as_bool) == Some(true) {
        return false;
    }
    let guarded = |entries: Vec<settings::Installed>| {
        let whole = |entry: &settings::Installed| {
            entry.problems.iter().all(|it| it.severity < settings::Severity::Fatal)
        };
        entries.iter().any(|entry| entry.event == "PreToolUse" && whole(entry))
    };
    !user_settings.contains(&path) || settings::inspect(&text, None).is_ok_and(guarded)
}
