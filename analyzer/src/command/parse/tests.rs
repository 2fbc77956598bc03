//! The parser against others: `bash -n` for what is accepted, the grammar of tree-sitter-bash for which simple
//! commands stand in it. (Neither runs anything.)
//!
//! Texts are the rows of `tests/data/commands.jsonl`, the examples of the command table and seeded mutants of
//! both; with `CIRCINUS_TEST_CORPUS` the collected commands, and more mutants.

#![allow(clippy::print_stdout, clippy::expect_used, reason = "tests report and fail by panicking")]

mod bash;
mod grammar;
mod mutant;
mod names;
mod sample;

use std::collections::BTreeMap;

use grammar::Verdict;

use super::{Refusal, closed, parse};

/// Mutants without a corpus, and with one. (Each costs a process of bash.)
const MUTANTS: (usize, usize) = (1_000, 50_000);
/// Texts that bash accepts and that are opaque here, and texts that only bash refuses: shares that may only fall.
const REFUSED_PER_MILLE_MAX: usize = 1;
const LAXER_PER_MILLE_MAX: usize = 6;
const SEED: u64 = 0x5eed_c0de;

/// Own texts, and the collected ones where they are.
fn texts() -> (Vec<String>, bool) {
    let mut texts = sample::own();
    let collected = sample::collected();
    let any = collected.is_some();
    texts.extend(collected.unwrap_or_default());
    (texts, any)
}

fn mutants_of(texts: &[String], any: bool) -> Vec<String> {
    let count = if any { MUTANTS.1 } else { MUTANTS.0 };
    mutant::Mutants::new(SEED, texts).take(count).collect()
}

#[test]
fn what_bash_accepts_is_accepted() {
    if !bash::is_there() {
        println!("skipped: no bash on the path");
        return;
    }
    let (texts, any) = texts();
    let mutants = mutants_of(&texts, any);
    let (mut laxer, mut refused) = (0, Vec::new());
    for text in texts.iter().chain(&mutants) {
        let ours = names::accepted(text);
        match (bash::accepts(text), ours) {
            (true, false) if !names::is_bounded_out(text) => refused.push(text),
            (false, true) => laxer += 1,
            _ => {}
        }
    }
    let all = texts.len() + mutants.len();
    println!("{} texts, {} mutants: refused {}, laxer {laxer}", texts.len(), mutants.len(), refused.len());
    // What is refused is opaque, so that it costs a question and never hides anything.
    let few = all * REFUSED_PER_MILLE_MAX / 1_000;
    assert!(refused.len() <= few, "{:#?}", refused.iter().take(20).collect::<Vec<_>>());
    // What bash does not accept it does not run.
    assert!(laxer <= all * LAXER_PER_MILLE_MAX / 1_000, "{laxer} of {all}");
}

#[test]
fn another_grammar_sees_the_same_simple_commands() {
    let (texts, any) = texts();
    let mutants = mutants_of(&texts, any);
    let mut grammar = grammar::Grammar::new();
    let mut tally: BTreeMap<Verdict, usize> = BTreeMap::new();
    let mut differing = Vec::new();
    for (at, text) in texts.iter().chain(&mutants).enumerate() {
        let verdict = grammar.compare(text);
        *tally.entry(verdict).or_default() += 1;
        if verdict == Verdict::Differs {
            differing.push((at < texts.len(), text, names::names(text), grammar.names(text)));
        }
    }
    println!("{tally:?}");
    let clean: Vec<_> = differing.iter().filter(|row| row.0).take(20).collect();
    assert!(clean.is_empty(), "{clean:#?}");
    // The grammar splits garbled words where bash does not, such as at an escaped line end, takes a lone bracket
    // for a command of its own, and sees commands in what is no name of a parameter.
    let few = mutants.len() / 500;
    assert!(differing.len() <= few, "{:#?}", differing.iter().take(60).collect::<Vec<_>>());
}

#[test]
fn deep_or_long_text_is_refused_before_the_parser_sees_it() {
    for text in ["$(".repeat(40), ">(`a ".repeat(9), "(".repeat(300), "{".repeat(5_000), "a ".repeat(40_000)]
    {
        assert_eq!(parse(&text), Err(Refusal::Complexity));
    }
    assert!(parse(&"a $(b) <(c; (d)) ; ".repeat(12)).is_ok());
}

#[test]
fn statements_that_nest_without_brackets_end_and_do_not_overflow() {
    for text in ["if ".repeat(10_000), "while ".repeat(9_000), "! ".repeat(9_000), "time ".repeat(9_000)] {
        assert!(parse(&text).is_err() || parse(&text).is_ok());
    }
    let nested = format!("{}ls{}", "if a; then ".repeat(120), "; fi".repeat(120));
    assert!(format!("{:?}", parse(&nested)).contains("TooDeep"));
}

#[test]
fn a_document_ends_where_the_substitution_around_it_closes_in_the_same_line() {
    for text in ["x \"$(cat <<'E'\nit's (one\nE)\"", "A=\"$(cat <<E\nx\nE )\"", "x $(cat <<E\nx\nE)"] {
        assert_eq!(names::names(text).map(|names| names.contains(&"cat".to_owned())), Some(true), "{text}");
    }
    assert_eq!(closed("cat <<E\nx\nE\n"), None);
}

#[test]
fn the_form_keeps_stages_joints_and_redirections() {
    let nodes = parse("a && b x | c 2>&1 >o").expect("parses");
    let text = format!("{nodes:?}");
    for part in ["And", "Pipeline", "fd: Some(2)", "Word(\">\", \"o\")"] {
        assert!(text.contains(part), "{text}");
    }
}
