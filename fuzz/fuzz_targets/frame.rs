//! See `src/target/frame.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| circinus_fuzz::target::run("frame", bytes));
