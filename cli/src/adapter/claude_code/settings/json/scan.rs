//! The scanner: one pass, recursion bounded.

use super::string::scan_string;
use super::{DEPTH_MAX, Kind, Member, Node};

/// Why a text is not JSON, and at which byte.
#[derive(Debug)]
pub(super) struct Wrong {
    pub(super) problem: &'static str,
    pub(super) at: usize,
}

pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
    pub(super) relaxed_at: Option<usize>,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        // The host accepts a byte order mark, and it is no part of the value.
        let at = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
        Self { text, at, relaxed_at: None }
    }

    /// Reads the whole text.
    pub(super) fn document(&mut self) -> Result<Option<Node>, Wrong> {
        self.skip_blank()?;
        if self.peek().is_none() {
            return Ok(None);
        }
        let root = self.value(DEPTH_MAX)?;
        self.skip_blank()?;
        match self.peek() {
            None => Ok(Some(root)),
            Some(_) => Err(self.wrong("text after the end of the value")),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn wrong(&self, problem: &'static str) -> Wrong {
        Wrong { problem, at: self.at }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.at += 1;
        }
        found
    }

    fn relaxed(&mut self, at: usize) {
        self.relaxed_at = Some(self.relaxed_at.map_or(at, |first| first.min(at)));
    }

    /// Skips white space (RFC 8259, section 2) and comments.
    fn skip_blank(&mut self) -> Result<(), Wrong> {
        loop {
            while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
                self.at += 1;
            }
            let rest = self.rest();
            let len = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                let body = rest.get(2..).unwrap_or_default();
                body.find("*/").ok_or_else(|| self.wrong("comment without an end"))?.saturating_add(4)
            } else {
                return Ok(());
            };
            self.relaxed(self.at);
            self.at = self.at.saturating_add(len);
        }
    }

    fn value(&mut self, depth: usize) -> Result<Node, Wrong> {
        let start = self.at;
        let kind = match self.peek() {
            Some(b'{') => self.object(depth)?,
            Some(b'[') => self.array(depth)?,
            Some(b'"') => Kind::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.word("true", Kind::Bool(true))?,
            Some(b'f') => self.word("false", Kind::Bool(false))?,
            Some(b'n') => self.word("null", Kind::Null)?,
            Some(_) => return Err(self.wrong("expected a value")),
            None => return Err(self.wrong("the text ends where a value is expected")),
        };
        Ok(Node { span: start..self.at, kind })
    }

    fn word(&mut self, word: &str, kind: Kind) -> Result<Kind, Wrong> {
        if !self.rest().starts_with(word) {
            return Err(self.wrong("expected a value"));
        }
        self.at = self.at.saturating_add(word.len());
        Ok(kind)
    }

    fn string(&mut self) -> Result<String, Wrong> {
        let (decoded, end) = scan_string(self.text, self.at)?;
        self.at = end;
        Ok(decoded)
    }

    fn number(&mut self) -> Result<Kind, Wrong> {
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        Ok(Kind::Number)
    }

    fn digits(&mut self) -> Result<(), Wrong> {
        let start = self.at;
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        if self.at == start { Err(self.wrong("expected a digit")) } else { Ok(()) }
    }

    fn array(&mut self, depth: usize) -> Result<Kind, Wrong> {
        let depth = self.descend(depth)?;
        let mut items = Vec::new();
        while self.more(b']', items.is_empty(), "expected `,` or `]`")? {
            items.push(self.value(depth)?);
        }
        Ok(Kind::Array(items))
    }

    fn object(&mut self, depth: usize) -> Result<Kind, Wrong> {
        let depth = self.descend(depth)?;
        let mut members = Vec::new();
        while self.more(b'}', members.is_empty(), "expected `,` or `}`")? {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.wrong("expected a key in double quotes"));
            }
            let key = self.string()?;
            let key_span = start..self.at;
            self.skip_blank()?;
            if !self.take(b':') {
                return Err(self.wrong("expected `:`"));
            }
            self.skip_blank()?;
            members.push(Member { key, key_span, value: self.value(depth)? });
        }
        Ok(Kind::Object(members))
    }

    /// Steps behind an opening bracket.
    fn descend(&mut self, depth: usize) -> Result<usize, Wrong> {
        let below = depth.checked_sub(1).ok_or_else(|| self.wrong("nested too deep"))?;
        self.at += 1;
        Ok(below)
    }

    /// Moves to the next element of a container, over the comma before it, or behind the closing bracket.
    fn more(&mut self, close: u8, is_first: bool, expected: &'static str) -> Result<bool, Wrong> {
        self.skip_blank()?;
        if self.take(close) {
            return Ok(false);
        }
        if is_first {
            return Ok(true);
        }
        let comma = self.at;
        if !self.take(b',') {
            return Err(self.wrong(expected));
        }
        self.skip_blank()?;
        if self.take(close) {
            self.relaxed(comma);
            return Ok(false);
        }
        Ok(true)
    }
}
