//! Percent-decoding (RFC 3986, 2.1).

use super::piece::{Builder, Viewed};
use crate::operand::url::pair;

/// Decodes runs of escapes. A run whose bytes are no UTF-8 stays, and so does one that holds a control
/// character other than white space.
pub(super) fn undo(text: &str) -> Option<Viewed> {
    let bytes = text.as_bytes();
    let mut builder = Builder::new(text);
    let mut seen = 0;
    for at in memchr::memchr_iter(b'%', bytes) {
        if at < seen {
            continue;
        }
        seen = builder.decode_run(at, escape);
    }
    builder.finish()
}

fn escape(bytes: &[u8], at: usize) -> Option<u8> {
    let rest = bytes.get(at..at + 3)?;
    rest.strip_prefix(b"%").and_then(pair)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_escapes_is_decoded_and_leads_back() {
        let viewed = undo("get %70%61rts.shop now").expect("decoded");
        assert_eq!(viewed.text, "get parts.shop now");
        assert_eq!(viewed.map.original(4..14), 4..18);
    }

    #[test]
    fn a_percentage_is_no_escape() {
        assert!(undo("100% of 5 %x %C3 alone %00").is_none());
    }

    #[test]
    fn a_long_undecodable_run_costs_one_pass() {
        assert!(undo(&"%FF".repeat(200_000)).is_none());
    }
}
