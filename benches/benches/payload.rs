//! Parsing a hook's input: serde_json against simd-json, by size.
//!
//! Both make the same tree. simd-json writes into its input, so it is given a copy each time, as the daemon would have
//! to: the bytes of a request are kept until it is answered.

#![allow(
    missing_docs,
    clippy::print_stderr,
    reason = "criterion's macros make undocumented items; a bench reports"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use circinus_loadtest::limits::sample::{Sample, in_words};
use circinus_loadtest::workload::events::{Host, page_text};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use serde_json::Value;

const SIZES: [usize; 5] = [1 << 10, 4 << 10, 32 << 10, 256 << 10, 1 << 20];

fn payload(bytes: usize) -> Vec<u8> {
    let host = Host::new("bench", "/home/kim/work");
    let text = page_text(7, 20.min(bytes / 200), bytes - 600);
    host.page(7, &text)
}

fn by_serde(payload: &[u8]) -> Option<Value> {
    serde_json::from_slice(payload).ok()
}

fn by_simd(payload: &[u8]) -> Option<Value> {
    simd_json::serde::from_slice(&mut payload.to_vec()).ok()
}

fn parse(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("payload");
    for bytes in SIZES {
        let payload = payload(bytes);
        group.throughput(Throughput::Bytes(payload.len() as u64));
        group.bench_with_input(BenchmarkId::new("serde_json", bytes), &payload, |b, it| {
            b.iter(|| by_serde(it))
        });
        group
            .bench_with_input(BenchmarkId::new("simd-json", bytes), &payload, |b, it| b.iter(|| by_simd(it)));
    }
    group.finish();
    for bytes in SIZES {
        let payload = payload(bytes);
        assert_eq!(by_serde(&payload), by_simd(&payload), "the two disagree");
        let (mut serde, mut simd) = (Vec::new(), Vec::new());
        for _ in 0..300 {
            serde.push(timed(|| by_serde(black_box(&payload))));
            simd.push(timed(|| by_simd(black_box(&payload))));
        }
        let (serde, simd) = (Sample::new(serde).p50(), Sample::new(simd).p50());
        let ratio = serde / simd;
        eprintln!(
            "{bytes:8} B: serde_json {}, simd-json {}, ratio {ratio:.2}",
            in_words(serde),
            in_words(simd)
        );
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let began = Instant::now();
    drop(black_box(work()));
    began.elapsed()
}

criterion_group!(benches, parse);
criterion_main!(benches);
