//! What `doctor` reads from the settings files.

use std::path::Path;

use circinus::adapter::claude_code::settings::{
    EVENTS, HostVersion, Protection, Registration, Scope, Severity, Survey, SurveyPaths, install, survey,
};

use super::world::World;

const NEW: Option<HostVersion> = Some(HostVersion::new(2, 1, 332));

fn entries(world: &World) -> String {
    let registration = Registration { binary: world.at("bin/circinus-hook"), timeout_s: 60, host: NEW };
    install(None, &registration).unwrap().text.unwrap()
}

fn paths(world: &World) -> SurveyPaths {
    let home = world.at("home");
    let env = |name: &str| (name == "HOME").then(|| home.clone().into());
    SurveyPaths::new(&env, &world.at("project")).unwrap().with_managed_dir(world.at("managed"))
}

fn look(world: &World, host: Option<HostVersion>, binary: &Path) -> Survey {
    survey(&paths(world).sources(), host, Some(binary))
}

fn fatal(survey: &Survey) -> Vec<&str> {
    let fatal = survey.findings.iter().filter(|finding| finding.severity == Severity::Fatal);
    fatal.map(|finding| finding.what.as_str()).collect()
}

#[test]
fn nothing_registered_is_one_fatal_finding() {
    let world = World::new(None);
    let found = look(&world, NEW, &world.at("bin/circinus-hook"));
    assert_eq!(found.protection, Protection::Absent);
    assert_eq!(fatal(&found), ["no settings file registers our hooks"]);
}

#[test]
fn a_right_install_is_advisory_and_without_findings() {
    let world = World::new(None);
    world.settings("home/.claude/settings.json", &entries(&world));
    let found = look(&world, NEW, &world.at("bin/circinus-hook"));
    assert_eq!((found.protection, found.findings.len()), (Protection::Advisory, 0));
    assert_eq!(found.installed.len(), 1);
    assert_eq!(found.installed[0].1.len(), EVENTS.len());
}

#[test]
fn a_switch_in_any_file_takes_the_gate_away() {
    for file in [
        "home/.claude/settings.json",
        "project/.claude/settings.json",
        "project/.claude/settings.local.json",
        "managed/managed-settings.json",
        "managed/managed-settings.d/10.json",
    ] {
        let world = World::new(None);
        world.settings("home/.claude/settings.json", &entries(&world));
        let text = match file {
            "home/.claude/settings.json" => entries(&world).replacen('{', "{\"disableAllHooks\": true,", 1),
            _ => "{\"disableAllHooks\": true}".to_owned(),
        };
        world.settings(file, &text);
        let found = look(&world, NEW, &world.at("bin/circinus-hook"));
        assert_eq!(found.protection, Protection::Absent, "{file}");
        assert_eq!(fatal(&found).len(), 1, "{file}: {:?}", found.findings);
    }
}

#[test]
fn managed_entries_survive_the_switch_and_managed_only_needs_them() {
    let world = World::new(None);
    world.settings("managed/managed-settings.d/circinus.json", &entries(&world));
    world.settings("project/.claude/settings.json", "{\"disableAllHooks\": true}");
    world.settings("managed/managed-settings.json", "{\"allowManagedHooksOnly\": true}");
    let found = look(&world, NEW, &world.at("bin/circinus-hook"));
    assert_eq!(fatal(&found), Vec::<&str>::new());
    // The binary lies in a folder that is not root's alone, so it is not enforced.
    assert_eq!(found.protection, Protection::Advisory);
    std::fs::remove_file(world.at("managed/managed-settings.d/circinus.json")).unwrap();
    world.settings("home/.claude/settings.json", &entries(&world));
    assert_eq!(fatal(&look(&world, NEW, &world.at("bin/circinus-hook"))).len(), 2);
}

#[test]
fn a_missing_event_a_missing_binary_and_another_binary_are_told() {
    let world = World::new(None);
    world.settings("home/.claude/settings.json", &entries(&world).replace("\"PreToolUse\"", "\"Other\""));
    let found = look(&world, NEW, &world.at("bin/circinus-hook"));
    assert_eq!(fatal(&found), ["no hook is registered for PreToolUse"]);

    world.settings("home/.claude/settings.json", &entries(&world));
    let found = look(&world, NEW, Path::new("/elsewhere/circinus-hook"));
    assert_eq!((fatal(&found).len(), found.findings.len()), (0, 1));

    std::fs::remove_file(world.at("bin/circinus-hook")).unwrap();
    let found = look(&world, NEW, &world.at("bin/circinus-hook"));
    assert_eq!(fatal(&found).len(), 1);
    assert!(fatal(&found)[0].starts_with("the hook binary cannot be found"));
}

#[test]
fn a_broken_file_is_a_finding_with_its_place() {
    let world = World::new(None);
    world.settings("home/.claude/settings.json", &entries(&world));
    world.settings("project/.claude/settings.json", "{\n oops");
    let found = look(&world, NEW, &world.at("bin/circinus-hook"));
    assert_eq!(found.protection, Protection::Advisory);
    assert_eq!(found.findings[0].what, "not JSON, line 2 column 2: expected a key in double quotes");
    assert_eq!(found.findings[0].scope, Some(Scope::Project));
}

#[test]
fn a_plugin_is_an_installation_that_a_project_can_switch_off() {
    let world = World::new(None);
    world.settings("home/.claude/settings.json", "{\"enabledPlugins\": {\"circinus@circinus\": true}}");
    let found = look(&world, NEW, &world.at("bin/circinus-hook"));
    assert_eq!((found.protection, found.findings.len()), (Protection::Advisory, 0));
    world.settings("project/.claude/settings.json", "{\"enabledPlugins\": {\"circinus@circinus\": false}}");
    let found = look(&world, NEW, &world.at("bin/circinus-hook"));
    assert_eq!(found.protection, Protection::Absent);
    assert_eq!(fatal(&found), ["the plugin is switched off, and no settings file registers our hooks"]);
    world.settings("home/.claude/settings.json", &entries(&world));
    assert_eq!(look(&world, NEW, &world.at("bin/circinus-hook")).protection, Protection::Advisory);
}
