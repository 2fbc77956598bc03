//! Promise L10: a decision over a large index costs little more than one over a small index.

#![allow(
    missing_docs,
    clippy::print_stderr,
    reason = "criterion's macros make undocumented items; a bench reports"
)]

use std::hint::black_box;
use std::time::Instant;

use circinus_benches::{action, snapshot};
use circinus_core::gate::{Circumstances, decide};
use circinus_core::policy::Profile;
use circinus_core::time::UnixMillis;
use criterion::{Criterion, criterion_group, criterion_main};

const SMALL: usize = 10_000;
const LARGE: usize = 200_000;
const HERE: Circumstances = Circumstances { profile: Profile::Balanced, store_up: true, now: UnixMillis(0) };

fn gate(criterion: &mut Criterion) {
    let (small, large) = (snapshot(SMALL), snapshot(LARGE));
    let asked = action((0..12).map(|place| place * 811));
    let mut group = criterion.benchmark_group("gate");
    group.bench_function("decide, 12 slots, 10 k operands", |b| {
        b.iter(|| decide(black_box(&asked), &small, HERE))
    });
    group.bench_function("decide, 12 slots, 200 k operands", |b| {
        b.iter(|| decide(black_box(&asked), &large, HERE))
    });
    group.finish();

    // Interleaved, so that what the machine does besides falls on both alike.
    let mut times = [Vec::new(), Vec::new()];
    for _ in 0..2_000 {
        for (times, snapshot) in times.iter_mut().zip([&small, &large]) {
            let began = Instant::now();
            drop(black_box(decide(black_box(&asked), snapshot, HERE)));
            times.push(began.elapsed());
        }
    }
    let [small, large] = times.map(|mut times| {
        times.sort_unstable();
        times.get(times.len() / 2).copied().unwrap_or_default()
    });
    let ratio = large.as_secs_f64() / small.as_secs_f64();
    eprintln!("L10: p50 {small:?} at 10 k, {large:?} at 200 k operands: ratio {ratio:.2}");
}

criterion_group!(benches, gate);
criterion_main!(benches);
