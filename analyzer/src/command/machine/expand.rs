//! Expansion: a raw word to the words that the program gets.

use super::super::secret::homes_of_variable;
use super::super::value::{Arg, Stream};
use super::super::word::{Mode, Piece, braces, lex};
use super::Machine;

/// Bytes that one expanded word may have; a longer one is not known.
const WORD_BYTES_MAX: usize = 64 << 10;

/// A word under construction; splitting of unquoted expansions starts new ones.
#[derive(Default)]
struct Growing {
    done: Vec<Arg>,
    word: Option<Arg>,
    /// Characters that split.
    separators: String,
}

impl Growing {
    fn word(&mut self) -> &mut Arg {
        self.word.get_or_insert_with(|| Arg::literal(""))
    }

    fn push(&mut self, text: &str) {
        let word = self.word();
        if word.text.len() + text.len() > WORD_BYTES_MAX {
            word.known = false;
        } else {
            word.text.push_str(text);
        }
    }

    /// Adds the value of an expansion: unquoted, it splits at blanks.
    fn value(&mut self, value: &Arg, quoted: bool) {
        if !value.known {
            let word = self.word();
            word.known = false;
            word.taint.absorb(&value.taint);
            self.push(&value.text);
            return;
        }
        if quoted {
            self.word().taint.absorb(&value.taint);
            self.push(&value.text);
            return;
        }
        let starts_blank = value.text.starts_with(|c| self.separators.contains(c));
        let ends_blank = value.text.ends_with(|c| self.separators.contains(c));
        let separators = self.separators.clone();
        let parts = value.text.split(|c| separators.contains(c)).filter(|part| !part.is_empty());
        for (at, part) in parts.enumerate() {
            if at > 0 || starts_blank {
                self.done.extend(self.word.take());
            }
            self.word().taint.absorb(&value.taint);
            self.push(part);
            let word = self.word();
            word.glob |= part.contains(['*', '?', '[']);
        }
        if ends_blank {
            self.done.extend(self.word.take());
        }
    }

    fn finish(mut self) -> Vec<Arg> {
        self.done.extend(self.word.take());
        // A bracket that nothing closes stands for itself (bash manual, 3.5.8.1).
        for word in self.done.iter_mut().filter(|word| word.glob) {
            word.glob = is_pattern(&word.text) || !word.known;
        }
        self.done
    }
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?']) || text.split_once('[').is_some_and(|(_, rest)| rest.contains(']'))
}

