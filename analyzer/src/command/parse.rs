//! Text to statements: the guard, the structural parser, and the way into our own form.

use std::thread;

use rable::{ListOperator, Node as Tree, NodeKind as Kind};

use super::ir::{Joint, Node, Redirect, RedirectKind, Simple};

/// Longest text that is parsed. The longest command of 120,000 collected ones has 30 KiB.
pub(super) const PARSE_BYTES_MAX: usize = 64 << 10;
/// Substitution openers in one text: the parser is super-linear in their nesting, and real commands have
/// under ten.
const OPENERS_MAX: usize = 32;
/// Substitutions that are open at once, closed later or not: each level is read again by the one around it.
const OPEN_MAX: usize = 8;
/// Depth of raw parentheses and braces: beyond it the parser's own recursion is at risk.
const RAW_DEPTH_MAX: usize = 200;
/// Tokens that can open a nested statement, up to which the caller's own stack is enough.
const NESTERS_INLINE_MAX: usize = 48;
/// Separators up to which the caller's own stack is enough: the parser nests a list once for each.
const JOINTS_INLINE_MAX: usize = 512;
/// Stack of the thread that parses everything else; it is reserved, and only touched pages cost memory.
const PARSE_STACK_BYTES: usize = 256 << 20;
/// Here-documents of one text whose ends are looked for.
const DELIMITERS_MAX: usize = 32;
/// Depth of statements inside statements that is kept.
const STATEMENT_DEPTH_MAX: usize = 48;

/// Why a text has no statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Too long or too deeply nested to parse within bounds.
    Complexity,
    /// bash would not accept it either, or the parser could not.
    Syntax,
}

/// The statements of `text`.
pub(super) fn parse(text: &str) -> Result<Vec<Node>, Refusal> {
    match guard(text)? {
        Room::Inline => convert_all(text),
        Room::Thread => thread::scope(|scope| {
            thread::Builder::new()
                .name("parse".into())
                .stack_size(PARSE_STACK_BYTES)
                .spawn_scoped(scope, || convert_all(text))
                .map_err(|_| Refusal::Complexity)?
                .join()
                .unwrap_or(Err(Refusal::Complexity))
        }),
    }
}

enum Room {
    Inline,
    Thread,
}

/// Decides from the raw text alone whether parsing is bounded, and on which stack.
fn guard(text: &str) -> Result<Room, Refusal> {
    if text.len() > PARSE_BYTES_MAX {
        return Err(Refusal::Complexity);
    }
    let (mut openers, mut depth, mut nesters, mut joints) = (0_usize, 0_usize, 0_usize, 0_usize);
    let (mut parens, mut open) = (Vec::new(), 0_usize);
    let mut before = b' ';
    for byte in text.bytes() {
        match byte {
            b'(' => {
                let opener = usize::from(matches!(before, b'$' | b'<' | b'>'));
                openers += opener;
                open += opener;
                parens.push(opener);
                depth += 1;
                nesters += 1;
            }
            b'{' => {
                depth += 1;
                nesters += 1;
            }
            b')' => {
                open -= parens.pop().unwrap_or(0);
                depth = depth.saturating_sub(1);
            }
            b'}' => depth = depth.saturating_sub(1),
            b'`' | b'!' => nesters += 1,
            b';' | b'&' | b'|' | b'\n' => joints += 1,
            _ => {}
        }
        if openers > OPENERS_MAX || open > OPEN_MAX || depth > RAW_DEPTH_MAX {
            return Err(Refusal::Complexity);
        }
        before = byte;
    }
    nesters += text.split_ascii_whitespace().filter(|word| opens_statement(word)).count();
    Ok(if nesters > NESTERS_INLINE_MAX || joints > JOINTS_INLINE_MAX { Room::Thread } else { Room::Inline })
}

fn opens_statement(word: &str) -> bool {
    matches!(
        word,
        "if" | "elif"
            | "else"
            | "then"
            | "do"
            | "while"
            | "until"
            | "for"
            | "case"
            | "select"
            | "time"
            | "coproc"
            | "function"
    )
}

fn convert_all(text: &str) -> Result<Vec<Node>, Refusal> {
    let trees = rable::parse(text, true)
        .or_else(|error| closed(text).map_or(Err(error), |text| rable::parse(&text, true)))
        .map_err(|_| Refusal::Syntax)?;
    Ok(trees.iter().map(|tree| convert(tree, STATEMENT_DEPTH_MAX)).collect())
}

