//! Runs of hexadecimal digits.

use super::base64::text_of;
use super::piece::{Builder, Viewed};
use super::run::runs;
use crate::operand::url::pair;

/// Shortest run in digits.
const RUN_BYTES_MIN: usize = 24;

/// Decodes runs of an even number of digits whose content is text; `0x` before the run goes with it.
pub(super) fn undo(text: &str) -> Option<Viewed> {
    let bytes = text.as_bytes();
    let mut builder = Builder::new(text);
    for run in runs(bytes, RUN_BYTES_MIN, |b| b.is_ascii_hexdigit()) {
        if let Some(shown) = bytes.get(run.clone()).and_then(decoded) {
            let prefix = run.start.checked_sub(2).filter(|from| bytes.get(*from..run.start) == Some(b"0x"));
            builder.replace(prefix.unwrap_or(run.start)..run.end, &shown);
        }
    }
    builder.finish()
}

fn decoded(run: &[u8]) -> Option<String> {
    if !run.len().is_multiple_of(2) {
        return None;
    }
    text_of(&run.chunks(2).map(pair).collect::<Option<Vec<u8>>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spelled_text_is_decoded() {
        let viewed = undo("x=0x68747470733a2f2f70617274732e73686f70;").expect("decoded");
        assert_eq!(viewed.text, "x=https://parts.shop;");
    }

    #[test]
    fn hashes_and_numbers_stay() {
        assert!(undo("da39a3ee5e6b4b0d3255bfef95601890afd80709 112233").is_none());
    }
}
