//! Settings files as people have them: after setup and uninstall each is what it was, byte for byte, or setup refuses
//! it and says why.

use std::fs;
use std::path::{Path, PathBuf};

use circinus::adapter::claude_code::settings::{EVENTS, Scope, inspect};
use circinus::command::setup::{SetupArgs, set_up};
use circinus::command::uninstall::{UninstallArgs, uninstall};
use circinus::exit::Exit;
use circinus::ui::Ui;

use super::world::World;

/// The files of `settings/`, by name.
fn files() -> Vec<(String, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/settings");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let read =
        |path: PathBuf| (path.file_stem().unwrap().to_str().unwrap().to_owned(), fs::read(path).unwrap());
    let mut files: Vec<_> = paths.map(read).collect();
    files.sort();
    files
}

/// Runs setup; its end, and what it said on standard error.
fn setup(world: &World) -> (Exit, String) {
    let (mut ui, captured) = Ui::captured(80, None);
    let args = SetupArgs { scope: Scope::User, managed: false, root: "/".into(), dry_run: false, yes: true };
    let end = set_up(&args, &world.surroundings(), &mut ui).map_or_else(|exit| exit, |_| Exit::Ok);
    (end, world.anonymous(&captured.err()))
}

fn remove(world: &World) -> Exit {
    let (mut ui, _) = Ui::captured(80, None);
    let args = UninstallArgs {
        scope: vec![Scope::User],
        managed: false,
        root: "/".into(),
        dry_run: false,
        yes: true,
    };
    uninstall(&args, &world.surroundings(), &mut ui).1
}

fn world(before: &[u8]) -> (World, PathBuf) {
    let world = World::new(Some("2.1.332"));
    let path = world.settings("home/.claude/settings.json", "");
    fs::write(&path, before).unwrap();
    (world, path)
}

#[test]
fn setup_and_uninstall_give_back_the_file_byte_for_byte() {
    let files: Vec<_> = files().into_iter().filter(|(name, _)| !name.starts_with("refused-")).collect();
    assert!(files.len() >= 20, "{}", files.len());
    for (name, before) in files {
        let (world, path) = world(&before);
        assert_eq!(setup(&world), (Exit::Ok, String::new()), "{name}");
        let between = fs::read_to_string(&path).unwrap();
        let installed = inspect(&between, None).unwrap();
        assert_eq!(installed.len(), EVENTS.len(), "{name}: {between}");
        assert!(installed.iter().all(|one| one.problems.is_empty()), "{name}: {installed:?}");
        assert_eq!(setup(&world), (Exit::Ok, String::new()), "{name}");
        assert_eq!(fs::read_to_string(&path).unwrap(), between, "{name}: a second setup changes nothing");
        assert_eq!(remove(&world), Exit::Ok, "{name}");
        if before.is_empty() {
            assert!(!path.exists(), "{name}: to the host an empty file is none, and none is left");
            continue;
        }
        let after = fs::read(&path).unwrap();
        assert!(after == before, "{name}:\n{}", String::from_utf8_lossy(&after));
        let copies = World::names_beside(&path).into_iter().filter(|name| name.contains("backup"));
        assert_eq!(copies.count(), 2, "{name}: both writes left a copy of what was there");
    }
}

#[test]
fn what_the_host_would_ignore_is_refused_with_its_place_and_left_alone() {
    let files: Vec<_> = files().into_iter().filter(|(name, _)| name.starts_with("refused-")).collect();
    assert!(files.len() >= 10, "{}", files.len());
    for (name, before) in files {
        let (world, path) = world(&before);
        let (end, said) = setup(&world);
        assert_eq!(end, Exit::Refused, "{name}");
        assert_eq!(fs::read(&path).unwrap(), before, "{name}");
        assert_eq!(World::names_beside(&path), ["settings.json"], "{name}");
        insta::assert_snapshot!(format!("settings_{name}"), said);
    }
}
