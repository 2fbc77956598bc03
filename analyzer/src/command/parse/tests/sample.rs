//! Texts to compare parsers on.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// The commands of the tests' own data, the examples of the table, and shapes that nest.
pub(super) fn own() -> Vec<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let rows = fs::read_to_string(folder.join("tests/data/commands.jsonl")).expect("the cases");
    let mut texts: Vec<String> = rows.lines().filter_map(command_of).collect();
    for entry in fs::read_dir(folder.join("data")).expect("the data") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|end| end == "toml") {
            let table = fs::read_to_string(&path).expect("a table");
            texts.extend(table.lines().flat_map(examples_of));
        }
    }
    let shapes: Vec<String> = texts
        .iter()
        .step_by(STEP)
        .flat_map(|text| SHAPES.iter().map(move |shape| shape.replace("{}", text)))
        .collect();
    texts.extend(shapes);
    texts
}

/// Of so many texts one is put into every shape.
const STEP: usize = 31;
/// Shapes that the parser's own word parts are wrong about.
const SHAPES: &[&str] = &[
    "( {} )",
    "{ {}; }",
    "if a; then {}; fi",
    "case a in b|c) {};; esac",
    "x $( {} )",
    "x \"$( {} )\"",
    "x <( {} )",
    "A=\"$( {} )\"",
    "a $(b $(c $( {} )))",
    "for i in $( {} ); do x; done",
    "x ${y:-$( {} )}",
    "x <<E\n$( {} )\nE",
    "f() { {}; }",
    "[[ -n $( {} ) ]]",
    "while {}; do x; done",
    "x >$( {} )",
    "{} &",
    "! {}",
];

fn command_of(line: &str) -> Option<String> {
    serde_json::from_str::<serde_json::Value>(line).ok()?.get("command")?.as_str().map(str::to_owned)
}

/// The commands of `is` and `not` lists, which stand in one line each.
fn examples_of(line: &str) -> Vec<String> {
    let Some((_, list)) = line.split_once(" = [").filter(|(key, _)| matches!(*key, "is" | "not")) else {
        return Vec::new();
    };
    let array: Result<Vec<String>, _> = serde_json::from_str(&format!("[{list}"));
    let rows = array.unwrap_or_default();
    rows.iter().filter_map(|row| row.rsplit_once(" => ")).map(|(command, _)| command.to_owned()).collect()
}

/// The collected commands.
pub(super) fn collected() -> Option<Vec<String>> {
    let folder = env::var_os("CIRCINUS_TEST_CORPUS").map(PathBuf::from).filter(|folder| folder.is_dir())?;
    let folder = folder.join("commands");
    let mut texts = Vec::new();
    for name in ["given.jsonl", "bypass_seeds.jsonl"] {
        let rows = fs::read_to_string(folder.join(name)).expect("collected commands");
        texts.extend(rows.lines().filter_map(command_of));
    }
    let file = fs::File::open(folder.join("real_sessions.jsonl.zst")).expect("real commands");
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(file).expect("a zstd frame");
    let mut rows = String::new();
    std::io::Read::read_to_string(&mut decoder, &mut rows).expect("text");
    texts.extend(rows.lines().filter_map(command_of));
    Some(texts)
}
