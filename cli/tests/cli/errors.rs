//! What a person reads when a command cannot do what it was asked: what is wrong, a hint, and the exit code.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use circinus::exit::Exit;

use super::process::circinus;

/// Runs commands in a home of their own and shows each with its end.
fn screens(home: &std::path::Path, commands: &[&[&str]]) -> String {
    let home = home.to_str().unwrap();
    let mut shown = String::new();
    for arguments in commands {
        let env = [("HOME", home), ("CIRCINUS_HOME", home), ("COLUMNS", "80"), ("PATH", "/nonexistent")];
        let ran = circinus(arguments, &env, "");
        assert_ne!(ran.code, i32::from(Exit::Ok.code()), "{arguments:?}: {ran:?}");
        let has_hint = ran.err.contains("hint: ") || ran.err.contains("For more information, try '--help'.");
        assert!(has_hint, "{arguments:?}: {ran:?}");
        let text = format!("{}{}", ran.out, ran.err).replace(home, "HOME");
        shown += &format!("$ circinus {}\n{text}exit {}\n\n", arguments.join(" "), ran.code);
    }
    shown
}

fn private_home() -> tempfile::TempDir {
    let home = tempfile::tempdir().unwrap();
    fs::set_permissions(home.path(), fs::Permissions::from_mode(0o700)).unwrap();
    home
}

#[test]
fn wrong_usage() {
    let home = private_home();
    let commands: &[&[&str]] = &[
        &["no-such-command"],
        &["--color", "sometimes", "status"],
        &["log", "-n", "0"],
        &["log", "--no-such-option"],
        &["setup", "--scope", "everyone"],
        &["completions", "tcsh"],
        &["session", "--list", "s1"],
        &["analyze", "command"],
        &["analyze", "command", "--cwd", "here", "--", "ls"],
        &["config", "set", "profile"],
        &["explain", "a1"],
    ];
    insta::assert_snapshot!("errors_wrong_usage", screens(home.path(), commands));
}

#[test]
fn a_command_that_is_not_whole_shows_how_it_goes_on() {
    for arguments in [&[][..], &["daemon"], &["config"], &["analyze"]] {
        let ran = circinus(arguments, &[], "");
        assert!(
            ran.code == 2 && ran.out.is_empty() && ran.err.contains("\nUsage: "),
            "{arguments:?}: {ran:?}"
        );
    }
}

#[test]
fn nothing_is_there_yet() {
    let home = private_home();
    let commands: &[&[&str]] = &[
        &["status"],
        &["explain"],
        &["log"],
        &["session"],
        &["profile"],
        &["endorse"],
        &["uninstall", "--scope", "nobody"],
    ];
    insta::assert_snapshot!("errors_nothing_there", screens(home.path(), commands));
}

#[test]
fn a_configuration_that_is_wrong() {
    let home = private_home();
    fs::write(
        home.path().join("config.toml"),
        "# mine\nprofile = \"balanced\"\n\n[claude_code]\nhook_timeout_s = 5\n",
    )
    .unwrap();
    let commands: &[&[&str]] = &[
        &["config", "get"],
        &["config", "get", "no.such.key"],
        &["config", "explain", "profil"],
        &["config", "set", "profile", "paranoid"],
        &["config", "set", "no.such.key", "1"],
    ];
    insta::assert_snapshot!("errors_configuration", screens(home.path(), commands));
}

#[test]
fn a_home_that_cannot_be_used() {
    let home = private_home();
    fs::write(home.path().join("file"), "").unwrap();
    let inside = home.path().join("file/home");
    let commands: &[&[&str]] =
        &[&["config", "set", "profile", "strict"], &["daemon", "run"], &["daemon", "start"]];
    let shown = screens(&inside, commands).replace(home.path().to_str().unwrap(), "ROOT");
    insta::assert_snapshot!("errors_home", shown);
    for env in [&[][..], &[("CIRCINUS_HOME", "relative")]] {
        let ran = circinus(&["status"], env, "");
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.err.contains("hint: ") && ran.err.contains("CIRCINUS_HOME"), "{ran:?}");
    }
}

/// Each code of the table is one that a command ends with; 70 stands in the tests of the daemon.
#[test]
fn exit_codes_are_those_of_the_table() {
    let home = private_home();
    let env = [("HOME", home.path().to_str().unwrap()), ("PATH", "/nonexistent")];
    for (arguments, exit) in [
        (&["--version"][..], Exit::Ok),
        (&["completions", "bash"], Exit::Ok),
        (&["explain", "last"], Exit::Findings),
        (&["doctor", "--no-such-option"], Exit::Refused),
        (&["status"], Exit::NotRunning),
    ] {
        assert_eq!(circinus(arguments, &env, "").code, i32::from(exit.code()), "{arguments:?}");
    }
    fs::write(home.path().join("file"), "").unwrap();
    let inside = home.path().join("file/home");
    let env = [("CIRCINUS_HOME", inside.to_str().unwrap())];
    let ran = circinus(&["daemon", "run"], &env, "");
    assert_eq!(ran.code, i32::from(Exit::CannotWrite.code()), "{ran:?}");
}

#[test]
fn every_shell_gets_a_script_that_names_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = circinus(&["completions", shell], &[], "");
        assert_eq!(script.code, 0, "{script:?}");
        for command in circinus::command::command_line().get_subcommands().filter(|sub| !sub.is_hide_set()) {
            assert!(script.out.contains(command.get_name()), "{shell}: {}", command.get_name());
        }
    }
}
