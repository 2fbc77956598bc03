//! Addresses that say one host and mean another.

/// Bytes of an address or of a link text that are looked at.
const REACH: usize = 256;

/// One decoy address: signal and range.
pub(super) type Decoy = (&'static str, usize, usize);

/// All decoy addresses of `text`. Linear: the look-back and look-ahead of each `://` are bounded.
pub(super) fn decoys(text: &[u8]) -> Vec<Decoy> {
    memchr::memmem::find_iter(text, b"://").filter_map(|at| decoy(text, at)).collect()
}

fn decoy(text: &[u8], at: usize) -> Option<Decoy> {
    let from = at + 3;
    let rest = text.get(from..text.len().min(from + REACH))?;
    let length = rest
        .iter()
        .take_while(|byte| !byte.is_ascii_whitespace() && !b"/?#\"'<>()[]{}`\\,;".contains(byte))
        .count();
    let authority = rest.get(..length)?;
    let (user, host) = match memchr::memrchr(b'@', authority) {
        Some(sign) => (authority.get(..sign)?, authority.get(sign + 1..)?),
        None => (&[][..], authority),
    };
    if looks_like_host(user) && looks_like_host(host) {
        return Some(("D1", at, from + length));
    }
    if mixes_scripts(host) {
        return Some(("D2", at, from + length));
    }
    let shown = markdown_text(text, at).or_else(|| anchor_text(text, from + length))?;
    differs(shown_host(shown)?, host).then_some(("D3", at, from + length))
}

/// A name with a dot between letters and a top level of letters.
fn looks_like_host(name: &[u8]) -> bool {
    let Some(dot) = memchr::memrchr(b'.', name) else { return false };
    let top = name.get(dot + 1..).unwrap_or_default();
    dot > 0
        && top.len() >= 2
        && top.iter().all(u8::is_ascii_alphabetic)
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-'))
}

/// Whether one label holds ASCII letters and letters of Greek or Cyrillic (UTS 39 calls it mixed-script).
fn mixes_scripts(host: &[u8]) -> bool {
    let Ok(host) = std::str::from_utf8(host) else { return false };
    host.split('.').any(|label| {
        label.contains(|c: char| c.is_ascii_alphabetic())
            && label.contains(|c| matches!(c, '\u{370}'..='\u{52f}'))
    })
}

/// The text of `[text](scheme://…)`, given the place of `://`.
fn markdown_text(text: &[u8], at: usize) -> Option<&[u8]> {
    let before = text.get(at.saturating_sub(REACH)..at)?;
    let scheme = before.iter().rev().take_while(|byte| byte.is_ascii_alphabetic()).count();
    let before = before.get(..before.len() - scheme)?.strip_suffix(b"](")?;
    before.get(memchr::memrchr(b'[', before)? + 1..)
}

/// The text of `<a href="…">text</a>`, given the end of the authority.
fn anchor_text(text: &[u8], from: usize) -> Option<&[u8]> {
    let rest = text.get(from..text.len().min(from + REACH))?;
    let tag_end = memchr::memchr2(b'>', b'\n', rest).filter(|&at| rest.get(at) == Some(&b'>'))?;
    memchr::memchr2(b'"', b'\'', rest.get(..tag_end)?)?;
    let shown = rest.get(tag_end + 1..)?;
    let close = memchr::memchr(b'<', shown)?;
    shown.get(close..)?.starts_with(b"</a").then_some(shown.get(..close)?)
}

/// The host that a link text shows, when the text is nothing but an address.
fn shown_host(shown: &[u8]) -> Option<&[u8]> {
    let shown = shown.trim_ascii();
    let start = memchr::memmem::find(shown, b"://").map_or(0, |at| at + 3);
    let rest = shown.get(start..)?;
    let host = rest.get(..memchr::memchr3(b'/', b'?', b'#', rest).unwrap_or(rest.len()))?;
    // Without a scheme a dotted word is as likely a file or a package, unless it names the web.
    (looks_like_host(host) && (start > 0 || host.starts_with(b"www."))).then_some(host)
}

fn differs(shown: &[u8], host: &[u8]) -> bool {
    let host = host.get(..memchr::memchr(b':', host).unwrap_or(host.len())).unwrap_or_default();
    let tail = |name: &[u8]| {
        let lower = name.to_ascii_lowercase();
        let labels: Vec<Vec<u8>> =
            lower.split(|byte| *byte == b'.').rev().take(2).map(<[u8]>::to_vec).collect();
        labels
    };
    !host.is_empty() && looks_like_host(host) && tail(shown) != tail(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signals(text: &str) -> Vec<&'static str> {
        decoys(text.as_bytes()).into_iter().map(|(signal, ..)| signal).collect()
    }

    #[test]
    fn a_host_in_the_user_part_is_a_decoy_and_a_login_is_not() {
        assert_eq!(signals("https://forge.example.com@203.evil-host.net/x"), ["D1"]);
        assert!(signals("https://deploy:pw@forge.example.com/x").is_empty());
        assert!(signals("ssh://git@forge.example.com/x").is_empty());
    }

    #[test]
    fn a_host_of_two_scripts_is_a_decoy_and_a_foreign_host_is_not() {
        assert_eq!(signals("http://p\u{430}yments.example"), ["D2"]);
        assert!(signals("http://\u{43f}\u{440}\u{438}\u{43c}\u{435}\u{440}.example").is_empty());
    }

    #[test]
    fn link_text_that_names_another_host_is_a_decoy() {
        assert_eq!(signals("[https://docs.good.example](https://other.test/a)").last(), Some(&"D3"));
        assert_eq!(signals("<a href=\"https://other.test/a\">www.good.example</a>"), ["D3"]);
        assert!(signals("[https://docs.good.example](https://www.good.example/a)").is_empty());
        assert!(signals("[setup.py](https://forge.example.com/setup.py)").is_empty());
    }
}
