//! A strict JSON reader (RFC 8259) for two questions: is this exactly one object, and what are some of its top-level
//! strings. It builds no tree, recurses nowhere, and has no "nearly".

use crate::limits::{JSON_DEPTH_MAX, JSON_MEMBERS_MAX};

/// The bytes are not exactly one JSON object with distinct top-level keys, within the limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Unreadable;

/// Whether a hook's standard output is acceptable to the host: nothing, or exactly one object.
pub(super) fn is_nothing_or_one_object(bytes: &[u8]) -> bool {
    bytes.is_empty() || top_level_strings(bytes, []).is_ok()
}

/// The string values of the wanted top-level keys. A wanted key whose value is not a string is [`Unreadable`], and
/// so are duplicate keys at the top level, bytes behind the object, and anything that is not UTF-8.
pub(super) fn top_level_strings<const N: usize>(
    bytes: &[u8],
    wanted: [&str; N],
) -> Result<[Option<String>; N], Unreadable> {
    let text = std::str::from_utf8(bytes).map_err(|_| Unreadable)?;
    let mut scanner = Scanner { text, at: 0 };
    let mut found = [const { None }; N];
    let mut keys: Vec<String> = Vec::new();
    scanner.space();
    scanner.expect(b'{')?;
    scanner.space();
    if !scanner.eat(b'}') {
        loop {
            let key = unescape(scanner.key()?)?;
            if keys.len() == JSON_MEMBERS_MAX || keys.contains(&key) {
                return Err(Unreadable);
            }
            match wanted.iter().zip(&mut found).find(|(name, _)| **name == key) {
                Some((_, slot)) => {
                    scanner.space();
                    *slot = Some(unescape(scanner.string()?)?);
                }
                None => scanner.value()?,
            }
            keys.push(key);
            scanner.space();
            if scanner.eat(b'}') {
                break;
            }
            scanner.expect(b',')?;
        }
    }
    scanner.space();
    if scanner.at == bytes.len() { Ok(found) } else { Err(Unreadable) }
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let is_there = self.peek() == Some(byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, byte: u8) -> Result<(), Unreadable> {
        if self.eat(byte) { Ok(()) } else { Err(Unreadable) }
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// A member's key, raw, and its colon.
    fn key(&mut self) -> Result<&'a str, Unreadable> {
        self.space();
        let key = self.string()?;
        self.space();
        self.expect(b':')?;
        Ok(key)
    }

    /// A string; gives what stands between the quotes, with its escapes checked but not resolved.
    fn string(&mut self) -> Result<&'a str, Unreadable> {
        self.expect(b'"')?;
        let start = self.at;
        loop {
            let byte = self.peek().ok_or(Unreadable)?;
            self.at += 1;
            match byte {
                b'"' => return self.text.get(start..self.at - 1).ok_or(Unreadable),
                b'\\' => {
                    let escape = self.peek().ok_or(Unreadable)?;
                    self.at += 1;
                    match escape {
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => {}
                        b'u' => {
                            hex(self.text.get(self.at..self.at + 4).ok_or(Unreadable)?)?;
                            self.at += 4;
                        }
                        _ => return Err(Unreadable),
                    }
                }
                0..=0x1f => return Err(Unreadable),
                _ => {}
            }
        }
    }

    fn digits(&mut self) -> Result<(), Unreadable> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Unreadable) }
    }

    fn number(&mut self) -> Result<(), Unreadable> {
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _signed = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(())
    }

    fn word(&mut self, word: &str) -> Result<(), Unreadable> {
        let rest = self.text.get(self.at..).ok_or(Unreadable)?;
        if !rest.starts_with(word) {
            return Err(Unreadable);
        }
        self.at += word.len();
        Ok(())
    }

    /// Any value, stepped over. `open` holds the brackets that are still to be closed.
    fn value(&mut self) -> Result<(), Unreadable> {
        let mut open: Vec<u8> = Vec::new();
        loop {
            self.space();
            let opened = match self.peek().ok_or(Unreadable)? {
                b'{' => Some(b'}'),
                b'[' => Some(b']'),
                b'"' => self.string().map(|_| None)?,
                b't' => self.word("true").map(|()| None)?,
                b'f' => self.word("false").map(|()| None)?,
                b'n' => self.word("null").map(|()| None)?,
                _ => self.number().map(|()| None)?,
            };
            if let Some(close) = opened {
                self.at += 1;
                self.space();
                if !self.eat(close) {
                    if open.len() == JSON_DEPTH_MAX {
                        return Err(Unreadable);
                    }
                    open.push(close);
                    if close == b'}' {
                        self.key()?;
                    }
                    continue;
                }
            }
            if !self.after_value(&mut open)? {
                return Ok(());
            }
        }
    }

    /// Closes what ends behind a value; whether another value follows.
    fn after_value(&mut self, open: &mut Vec<u8>) -> Result<bool, Unreadable> {
        while let Some(&close) = open.last() {
            self.space();
            if self.eat(close) {
                open.pop();
                continue;
            }
            self.expect(b',')?;
            if close == b'}' {
                self.key()?;
            }
            return Ok(true);
        }
        Ok(false)
    }
}

fn hex(digits: &str) -> Result<u16, Unreadable> {
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Unreadable);
    }
    u16::from_str_radix(digits, 16).map_err(|_| Unreadable)
}

/// Resolves the escapes of a string that [`Scanner::string`] accepted; half of a surrogate pair is unreadable.
fn unescape(raw: &str) -> Result<String, Unreadable> {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((plain, escaped)) = rest.split_once('\\') {
        text.push_str(plain);
        let mut chars = escaped.chars();
        match chars.next().ok_or(Unreadable)? {
            'b' => text.push('\u{8}'),
            'f' => text.push('\u{c}'),
            'n' => text.push('\n'),
            'r' => text.push('\r'),
            't' => text.push('\t'),
            'u' => {
                let first = hex(escaped.get(1..5).ok_or(Unreadable)?)?;
                let mut after = escaped.get(5..).ok_or(Unreadable)?;
                let mut units = vec![first];
                if (0xd800..0xdc00).contains(&first) {
                    let second =
                        after.strip_prefix("\\u").and_then(|pair| pair.get(..4)).ok_or(Unreadable)?;
                    units.push(hex(second)?);
                    after = after.get(6..).ok_or(Unreadable)?;
                }
                text.push_str(&String::from_utf16(&units).map_err(|_| Unreadable)?);
                rest = after;
                continue;
            }
            same => text.push(same),
        }
        rest = chars.as_str();
    }
    text.push_str(rest);
    Ok(text)
}

#[cfg(test)]
mod tests;
