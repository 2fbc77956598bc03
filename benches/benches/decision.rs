//! L9 to L12: a decision over small and large indexes.

#![allow(missing_docs, reason = "criterion's macros make undocumented items")]

use std::hint::black_box;

use circinus_core::gate::{Circumstances, decide};
use circinus_core::policy::Profile;
use circinus_core::time::UnixMillis;
use circinus_loadtest::workload::index::{action, snapshot};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

const HERE: Circumstances = Circumstances { profile: Profile::Balanced, store_up: true, now: UnixMillis(0) };

fn decision(criterion: &mut Criterion) {
    let asked = action((0..12).map(|place| place * 811));
    let mut group = criterion.benchmark_group("decide, 12 URLs");
    for operands in [10_000, 200_000] {
        let snapshot = snapshot(operands);
        group.bench_with_input(BenchmarkId::from_parameter(operands), &snapshot, |b, snapshot| {
            b.iter(|| decide(black_box(&asked), snapshot, HERE))
        });
    }
    group.finish();
    circinus_benches::promises(&["L9", "L10", "L11", "L12"]);
}

criterion_group!(benches, decision);
criterion_main!(benches);
