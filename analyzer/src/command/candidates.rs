//! Command lines in free text.

use std::ops::Range;

use circinus_core::port::Grammar;

use super::canonical::{canonical, render};
use super::ir::Node;
use super::parse::parse;
use super::table::lookup;

/// Lines of a text that are looked at; a page with more is a listing, of which the first part is enough.
const LINES_MAX: usize = 20_000;
/// Candidates of one text.
const CANDIDATES_MAX: usize = 2_048;
/// Longest line that can be a command line.
const LINE_BYTES_MAX: usize = 4_096;
/// Lines that backslashes join.
const JOINED_MAX: usize = 64;
/// Words after which people write a command.
const LEADS: &[&str] = &[
    "run",
    "execute",
    "type",
    "enter",
    "use",
    "try",
    "with",
    "command",
    "running",
    "executing",
    "then",
    "via",
];

/// Builtins that only steer a script: other languages have the same words, and alone they make nothing run.
const STEERING: &[&str] = &["return", "break", "continue", "exit", "type"];

/// The shell's grammar, as the core asks for it.
#[derive(Clone, Copy, Debug)]
pub struct ShellGrammar;

impl Grammar for ShellGrammar {
    fn command_lines(&self, text: &str) -> Vec<(String, Range<usize>)> {
        candidates(text)
    }
}

/// Command lines in free text: in fenced and indented code, behind prompts, in backticks, behind words such
/// as "run" and behind colons. Each comes in canonical form, one per pipeline, with the byte range of the
/// piece of text that it stands in. Nothing is said about whether anybody should run it.
pub fn candidates(text: &str) -> Vec<(String, Range<usize>)> {
    let mut finder = Finder { found: Vec::new() };
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').take(LINES_MAX).peekable();
    while let Some(line) = lines.next() {
        let start = at;
        at += line.len();
        let mut end = at;
        let mut count = 0;
        while continues(text.get(start..end).unwrap_or_default()) && count < JOINED_MAX {
            let Some(next) = lines.next() else { break };
            end += next.len();
            count += 1;
        }
        at = end;
        finder.line(text.get(start..end).unwrap_or_default(), start);
        if finder.found.len() >= CANDIDATES_MAX {
            break;
        }
    }
    finder.found
}

fn continues(line: &str) -> bool {
    line.trim_end_matches(['\n', '\r']).ends_with('\\')
}

struct Finder {
    found: Vec<(String, Range<usize>)>,
}

impl Finder {
    fn line(&mut self, line: &str, start: usize) {
        if line.len() > LINE_BYTES_MAX || line.trim().len() < 4 {
            return;
        }
        for (span, offset) in backticked(line) {
            self.take(span, start + offset, false);
        }
        let body = line.trim_start();
        let indent = line.len() - body.len();
        let body = body.trim_end();
        let marker = body.trim_start_matches(['>', '*', '-', '+', '|', '•', ' ']);
        let offset = start + indent + (body.len() - marker.len());
        let prompted = body.starts_with("$ ") || body.starts_with("% ") || body.starts_with("# ");
        let unrooted = marker.strip_prefix("# ").unwrap_or(marker);
        self.take(unrooted, offset + (marker.len() - unrooted.len()), prompted);
        for (rest, at) in leads(body) {
            self.take(rest, start + indent + at, false);
        }
    }

    /// Takes a piece if it parses and, unless it stands behind a prompt, its first word is a known program.
    fn take(&mut self, piece: &str, start: usize, prompted: bool) {
        let body = piece.trim_start().trim_start_matches('`');
        let start = start + (piece.len() - body.len());
        let piece = body.trim_end().trim_end_matches(['.', '。']).trim_end_matches('`').trim_end();
        if piece.len() < 4 || self.found.len() >= CANDIDATES_MAX {
            return;
        }
        let unprompted = piece.strip_prefix("$ ").or_else(|| piece.strip_prefix("% ")).unwrap_or(piece);
        // A line that opens a block is the head of a declaration in some other language.
        if !prompted && (!is_head(unprompted) || unprompted.ends_with('{')) {
            return;
        }
        let range = start..start + piece.len();
        let Ok(nodes) = parse(unprompted) else { return };
        for node in &nodes {
            self.pipelines(node, &range);
        }
        if let Some(whole) = canonical(unprompted) {
            self.push(whole, &range);
        }
    }

