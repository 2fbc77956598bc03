//! See `src/target/payload.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| circinus_fuzz::target::run("payload", bytes));
