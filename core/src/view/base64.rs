//! Base64 and base64url runs (RFC 4648, 4 and 5).

use super::piece::{Builder, Viewed};
use super::run::runs;

/// Shortest run in characters; shorter ones are words.
const RUN_BYTES_MIN: usize = 24;
/// Share of printable characters, in hundredths, below which a run is data rather than text.
const PRINTABLE_PERCENT_MIN: usize = 95;

/// Decodes runs whose content is text, or UTF-16 text of one-byte letters.
pub(super) fn undo(text: &str) -> Option<Viewed> {
    let bytes = text.as_bytes();
    let mut builder = Builder::new(text);
    for run in runs(bytes, RUN_BYTES_MIN, |b| value(b).is_some()) {
        if let Some(shown) = bytes.get(run.clone()).and_then(decoded) {
            let after = bytes.get(run.end..).unwrap_or(&[]);
            let padding = after.iter().take(2).take_while(|b| **b == b'=').count();
            builder.replace(run.start..run.end + padding, &shown);
        }
    }
    builder.finish()
}

const fn value(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'a'..=b'z' => Some(byte - b'a' + 26),
        b'0'..=b'9' => Some(byte - b'0' + 52),
        b'+' | b'-' => Some(62),
        b'/' | b'_' => Some(63),
        _ => None,
    }
}

fn decoded(run: &[u8]) -> Option<String> {
    // A quick look at the first bytes spares the decoding of paths, hashes and minified code.
    let head = bytes_of(run.get(..RUN_BYTES_MIN)?)?;
    if head.iter().filter(|b| !is_text_byte(**b)).count() > 1 {
        return None;
    }
    text_of(&bytes_of(run)?)
}

fn bytes_of(run: &[u8]) -> Option<Vec<u8>> {
    if run.len() % 4 == 1 {
        return None;
    }
    let mut out = Vec::with_capacity(run.len() / 4 * 3 + 3);
    for group in run.chunks(4) {
        let bits = group.iter().try_fold(0_u32, |bits, b| Some(bits << 6 | u32::from(value(*b)?)))?;
        let bits = bits << (6 * (4 - group.len()));
        out.extend(bits.to_be_bytes().iter().skip(1).take(group.len() - 1));
    }
    Some(out)
}

const fn is_text_byte(byte: u8) -> bool {
    matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t' | 0 | 0x80..)
}

/// Decoded bytes as text, if nearly all of it can be read; NUL at every second byte is UTF-16.
pub(super) fn text_of(bytes: &[u8]) -> Option<String> {
    let narrow: Vec<u8>;
    let odd = bytes.iter().skip(1).step_by(2);
    let even = bytes.iter().step_by(2);
    let bytes = if bytes.len() >= 8 && odd.clone().all(|b| *b == 0) {
        narrow = even.copied().collect();
        &narrow
    } else if bytes.len() >= 8 && even.clone().all(|b| *b == 0) {
        narrow = odd.copied().collect();
        &narrow
    } else {
        bytes
    };
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.is_empty())?;
    let total = text.chars().count();
    let printable = text.chars().filter(|c| !c.is_control() || c.is_ascii_whitespace()).count();
    (printable * 100 >= total * PRINTABLE_PERCENT_MIN).then(|| text.replace('\0', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_alphabets_and_missing_padding_are_read() {
        for run in ["aHR0cHM6Ly9wYXJ0cy5zaG9wL2E/Yj1+fg==", "aHR0cHM6Ly9wYXJ0cy5zaG9wL2E_Yj1-fg"] {
            let text = format!("run {run} now");
            let viewed = undo(&text).expect("decoded");
            assert_eq!(viewed.text, "run https://parts.shop/a?b=~~ now");
            assert_eq!(viewed.map.original(4..6), 4..4 + run.len());
        }
    }

    #[test]
    fn wide_characters_are_read() {
        let viewed = undo("cABhAHIAdABzAC4AcwBoAG8AcAA=").expect("decoded");
        assert_eq!(viewed.text, "parts.shop");
    }

    #[test]
    fn words_hashes_and_binary_stay() {
        assert!(undo("/usr/share/applications/desktop/entries").is_none());
        assert!(undo("da39a3ee5e6b4b0d3255bfef95601890afd80709").is_none());
        assert!(undo("short aGVsbG8= run").is_none());
    }
}
