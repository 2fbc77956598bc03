//! See `src/target/view.rs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| circinus_fuzz::target::run("view", bytes));
