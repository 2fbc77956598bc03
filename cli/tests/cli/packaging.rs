//! What is shipped beside the programs says what the programs say.

use std::fs;
use std::path::Path;
use std::process::Command;

use circinus::adapter::claude_code::settings::{HOOK_BINARY_NAME, Registration, install};
use circinus::config::HOOK_TIMEOUT_S_DEFAULT;
use serde_json::Value;

use super::documents::hold_file;

fn shipped(path: &str) -> String {
    fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().join(path)).unwrap()
}

fn json(path: &str) -> Value {
    serde_json::from_str(&shipped(path)).unwrap()
}

#[test]
fn the_plugin_registers_what_setup_registers() {
    let binary = HOOK_BINARY_NAME.into();
    let registration = Registration { binary, timeout_s: HOOK_TIMEOUT_S_DEFAULT, host: None };
    let expected = install(None, &registration).unwrap().text.unwrap();
    hold_file("packaging/claude-code/hooks/hooks.json", &expected);
}

#[test]
fn plugin_and_marketplace_name_one_another_and_this_version() {
    let plugin = json("packaging/claude-code/.claude-plugin/plugin.json");
    assert_eq!(plugin["version"], env!("CARGO_PKG_VERSION"));
    let marketplace = json(".claude-plugin/marketplace.json");
    let listed = &marketplace["plugins"][0];
    assert_eq!((&listed["name"], &listed["source"]), (&plugin["name"], &"./packaging/claude-code".into()));
    assert_eq!(marketplace["plugins"].as_array().unwrap().len(), 1);
}

#[test]
fn the_unit_runs_commands_that_there_are() {
    let unit = shipped("packaging/circinus.service");
    let run = |key: &str| {
        let line = unit.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        line.split(' ').skip(1).map(str::to_owned).collect::<Vec<_>>()
    };
    for arguments in [run("ExecStart="), run("ExecStop=")] {
        let line = std::iter::once("circinus").chain(arguments.iter().map(String::as_str));
        assert!(circinus::command::command_line().try_get_matches_from(line).is_ok(), "{arguments:?}");
    }
}

#[test]
fn the_scripts_are_scripts() {
    for script in ["install.sh", "scripts/release.sh"] {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let checked = Command::new("sh").args(["-n", script]).current_dir(root).status().unwrap();
        assert!(checked.success(), "{script}");
    }
}

#[test]
fn every_command_that_is_shown_has_a_manual_page() {
    fn count(command: &clap::Command) -> usize {
        1 + command.get_subcommands().filter(|sub| !sub.is_hide_set()).map(count).sum::<usize>()
    }
    let folder = tempfile::tempdir().unwrap();
    let command = circinus::command::command_line();
    clap_mangen::generate_to(command.clone(), folder.path()).unwrap();
    let pages: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(pages.len(), count(&command), "{pages:?}");
    let page = fs::read_to_string(folder.path().join("circinus-config-set.1")).unwrap();
    assert!(page.contains(".SH OPTIONS") && page.contains("dry\\-run"), "{page}");
}
