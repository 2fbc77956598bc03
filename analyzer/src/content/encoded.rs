//! Runs of encoded text: base64 (RFC 4648, both alphabets), base32, hexadecimal, binary digits and
//! percent-encoding (RFC 3986).

/// Shorter runs are words and identifiers.
const RUN_BYTES_MIN: usize = 24;
/// Share of printable bytes, in percent, from which a decoded run counts as text.
const PRINTABLE_PERCENT_MIN: usize = 95;
/// Bytes decoded first to see whether the rest is worth it.
const PROBE_BYTES: usize = 24;
/// A line of a wrapped encoding is at least this long (RFC 2045 wraps at 76, PEM at 64).
const WRAPPED_LINE_BYTES_MIN: usize = 60;
/// Groups of binary digits from which they may be a text.
const BINARY_GROUPS_MIN: usize = 8;
/// Bytes from one place that is looked at to the next: half of the shortest run.
const BINARY_STRIDE: usize = BINARY_GROUPS_MIN * 4;
/// Bytes before a percent sign that still belong to its run.
const PERCENT_REACH: usize = 256;
/// Escapes from which a percent-encoded run counts; fewer are the spaces of ordinary addresses.
const PERCENT_ESCAPES_MIN: usize = 3;

/// A decoded run: its text and its range in the encoded text.
pub(super) struct Decoded {
    pub(super) text: Vec<u8>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// All runs of `text` that decode to printable text. Linear: every byte belongs to at most one run of a kind.
pub(super) fn decoded(text: &[u8]) -> Vec<Decoded> {
    let mut found = packed_runs(text);
    percent_runs(text, &mut found);
    binary_runs(text, &mut found);
    found
}

fn packed_runs(text: &[u8]) -> Vec<Decoded> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < text.len() {
        // Every run of the minimum length covers a multiple of it, so only those places are looked at.
        if !text.get(at + RUN_BYTES_MIN - 1).copied().is_some_and(is_packed) {
            at += RUN_BYTES_MIN;
            continue;
        }
        let back = text.get(at..at + RUN_BYTES_MIN - 1).unwrap_or_default();
        let start = at + back.iter().rposition(|byte| !is_packed(*byte)).map_or(0, |last| last + 1);
        let end = run_end(text, start);
        if end - start >= RUN_BYTES_MIN
            && let Some(plain) = unpack(text.get(start..end).unwrap_or_default())
        {
            found.push(Decoded { text: plain, start, end });
        }
        at = end.max(at + 1);
    }
    found
}

/// The end of a run, which goes on over the line end of a wrapped encoding.
fn run_end(text: &[u8], start: usize) -> usize {
    let mut line = start;
    loop {
        let rest = text.get(line..).unwrap_or_default();
        let end = line + rest.iter().take_while(|byte| is_packed(**byte)).count();
        let wrapped = end - line >= WRAPPED_LINE_BYTES_MIN;
        let next = match text.get(end..).unwrap_or_default() {
            [b'\n', next, ..] if wrapped && is_packed(*next) => end + 1,
            [b'\r', b'\n', next, ..] if wrapped && is_packed(*next) => end + 2,
            _ => return end,
        };
        line = next;
    }
}

fn is_packed(byte: u8) -> bool {
    sextet(byte).is_some()
}

/// The value of a letter of base64, in either alphabet.
fn sextet(byte: u8) -> Option<u8> {
    SEXTETS.get(usize::from(byte)).copied().filter(|value| *value < 64)
}

/// The value of every byte, 64 for those outside the alphabets; most of the time here is spent on asking.
static SEXTETS: [u8; 256] = {
    let mut table = [64; 256];
    let mut byte = 0;
    while byte < 256 {
        if let Some(slot) = table.split_at_mut(byte).1.first_mut() {
            *slot = match byte as u8 {
                letter @ b'A'..=b'Z' => letter - b'A',
                letter @ b'a'..=b'z' => letter - b'a' + 26,
                digit @ b'0'..=b'9' => digit - b'0' + 52,
                b'+' | b'-' => 62,
                b'/' | b'_' => 63,
                _ => 64,
            };
        }
        byte += 1;
    }
    table
};

