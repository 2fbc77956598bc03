//! The host's settings, weakened: told when a session starts, in `status` and in `doctor`; kept from coming into
//! force while one runs.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::answer::Answer;
use super::payloads::Session;
use super::process::circinus_hook;
use super::world::World;

/// A way to weaken the user's settings, with a word of what is said about it.
type Weakening = (&'static str, fn(&mut Value), &'static str);

const WEAKENED: [Weakening; 7] = [
    ("the gate's entry is gone", |settings| drop(hooks(settings).remove("PreToolUse")), "PreToolUse"),
    ("the gate sees one tool only", |settings| gate(settings)["matcher"] = json!("Read"), "matcher"),
    ("the gate answers too late", |settings| entry(settings)["async"] = json!(true), "background"),
    ("the gate has no time", |settings| entry(settings)["timeout"] = json!(1), "timeout"),
    (
        "another program stands for the hook",
        |settings| entry(settings)["command"] = json!("/none/circinus-hook"),
        "hook",
    ),
    (
        "the hook is taken to another home",
        |settings| settings["env"] = json!({ "CIRCINUS_HOME": "/proc/self/cwd/.home" }),
        "CIRCINUS_HOME",
    ),
    ("all hooks are off", |settings| settings["disableAllHooks"] = json!(true), "disableAllHooks"),
];

fn hooks(settings: &mut Value) -> &mut serde_json::Map<String, Value> {
    settings["hooks"].as_object_mut().unwrap()
}

fn gate(settings: &mut Value) -> &mut Value {
    &mut settings["hooks"]["PreToolUse"][0]
}

fn entry(settings: &mut Value) -> &mut Value {
    &mut gate(settings)["hooks"][0]
}

/// A user whose settings hold our hooks.
struct Installed {
    world: World,
    path: PathBuf,
    good: Value,
}

impl Installed {
    fn new() -> Self {
        let world = World::new();
        circinus_hook();
        let done = world.circinus(&["setup", "--yes"]);
        assert_eq!(done.code, 0, "{done:?}");
        let path = world.at("user/.claude/settings.json");
        let good = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        Self { world, path, good }
    }

    fn write(&self, settings: &Value) {
        fs::write(&self.path, settings.to_string()).unwrap();
    }

    fn event(&self, name: &str, fields: Value) -> Answer {
        self.world.send(&Session::new("s", &self.world.project()).event(name, fields))
    }

    fn starts(&self) -> Answer {
        self.event("SessionStart", json!({ "source": "startup" }))
    }

    fn changes(&self) -> Answer {
        self.event("ConfigChange", json!({ "source": "user_settings", "file_path": self.path }))
    }
}

#[test]
fn weakened_settings_are_told_and_do_not_come_into_force() {
    let installed = Installed::new();
    assert_eq!((installed.starts(), installed.changes()), (Answer::Silent, Answer::Silent));
    for (how, weaken, word) in WEAKENED {
        let mut settings = installed.good.clone();
        weaken(&mut settings);
        installed.write(&settings);
        let Answer::Tells(told) = installed.starts() else { panic!("{how}: nothing is told") };
        assert!(told.contains(word) && told.contains("circinus doctor"), "{how}: {told}");
        assert!(matches!(installed.changes(), Answer::Keeps(_)), "{how}");
        let status = installed.world.circinus(&["status"]).out;
        assert!(status.contains("no gate is in force"), "{how}: {status}");
        let doctor = installed.world.circinus(&["doctor"]);
        assert!(doctor.code == 1 && doctor.out.contains("no gate is in force"), "{how}: {doctor:?}");
    }
    installed.write(&installed.good);
    assert_eq!((installed.starts(), installed.changes()), (Answer::Silent, Answer::Silent));
}

#[test]
fn settings_that_are_gone_do_not_come_into_force() {
    let installed = Installed::new();
    assert_eq!(installed.starts(), Answer::Silent);
    fs::remove_file(&installed.path).unwrap();
    assert!(matches!(installed.changes(), Answer::Keeps(_)));
    // The host does not always say which file.
    assert!(matches!(
        installed.event("ConfigChange", json!({ "source": "user_settings" })),
        Answer::Keeps(_)
    ));
}

#[test]
fn a_project_that_switches_hooks_off_is_kept_out_of_force() {
    let installed = Installed::new();
    assert_eq!(installed.starts(), Answer::Silent);
    let path = installed.world.project().join(".claude/settings.local.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, r#"{"disableAllHooks": true}"#).unwrap();
    let change = json!({ "source": "local_settings", "file_path": path });
    assert!(matches!(installed.event("ConfigChange", change.clone()), Answer::Keeps(_)));
    fs::write(&path, r#"{"permissions": {"allow": ["Bash(ls)"]}}"#).unwrap();
    assert_eq!(installed.event("ConfigChange", change), Answer::Silent);
}

#[test]
fn hooks_in_another_file_stand_when_the_users_changes() {
    let installed = Installed::new();
    let path = installed.world.project().join(".claude/settings.local.json");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::rename(&installed.path, &path).unwrap();
    fs::write(&installed.path, r#"{"theme": "dark"}"#).unwrap();
    assert_eq!((installed.starts(), installed.changes()), (Answer::Silent, Answer::Silent));
}
