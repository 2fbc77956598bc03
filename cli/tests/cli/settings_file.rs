//! Replacing a settings file: all or nothing, and never what someone else wrote.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};

use circinus::adapter::claude_code::settings::{ReadSettingsError, SettingsFile, WriteSettingsError};

use super::world::{NOW_MS, World};

fn mode(path: &std::path::Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_new_file_is_private_and_leaves_nothing_beside_it() {
    let world = World::new(None);
    let path = world.at("home/.claude/settings.json");
    let written = SettingsFile::read(&path).unwrap().replace(Some("{}"), NOW_MS).unwrap();
    assert_eq!(written.backup, None);
    assert_eq!(fs::read_to_string(&path).unwrap(), "{}");
    assert_eq!(mode(&path), 0o600);
    assert_eq!(World::names_beside(&path), ["settings.json"]);
}

#[test]
fn mode_is_kept_and_the_old_text_is_copied() {
    let world = World::new(None);
    let path = world.settings("home/settings.json", "old");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    for expected in
        ["settings.json.circinus-backup-1700000000000", "settings.json.circinus-backup-1700000000001"]
    {
        let old = fs::read_to_string(&path).unwrap();
        let written = SettingsFile::read(&path).unwrap().replace(Some("new"), NOW_MS).unwrap();
        let backup = written.backup.unwrap();
        assert_eq!(backup.file_name().unwrap(), expected);
        assert_eq!(fs::read_to_string(&backup).unwrap(), old);
        assert_eq!((mode(&path), mode(&backup)), (0o640, 0o640));
    }
}

#[test]
fn a_link_is_followed_and_stays_a_link() {
    let world = World::new(None);
    let target = world.settings("project/dotfiles.json", "old");
    let link = world.at("home/settings.json");
    symlink(&target, &link).unwrap();
    let written = SettingsFile::read(&link).unwrap().replace(Some("new"), NOW_MS).unwrap();
    assert_eq!(written.target, target);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(&target).unwrap(), "new");
}

/// INVARIANT (settings-not-lost).
#[test]
fn a_file_that_changed_or_appeared_is_left_alone() {
    let world = World::new(None);
    let path = world.at("home/settings.json");
    let absent = SettingsFile::read(&path).unwrap();
    fs::write(&path, "theirs").unwrap();
    assert!(matches!(absent.replace(Some("ours"), NOW_MS), Err(WriteSettingsError::Changed { .. })));
    let read = SettingsFile::read(&path).unwrap();
    fs::write(&path, "theirs again").unwrap();
    assert!(matches!(read.clone().replace(Some("ours"), NOW_MS), Err(WriteSettingsError::Changed { .. })));
    assert!(matches!(read.replace(None, NOW_MS), Err(WriteSettingsError::Changed { .. })));
    assert_eq!(fs::read_to_string(&path).unwrap(), "theirs again");
    assert_eq!(World::names_beside(&path), ["settings.json"]);
}

#[test]
fn what_is_no_settings_file_is_refused() {
    let world = World::new(None);
    assert!(matches!(SettingsFile::read(&world.at("home")), Err(ReadSettingsError::NotAFile { .. })));
    let dangling = world.at("home/dangling");
    symlink("nowhere", &dangling).unwrap();
    assert!(matches!(SettingsFile::read(&dangling), Err(ReadSettingsError::Dangling { .. })));
    let latin = world.at("home/latin.json");
    fs::write(&latin, b"{\"a\": \"\xe9\"}").unwrap();
    assert!(matches!(SettingsFile::read(&latin), Err(ReadSettingsError::NotUtf8 { .. })));
}
