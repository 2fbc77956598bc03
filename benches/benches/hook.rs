//! L0 to L4, L14, L16 and L17: whole processes. Needs `cargo build --release -p circinus -p circinus-ipc` before.

#![allow(missing_docs, reason = "criterion's macros make undocumented items")]

use circinus_loadtest::process::Floors;
use criterion::{Criterion, criterion_group, criterion_main};

fn hook(criterion: &mut Criterion) {
    let floors =
        tempfile::tempdir().ok().and_then(|folder| Some((Floors::build(folder.path()).ok()?, folder)));
    if let Some((floors, _folder)) = &floors {
        criterion.bench_function("start of the smallest program", |b| b.iter(|| floors.smallest.run(b"")));
        criterion.bench_function("start of a dynamic C no-op", |b| b.iter(|| floors.dynamic.run(b"")));
    }
    circinus_benches::promises(&["L0", "L1", "L2", "L3", "L4", "L14", "L16", "L17"]);
}

criterion_group!(benches, hook);
criterion_main!(benches);
