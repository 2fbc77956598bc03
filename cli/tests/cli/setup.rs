//! `setup` and `uninstall` as a person meets them; the screens are snapshots.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use circinus::adapter::claude_code::settings::{Protection, Scope};
use circinus::command::setup::{SetupArgs, host_version, set_up};
use circinus::command::uninstall::{UninstallArgs, uninstall};
use circinus::exit::Exit;
use circinus::ui::Ui;

use super::world::World;

const NEW: Option<&str> = Some("2.1.332");

fn args() -> SetupArgs {
    SetupArgs { scope: Scope::User, managed: false, root: "/".into(), dry_run: false, yes: true }
}

/// Runs setup; gives its end, and what it showed as one text.
fn setup(world: &World, args: &SetupArgs, answers: Option<&str>) -> (Exit, String) {
    let (mut ui, captured) = Ui::captured(80, answers);
    let end = set_up(args, &world.surroundings(), &mut ui).map_or_else(|exit| exit, |_| Exit::Ok);
    (end, screen(world, &captured.out(), &captured.err(), end))
}

fn clean(world: &World, dry_run: bool) -> (Exit, String) {
    let (mut ui, captured) = Ui::captured(80, None);
    let args = UninstallArgs {
        scope: vec![Scope::User, Scope::Project, Scope::Local],
        managed: false,
        root: "/".into(),
        dry_run,
        yes: true,
    };
    let (_, end) = uninstall(&args, &world.surroundings(), &mut ui);
    (end, screen(world, &captured.out(), &captured.err(), end))
}

fn screen(world: &World, out: &str, err: &str, end: Exit) -> String {
    world.anonymous(&format!("{out}--- stderr\n{err}--- exit {}\n", end.code()))
}

#[test]
fn first_setup() {
    let world = World::new(NEW);
    let (end, shown) = setup(&world, &args(), None);
    assert_eq!(end, Exit::Ok);
    insta::assert_snapshot!("first_setup", shown);
}

#[test]
fn setup_beside_hooks_of_others_asks_first() {
    let world = World::new(NEW);
    let text = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": [\n\t\t\t{\"hooks\": [{\"type\": \"command\", \"command\": \"notify-send done\"}]}\n\t\t]\n\t}\n}\n";
    let path = world.settings("home/.claude/settings.json", text);
    let asking = SetupArgs { yes: false, ..args() };
    for (answers, end) in [(None, Exit::Refused), (Some("n\n"), Exit::Refused)] {
        assert_eq!(setup(&world, &asking, answers).0, end);
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
    }
    let (end, shown) = setup(&world, &asking, Some("y\n"));
    assert_eq!(end, Exit::Ok);
    insta::assert_snapshot!("setup_beside_others", shown);
    assert_eq!(clean(&world, false).0, Exit::Ok);
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
}

#[test]
fn dry_runs_write_nothing() {
    let world = World::new(NEW);
    assert_eq!(setup(&world, &SetupArgs { dry_run: true, ..args() }, None).0, Exit::Ok);
    assert!(!world.at("home/.claude").exists() && !world.at("data").exists());
    assert_eq!(setup(&world, &args(), None).0, Exit::Ok);
    let before = fs::read(world.at("home/.claude/settings.json")).unwrap();
    assert_eq!(clean(&world, true).0, Exit::Ok);
    assert_eq!(fs::read(world.at("home/.claude/settings.json")).unwrap(), before);
}

#[test]
fn setup_again_and_uninstall_again() {
    let world = World::new(NEW);
    assert_eq!(setup(&world, &args(), None).0, Exit::Ok);
    let (end, shown) = setup(&world, &args(), None);
    assert_eq!(end, Exit::Ok);
    insta::assert_snapshot!("setup_again", shown);
    let (_, shown) = clean(&world, false);
    assert!(shown.contains("removed, it held nothing else"), "{shown}");
    assert!(!world.at("home/.claude/settings.json").exists());
    let (end, shown) = clean(&world, false);
    assert_eq!(
        (end, shown.as_str()),
        (Exit::Ok, "no settings file holds our hooks\n--- stderr\n--- exit 0\n")
    );
}

#[test]
fn an_old_and_an_unknown_host_are_named() {
    let world = World::new(Some("2.1.197"));
    let (_, shown) = setup(&world, &args(), None);
    assert!(!shown.contains("onFailure"));
    insta::assert_snapshot!("old_host", shown.split_once("\n\n").unwrap().1);
    let (_, shown) = setup(&World::new(None), &args(), None);
    insta::assert_snapshot!("unknown_host", shown.split_once("\n\n").unwrap().1);
}

#[test]
fn a_file_the_host_would_ignore_is_refused() {
    for (name, text) in [
        ("comment", "{\n  // my settings\n  \"model\": \"opus\"\n}\n"),
        ("syntax", "{\n  \"model\": \"opus\"\n  \"env\": {}\n}\n"),
        ("hooks_type", "{\n  \"hooks\": [\n  ]\n}\n"),
        ("bad_neighbour", "{\"hooks\": {\"PreToolUse\": [{\"matcher\": \"*\"}]}}\n"),
    ] {
        let world = World::new(NEW);
        let path = world.settings("home/.claude/settings.json", text);
        let (end, shown) = setup(&world, &args(), None);
        assert_eq!(end, Exit::Refused, "{name}");
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(World::names_beside(&path), ["settings.json"]);
        insta::assert_snapshot!(format!("refused_{name}"), shown);
    }
}

#[test]
fn a_missing_hook_binary_is_refused() {
    let world = World::new(NEW);
    fs::remove_file(world.at("bin/circinus-hook")).unwrap();
    let (end, shown) = setup(&world, &args(), None);
    assert_eq!(end, Exit::Refused);
    insta::assert_snapshot!("missing_binary", shown);
}

#[test]
fn a_switch_in_the_project_is_told() {
    let world = World::new(NEW);
    world.settings("project/.claude/settings.json", "{\"disableAllHooks\": true}");
    let (mut ui, captured) = Ui::captured(80, None);
    let report = set_up(&args(), &world.surroundings(), &mut ui).unwrap();
    assert_eq!(report.protection, Protection::Absent);
    assert!(captured.err().contains("`disableAllHooks` switches off every hook"), "{}", captured.err());
}

#[test]
fn a_home_that_others_can_enter_is_refused_before_anything_is_written() {
    let world = World::new(NEW);
    fs::create_dir(world.at("data")).unwrap();
    fs::set_permissions(world.at("data"), fs::Permissions::from_mode(0o755)).unwrap();
    let (end, shown) = setup(&world, &args(), None);
    assert_eq!(end, Exit::Refused);
    assert!(shown.contains("hint: chmod 700"), "{shown}");
    assert!(!world.at("home/.claude/settings.json").exists());
}

#[test]
fn the_version_probe_takes_no_relative_program_and_no_failed_one() {
    let world = World::new(NEW);
    let path = world.at("path");
    assert!(host_version(&|_| Some(path.clone().into())).is_some());
    assert_eq!(host_version(&|_| Some("bin:.".into())), None);
    world.program("path/claude", "echo 2.1.332; exit 3");
    assert_eq!(host_version(&|_| Some(path.clone().into())), None);
    world.program("path/claude", "yes");
    assert_eq!(host_version(&|_| Some(path.clone().into())), None);
}