    fn pipelines(&mut self, node: &Node, range: &Range<usize>) {
        match node {
            Node::List(items) => items.iter().for_each(|(node, _)| self.pipelines(node, range)),
            other => render(other).into_iter().for_each(|form| self.push(form, range)),
        }
    }

    fn push(&mut self, form: String, range: &Range<usize>) {
        let runs_nothing = form.is_empty() || only_steers(&form);
        if !runs_nothing && !self.found.iter().rev().take(16).any(|(known, _)| *known == form) {
            self.found.push((form, range.clone()));
        }
    }
}

/// Whether a canonical form is one steering builtin: nothing is piped or joined to it, or kept by it.
fn only_steers(form: &str) -> bool {
    let steers = form.split(' ').next().is_some_and(|word| STEERING.contains(&word));
    steers && !form.contains(['|', '&', ';', '>', '<'])
}

/// Whether the first word that is no assignment is a known program or a path to one.
fn is_head(piece: &str) -> bool {
    let head = piece.split_ascii_whitespace().find(|word| !word.contains('='));
    head.is_some_and(|word| {
        let word = word.trim_matches(['\'', '"', '\\']).trim_end_matches([';', '|', '&']);
        lookup(word).is_some()
            || word.starts_with("./")
            || word.starts_with("~/")
            || word.starts_with("/usr/bin/")
    })
}

/// Pieces between single backticks, with their offsets.
fn backticked(line: &str) -> Vec<(&str, usize)> {
    let mut spans = Vec::new();
    let mut at = 0;
    for (index, piece) in line.split('`').enumerate() {
        if index % 2 == 1 {
            spans.push((piece, at));
        }
        at += piece.len() + 1;
    }
    spans
}

/// What stands behind a leading word or a colon, up to the end of the line.
fn leads(line: &str) -> Vec<(&str, usize)> {
    let mut rests = Vec::new();
    for (at, _) in line.match_indices(": ") {
        rests.extend(line.get(at + 2..).map(|rest| (rest, at + 2)));
    }
    let mut at = 0;
    for word in line.split(' ') {
        at += word.len() + 1;
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphabetic());
        if LEADS.iter().any(|lead| lead.eq_ignore_ascii_case(bare)) {
            rests.extend(line.get(at..).map(|rest| (rest, at)));
        }
    }
    rests.truncate(16);
    rests
}

#[cfg(test)]
mod tests {
    use super::candidates;

    fn forms(text: &str) -> Vec<String> {
        candidates(text).into_iter().map(|(form, _)| form).collect()
    }

    #[test]
    fn commands_are_found_where_people_write_them() {
        for text in [
            "```sh\ncurl -sL https://get.tool.example/x | sh\n```",
            "$ curl -sL https://get.tool.example/x | sh",
            "To start, run `curl -sL https://get.tool.example/x | sh` once.",
            "Then execute curl -sL https://get.tool.example/x | sh",
            "Setup: curl -sL \\\n  https://get.tool.example/x | sh\n",
        ] {
            let found = forms(text);
            assert!(
                found.contains(&"curl -sL https://get.tool.example/x | sh".to_owned()),
                "{text}: {found:?}"
            );
        }
    }

    #[test]
    fn prose_is_no_command_and_ranges_lie_inside_the_text() {
        assert!(forms("The cat sat there. Nothing to see.").is_empty());
        assert!(forms("type parser struct {\n\tname string\n}").is_empty());
        assert!(forms("return result, nil\ntype Position int\nbreak // of one group").is_empty());
        assert!(!forms("type curl && curl https://x.example/a").is_empty());
        let text = "é run `npm install left-pad-two`.";
        for (_, range) in candidates(text) {
            assert!(text.get(range).is_some());
        }
    }
}
