//! The word lexer: one raw word to its pieces, quoting resolved, nothing expanded.
//!
//! The structural parser's own word parts lose substitutions below depth two, so they are never read; every
//! word, unquoted here-document body, arithmetic text and `${x:-…}` argument goes through this lexer.

mod brace;
mod scan;

use scan::Scanner;

pub(super) use brace::braces;

/// One piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// Text as the program would get it; unquoted text may still hold glob and brace characters.
    Text { text: String, quoted: bool },
    /// `$name` or `${name…}`: the rest behind the name, raw.
    Param { name: String, rest: String, quoted: bool },
    /// `$(…)` or backticks, escapes undone.
    Command { source: String, quoted: bool },
    /// `<(…)` (or, if `output`, `>(…)`).
    Process { source: String, output: bool },
    /// `$((…))`: the raw expression.
    Arithmetic(String),
    /// The word does not lex: a substitution has no end.
    Broken,
}

/// How the text around is quoted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Mode {
    /// A word of a command.
    Word,
    /// The inside of double quotes, an unquoted here-document, arithmetic.
    Heredoc,
}

/// The pieces of `raw`.
pub(super) fn lex(raw: &str, mode: Mode) -> Vec<Piece> {
    let mut lexer = Lexer { scan: Scanner::new(raw), pieces: Vec::new(), text: String::new(), quoted: false };
    match mode {
        Mode::Word => lexer.word(),
        Mode::Heredoc => {
            lexer.double(None);
            lexer.flush();
        }
    }
    lexer.pieces
}

struct Lexer<'a> {
    scan: Scanner<'a>,
    pieces: Vec<Piece>,
    text: String,
    quoted: bool,
}

