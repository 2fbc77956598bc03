//! A settings file that changes while a session runs.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use serde_json::Value;

use super::settings;

/// Bytes of a settings file; larger ones are not settings.
const SETTINGS_BYTES_MAX: u64 = 4 << 20;

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
