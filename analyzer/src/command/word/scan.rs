//! Finding where a substitution ends.

use super::super::parse::parse;

/// Closing parentheses tried for one substitution: the first nearly always fits; `case` patterns inside a
/// substitution need one more each.
const CANDIDATES_MAX: usize = 16;
/// Quotes inside substitutions inside quotes that are followed.
const QUOTE_DEPTH_MAX: usize = 32;

/// A cursor over the characters of a raw word.
pub(super) struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    pub(super) fn finish(&mut self) {
        self.at = self.text.len();
    }

    /// What stands before `end`, which is passed over.
    pub(super) fn until(&mut self, end: char) -> Option<String> {
        let (inside, _) = self.rest().split_once(end)?;
        self.at += inside.len() + end.len_utf8();
        Some(inside.to_owned())
    }

    /// At most `count` digits of base `radix`.
    pub(super) fn digits(&mut self, radix: u32, count: usize) -> String {
        let digits: String = self.rest().chars().take(count).take_while(|c| c.is_digit(radix)).collect();
        self.at += digits.len();
        digits
    }

    pub(super) fn number(&mut self, radix: u32, count: usize) -> Option<u32> {
        u32::from_str_radix(&self.digits(radix, count), radix).ok()
    }

    /// The inside of a parenthesis that is open at the cursor.
    pub(super) fn until_close_paren(&mut self) -> Option<String> {
        let inside = close_paren(self.rest())?;
        self.at += inside.len() + 1;
        Some(inside.to_owned())
    }

    /// The inside of a brace that is open at the cursor.
    pub(super) fn until_close_brace(&mut self) -> Option<String> {
        let rest = self.rest();
        let mut walk = Walk::new(rest);
        let mut depth = 0_usize;
        while let Some((at, c)) = walk.next_unquoted() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    self.at += at + 1;
                    return rest.get(..at).map(str::to_owned);
                }
                '}' => depth -= 1,
                _ => {}
            }
        }
        None
    }
}

/// The inside of the parenthesis that is open at the start of `text`: up to the first unquoted `)` before
/// which everything parses.
fn close_paren(text: &str) -> Option<&str> {
    let mut walk = Walk::new(text);
    walk.comments = true;
    let (mut depth, mut tried) = (0_usize, 0_usize);
    while let Some((at, c)) = walk.next_unquoted() {
        match c {
            '(' => depth += 1,
            ')' if depth > 0 => depth -= 1,
            ')' => {
                let inside = text.get(..at)?;
                // Balanced text without a `case` cannot be cut anywhere else.
                let sure = !inside.contains("case") || inside.starts_with('(');
                if sure || parse(inside).is_ok() {
                    return Some(inside);
                }
                tried += 1;
                if tried >= CANDIDATES_MAX {
                    return None;
                }
            }
            _ => {}
        }
    }
    None
}

/// Walks the unquoted characters of shell text: quotes, comments and here-document bodies are passed over.
struct Walk<'a> {
    text: &'a str,
    at: usize,
    comments: bool,
    blank_before: bool,
    here: Vec<(String, bool)>,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, comments: false, blank_before: true, here: Vec::new() }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn next_unquoted(&mut self) -> Option<(usize, char)> {
        loop {
            let rest = self.rest();
            let c = rest.chars().next()?;
            let at = self.at;
            let blank_before =
                std::mem::replace(&mut self.blank_before, c.is_whitespace() || ";&|(".contains(c));
            self.at += c.len_utf8();
            match c {
                '\\' => self.at += self.rest().chars().next().map_or(0, char::len_utf8),
                '\'' => self.skip_past('\'')?,
                '"' => self.at = skip_double(self.text, self.at, QUOTE_DEPTH_MAX)?,
                '`' => self.skip_past('`')?,
                '#' if self.comments && blank_before => {
                    self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                }
                '<' if self.comments && self.rest().starts_with("<<") => self.at += 2,
                '<' if self.comments && self.rest().starts_with('<') => self.here_delimiter(),
                '\n' if !self.here.is_empty() => self.skip_here_bodies(),
                _ => return Some((at, c)),
            }
        }
    }

    fn skip_past(&mut self, end: char) -> Option<()> {
        let mut escaped = false;
        for (offset, c) in self.rest().char_indices() {
            if c == end && !escaped {
                self.at += offset + c.len_utf8();
                return Some(());
            }
            escaped = end == '`' && c == '\\' && !escaped;
        }
        None
    }

    fn here_delimiter(&mut self) {
        self.at += 1;
        let strip = self.rest().starts_with('-');
        self.at += usize::from(strip);
        let rest = self.rest();
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        let word: String =
            rest.chars().skip(blanks).take_while(|c| !c.is_whitespace() && !";&|<>()".contains(*c)).collect();
        self.at += blanks + word.len();
        let delimiter: String = word.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect();
        if !delimiter.is_empty() {
            self.here.push((delimiter, strip));
        }
    }

    fn skip_here_bodies(&mut self) {
        for (delimiter, strip) in std::mem::take(&mut self.here) {
            loop {
                let rest = self.rest();
                let (line, more) = rest.split_once('\n').map_or((rest, false), |(line, _)| (line, true));
                self.at += line.len() + usize::from(more);
                let line = if strip { line.trim_start_matches('\t') } else { line };
                // bash also ends the body where the substitution around it ends in the same line. If anything
                // stood between, it would run; then there is no end here.
                let closes = line.strip_prefix(delimiter.as_str()).map(str::trim_start);
                if self.comments && closes.is_some_and(|rest| rest.starts_with(')')) {
                    self.at -= usize::from(more) + closes.map_or(0, str::len);
                    break;
                }
                if line == delimiter || !more {
                    break;
                }
            }
        }
        self.blank_before = true;
    }
}

/// The position behind the closing double quote, for text that is inside one from `at` on.
fn skip_double(text: &str, mut at: usize, depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    loop {
        let rest = text.get(at..)?;
        let c = rest.chars().next()?;
        at += c.len_utf8();
        match c {
            '"' => return Some(at),
            '\\' => at += text.get(at..)?.chars().next().map_or(0, char::len_utf8),
            '$' if text.get(at..)?.starts_with('(') => at = skip_substitution(text, at + 1, depth)?,
            _ => {}
        }
    }
}

/// The position behind the parenthesis that closes a substitution inside double quotes.
fn skip_substitution(text: &str, start: usize, depth: usize) -> Option<usize> {
    let depth = depth.checked_sub(1)?;
    let mut walk = Walk::new(text.get(start..)?);
    walk.comments = true;
    let mut open = 0_usize;
    loop {
        let rest = walk.rest();
        if rest.starts_with('"') {
            walk.at = skip_double(walk.text, walk.at + 1, depth)?;
            continue;
        }
        let (at, c) = walk.next_unquoted()?;
        match c {
            '(' => open += 1,
            ')' if open == 0 => return Some(start + at + 1),
            ')' => open -= 1,
            _ => {}
        }
    }
}
