//! The short form: every target over its committed seeds and seeded mutants of them.

use std::path::Path;
use std::{env, fs};

use crate::target::TARGETS;

/// Mutants for each target; `CIRCINUS_FUZZ_RUNS` sets another number.
const RUNS: usize = 2_000;
const SEED: u64 = 0x5eed_f0dd;
/// Bytes of a mutant at most.
const BYTES_MAX: usize = 4_096;

/// Numbers that are the same in every run (xorshift, Marsaglia 2003).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % end.max(1) as u64).unwrap_or(0)
    }
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("seeds").join(name);
    let mut paths: Vec<_> = fs::read_dir(&folder)
        .expect("a folder of seeds")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let seeds: Vec<_> = paths.iter().map(|path| fs::read(path).expect("a seed")).collect();
    assert!(!seeds.is_empty(), "{name} has no seeds");
    seeds
}

/// The quoted entries of a dictionary of libFuzzer; escapes other than of bytes stand for themselves.
fn words(name: &str) -> Vec<Vec<u8>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("dictionaries").join(format!("{name}.dict"));
    let text = fs::read_to_string(path).unwrap_or_default();
    let entry = |line: &str| {
        let inside = line.trim().strip_prefix('"')?.strip_suffix('"')?;
        Some(inside.replace("\\\"", "\"").replace("\\x0A", "\n").replace("\\\\", "\\").into_bytes())
    };
    text.lines().filter_map(entry).collect()
}

fn mutant(seeds: &[Vec<u8>], words: &[Vec<u8>], numbers: &mut Numbers) -> Vec<u8> {
    let mut bytes = seeds[numbers.below(seeds.len())].clone();
    for _ in 0..=numbers.below(4) {
        let at = numbers.below(bytes.len() + 1);
        match numbers.below(5) {
            0 if at < bytes.len() => bytes[at] = numbers.below(256) as u8,
            1 => bytes.truncate(at),
            2 => {
                let other = &seeds[numbers.below(seeds.len())];
                let from = numbers.below(other.len());
                bytes.splice(at..at, other[from..].iter().copied());
            }
            3 => {
                let end = (at + numbers.below(16)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ if !words.is_empty() => {
                bytes.splice(at..at, words[numbers.below(words.len())].iter().copied());
            }
            _ => bytes.insert(at, numbers.below(256) as u8),
        }
    }
    bytes.truncate(BYTES_MAX);
    bytes
}

#[test]
fn every_target_holds_on_its_seeds_and_mutants_of_them() {
    let runs = env::var("CIRCINUS_FUZZ_RUNS").ok().and_then(|runs| runs.parse().ok()).unwrap_or(RUNS);
    for (name, target) in TARGETS {
        let (seeds, words) = (seeds(name), words(name));
        seeds.iter().for_each(|seed| target(seed));
        let mut numbers = Numbers(SEED);
        for _ in 0..runs {
            target(&mutant(&seeds, &words, &mut numbers));
        }
        println!("{name}: {} seeds, {runs} mutants", seeds.len());
    }
}
