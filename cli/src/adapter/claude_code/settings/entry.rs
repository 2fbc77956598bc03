//! The entries that setup registers.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::version::{HostVersion, knows_skill_shell, writes_on_failure};

/// File name of the hook binary. An entry whose command has this file name is ours, wherever it lies.
pub const HOOK_BINARY_NAME: &str = "circinus-hook";

/// An event of the host that we register for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Event {
    name: &'static str,
    is_gate: bool,
}

const fn gate(name: &'static str) -> Event {
    Event { name, is_gate: true }
}

const fn observer(name: &'static str) -> Event {
    Event { name, is_gate: false }
}

/// All events that setup registers where the host knows them, gates first.
///
/// The three gates get `onFailure: block`: a tool call and a skill's shell command must not run unjudged, and
/// a failed ConfigChange hook must not let our own removal through. A failed observer only loses knowledge,
/// which makes later answers stricter, so it does not stop the user.
pub const EVENTS: [Event; 20] = [
    gate("PreToolUse"),
    gate("PreSkillShellCommand"),
    gate("ConfigChange"),
    observer("PostToolUse"),
    observer("PostToolUseFailure"),
    observer("PostToolBatch"),
    observer("UserPromptSubmit"),
    observer("UserPromptExpansion"),
    observer("SessionStart"),
    observer("SessionEnd"),
    observer("Stop"),
    observer("InstructionsLoaded"),
    observer("SubagentStart"),
    observer("SubagentStop"),
    observer("PreCompact"),
    observer("PostCompact"),
    observer("CwdChanged"),
    observer("FileChanged"),
    observer("PermissionRequest"),
    observer("PermissionDenied"),
];

/// The events that are registered with this version of the host, gates first. A name that the version is seen
/// not to know makes it warn at every start; a version that is not known gets all of them.
#[must_use]
pub fn events(host: Option<HostVersion>) -> Vec<Event> {
    let known = |event: &Event| event.name != "PreSkillShellCommand" || knows_skill_shell(host);
    EVENTS.into_iter().filter(known).collect()
}

impl Event {
    /// The host's name of the event.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.name
    }

    /// Whether the host waits for our answer and must block when there is none.
    #[must_use]
    pub const fn is_gate(self) -> bool {
        self.is_gate
    }

    /// The event of that name, if we register for it.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Self> {
        EVENTS.into_iter().find(|event| event.name == name)
    }
}

/// What is to be registered.
#[derive(Clone, Debug)]
pub struct Registration {
    /// Absolute path of the hook binary.
    pub binary: PathBuf,
    /// Seconds after which the host gives up on the hook.
    pub timeout_s: u32,
    /// Version of the host, when known.
    pub host: Option<HostVersion>,
}

impl Registration {
    /// The group for an event, as the host reads it: the exec form (`args`), so that no shell is involved.
    ///
    /// `None` when the path is not UTF-8: JSON cannot name it.
    pub(super) fn group(&self, event: Event) -> Option<Value> {
        let command = self.binary.to_str()?;
        let mut entry =
            json!({ "type": "command", "command": command, "args": [], "timeout": self.timeout_s });
        if let (true, Some(entry)) = (event.is_gate && writes_on_failure(self.host), entry.as_object_mut()) {
            entry.insert("onFailure".to_owned(), json!("block"));
        }
        Some(json!({ "matcher": "*", "hooks": [entry] }))
    }

    /// The group as text on one line, members in the order a person expects.
    pub(super) fn group_text(&self, event: Event) -> Option<String> {
        let command = Value::from(self.binary.to_str()?).to_string();
        let on_failure =
            if event.is_gate && writes_on_failure(self.host) { ", \"onFailure\": \"block\"" } else { "" };
        Some(format!(
            "{{\"matcher\": \"*\", \"hooks\": [{{\"type\": \"command\", \"command\": {command}, \"args\": [], \
             \"timeout\": {}{on_failure}}}]}}",
            self.timeout_s
        ))
    }
}

/// Whether the command of an entry is our hook binary. The plain form goes through a shell and may carry
/// quotes and arguments; its first word counts.
pub(super) fn is_ours(command: &str) -> bool {
    let is_hook = |path: &str| Path::new(path).file_name().is_some_and(|name| name == HOOK_BINARY_NAME);
    let first_word = match command.trim_start().strip_prefix(['"', '\'']) {
        Some(quoted) => quoted.split(['"', '\'']).next(),
        None => command.split_whitespace().next(),
    };
    is_hook(command) || first_word.is_some_and(is_hook)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registration(host: Option<HostVersion>) -> Registration {
        Registration { binary: "/opt/c \"x\"/circinus-hook".into(), timeout_s: 45, host }
    }

    #[test]
    fn text_and_value_are_the_same_entry() {
        for host in [None, Some(HostVersion::new(2, 1, 197)), Some(HostVersion::new(2, 1, 332))] {
            for event in EVENTS {
                let text = registration(host).group_text(event).unwrap();
                let value: Value = serde_json::from_str(&text).unwrap();
                assert_eq!(Some(value), registration(host).group(event), "{event:?}");
            }
        }
    }

    #[test]
    fn only_gates_block_on_failure_and_only_where_it_is_understood() {
        let has = |host, name| {
            let event = Event::by_name(name).unwrap();
            registration(host).group_text(event).unwrap().contains("onFailure")
        };
        let (old, new) = (Some(HostVersion::new(2, 1, 294)), Some(HostVersion::new(2, 1, 295)));
        assert!(has(new, "PreToolUse") && has(new, "PreSkillShellCommand") && has(new, "ConfigChange"));
        assert!(!has(new, "PostToolUse") && !has(new, "UserPromptSubmit"));
        assert!(!has(old, "PreToolUse"));
        assert!(has(None, "PreToolUse"));
    }

    #[test]
    fn ours_is_told_by_the_file_name() {
        for command in ["/a/circinus-hook", "circinus-hook", "/a b/circinus-hook", "\"/a b/circinus-hook\" x"]
        {
            assert!(is_ours(command), "{command}");
        }
        for command in
            ["/a/circinus-hook2", "/circinus-hook/run", "echo circinus-hook", "/a/my-circinus-hook", ""]
        {
            assert!(!is_ours(command), "{command}");
        }
    }

    #[test]
    fn an_event_is_registered_where_the_host_knows_it() {
        let has = |host| events(host).iter().any(|event| event.name() == "PreSkillShellCommand");
        assert!(!has(Some(HostVersion::new(2, 1, 197))));
        assert!(
            has(Some(HostVersion::new(2, 1, 198))) && has(Some(HostVersion::new(2, 1, 332))) && has(None)
        );
        assert_eq!(events(Some(HostVersion::new(2, 1, 197))).len(), EVENTS.len() - 1);
    }

    #[test]
    fn no_event_twice() {
        for event in EVENTS {
            assert_eq!(EVENTS.iter().filter(|other| other.name == event.name).count(), 1);
        }
    }
}
