//! L5 to L8 and L13: a durable ingest, and the way back.

#![allow(missing_docs, reason = "criterion's macros make undocumented items")]

use circinus_loadtest::limits::ingest::{open, timed_append};
use circinus_loadtest::workload::commits;
use criterion::{Criterion, criterion_group, criterion_main};

fn ingest(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().ok();
    let writer = folder.as_ref().and_then(|folder| open(&folder.path().join("bench.db")).ok());
    if let Some(writer) = &writer {
        let mut number = 0;
        criterion.bench_function("durable ingest, 4 KB and 20 operands", |b| {
            b.iter(|| {
                number += 1;
                timed_append(writer, commits::ingest(number))
            })
        });
    }
    drop(writer);
    circinus_benches::promises(&["L5", "L6", "L7", "L8", "L13"]);
}

criterion_group!(benches, ingest);
criterion_main!(benches);
