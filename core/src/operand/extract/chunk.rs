//! The pass over the text: chunks between white space, quotes and angle brackets, then words in them.

use std::ops::Range;

use super::{Scan, link, name, place, random};
use crate::operand::token::TOKEN_BYTES_MIN;

/// Ends a chunk.
const BREAK: u8 = 1;
/// Ends a word inside a chunk.
const SPLIT: u8 = 2;
const DOT: u8 = 4;
const SLASH: u8 = 8;
const AT: u8 = 16;
const COLON: u8 = 32;
const DIGIT: u8 = 64;
/// A backslash, a dollar sign or a tilde.
const SIGN: u8 = 128;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        #[allow(clippy::indexing_slicing, reason = "a byte below 128 is inside a table of 256")]
        {
            table[byte as usize] = match byte {
                0..=b' ' | b'"' | b'\'' | b'`' | b'<' | b'>' | 127 => BREAK,
                b'(' | b')' | b'[' | b']' | b'{' | b'}' | b',' | b';' | b'|' | b'=' | b'&' | b'!' | b'*' => {
                    SPLIT
                }
                b'\\' => SPLIT | SIGN,
                b'.' => DOT,
                b'/' => SLASH,
                b'@' => AT,
                b':' => COLON,
                b'0'..=b'9' => DIGIT,
                b'$' | b'~' => SIGN,
                _ => 0,
            };
        }
        byte += 1;
    }
    table
}

fn class(byte: u8) -> u8 {
    CLASS.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Visits every chunk that can hold an operand.
pub(super) fn scan(scan: &mut Scan<'_, '_, '_>) {
    let bytes = scan.text.as_bytes();
    let mut start = 0;
    let mut flags = 0;
    for (at, byte) in bytes.iter().enumerate() {
        let class = class(*byte);
        if class & BREAK == 0 {
            flags |= class;
            continue;
        }
        if is_worth(flags, at - start) {
            visit(scan, start..at, flags);
            if scan.is_full() {
                return;
            }
        }
        start = at + 1;
        flags = 0;
    }
    if is_worth(flags, bytes.len() - start) {
        visit(scan, start..bytes.len(), flags);
    }
}

const fn is_worth(flags: u8, length: usize) -> bool {
    flags & (DOT | SLASH | AT) != 0 && length > 2 || flags & DIGIT != 0 && length >= TOKEN_BYTES_MIN
}

fn visit(scan: &mut Scan<'_, '_, '_>, chunk: Range<usize>, flags: u8) {
    let mut from = chunk.start;
    if flags & (COLON | SLASH) == COLON | SLASH {
        for link in link::find(scan, chunk.clone()) {
            if link.start >= from {
                words(scan, from..link.start);
            }
            from = from.max(link.end);
        }
    }
    if flags & SIGN != 0 {
        place::special(scan, from..chunk.end);
    }
    words(scan, from..chunk.end);
}

/// Splits a chunk at brackets and operators.
fn words(scan: &mut Scan<'_, '_, '_>, range: Range<usize>) {
    let bytes = scan.text.as_bytes();
    let mut start = range.start;
    let mut flags = 0;
    for (offset, byte) in bytes.get(range.clone()).unwrap_or(&[]).iter().enumerate() {
        let class = class(*byte);
        if class & SPLIT == 0 {
            flags |= class;
            continue;
        }
        word(scan, start..range.start + offset, flags);
        start = range.start + offset + 1;
        flags = 0;
    }
    word(scan, start..range.end, flags);
}

fn word(scan: &mut Scan<'_, '_, '_>, range: Range<usize>, flags: u8) {
    if !is_worth(flags, range.len()) {
        return;
    }
    let secret = flags & DIGIT != 0 && range.len() >= TOKEN_BYTES_MIN && random::scan(scan, range.clone());
    if secret {
        return;
    }
    let range = trimmed(scan, range);
    if flags & AT != 0 && name::with_at(scan, range.clone()) {
        return;
    }
    if flags & DOT != 0 && name::bare(scan, range.clone()) {
        return;
    }
    if flags & (SLASH | DOT) != 0 {
        place::word(scan, range);
    }
}

/// Without sentence punctuation at the ends.
fn trimmed(scan: &Scan<'_, '_, '_>, range: Range<usize>) -> Range<usize> {
    let text = scan.get(range.clone());
    let is_mark = |c: char| {
        matches!(c, '.' | ',' | ':' | ';' | '!' | '?' | '#' | '%' | '^' | '+' | '-') || is_wide_mark(c)
    };
    let end = range.start + text.trim_end_matches(is_mark).len();
    let head = text.trim_start_matches(|c: char| matches!(c, ',' | ':' | '#' | '^' | '+') || is_wide_mark(c));
    let start = range.start + (text.len() - head.len());
    start.min(end)..end
}

/// Punctuation and spaces beyond ASCII that end a designator in running text.
pub(super) const fn is_wide_mark(c: char) -> bool {
    matches!(
        c,
        '\u{A0}' | '\u{AB}' | '\u{BB}' | '\u{2000}'..='\u{200A}' | '\u{2012}'..='\u{2015}' | '\u{2018}'..='\u{201F}'
            | '\u{2022}' | '\u{2026}' | '\u{2028}' | '\u{2029}' | '\u{2190}'..='\u{21FF}' | '\u{2500}'..='\u{257F}'
            | '\u{3000}' | '\u{3001}' | '\u{3008}'..='\u{3011}' | '\u{FF01}' | '\u{FF08}' | '\u{FF09}'
            | '\u{FF0C}' | '\u{FF1A}' | '\u{FF1B}' | '\u{FF1F}'
    )
}
