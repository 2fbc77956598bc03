//! Every error text of the program, from its sources: one form for all of them, and a page that lists them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::{hold, root, table};

/// Whose texts a person may come to read.
const CRATES: [(&str, &str); 5] = [
    ("cli", "Commands, settings and daemon"),
    ("ipc", "Hook, socket and folders"),
    ("store", "Log and database"),
    ("analyzer", "Analysis"),
    ("core", "Ids and values"),
];

/// Sources below a folder without their unit tests, by path.
fn sources(folder: &Path, out: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, out);
        } else if path.extension().is_some_and(|extension| extension == "rs") && !path.ends_with("tests.rs") {
            let text = fs::read_to_string(&path).unwrap();
            let product = text.split("#[cfg(test)]").next().unwrap().to_owned();
            out.insert(path.to_str().unwrap().to_owned(), product);
        }
    }
}

/// The text behind each `#[error(` of a source, as it is shown; one that is transparent has none.
fn texts(source: &str) -> Vec<String> {
    let literal = |rest: &str| {
        let text = rest.trim_start().strip_prefix('"')?;
        let mut escaped = false;
        let end = text.find(|c| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })?;
        Some(text[..end].replace("\\n", "\n").replace("\\\"", "\""))
    };
    source.split(concat!("#[", "error(")).skip(1).filter_map(literal).collect()
}

/// A text in its two parts: what is wrong, and what to do.
fn parts(text: &str) -> (&str, Option<&str>) {
    circinus::ui::split_hint(text)
}

/// All texts of a crate, sorted, each once.
fn of_crate(name: &str) -> Vec<String> {
    let mut found = BTreeMap::new();
    sources(&root().join(name).join("src"), &mut found);
    let mut all: Vec<_> = found.values().flat_map(|source| texts(source)).collect();
    all.sort();
    all.dedup();
    all
}

#[test]
fn error_texts_have_one_form() {
    let mut seen = 0;
    for text in CRATES.iter().flat_map(|(name, _)| of_crate(name)) {
        seen += 1;
        let (what, hint) = parts(&text);
        assert!(!what.contains("hint: "), "`{text}` has a hint that is not told by `; hint: ` or a new line");
        let first = what.split(' ').next().unwrap();
        let is_name = first.chars().skip(1).any(char::is_uppercase);
        assert!(is_name || !first.starts_with(char::is_uppercase), "`{text}` begins with a capital");
        for part in [Some(what), hint].into_iter().flatten() {
            assert!(!part.ends_with('.'), "`{text}` ends with a full stop");
        }
    }
    assert!(seen > 100, "only {seen} texts were found");
}

#[test]
fn the_page_of_messages_lists_every_text() {
    let mut page = String::new();
    for (name, title) in CRATES {
        let rows = of_crate(name).into_iter().filter(|text| !text.starts_with('{') || text.contains(' '));
        let rows: Vec<_> = rows
            .map(|text| {
                let cell = |text: &str| text.split('\n').next().unwrap().replace('|', "\\|");
                let (what, hint) = parts(&text);
                [cell(what), hint.map(cell).unwrap_or_default()]
            })
            .collect();
        if !rows.is_empty() {
            page += &format!("## {title}\n\n{}\n", table(["message", "what to do"], rows));
        }
    }
    hold("docs/reference/messages.md", "messages", &page);
}