/// The text with a line end between the delimiter of a here-document and the parenthesis behind it, as in
/// `"$(cat <<E … E)"`: bash ends the document there, the parser does not. `None` if there is no such place.
fn closed(text: &str) -> Option<String> {
    let mut delimiters: Vec<&str> = Vec::new();
    let mut out = String::with_capacity(text.len() + 8);
    for line in text.split_inclusive('\n') {
        let start = line.trim_start_matches('\t');
        let ended = delimiters.iter().find(|name| {
            start.strip_prefix(**name).is_some_and(|rest| rest.trim_start_matches(' ').starts_with(')'))
        });
        match ended {
            Some(name) => {
                let at = line.len() - start.len() + name.len();
                out.push_str(line.get(..at)?);
                out.push('\n');
                out.push_str(line.get(at..)?);
            }
            None => out.push_str(line),
        }
        let opened = line.split("<<").skip(1).take(DELIMITERS_MAX.saturating_sub(delimiters.len()));
        delimiters.extend(opened.filter_map(|rest| {
            let rest = rest.trim_start_matches(['-', ' ', '\t', '\'', '"', '\\']);
            let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(rest.len());
            rest.get(..end).filter(|name| !name.is_empty())
        }));
    }
    (out.len() > text.len()).then_some(out)
}

fn convert(tree: &Tree, depth: usize) -> Node {
    let Some(depth) = depth.checked_sub(1) else { return Node::TooDeep };
    let inner = |tree: &Tree| convert(tree, depth);
    match &tree.kind {
        Kind::Command { assignments, words, redirects: aims } => Node::Simple(Simple {
            assignments: raw_words(assignments),
            words: raw_words(words),
            redirects: redirects(aims),
        }),
        Kind::Pipeline { commands, .. } => Node::Pipeline(commands.iter().map(inner).collect()),
        Kind::List { .. } => list(tree, depth),
        Kind::Negation { pipeline } | Kind::Time { pipeline, .. } => inner(pipeline),
        Kind::Coproc { command, .. } => inner(command),
        Kind::Function { name, body } => Node::Function(name.clone(), Box::new(inner(body))),
        Kind::Subshell { body, redirects: aims } => group(inner(body), aims, true),
        Kind::BraceGroup { body, redirects: aims } => group(inner(body), aims, false),
        Kind::ConditionalExpr { body, redirects: aims } => {
            let mut words = Vec::new();
            terms(body, &mut words, depth);
            group(Node::Expand(words), aims, false)
        }
        Kind::ArithmeticCommand { raw_content, redirects: aims, .. } => {
            group(Node::Expand(vec![format!("\"{raw_content}\"")]), aims, false)
        }
        Kind::Comment { .. } | Kind::Empty => Node::List(Vec::new()),
        _ => compound(tree, depth),
    }
}

/// A list. The parser nests a long one at its head, once for each separator; it is one level here.
fn list(tree: &Tree, depth: usize) -> Node {
    let mut levels = Vec::new();
    let mut head = Some(tree);
    while let Some(Kind::List { items }) = head.map(|tree| &tree.kind) {
        levels.push(items);
        head = items.first().map(|item| &item.command);
    }
    let mut flat: Vec<(Node, Joint)> = Vec::new();
    for (at, items) in levels.iter().rev().enumerate() {
        for (place, item) in items.iter().enumerate() {
            let operator = item.operator.map_or(Joint::Then, joint);
            match flat.last_mut() {
                // The head of an outer level is the level inside, which is there already.
                Some(last) if at > 0 && place == 0 => last.1 = operator,
                _ => flat.push((convert(&item.command, depth), operator)),
            }
        }
    }
    Node::List(flat)
}

