//! A few bits per word that spare most look-ups.

use super::lexer::WORD_BYTES_MAX;

/// Bits of the sieve, a power of two: some tens for each word of the table, and all within a first-level cache.
const BITS: usize = 1 << 16;

/// Which shapes (length and four letters) the words of a table have. It errs only by letting pass.
pub(super) struct Sieve(Vec<u64>);

impl Sieve {
    /// The sieve of these words.
    pub(super) fn new<'w>(words: impl Iterator<Item = &'w Box<[u8]>>) -> Self {
        let mut bits = vec![0; BITS / 64];
        for word in words {
            let at = shape(word);
            bits.get_mut(at / 64).into_iter().for_each(|bits: &mut u64| *bits |= 1 << (at % 64));
        }
        Self(bits)
    }

    /// Whether `word` may be in the table. Words outside ASCII always pass, since their bytes change with
    /// their case.
    #[inline]
    pub(super) fn lets_pass(&self, word: &[u8]) -> bool {
        if word.len() < 2 || word.len() > WORD_BYTES_MAX {
            return false;
        }
        let at = shape(word);
        self.0.get(at / 64).is_some_and(|bits| bits >> (at % 64) & 1 == 1) || !word.is_ascii()
    }
}

/// The first two and the last two letters without their case, and the length, mixed.
#[inline]
fn shape(word: &[u8]) -> usize {
    let letters = match word {
        [a, b, .., y, z] => [*a, *b, *y, *z],
        [a, b, z] => [*a, *b, 0, *z],
        [a, b] => [*a, *b, 0, 0],
        _ => [0; 4],
    };
    let folded = u64::from(u32::from_le_bytes(letters) | 0x2020_2020);
    let mixed = (folded ^ (word.len() as u64) << 32).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 48) as usize % BITS
}