impl Machine<'_> {
    /// The words that a raw word expands to.
    pub(in super::super) fn expand(&mut self, raw: &str) -> Vec<Arg> {
        let Ok(words) = braces(raw) else {
            self.found.opaque_by("braces that give more words than are looked at");
            return self.expand_plain(raw);
        };
        words.iter().flat_map(|word| self.expand_plain(word)).collect()
    }

    /// The value of a raw word where no splitting happens: assignments, redirections, here-strings.
    pub(in super::super) fn expand_one(&mut self, raw: &str) -> Arg {
        let pieces = lex(raw, Mode::Word);
        self.joined(pieces)
    }

    /// The text of a here-document or another text in which only `$` and backticks work.
    pub(in super::super) fn expand_text(&mut self, raw: &str) -> Stream {
        let pieces = lex(raw, Mode::Heredoc);
        self.joined(pieces).stream()
    }

    fn joined(&mut self, pieces: Vec<Piece>) -> Arg {
        let quoted = pieces.into_iter().map(|piece| match piece {
            Piece::Param { name, rest, .. } => Piece::Param { name, rest, quoted: true },
            Piece::Command { source, .. } => Piece::Command { source, quoted: true },
            other => other,
        });
        let words = self.pieces(quoted.collect());
        words.into_iter().next().unwrap_or_else(|| Arg::literal(""))
    }

    fn expand_plain(&mut self, raw: &str) -> Vec<Arg> {
        // The common word has nothing to expand.
        if raw.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_./:=,@%+".contains(&b)) {
            return vec![Arg::literal(raw)];
        }
        let pieces = lex(raw, Mode::Word);
        self.pieces(pieces)
    }

    fn pieces(&mut self, pieces: Vec<Piece>) -> Vec<Arg> {
        let separators = self.env.get("IFS").map_or_else(|| " \t\n".to_owned(), |ifs| ifs.text);
        let mut grown = Growing { separators, ..Growing::default() };
        for (at, piece) in pieces.into_iter().enumerate() {
            match piece {
                Piece::Text { text, quoted } => {
                    if !quoted && at == 0 && (text == "~" || text.starts_with("~/")) {
                        grown.push(self.around.home());
                        grown.push(text.get(1..).unwrap_or_default());
                    } else {
                        grown.push(&text);
                    }
                    if !quoted && text.contains(['*', '?', '[']) {
                        grown.word().glob = true;
                    }
                }
                Piece::Param { name, rest, quoted } => {
                    let value = self.parameter(&name, &rest, quoted);
                    grown.value(&value, quoted);
                }
                Piece::Command { source, quoted } => {
                    let value = self.substitution(&source);
                    grown.value(&value, quoted);
                }
                Piece::Process { source, output } => self.process(&mut grown, &source, output),
                Piece::Arithmetic(expression) => {
                    self.expand_text(&expression);
                    let number = expression.trim().parse::<i64>().ok();
                    let value =
                        number.map_or_else(|| Arg::unknown("$((…))"), |n| Arg::literal(n.to_string()));
                    grown.value(&value, true);
                }
                Piece::Broken => {
                    self.found.opaque();
                    grown.word().known = false;
                }
            }
        }
        grown.finish()
    }

    fn process(&mut self, grown: &mut Growing, source: &str, output: bool) {
        if output {
            let word = grown.word();
            word.drain = Some(source.to_owned());
        } else {
            let env = self.env.clone();
            let feed = self.text(source, &Stream::empty());
            self.env = env;
            let word = grown.word();
            word.taint.absorb(&feed.taint);
            word.feed = Some(feed);
        }
        grown.push("/dev/fd/63");
    }

    /// What `$(source)` stands for; it runs in a shell of its own.
    fn substitution(&mut self, source: &str) -> Arg {
        let env = self.env.clone();
        let source = source.trim();
        let out = match source.strip_prefix('<') {
            // `$(< file)` prints the file.
            Some(file) if !file.starts_with(['<', '(']) => {
                self.text(&format!("cat {file}"), &Stream::empty())
            }
            _ => self.text(source, &Stream::empty()),
        };
        self.env = env;
        match out.text {
            Some(text) => {
                let mut arg = Arg::literal(text.trim_end_matches('\n'));
                arg.taint = out.taint;
                arg
            }
            None => {
                let mut arg = Arg::unknown(format!("$({source})"));
                arg.taint = out.taint;
                arg
            }
        }
    }

    fn parameter(&mut self, name: &str, rest: &str, quoted: bool) -> Arg {
        let written = || {
            let mut arg =
                Arg::unknown(if rest.is_empty() { format!("${name}") } else { format!("${{{name}{rest}}}") });
            homes_of_variable(name).into_iter().for_each(|homes| arg.taint.add_secret(homes));
            arg
        };
        let value = self.env.get(name);
        if rest.is_empty() {
            return value.unwrap_or_else(written);
        }
        if let Some(argument) =
            rest.strip_prefix(":-").or_else(|| rest.strip_prefix(":=")).or(rest.strip_prefix('-'))
        {
            let default = self.argument(argument, quoted);
            return match value {
                Some(value) if !value.text.is_empty() => value,
                Some(_) => default,
                // Nothing here sets it, so it is either what the session has or the default.
                None => Arg { known: false, text: written().text, ..default },
            };
        }
        if let Some(argument) = rest.strip_prefix(":+").or_else(|| rest.strip_prefix('+')) {
            let given = self.argument(argument, quoted);
            return if value.is_some() { given } else { Arg { known: false, ..given } };
        }
        // Whatever else stands there may hold substitutions, which run.
        self.expand_text(rest);
        let Some(value) = value.filter(|value| value.known) else { return written() };
        match trimmed(&value.text, rest) {
            Some(text) => value.with_text(&text),
            None => Arg { known: false, ..value },
        }
    }

    fn argument(&mut self, raw: &str, quoted: bool) -> Arg {
        if quoted {
            let stream = self.expand_text(raw);
            return match stream.text {
                Some(text) => Arg { taint: stream.taint, ..Arg::literal(text) },
                None => Arg { taint: stream.taint, ..Arg::unknown(raw) },
            };
        }
        self.expand_one(raw)
    }
}

/// `${x#…}`, `${x##*/}`, `${x%…}`, `${x%.*}`, `${x:n:m}`, `${x/a/b}` for patterns that are `*` plus text.
fn trimmed(value: &str, rest: &str) -> Option<String> {
    if let Some(range) = rest.strip_prefix(':') {
        let (start, length) =
            range.split_once(':').map_or((range, None), |(start, length)| (start, Some(length)));
        let start: usize = start.trim().parse().ok()?;
        let tail = value.chars().skip(start);
        return Some(match length {
            Some(length) => tail.take(length.trim().parse().ok()?).collect(),
            None => tail.collect(),
        });
    }
    let plain = |pattern: &str| !pattern.contains(['*', '?', '[', '$', '`', '\\', '"', '\'']);
    if let Some(pattern) = rest.strip_prefix("##").and_then(|pattern| pattern.strip_prefix('*')) {
        return plain(pattern).then(|| value.rsplit_once(pattern).map_or(value, |(_, tail)| tail).to_owned());
    }
    if let Some(pattern) = rest.strip_prefix('#') {
        return plain(pattern).then(|| value.strip_prefix(pattern).unwrap_or(value).to_owned());
    }
    if let Some(pattern) = rest.strip_prefix('%') {
        if let Some(suffix) = pattern.strip_suffix('*').filter(|suffix| plain(suffix) && !suffix.is_empty()) {
            return Some(value.rsplit_once(suffix).map_or(value, |(head, _)| head).to_owned());
        }
        return plain(pattern).then(|| value.strip_suffix(pattern).unwrap_or(value).to_owned());
    }
    let (every, pattern) = match rest.strip_prefix("//") {
        Some(pattern) => (true, pattern),
        None => (false, rest.strip_prefix('/')?),
    };
    let (from, to) = pattern.split_once('/').unwrap_or((pattern, ""));
    let usable = plain(from) && plain(to) && !from.is_empty();
    usable.then(|| if every { value.replace(from, to) } else { value.replacen(from, to, 1) })
}
