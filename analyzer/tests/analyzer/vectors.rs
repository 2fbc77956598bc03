//! Every published vector of canonical forms, commands included, in one file.
//!
//! The file is no part of this tree; the operands' vectors that are stand beside `core/tests/operands.rs`, the
//! commands' in `forms.rs`. `CIRCINUS_TEST_VECTORS` names the file; without it the test says so and ends.

#![allow(clippy::print_stdout, reason = "a test that did nothing has to say so")]

use std::{env, fs};

use circinus_analyzer::command;
use circinus_core::operand::{Kind, Operand, PathContext};
use serde_json::Value;

const KINDS: [(&str, Kind); 9] = [
    ("url", Kind::Url),
    ("host", Kind::Host),
    ("ip", Kind::Ip),
    ("path", Kind::Path),
    ("email", Kind::Email),
    ("token", Kind::Token),
    ("package", Kind::Package),
    ("git", Kind::Git),
    ("image", Kind::Image),
];

/// The surroundings that the vectors presume.
fn context() -> PathContext {
    PathContext {
        cwd: "/w/proj".into(),
        home: "/home/u".into(),
        workspace: "/w/proj".into(),
        case_sensitive: true,
    }
}

fn canonical(kind: &str, input: &str) -> Option<String> {
    if kind == "command" {
        return command::canonical(input);
    }
    let (_, kind) = KINDS.iter().find(|(name, _)| *name == kind).unwrap();
    Operand::parse(*kind, input, &context()).map(|operand| operand.canonical().to_owned())
}

#[test]
fn every_vector_has_its_canonical_form() {
    let Some(path) = env::var_os("CIRCINUS_TEST_VECTORS") else {
        println!("skipped: CIRCINUS_TEST_VECTORS names no file of vectors");
        return;
    };
    let rows = fs::read_to_string(path).unwrap();
    let rows: Vec<Value> = rows.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let got = |row: &Value| canonical(row["kind"].as_str().unwrap(), row["input"].as_str().unwrap());
    let wrong: Vec<_> = rows.iter().filter(|row| got(row).as_deref() != row["canonical"].as_str()).collect();
    assert!(wrong.is_empty(), "of {} vectors, not as expected: {wrong:#?}", rows.len());
    assert!(!rows.is_empty());
    println!("{} vectors", rows.len());
}
