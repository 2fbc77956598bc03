//! What the fuzz targets check. Each target is a function of bytes: coverage-guided runs call it from
//! `fuzz_targets/`, and the short form from the tests at the end of this file, which need no nightly compiler.

mod bound;
pub mod target;

#[cfg(test)]
mod short;
