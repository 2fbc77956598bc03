//! Long runs of bytes of one alphabet.

use std::ops::Range;

/// The runs of at least `bytes_min` bytes that `is_member` takes, in order. Every such run covers a byte at
/// each multiple of the least length, so most bytes are never looked at.
pub(super) fn runs(
    bytes: &[u8],
    bytes_min: usize,
    is_member: impl Fn(u8) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        while let Some(window) = bytes.get(at..at + bytes_min) {
            if let Some(outside) = window.iter().rposition(|b| !is_member(*b)) {
                at += outside + 1;
                continue;
            }
            let start = at;
            let rest = bytes.get(start + bytes_min..).unwrap_or(&[]);
            let more = rest.iter().position(|b| !is_member(*b)).unwrap_or(rest.len());
            at = start + bytes_min + more + 1;
            return Some(start..start + bytes_min + more);
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_are_found_whole_wherever_they_begin() {
        for lead in 0..9 {
            let text = format!("{}abcdef-abcd-abcdefgh", "-".repeat(lead));
            let found: Vec<_> = runs(text.as_bytes(), 5, |b| b != b'-').collect();
            assert_eq!(found, [lead..lead + 6, lead + 12..lead + 20]);
        }
    }
}