fn nibble(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn unpack(run: &[u8]) -> Option<Vec<u8>> {
    let probe = run.get(..PROBE_BYTES)?;
    if probe.iter().all(u8::is_ascii_hexdigit) && is_text(&base16(probe)) {
        return Some(base16(run)).filter(|plain| is_text(plain));
    }
    if probe.iter().all(|byte| quintet(*byte).is_some()) && is_text(&base32(probe)) {
        return Some(base32(run)).filter(|plain| is_text(plain));
    }
    is_text(&base64(probe)).then(|| base64(run)).filter(|plain| is_text(plain))
}

/// The bytes of a run, whatever they are.
pub(crate) fn base16(run: &[u8]) -> Vec<u8> {
    let digits: Vec<u8> = run.iter().copied().filter_map(nibble).collect();
    digits.chunks_exact(2).map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | digit)).collect()
}

/// The bytes of a run, whatever they are.
pub(crate) fn base64(run: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(run.len() / 4 * 3 + 3);
    let sextets: Vec<u8> = run.iter().copied().filter_map(sextet).collect();
    for group in sextets.chunks(4) {
        let bits = group.iter().fold(0_u32, |bits, sextet| bits << 6 | u32::from(*sextet))
            << (6 * (4 - group.len()));
        let [_, first, second, third] = bits.to_be_bytes();
        plain.extend([first, second, third].into_iter().take(group.len() - 1));
    }
    plain
}

/// The value of a letter of base32 (RFC 4648, 6).
const fn quintet(byte: u8) -> Option<u8> {
    match byte {
        b'A'..=b'Z' => Some(byte - b'A'),
        b'2'..=b'7' => Some(byte - b'2' + 26),
        _ => None,
    }
}

/// Whole bytes of a base32 run; what a run ends with beyond them is padding.
pub(crate) fn base32(run: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(run.len() / 8 * 5 + 5);
    let (mut bits, mut held) = (0_u16, 0_u32);
    for quintet in run.iter().copied().filter_map(quintet) {
        bits = bits << 5 | u16::from(quintet);
        held += 5;
        if held >= 8 {
            held -= 8;
            plain.extend((bits >> held).to_le_bytes().first());
        }
    }
    plain
}

/// Groups of eight binary digits, with or without a blank between them.
fn binary_runs(text: &[u8], found: &mut Vec<Decoded>) {
    let mut at = 0;
    while at + 1 < text.len() {
        // Of two neighbours in a run at least one is a digit, and every run covers such a place.
        let near = text.get(at..at + 2).unwrap_or_default();
        if !near.iter().all(|byte| is_binary(*byte)) {
            at += BINARY_STRIDE;
            continue;
        }
        let back = text.get(at.saturating_sub(BINARY_STRIDE)..at).unwrap_or_default();
        let start = at - back.iter().rev().take_while(|byte| is_binary(**byte)).count();
        // What stands before the first whole group is no part of the run.
        let start = (start..=at).find(|from| octet(text, *from).is_some()).unwrap_or(at);
        let (mut plain, mut end) = (Vec::new(), start);
        let mut from = start;
        while let Some(byte) = octet(text, from) {
            plain.push(byte);
            end = from + 8;
            from = if text.get(end) == Some(&b' ') { end + 1 } else { end };
        }
        if plain.len() >= BINARY_GROUPS_MIN && is_text(&plain) {
            found.push(Decoded { text: plain, start, end });
        }
        at = end.max(at) + BINARY_STRIDE;
    }
}

const fn is_binary(byte: u8) -> bool {
    matches!(byte, b'0' | b'1' | b' ')
}

fn octet(text: &[u8], from: usize) -> Option<u8> {
    text.get(from..from + 8)?.iter().try_fold(0_u8, |byte, digit| match digit {
        b'0' | b'1' => Some(byte << 1 | (digit - b'0')),
        _ => None,
    })
}

