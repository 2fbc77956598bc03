//! A disk that takes no more, and files that may not be written.

use std::fs::{Permissions, set_permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::process::CommandExt;
use std::path::Path;

use circinus_core::digest::Digest;
use circinus_core::event::Event;

use crate::child::{self, body};
use crate::harness::{Home, append};
use crate::sample;

/// INVARIANT (stop-on-failure).
#[test]
fn a_disk_that_takes_no_more_stops_the_writer_and_loses_nothing() {
    let home = Home::new();
    drop(home.writer());
    // A limit on file size is the one full disk that needs no rights to set up.
    let child = child::command(&child::this_exe(), "fill", &home.path);
    let mut limited = std::process::Command::new("sh");
    limited.args(["-c", "trap '' XFSZ; ulimit -f 600; exec \"$@\"", "sh"]).arg(child.get_program());
    limited.args(child.get_args()).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::null());
    for (key, value) in child.get_envs() {
        limited.env(key, value.expect("is set"));
    }
    let mut child = limited.spawn().expect("starts");
    let lines: Vec<String> = child::lines(&mut child).collect();
    assert!(child.wait().expect("ends").success(), "{lines:?}");

    let [acked @ .., refused, stopped] = lines.as_slice() else { panic!("{lines:?}") };
    assert!(refused.starts_with("refused ") && refused.contains("hint: "), "{refused}");
    assert!(refused.contains(&home.path.display().to_string()), "{refused}");
    assert_eq!(stopped, "stopped");
    assert!(acked.len() > 10, "{} acknowledgements", acked.len());

    let log = home.log();
    for (n, line) in (0..).zip(acked) {
        assert_eq!(*line, format!("a {} fill 0 {n}", n + 1));
        let Event::Ingested(artifact) = &log[usize::try_from(n).expect("fits")].event else {
            panic!("{line}")
        };
        assert_eq!(artifact.content, Digest::of(&body("fill", 0, n)));
    }
    home.assert_sound();
    // With room again, opening again is all it takes.
    append(&home.writer(), sample::ingest("s", b"more", "more")).expect("acknowledged");
}

/// What opening the store says to a user without the right to write.
fn opened_without_rights(home: &Home) -> String {
    let exe = home.dir.path().join("copy-of-this-test");
    if !exe.exists() {
        std::fs::copy(child::this_exe(), &exe).expect("copies");
    }
    set_permissions(home.dir.path(), Permissions::from_mode(0o755)).expect("sets the mode");
    let mut command = child::command(&exe, "open", &home.path);
    // Modes do not bind root.
    if home.dir.path().metadata().expect("is there").uid() == 0 {
        const NOBODY: u32 = 65_534;
        command.uid(NOBODY).gid(NOBODY);
    }
    let mut child = command.spawn().expect("starts");
    let said: Vec<String> = child::lines(&mut child).collect();
    child.wait().expect("ends");
    said.join("\n")
}

fn filled() -> Home {
    let home = Home::new();
    home.fill([sample::ingest("s", b"x", "1")]);
    std::fs::remove_file(format!("{}.lock", home.path.display())).expect("removes the lock file");
    home
}

fn directory(home: &Home) -> &Path {
    home.path.parent().expect("has a directory")
}

#[test]
fn a_read_only_directory_is_refused() {
    let home = filled();
    let before = std::fs::read(&home.path).expect("reads");
    set_permissions(&home.path, Permissions::from_mode(0o444)).expect("sets the mode");
    set_permissions(directory(&home), Permissions::from_mode(0o555)).expect("sets the mode");
    let said = opened_without_rights(&home);
    assert!(said.starts_with("NotWritable"), "{said}");
    assert_eq!(std::fs::read(&home.path).expect("reads"), before);
    set_permissions(directory(&home), Permissions::from_mode(0o755)).expect("sets the mode");
}

#[test]
fn a_read_only_file_is_refused() {
    let home = filled();
    let before = std::fs::read(&home.path).expect("reads");
    set_permissions(&home.path, Permissions::from_mode(0o444)).expect("sets the mode");
    set_permissions(directory(&home), Permissions::from_mode(0o777)).expect("sets the mode");
    let said = opened_without_rights(&home);
    assert!(said.starts_with("NotWritable"), "{said}");
    assert_eq!(std::fs::read(&home.path).expect("reads"), before);
}

#[test]
fn a_home_that_cannot_be_created_is_refused() {
    let home = Home::new();
    let above = home.dir.path().join("above");
    std::fs::create_dir(&above).expect("creates");
    set_permissions(&above, Permissions::from_mode(0o555)).expect("sets the mode");
    let home = Home { path: above.join("home").join("circinus.db"), ..home };
    let said = opened_without_rights(&home);
    assert!(said.starts_with("NotWritable"), "{said}");
    assert!(!directory(&home).exists());
}