fn compound(tree: &Tree, depth: usize) -> Node {
    let inner = |tree: &Tree| convert(tree, depth);
    match &tree.kind {
        Kind::If { condition, then_body, else_body, redirects: aims } => {
            let mut arms = vec![inner(then_body)];
            arms.extend(else_body.as_deref().map(inner));
            group(Node::Branch { head: vec![inner(condition)], arms }, aims, false)
        }
        Kind::While { condition, body, redirects: aims } => {
            rounds(inner(condition), inner(body), aims, &["true", ":", "1"])
        }
        Kind::Until { condition, body, redirects: aims } => {
            rounds(inner(condition), inner(body), aims, &["false", "0"])
        }
        Kind::For { var, words, body, redirects: aims }
        | Kind::Select { var, words, body, redirects: aims } => {
            let words = words.as_deref().map_or_else(|| vec!["\"$@\"".to_owned()], raw_words);
            let over = Some((var.clone(), words));
            group(Node::Loop { over, endless: false, body: vec![inner(body)] }, aims, false)
        }
        Kind::ForArith { init, cond, incr, body, redirects: aims } => {
            let head = Node::Expand([init, cond, incr].iter().map(|part| format!("\"{part}\"")).collect());
            let endless = matches!(cond.trim(), "" | "1");
            group(Node::Loop { over: None, endless, body: vec![head, inner(body)] }, aims, false)
        }
        Kind::Case { word, patterns, redirects: aims } => {
            let mut words = raw_words(std::slice::from_ref(word));
            words.extend(patterns.iter().flat_map(|pattern| raw_words(&pattern.patterns)));
            let arms = patterns.iter().filter_map(|pattern| pattern.body.as_ref()).map(inner).collect();
            group(Node::Branch { head: vec![Node::Expand(words)], arms }, aims, false)
        }
        // Only statements come here; anything else would be a new kind of the parser's that nobody has
        // looked at, and what nobody has looked at is not understood.
        _ => Node::TooDeep,
    }
}

/// A `while` or `until`; it is endless when its condition is one of `constants`.
fn rounds(condition: Node, body: Node, aims: &[Tree], constants: &[&str]) -> Node {
    let word = match &condition {
        Node::Simple(simple) => simple.words.first(),
        Node::Expand(words) => words.first(),
        _ => None,
    };
    let plain = word.map_or("", |word| word.trim_matches(['"', ' ']));
    let endless = constants.contains(&plain.rsplit('/').next().unwrap_or_default());
    group(Node::Loop { over: None, endless, body: vec![condition, body] }, aims, false)
}

fn group(body: Node, aims: &[Tree], subshell: bool) -> Node {
    if aims.is_empty() && !subshell { body } else { Node::Group(Box::new(body), redirects(aims), subshell) }
}

fn joint(operator: ListOperator) -> Joint {
    match operator {
        ListOperator::And => Joint::And,
        ListOperator::Or => Joint::Or,
        ListOperator::Semi => Joint::Then,
        ListOperator::Background => Joint::Background,
    }
}

fn raw_words<T: std::borrow::Borrow<Tree>>(trees: &[T]) -> Vec<String> {
    trees.iter().filter_map(|tree| raw_word(tree.borrow())).collect()
}

fn raw_word(tree: &Tree) -> Option<String> {
    match &tree.kind {
        Kind::Word { value, .. } | Kind::WordLiteral { value } | Kind::CondTerm { value, .. } => {
            Some(value.clone())
        }
        _ => None,
    }
}

fn redirects(trees: &[Tree]) -> Vec<Redirect> {
    trees
        .iter()
        .filter_map(|tree| match &tree.kind {
            // The parser has one operator for closing, and a target that nobody wrote.
            Kind::Redirect { op, fd, varfd, .. } if op == ">&-" => Some(Redirect {
                fd: (*fd >= 0 && varfd.is_none()).then_some(*fd),
                name: varfd.clone(),
                kind: RedirectKind::Word(">&".into(), "-".into()),
            }),
            Kind::Redirect { op, target, fd, varfd } => Some(Redirect {
                fd: (*fd >= 0 && varfd.is_none()).then_some(*fd),
                name: varfd.clone(),
                kind: RedirectKind::Word(op.clone(), raw_word(target)?),
            }),
            Kind::HereDoc { content, quoted, fd, .. } => Some(Redirect {
                fd: (*fd >= 0).then_some(*fd),
                name: None,
                kind: RedirectKind::Here { body: content.clone(), literal: *quoted },
            }),
            _ => None,
        })
        .collect()
}

/// The words of a `[[ ]]` expression; operators do nothing.
fn terms(tree: &Tree, words: &mut Vec<String>, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else {
        words.push("$(".into());
        return;
    };
    match &tree.kind {
        Kind::UnaryTest { operand, .. } | Kind::CondNot { operand } => terms(operand, words, depth),
        Kind::CondParen { inner } => terms(inner, words, depth),
        Kind::BinaryTest { left, right, .. }
        | Kind::CondAnd { left, right }
        | Kind::CondOr { left, right } => {
            terms(left, words, depth);
            terms(right, words, depth);
        }
        _ => words.extend(raw_word(tree)),
    }
}

#[cfg(test)]
mod tests;