fn is_text(plain: &[u8]) -> bool {
    let printable = plain.iter().filter(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t' | b'\r')).count();
    !plain.is_empty() && printable * 100 >= plain.len() * PRINTABLE_PERCENT_MIN
}

fn percent_runs(text: &[u8], found: &mut Vec<Decoded>) {
    let mut done = 0;
    for sign in memchr::memchr_iter(b'%', text) {
        if sign < done || escape(text.get(sign..).unwrap_or_default()).is_none() {
            continue;
        }
        let reach = sign.saturating_sub(PERCENT_REACH).max(done);
        let before = text.get(reach..sign).unwrap_or_default();
        let start = reach + before.iter().rposition(|byte| ends_address(*byte)).map_or(0, |last| last + 1);
        let rest = text.get(sign..).unwrap_or_default();
        let end = sign + rest.iter().take_while(|byte| !ends_address(**byte)).count();
        let (plain, escapes) = percent(text.get(start..end).unwrap_or_default());
        if escapes >= PERCENT_ESCAPES_MIN && is_text(&plain) {
            found.push(Decoded { text: plain, start, end });
        }
        done = end;
    }
}

fn ends_address(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b'`' | b'(' | b')')
}

fn escape(bytes: &[u8]) -> Option<u8> {
    match bytes {
        [b'%', high, low, ..] => Some(nibble(*high)? << 4 | nibble(*low)?),
        _ => None,
    }
}

fn percent(run: &[u8]) -> (Vec<u8>, usize) {
    let mut plain = Vec::with_capacity(run.len());
    let (mut rest, mut escapes) = (run, 0);
    while let Some((first, tail)) = rest.split_first() {
        match escape(rest) {
            Some(byte) => {
                plain.push(byte);
                escapes += 1;
                rest = rest.get(3..).unwrap_or_default();
            }
            None => {
                plain.push(if *first == b'+' { b' ' } else { *first });
                rest = tail;
            }
        }
    }
    (plain, escapes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<String> {
        decoded(text.as_bytes())
            .into_iter()
            .map(|run| String::from_utf8_lossy(&run.text).into_owned())
            .collect()
    }

    #[test]
    fn base64_is_found_wherever_it_begins() {
        for lead in 0..60 {
            let text = format!("{} c2hlIHNlbGxzIHNlYSBzaGVsbHMgYnkgdGhlIHNlYQ== end", "x ".repeat(lead));
            assert_eq!(texts(&text), ["she sells sea shells by the sea"], "lead {lead}");
        }
    }

    #[test]
    fn a_wrapped_encoding_is_one_run() {
        let text =
            "VGhlIHF1aWNrIGJyb3duIGZveCBqdW1wcyBvdmVyIHRoZSBsYXp5IGRvZyBhbmQg\nYmFjayBhZ2FpbiB0d2ljZQ==";
        assert_eq!(texts(text), ["The quick brown fox jumps over the lazy dog and back again twice"]);
    }

    #[test]
    fn hexadecimal_text_is_decoded_and_a_digest_is_not() {
        assert_eq!(texts("7368652073656c6c73207365612e2e2e"), ["she sells sea..."]);
        assert!(texts("d41d8cd98f00b204e9800998ecf8427e").is_empty());
    }

    #[test]
    fn base32_and_binary_digits_are_decoded_and_constants_are_not() {
        assert_eq!(texts("ONUGKIDTMVWGY4ZAONSWCIDTNBSWY3DT"), ["she sells sea shells"]);
        assert_eq!(
            texts("x 01110011 01101000 01100101 00100000 01110011 01100101 01101100 01101100 y"),
            ["she sell"]
        );
        assert!(texts("MAX_REQUESTSPERCONNECTIONANDHOST").is_empty());
        assert!(texts("10000000 11111111 00000000 10101010 11110000 00001111 11001100 10000001").is_empty());
    }

    #[test]
    fn percent_runs_need_more_than_a_few_spaces() {
        assert!(texts("https://a.example/a%20b").is_empty());
        assert_eq!(texts("q=%72%75%6e it"), ["q=run"]);
    }

    #[test]
    fn identifiers_and_paths_are_no_encoding() {
        assert!(texts("src/components/navigation/SidebarNavigationItemRenderer").is_empty());
    }
}
