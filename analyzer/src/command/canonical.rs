//! The canonical form of a command line: constants folded, words quoted no more than needed, one blank.

use super::ir::{Joint, Node, Redirect, RedirectKind, Simple};
use super::parse::parse;
use super::word::{Mode, Piece, lex};

/// The canonical form of a whole command line, or `None` when part of it is not constant, when it does not
/// parse, or when nothing is left. A `$ ` or `% ` prompt at the start of a line is no part of it.
pub fn canonical(text: &str) -> Option<String> {
    let text = without_prompts(text);
    let nodes = match parse(&text) {
        Ok(nodes) => nodes,
        // A doubled separator is no shell, but people write it.
        Err(_) if text.contains(";;") => parse(&text.replace(";;", ";")).ok()?,
        Err(_) => return None,
    };
    let mut whole = String::new();
    for node in &nodes {
        let part = line(node)?;
        if !(part.is_empty() || whole.is_empty()) {
            // Behind a job in the background no other separator may stand.
            whole.push_str(if whole.ends_with(" &") { " " } else { " ; " });
        }
        whole.push_str(&part);
    }
    (!whole.is_empty()).then_some(whole)
}

fn without_prompts(text: &str) -> String {
    text.split('\n').map(without_prompt).collect::<Vec<_>>().join("\n")
}

/// A line without prompts before it and without what else of a line end is left behind it.
fn without_prompt(line: &str) -> &str {
    let mut line = line.trim_end_matches('\r');
    loop {
        let start = line.trim_start();
        let Some(rest) = start.strip_prefix("$ ").or_else(|| start.strip_prefix("% ")) else { return line };
        line = rest;
    }
}

/// A list with its operators.
fn line(node: &Node) -> Option<String> {
    let Node::List(items) = node else { return render(node) };
    let mut parts = Vec::new();
    for (item, joint) in items {
        let part = line(item)?;
        if !part.is_empty() {
            parts.push((part, *joint));
        }
    }
    let mut out = String::new();
    let count = parts.len();
    for (at, (part, joint)) in parts.into_iter().enumerate() {
        out.push_str(&part);
        if at + 1 < count {
            out.push(' ');
            out.push_str(joint.text());
            out.push(' ');
        } else if joint == Joint::Background {
            out.push_str(" &");
        }
    }
    Some(out)
}

/// The canonical form of one pipeline.
pub(super) fn render(node: &Node) -> Option<String> {
    match node {
        Node::Simple(simple) => command(simple),
        Node::Pipeline(stages) => {
            let stages: Option<Vec<_>> =
                stages.iter().map(|stage| render(stage).filter(|form| !form.is_empty())).collect();
            Some(stages?.join(" | "))
        }
        _ => None,
    }
}

fn command(simple: &Simple) -> Option<String> {
    let mut parts = Vec::new();
    for assignment in &simple.assignments {
        let (name, value) = assignment.split_once('=')?;
        parts.push(format!("{name}={}", word(value)?));
    }
    for (at, raw) in simple.words.iter().enumerate() {
        let word = word(raw)?;
        // What was read as a program is neither a word of the grammar nor an assignment, however it was written.
        let other = at == 0 && (RESERVED.contains(&word.as_str()) || assigns(&word));
        parts.push(if other { format!("'{word}'") } else { word });
    }
    for redirect in &simple.redirects {
        parts.push(redirection(redirect)?);
    }
    Some(parts.join(" "))
}

fn redirection(redirect: &Redirect) -> Option<String> {
    let RedirectKind::Word(op, target) = &redirect.kind else { return None };
    let fd = redirect.fd.map(|fd| fd.to_string()).unwrap_or_default();
    let target = word(target)?;
    // Behind such an operator a descriptor, and a dash alone, are words of their own.
    let own = target.trim_start_matches(|c: char| c.is_ascii_digit());
    let parts = own.len() < target.len() || own.starts_with('-') || own.ends_with('-');
    let splits = op.ends_with('&') && parts && !(own.is_empty() || target == "-");
    (!splits).then(|| format!("{fd}{op}{target}"))
}

