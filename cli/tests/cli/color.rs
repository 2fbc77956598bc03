//! When output is coloured: `--color` first, then `NO_COLOR` (no-color.org), then whether it is a terminal.

use super::process::{Ran, circinus};

fn is_colored(ran: &Ran) -> bool {
    ran.out.contains('\u{1b}') || ran.err.contains('\u{1b}')
}

#[test]
fn a_pipe_gets_color_only_when_it_is_asked_for() {
    let analyze = ["analyze", "command", "--", "rm -rf ~"];
    let wrong_usage = ["log", "--no-such-option"];
    let wrong_key = ["config", "get", "no.such.key"];
    let help = ["--help"];
    for arguments in [&analyze[..], &wrong_usage, &wrong_key, &help] {
        for (color, env, expected) in [
            ("auto", &[][..], false),
            ("auto", &[("NO_COLOR", "1")], false),
            ("never", &[], false),
            ("never", &[("CLICOLOR_FORCE", "1")], false),
            ("always", &[], true),
            ("always", &[("NO_COLOR", "1")], true),
        ] {
            let env: Vec<_> = env.iter().copied().chain([("CIRCINUS_HOME", "/nonexistent")]).collect();
            let option = format!("--color={color}");
            let arguments: Vec<_> = [option.as_str()].iter().chain(arguments).copied().collect();
            let ran = circinus(&arguments, &env, "");
            assert_eq!(is_colored(&ran), expected, "{arguments:?} {env:?}: {ran:?}");
        }
    }
}

#[test]
fn the_color_of_help_is_told_by_both_spellings_and_by_none_behind_the_command() {
    for (arguments, expected) in [
        (&["--color", "always", "--help"][..], true),
        (&["log", "--help", "--color=always"], true),
        (&["--help", "--", "--color=always"], false),
    ] {
        assert_eq!(is_colored(&circinus(arguments, &[], "")), expected, "{arguments:?}");
    }
}
