//! What may leave the machine: a text with its secrets masked, byte for byte, so that every position in it is
//! that of the original.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};
use circinus_core::operand::secret_kinds;
use regex::bytes::{Regex, RegexBuilder};

use crate::provider::Secret;

/// What stands for each masked byte.
const MASK: u8 = b'*';

/// Bytes of a value that a telling name announces; a longer one is masked so far, and what follows is not
/// part of a secret any more.
const VALUE_BYTES_MAX: usize = 512;

/// Parts of a JSON web token (RFC 7519).
const WEB_TOKEN_PARTS: usize = 3;

struct Rules {
    prefixes: AhoCorasick,
    /// Values behind a telling name, credentials in URLs and headers; the last group is what is masked.
    announced: Vec<Regex>,
    private_keys: Regex,
}

/// The patterns are constants and compile; a test says so. If one did not, nothing would leave.
static RULES: LazyLock<Option<Rules>> = LazyLock::new(|| {
    let prefixes = secret_kinds().iter().map(|kind| kind.prefix);
    let prefixes = AhoCorasick::builder().match_kind(MatchKind::LeftmostFirst).build(prefixes).ok()?;
    let value = format!(r#"([^\s"'`,;&<>|]{{4,{VALUE_BYTES_MAX}}})"#);
    let name = "pass(?:word|wd|phrase)?|pwd|secret|token|credential|api[_-]?key|access[_-]?key|private[_-]?key|\
                client[_-]?secret|session[_-]?id|cookie|signature";
    let announced = [
        format!(r#"(?i)(?:{name})s?["'`]?\s{{0,4}}(?::=|=>|=|:)\s{{0,4}}["'`]?{value}"#),
        format!(r"(?i)\b(?:bearer|basic|token)\s{{1,4}}([a-z0-9+/=._~-]{{8,{VALUE_BYTES_MAX}}})"),
        format!(
            r"[a-zA-Z][a-zA-Z0-9+.-]{{1,20}}://[^\s/@:]{{0,{VALUE_BYTES_MAX}}}:([^\s/@]{{1,{VALUE_BYTES_MAX}}})@"
        ),
    ];
    let announced = announced.iter().map(|pattern| Regex::new(pattern).ok()).collect::<Option<Vec<_>>>()?;
    let private_keys =
        "(?s)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.*?(?:-----END [A-Z0-9 ]{0,40}-----|\\z)";
    let private_keys = RegexBuilder::new(private_keys).build().ok()?;
    Some(Rules { prefixes, announced, private_keys })
});

/// `bytes` as text of the same length: known secrets, private keys, credentials in URLs and headers, values
/// behind telling names and `key` itself masked, and every byte that is no UTF-8 replaced by `?`.
///
/// None if the rules could not be built: then nothing may leave.
///
/// INVARIANT (no-secret-leaves): every text that is put to a provider went through here.
pub fn redacted(bytes: &[u8], key: Option<&Secret>) -> Option<String> {
    let rules = RULES.as_ref()?;
    let mut text = readable(bytes);
    let mut masked = ranges(rules, &text);
    masked.extend(key.iter().flat_map(|key| key.found_in(&text)));
    for (start, end) in masked {
        // A character that begins inside and ends outside would no longer be whole.
        let end = (end..text.len()).find(|at| is_boundary(&text, *at)).unwrap_or(text.len());
        let start = (0..=start).rev().find(|at| is_boundary(&text, *at)).unwrap_or(0);
        if let Some(range) = text.get_mut(start..end) {
            range.fill(MASK);
        }
    }
    String::from_utf8(text).ok()
}

fn readable(bytes: &[u8]) -> Vec<u8> {
    let mut text = Vec::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.extend_from_slice(chunk.valid().as_bytes());
        text.resize(text.len() + chunk.invalid().len(), b'?');
    }
    text
}

fn is_boundary(text: &[u8], at: usize) -> bool {
    // UTF-8 continuation bytes are 10xxxxxx (RFC 3629, 3).
    text.get(at).is_none_or(|byte| byte & 0xc0 != 0x80)
}

fn ranges(rules: &Rules, text: &[u8]) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> =
        rules.private_keys.find_iter(text).map(|key| (key.start(), key.end())).collect();
    for pattern in &rules.announced {
        let values = pattern.captures_iter(text).filter_map(|captures| captures.get(captures.len() - 1));
        found.extend(values.map(|value| (value.start(), value.end())));
    }
    found.extend(rules.prefixes.find_iter(text).filter_map(|prefix| {
        let kind = secret_kinds().get(prefix.pattern().as_usize())?;
        let rest = text.get(prefix.start()..)?;
        let token = rest.get(..rest.iter().take_while(|byte| is_token_byte(**byte)).count())?;
        // A web token begins as any JSON object in base64 does; an encoded text is no secret.
        let parts = token.split(|byte| *byte == b'.').filter(|part| !part.is_empty()).count();
        let whole = kind.prefix != "eyJ" || parts >= WEB_TOKEN_PARTS;
        (token.len() >= kind.bytes_min && whole).then(|| (prefix.start(), prefix.start() + token.len()))
    }));
    found
}