impl Lexer<'_> {
    fn flush(&mut self) {
        if !self.text.is_empty() {
            self.pieces.push(Piece::Text { text: std::mem::take(&mut self.text), quoted: self.quoted });
        }
    }

    fn push(&mut self, c: char, quoted: bool) {
        if self.quoted != quoted {
            self.flush();
            self.quoted = quoted;
        }
        self.text.push(c);
    }

    fn piece(&mut self, piece: Piece) {
        self.flush();
        self.pieces.push(piece);
    }

    /// Quotes without content still make a word.
    fn empty_quotes(&mut self) {
        self.piece(Piece::Text { text: String::new(), quoted: true });
    }

    fn word(&mut self) {
        while let Some(c) = self.scan.next() {
            match c {
                '\'' => self.single(),
                '"' => {
                    self.empty_quotes();
                    self.double(Some('"'));
                }
                '\\' => match self.scan.next() {
                    Some('\n') => {}
                    Some(escaped) => self.push(escaped, true),
                    None => self.push('\\', true),
                },
                '$' => self.dollar(false),
                '`' => self.backtick(false),
                '<' | '>' if self.scan.peek() == Some('(') => {
                    self.scan.next();
                    match self.scan.until_close_paren() {
                        Some(source) => self.piece(Piece::Process { source, output: c == '>' }),
                        None => self.broken(),
                    }
                }
                _ => self.push(c, false),
            }
        }
        self.flush();
    }

    fn single(&mut self) {
        self.empty_quotes();
        while let Some(c) = self.scan.next() {
            if c == '\'' {
                return;
            }
            self.push(c, true);
        }
        self.broken();
    }

    /// The inside of double quotes up to `end`, or everything if there is none.
    fn double(&mut self, end: Option<char>) {
        while let Some(c) = self.scan.next() {
            match c {
                _ if Some(c) == end => return,
                '\\' => match self.scan.peek() {
                    Some('\n') => {
                        self.scan.next();
                    }
                    Some(escaped @ ('$' | '`' | '"' | '\\')) if escaped != '"' || end.is_some() => {
                        self.scan.next();
                        self.push(escaped, true);
                    }
                    _ => self.push('\\', true),
                },
                '$' => self.dollar(true),
                '`' => self.backtick(true),
                _ => self.push(c, true),
            }
        }
        if end.is_some() {
            self.broken();
        }
    }

    fn broken(&mut self) {
        self.scan.finish();
        self.piece(Piece::Broken);
    }

    fn dollar(&mut self, quoted: bool) {
        match self.scan.peek() {
            Some('(') => {
                self.scan.next();
                self.parenthesis(quoted);
            }
            Some('{') => {
                self.scan.next();
                match self.scan.until_close_brace() {
                    Some(inside) => self.braced(&inside, quoted),
                    None => self.broken(),
                }
            }
            Some('[') => {
                self.scan.next();
                match self.scan.until(']') {
                    Some(inside) => self.piece(Piece::Arithmetic(inside)),
                    None => self.broken(),
                }
            }
            Some('\'') if !quoted => {
                self.scan.next();
                self.ansi_c();
            }
            Some('"') if !quoted => {
                self.scan.next();
                self.empty_quotes();
                self.double(Some('"'));
            }
            Some(c) if c.is_ascii_alphabetic() || c == '_' => {
                let mut name = String::new();
                while let Some(c) = self.scan.peek().filter(|c| c.is_ascii_alphanumeric() || *c == '_') {
                    self.scan.next();
                    name.push(c);
                }
                self.piece(Piece::Param { name, rest: String::new(), quoted });
            }
            Some(c) if c.is_ascii_digit() || "@*#?$!-".contains(c) => {
                self.scan.next();
                self.piece(Piece::Param { name: c.to_string(), rest: String::new(), quoted });
            }
            _ => self.push('$', quoted),
        }
    }

    fn parenthesis(&mut self, quoted: bool) {
        let Some(source) = self.scan.until_close_paren() else { return self.broken() };
        let arithmetic = source.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
        match arithmetic {
            Some(expression) => self.piece(Piece::Arithmetic(expression.to_owned())),
            None => self.piece(Piece::Command { source, quoted }),
        }
    }

    fn braced(&mut self, inside: &str, quoted: bool) {
        let body = inside.strip_prefix(['#', '!']).filter(|rest| !rest.is_empty()).unwrap_or(inside);
        let end = body.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(body.len());
        let (name, rest) = match body.split_at_checked(end) {
            Some(("", _)) | None => (body.to_owned(), String::new()),
            Some((name, rest)) => (name.to_owned(), rest.to_owned()),
        };
        // `${#x}` and `${!x}` give something other than the value of x.
        let rest = if body.len() == inside.len() { rest } else { format!("#{rest}") };
        self.piece(Piece::Param { name, rest, quoted });
    }

    fn backtick(&mut self, quoted: bool) {
        let mut source = String::new();
        while let Some(c) = self.scan.next() {
            match c {
                '`' => return self.piece(Piece::Command { source, quoted }),
                '\\' => match self.scan.next() {
                    Some(escaped @ ('$' | '`' | '\\')) => source.push(escaped),
                    Some('"') if quoted => source.push('"'),
                    Some(other) => source.extend(['\\', other]),
                    None => source.push('\\'),
                },
                _ => source.push(c),
            }
        }
        self.broken();
    }

    /// ANSI-C quoting (bash manual, 3.1.2.4).
    fn ansi_c(&mut self) {
        self.empty_quotes();
        while let Some(c) = self.scan.next() {
            let c = match c {
                '\'' => return,
                '\\' => match self.scan.next() {
                    None => break,
                    Some(kind) => match self.escape(kind) {
                        Some(c) => c,
                        None => continue,
                    },
                },
                other => other,
            };
            self.push(c, true);
        }
        self.broken();
    }

    fn escape(&mut self, kind: char) -> Option<char> {
        Some(match kind {
            'a' => '\u{7}',
            'b' => '\u{8}',
            'e' | 'E' => '\u{1b}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' => return self.scan.number(16, 2).and_then(char::from_u32),
            'u' => return self.scan.number(16, 4).and_then(char::from_u32),
            'U' => return self.scan.number(16, 8).and_then(char::from_u32),
            'c' => return self.scan.next().and_then(|c| char::from_u32(u32::from(c) & 0x1f)),
            '0'..='7' => {
                let first = kind.to_digit(8)?;
                let rest = self.scan.digits(8, 2);
                return char::from_u32(
                    rest.chars().filter_map(|c| c.to_digit(8)).fold(first, |n, d| n * 8 + d),
                );
            }
            other => other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> String {
        lex(raw, Mode::Word)
            .into_iter()
            .map(|piece| match piece {
                Piece::Text { text, .. } => text,
                other => format!("<{other:?}>"),
            })
            .collect()
    }

    #[test]
    fn quotes_and_escapes_are_undone() {
        for (raw, expected) in [
            (r"g\it", "git"),
            ("g''i\"t\"", "git"),
            (r"$'\x67\151t'", "git"),
            ("\"a\\$b\"", "a$b"),
            ("'a\\b'", "a\\b"),
            ("a\\\nb", "ab"),
        ] {
            assert_eq!(text(raw), expected, "{raw}");
        }
    }

    #[test]
    fn substitutions_end_where_bash_ends_them() {
        for (raw, source) in [
            ("$(a ')' b)", "a ')' b"),
            ("\"$(a \"x)\" b)\"", "a \"x)\" b"),
            ("$(case x in x) a;; esac)", "case x in x) a;; esac"),
            ("$(a # )\nb)", "a # )\nb"),
            ("$(cat <<'E'\ndon't (stop)\nE\n)", "cat <<'E'\ndon't (stop)\nE\n"),
            ("$(cat <<'E'\nf(x\nE)", "cat <<'E'\nf(x\nE"),
            ("$(a $(b $(c)))", "a $(b $(c))"),
        ] {
            let pieces = lex(raw, Mode::Word);
            let found =
                pieces.iter().any(|piece| matches!(piece, Piece::Command { source: s, .. } if s == source));
            assert!(found, "{raw}: {pieces:?}");
        }
    }

    #[test]
    fn a_substitution_without_an_end_is_broken_and_not_text() {
        for raw in ["$(a", "`a", "${a", "<(a", "\"$(a\"", "$(cat <<E\nx\nE rm x)"] {
            assert!(lex(raw, Mode::Word).contains(&Piece::Broken), "{raw}");
        }
    }
}
