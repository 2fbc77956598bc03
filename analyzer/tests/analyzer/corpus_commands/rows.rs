//! Reading the collections.

use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A command and what others think of it.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) command: String,
    /// `block`, `ask` or `allow`.
    pub(super) expect: String,
    /// Names of the rules that gave the verdict.
    pub(super) labels: Vec<String>,
}

#[derive(Deserialize)]
struct Written {
    command: String,
    #[serde(default)]
    expect: String,
    label_kind: Option<String>,
    peer_label: Option<Labels>,
    #[serde(default)]
    conflict: serde_json::Value,
    #[serde(default)]
    peer_specific: bool,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Labels {
    One(String),
    Many(Vec<String>),
}

impl From<Written> for Row {
    fn from(row: Written) -> Self {
        let labels = match row.peer_label {
            Some(Labels::One(label)) => label.split(',').map(str::to_owned).collect(),
            Some(Labels::Many(labels)) => labels,
            None => Vec::new(),
        };
        Self { command: row.command, expect: row.expect, labels }
    }
}

fn lines<T: DeserializeOwned>(text: &str) -> impl Iterator<Item = T> + '_ {
    text.lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| serde_json::from_str(line).expect("a row of the corpus"))
}

/// Rows whose label is the verdict of a whole engine, undisputed, and about no engine's own files.
pub(super) fn labelled(path: &Path) -> Vec<Row> {
    let text = fs::read_to_string(path).expect("the labelled commands");
    lines::<Written>(&text)
        .filter(|row| row.label_kind.as_deref() == Some("verdict"))
        .filter(|row| row.conflict.is_null() && !row.peer_specific)
        .map(Row::from)
        .collect()
}

/// All rows.
pub(super) fn plain(path: &Path) -> Vec<Row> {
    let text = fs::read_to_string(path).expect("the commands");
    lines::<Written>(&text).map(Row::from).collect()
}

/// All rows of a compressed file.
pub(super) fn real(path: &Path) -> Vec<Row> {
    let file = fs::File::open(path).expect("the real commands");
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(file).expect("a zstd frame");
    let mut text = String::new();
    std::io::Read::read_to_string(&mut decoder, &mut text).expect("compressed text");
    lines::<Written>(&text).map(Row::from).collect()
}
