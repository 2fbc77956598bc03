//! `setup --managed` below a folder that stands for the root of the file system.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use circinus::adapter::claude_code::settings::{Protection, Scope, SurveyPaths, survey};
use circinus::command::setup::{SetupArgs, SetupReport, set_up};
use circinus::command::uninstall::{UninstallArgs, uninstall};
use circinus::exit::Exit;
use circinus::ui::Ui;

use super::world::World;

/// Where the drop-in lies below the root.
const DROP_IN: &str = "etc/claude-code/managed-settings.d/circinus.json";

fn root(world: &World) -> PathBuf {
    world.at("machine")
}

fn setup(world: &World, dry_run: bool) -> (Result<SetupReport, Exit>, String) {
    let (mut ui, captured) = Ui::captured(80, None);
    let args = SetupArgs { scope: Scope::User, managed: true, root: root(world), dry_run, yes: true };
    let end = set_up(&args, &world.surroundings(), &mut ui);
    (end, captured.out() + &captured.err())
}

#[test]
fn managed_settings_are_a_file_of_their_own_that_everybody_can_read() {
    let world = World::new(Some("2.1.332"));
    let file = root(&world).join(DROP_IN);
    let (dry, shown) = setup(&world, true);
    assert!(dry.unwrap().written.is_none() && !file.exists());
    assert!(shown.contains("managed-settings.d/circinus.json") && shown.contains("PreToolUse"), "{shown}");

    let (done, shown) = setup(&world, false);
    // The programs of this test lie where others than root can change them.
    assert_eq!(done.unwrap().protection, Protection::Advisory);
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(shown.contains("can be changed by somebody else than root"), "{shown}");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o644);
    assert!(!world.at("home/.claude/settings.json").exists(), "nothing of the user's is touched");
    assert!(!world.at("data").exists(), "each user's home is made by their own hook");

    let surroundings = world.surroundings();
    let paths = SurveyPaths::new(surroundings.env(), surroundings.folder()).unwrap();
    let sources = paths.with_managed_below(&root(&world)).sources();
    let found = survey(&sources, None, None);
    assert_eq!(found.installed.iter().map(|(scope, _)| *scope).collect::<Vec<_>>(), [Scope::Managed]);
    assert!(setup(&world, false).0.unwrap().changes.is_empty(), "a second time changes nothing");
}

#[test]
fn managed_settings_hold_where_a_project_switches_hooks_off() {
    let world = World::new(Some("2.1.332"));
    setup(&world, false).0.unwrap();
    world.settings("project/.claude/settings.json", "{\"disableAllHooks\": true}");
    let surroundings = world.surroundings();
    let paths = SurveyPaths::new(surroundings.env(), surroundings.folder()).unwrap();
    let found = survey(&paths.with_managed_below(&root(&world)).sources(), None, None);
    assert_ne!(found.protection, Protection::Absent, "{:?}", found.findings);
}

#[test]
fn uninstall_takes_the_managed_file_away_and_nothing_beside_it() {
    let world = World::new(Some("2.1.332"));
    let other =
        world.settings("machine/etc/claude-code/managed-settings.d/50-company.json", "{\"model\": \"opus\"}");
    setup(&world, false).0.unwrap();
    let (mut ui, _) = Ui::captured(80, None);
    let args =
        UninstallArgs { scope: Vec::new(), managed: true, root: root(&world), dry_run: false, yes: true };
    assert_eq!(uninstall(&args, &world.surroundings(), &mut ui).1, Exit::Ok);
    assert!(!root(&world).join(DROP_IN).exists());
    assert_eq!(fs::read_to_string(other).unwrap(), "{\"model\": \"opus\"}");
}