fn is_token_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'+' | b'/' | b'=' | b'~')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redact(text: &str) -> String {
        redacted(text.as_bytes(), None).expect("the rules are built")
    }

    #[test]
    fn secrets_of_every_kind_are_masked_in_place() {
        for (text, secret) in [
            (
                "export GH=ghp_7Kd93mQz0Lw5Tn28Rx64Vb1Yc8Fh3Js0Pg2A now",
                "ghp_7Kd93mQz0Lw5Tn28Rx64Vb1Yc8Fh3Js0Pg2A",
            ),
            ("AKIAQ3EGUYTDZ4K7LM2N", "AKIAQ3EGUYTDZ4K7LM2N"),
            ("password: hunter22, then", "hunter22"),
            (r#"{"api_key": "a7x-9931-zz"}"#, "a7x-9931-zz"),
            ("DB_PASSWORD='s3cr3t!pw'", "s3cr3t!pw"),
            ("Authorization: Bearer abcdef0123456789", "abcdef0123456789"),
            ("postgres://app:pa55word@db.internal/x", "pa55word"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIB\nabc\n-----END RSA PRIVATE KEY-----\nrest", "MIIB\nabc"),
            ("-----BEGIN PRIVATE KEY-----\nMIIB", "MIIB"),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMTIz", "c2lnbmF0dXJlMTIz"),
        ] {
            let safe = redact(text);
            assert!(!safe.contains(secret), "{safe}");
            assert_eq!(safe.len(), text.len(), "{text}");
        }
        assert!(
            redact("-----BEGIN PRIVATE KEY-----\nx\n-----END PRIVATE KEY-----\nrest").ends_with("\nrest")
        );
    }

    #[test]
    fn a_secret_deep_in_a_long_line_is_masked() {
        let text = format!("{}ghp_7Kd93mQz0Lw5Tn28Rx64Vb1Yc8Fh3Js0Pg2A", "x/".repeat(4_000));
        assert!(!redact(&text).contains("7Kd93mQz0Lw5Tn28"));
    }

    #[test]
    fn plain_text_and_encoded_text_stay_as_they_are() {
        for text in [
            "Run cargo test, then send the report to anna@example.org.",
            "The token is used once. Passwords are hashed.",
            "data:text/plain;base64,SWdub3JlIGFsbCBwcmV2aW91cyBpbnN0cnVjdGlvbnM=",
            "Grüße aus Köln, 東京",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn the_key_of_the_provider_is_masked_and_broken_text_is_made_whole() {
        let key = Secret::new("local-key-77").unwrap();
        let safe = redacted(b"x local-key-77 \xff\xfe y", Some(&key)).unwrap();
        assert_eq!(safe, "x ************ ?? y");
    }
}
