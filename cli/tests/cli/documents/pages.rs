//! What hand-written pages show: commands that there are, and links that lead somewhere.

use std::fs;
use std::path::Path;

use circinus::command::command_line;
use clap::error::ErrorKind;

use super::root;

/// Every page of the repository, by its path.
fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for folder in ["", "docs", "docs/reference", "docs/decisions", "packaging/claude-code"] {
        for entry in fs::read_dir(root().join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "md") {
                let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
                pages.push((name, fs::read_to_string(path).unwrap()));
            }
        }
    }
    assert!(pages.len() >= 10, "{}", pages.len());
    pages
}

/// The lines of the blocks that are marked as shell.
fn shell_lines(page: &str) -> impl Iterator<Item = &str> {
    let blocks = page.split("\n```").collect::<Vec<_>>();
    let shell: Vec<_> = blocks.iter().filter_map(|block| block.strip_prefix("sh\n")).collect();
    shell.into_iter().flat_map(str::lines)
}

/// The words of one command, without its comment; quotes hold words together.
fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    let mut begun = false;
    for c in command.chars() {
        match c {
            '\'' => (quoted, begun) = (!quoted, true),
            '#' if !quoted && !begun => break,
            c if c.is_whitespace() && !quoted => {
                if begun {
                    words.push(std::mem::take(&mut word));
                }
                begun = false;
            }
            c => {
                word.push(c);
                begun = true;
            }
        }
    }
    if begun {
        words.push(word);
    }
    words
}

#[test]
fn the_commands_that_pages_show_are_commands() {
    let mut seen = 0;
    for (name, page) in pages() {
        for command in shell_lines(&page).flat_map(|line| line.split("&&")) {
            let words = words(command);
            if words.first().is_none_or(|program| program != "circinus") {
                continue;
            }
            seen += 1;
            if let Err(error) = command_line().try_get_matches_from(&words) {
                assert!(matches!(error.kind(), ErrorKind::DisplayHelp), "{name}: {command}\n{error}");
            }
        }
    }
    assert!(seen > 10, "{seen}");
}

#[test]
fn links_between_pages_lead_somewhere() {
    for (name, page) in pages() {
        let folder = root().join(&name).parent().unwrap().to_owned();
        for rest in page.split("](").skip(1) {
            let target = rest.split([')', '#', ' ']).next().unwrap();
            if !target.is_empty() && !target.contains("://") {
                assert!(Path::new(&folder).join(target).exists(), "{name} links to {target}");
            }
        }
    }
}
