//! Substring containment of many operands: an automaton against a table of anchors.
//!
//! Prints what building costs, what one more operand costs, memory and a search through 1 KB, by number of operands.
//! `CIRCINUS_BENCH_FULL=1` adds a million, for which the automaton alone takes a quarter of a minute.

#![allow(
    missing_docs,
    clippy::print_stderr,
    reason = "criterion's macros make undocumented items; a bench reports"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use circinus_benches::anchored::Anchored;
use circinus_loadtest::limits::sample::in_words;
use circinus_loadtest::workload::events::link_of;
use criterion::{Criterion, criterion_group, criterion_main};

const TEXT_BYTES: usize = 1_024;

fn operands(count: usize) -> Vec<String> {
    (0..count).map(|number| link_of(number / 20, number % 20)).collect()
}

/// An argument with a few of the operands in it.
fn text(operands: &[String]) -> String {
    let mut text = String::new();
    let mut places = operands.iter().step_by(operands.len() / 7 + 1).cycle();
    while text.len() < TEXT_BYTES {
        text.push_str("curl -s -o out ");
        text.push_str(places.next().map_or("", String::as_str));
        text.push_str(" && tar -xf out; ");
    }
    text
}

fn automaton(operands: &[String]) -> Option<AhoCorasick> {
    AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(operands).ok()
}

fn anchored(operands: &[String]) -> Anchored {
    let mut anchored = Anchored::default();
    for operand in operands {
        assert!(anchored.insert(operand.as_bytes()), "every operand here is long enough");
    }
    anchored
}

fn timed<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let began = Instant::now();
    let made = work();
    (began.elapsed(), made)
}

fn report(count: usize) {
    let operands = operands(count);
    let text = text(&operands);
    let (built, automaton) = timed(|| automaton(&operands));
    let Some(automaton) = automaton else { return eprintln!("no automaton of {count} operands") };
    let (filled, anchored) = timed(|| anchored(&operands));
    let (mut by_automaton, mut by_anchors) = (Vec::new(), Vec::new());
    for _ in 0..500 {
        let (took, found) = timed(|| automaton.find_overlapping_iter(&text).count());
        by_automaton.push(took);
        let (took, anchors) = timed(|| anchored.find(text.as_bytes()).len());
        by_anchors.push(took);
        assert_eq!(found, anchors, "the two disagree");
    }
    let median = |mut times: Vec<Duration>| {
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default().as_secs_f64()
    };
    eprintln!(
        "{count:8} operands: automaton built in {}, {:.0} B each, searches 1 KB in {}; \
         anchors filled in {} ({} each), {:.0} B each, search 1 KB in {}",
        in_words(built.as_secs_f64()),
        automaton.memory_usage() as f64 / count as f64,
        in_words(median(by_automaton)),
        in_words(filled.as_secs_f64()),
        in_words(filled.as_secs_f64() / count as f64),
        anchored.bytes() as f64 / count as f64,
        in_words(median(by_anchors)),
    );
}

fn containment(criterion: &mut Criterion) {
    let operands = operands(10_000);
    let text = text(&operands);
    let mut group = criterion.benchmark_group("containment, 1 KB, 10 k operands");
    if let Some(automaton) = automaton(&operands) {
        group.bench_function("automaton", |b| {
            b.iter(|| automaton.find_overlapping_iter(black_box(&text)).count())
        });
    }
    let anchored = anchored(&operands);
    group.bench_function("anchors", |b| b.iter(|| anchored.find(black_box(text.as_bytes()))));
    group.finish();
    [10_000, 100_000].into_iter().for_each(report);
    if std::env::var_os("CIRCINUS_BENCH_FULL").is_some() {
        report(1_000_000);
    }
}

criterion_group!(benches, containment);
criterion_main!(benches);