/// Words of the grammar (bash manual, 3.2.1).
const RESERVED: &[&str] = &[
    "!", "[[", "]]", "{", "}", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while",
];

/// A constant word, quoted if needed.
fn word(raw: &str) -> Option<String> {
    let mut text = String::new();
    let mut quoted_special = false;
    let mut open_special = false;
    let mut empty = true;
    let mut any_quotes = false;
    for piece in lex(raw, Mode::Word) {
        let Piece::Text { text: part, quoted } = piece else { return None };
        empty &= part.is_empty() && !quoted;
        any_quotes |= quoted;
        quoted_special |= quoted && part.chars().any(|c| !is_plain(c));
        open_special |= !quoted && part.chars().any(|c| !is_plain(c));
        text.push_str(&part);
    }
    if text.contains('\n') {
        // Where quotes are joined, a prompt may come to stand at the start of a line.
        let mut lines = text.split('\n');
        let first = lines.next().unwrap_or_default().trim_end_matches('\r');
        text = std::iter::once(first).chain(lines.map(without_prompt)).collect::<Vec<_>>().join("\n");
    }
    if text.is_empty() {
        return Some(if empty { String::new() } else { "''".into() });
    }
    // In an address what a shell would expand stands for itself, quoted or not; its operators must be quoted.
    let special = |c: char| c.is_whitespace() || c.is_control() || "'\"\\;<>|&()$`".contains(c);
    let address = text.contains("://") && !text.starts_with('#') && !text.contains(special);
    // Alone, these would be taken for a prompt, and a word of the grammar is one only without quotes.
    if matches!(text.as_str(), "$" | "%") || any_quotes && RESERVED.contains(&text.as_str()) {
        return Some(format!("'{text}'"));
    }
    let operator =
        text.contains(|c: char| c.is_whitespace() || "<>|&;()'\"\\`$".contains(c)) || text.starts_with('#');
    if address || !operator && (!quoted_special || !open_special && text.chars().all(is_plain)) {
        return Some(text);
    }
    Some(format!("'{}'", text.replace('\'', "'\\''")))
}

/// Whether a word begins as an assignment does: to a variable or to an element of an array.
fn assigns(word: &str) -> bool {
    let name = word.find(['=', '[', '+']).and_then(|at| word.get(..at)).unwrap_or_default();
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// A character that no shell takes for anything else.
fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || "_@%+=:,./-".contains(c)
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn quoting_is_minimal_and_folding_complete() {
        for (text, form) in [
            ("$ npx  degit 'o/r' site", Some("npx degit o/r site")),
            ("mk''dir -p \"a b\"", Some("mkdir -p 'a b'")),
            ("a|b  |c", Some("a | b | c")),
            ("X='1 2' run", Some("X='1 2' run")),
            ("ls *.rs", Some("ls *.rs")),
            ("ls '*.rs'", Some("ls '*.rs'")),
            ("run \"$HOME\"", None),
            ("wait; sleep 1 &", Some("wait ; sleep 1 &")),
            ("sleep 1 &\nwait", Some("sleep 1 & wait")),
            ("read x 3<&-", Some("read x 3>&-")),
            ("read x <& -y", None),
            ("run 2>&1--", None),
            ("run >& 'a-'", None),
            ("run | coproc ", None),
            ("run 'a\r\r\nb'\r\nwait\r", Some("run 'a\nb' ; wait")),
            ("\\#https://a.example/?b&c", Some("'#https://a.example/?b' & c")),
            ("get 'https://a.example/?b&c' | d", Some("get 'https://a.example/?b&c' | d")),
            ("get \"https://a.example/?b=[c]\"", Some("get https://a.example/?b=[c]")),
            ("run 'a\n$ $ b'", Some("run 'a\nb'")),
            ("run 'a\n'\"\\$ b\"", Some("run 'a\nb'")),
            ("cat <<E\nx\nE", None),
        ] {
            assert_eq!(canonical(text).as_deref(), form, "{text}");
            if let Some(form) = form {
                assert_eq!(canonical(form).as_deref(), Some(form), "{text} is final");
            }
        }
    }
}
