//! The reference of the command line: what each command says of itself with `--help`, 80 columns wide.

use circinus::command::command_line;
use unicode_width::UnicodeWidthStr;

use super::super::process::circinus;
use super::hold;

/// Every command and subcommand that is shown, as the words after `circinus`.
fn commands() -> Vec<Vec<String>> {
    fn walk(command: &clap::Command, words: &[String], out: &mut Vec<Vec<String>>) {
        for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let words: Vec<_> = words.iter().cloned().chain([sub.get_name().to_owned()]).collect();
            out.push(words.clone());
            walk(sub, &words, out);
        }
    }
    let mut out = vec![Vec::new()];
    walk(&command_line(), &[], &mut out);
    assert!(out.len() > 15, "{out:?}");
    out
}

fn help(words: &[String], columns: &str) -> String {
    let arguments: Vec<_> = words.iter().map(String::as_str).chain(["--help"]).collect();
    let ran = circinus(&arguments, &[("COLUMNS", columns)], "");
    assert_eq!((ran.code, ran.err.as_str()), (0, ""), "{words:?}");
    // clap fills its empty lines with spaces.
    ran.out.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[test]
fn the_reference_is_what_the_commands_say() {
    let mut text = String::new();
    for words in commands() {
        let name: Vec<_> = std::iter::once("circinus").chain(words.iter().map(String::as_str)).collect();
        text += &format!("## `{}`\n\n```text\n{}```\n\n", name.join(" "), help(&words, "80"));
    }
    hold("docs/reference/cli.md", "commands", &text);
}

#[test]
fn help_fits_a_narrow_terminal() {
    for words in commands() {
        let shown = help(&words, "60");
        // A word that is longer than the line stays whole.
        let wide = shown.lines().find(|line| line.width() > 60 && line.trim_start().contains(' '));
        assert_eq!(wide, None, "{words:?}\n{shown}");
    }
}
