//! Pages, and blocks of pages, that follow from the program. Each is compared with what the program says now;
//! `CIRCINUS_WRITE_DOCS=1 cargo test -p circinus --test cli documents` writes them.
//!
//! A block stands between `<!-- generated: NAME -->` and `<!-- end -->`; the rest of a page is written by hand.

mod messages;
mod pages;
mod policy;
mod reference;
mod words;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::{env, fs};

use circinus::command::config::as_file;
use circinus::config::Config;
use circinus::exit::Exit;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

fn page(name: &str) -> String {
    fs::read_to_string(root().join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Holds a block of a page to what the program says.
#[track_caller]
fn hold(name: &str, block: &str, text: &str) {
    // Tests of one page run at the same time, and each writes its own block of it.
    static WRITING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    let old = page(name);
    let start = format!("<!-- generated: {block} -->\n");
    let (head, rest) = old.split_once(&start).unwrap_or_else(|| panic!("{name} has no block {block}"));
    let (_, tail) = rest.split_once("<!-- end -->").unwrap_or_else(|| panic!("{name}: {block} has no end"));
    hold_file(name, &format!("{head}{start}\n{}\n\n<!-- end -->{tail}", text.trim_matches('\n')));
}

/// Holds a whole file to what the program says.
#[track_caller]
pub(super) fn hold_file(name: &str, text: &str) {
    if env::var_os("CIRCINUS_WRITE_DOCS").is_some() {
        fs::write(root().join(name), text).unwrap();
    } else {
        assert!(
            page(name) == text,
            "{name} is stale; write it with CIRCINUS_WRITE_DOCS=1. It should read:\n{text}"
        );
    }
}

/// A table of Markdown.
fn table<const N: usize>(head: [&str; N], rows: impl IntoIterator<Item = [String; N]>) -> String {
    let mut out = format!("| {} |\n|{}\n", head.join(" | "), "---|".repeat(N));
    for row in rows {
        out.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    out
}

#[test]
fn the_configuration_is_explained_by_the_program() {
    hold("docs/OPERATIONS.md", "configuration", &format!("```toml\n{}```", as_file(&Config::default())));
}

#[test]
fn the_exit_codes_are_those_of_the_program() {
    let rows = Exit::ALL.map(|exit| [exit.code().to_string(), exit.meaning().to_owned()]);
    hold("docs/OPERATIONS.md", "exit codes", &table(["code", "meaning"], rows));
}
