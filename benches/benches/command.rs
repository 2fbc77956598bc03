//! L15: understanding a command.

#![allow(missing_docs, reason = "criterion's macros make undocumented items")]

use std::hint::black_box;

use circinus_analyzer::command::analyze;
use circinus_loadtest::workload::commands;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

fn command(criterion: &mut Criterion) {
    let around = commands::around();
    let mut group = criterion.benchmark_group("analyze a command");
    for (number, text) in commands::USUAL.iter().enumerate() {
        group.bench_with_input(BenchmarkId::from_parameter(number), text, |b, text| {
            b.iter(|| analyze(black_box(text), &around))
        });
    }
    group.finish();
    circinus_benches::promises(&["L15"]);
}

criterion_group!(benches, command);
criterion_main!(benches);
