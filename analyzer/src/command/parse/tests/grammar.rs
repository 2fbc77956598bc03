//! The same commands as the grammar of tree-sitter-bash sees them.

use tree_sitter::{Node, Parser};

use super::names;

/// How the two compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Verdict {
    /// The same simple commands.
    Same,
    /// The grammar finds errors in it, or it is refused here: there is nothing to compare.
    Refused,
    /// It holds something that the grammar is known to see wrongly.
    Excepted,
    /// They see different commands.
    Differs,
}

pub(super) struct Grammar(Parser);

impl Grammar {
    pub(super) fn new() -> Self {
        let mut parser = Parser::new();
        parser.set_language(&tree_sitter_bash::LANGUAGE.into()).expect("the grammar's version fits");
        Self(parser)
    }

    /// The names of the simple commands, sorted; `None` where the grammar finds errors.
    pub(super) fn names(&mut self, text: &str) -> Option<Vec<String>> {
        let tree = self.0.parse(text, None).filter(|tree| !tree.root_node().has_error())?;
        let mut found = Vec::new();
        collect(tree.root_node(), text, &mut found);
        found.sort_unstable();
        Some(found)
    }

    pub(super) fn compare(&mut self, text: &str) -> Verdict {
        let (Some(ours), Some(theirs)) = (names::names(text), self.names(text)) else {
            return Verdict::Refused;
        };
        let ours = ours.into_iter().filter(|name| !matches!(name.as_str(), "[" | "test"));
        if cut(ours) == cut(theirs) {
            Verdict::Same
        } else if is_excepted(text) {
            Verdict::Excepted
        } else {
            Verdict::Differs
        }
    }
}

/// The names up to a substitution that is glued to them, for there the grammar begins another word.
fn cut(names: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut names: Vec<_> = names
        .into_iter()
        .map(|name| {
            let ends = ["`", "$(", "<(", ">("].iter().filter_map(|mark| name.find(mark)).filter(|at| *at > 0);
            name[..ends.min().unwrap_or(name.len())].to_owned()
        })
        .collect();
    names.sort_unstable();
    names
}

fn collect(node: Node<'_>, text: &str, found: &mut Vec<String>) {
    let name = match node.kind() {
        "command" => node.child_by_field_name("name"),
        "declaration_command" | "unset_command" => node.child(0),
        _ => None,
    };
    if let Some(name) = name {
        let name = text.get(name.byte_range()).unwrap_or_default();
        if name != "test" {
            found.push(name.to_owned());
        }
    }
    let mut cursor = node.walk();
    for child in node.children(&mut cursor) {
        collect(child, text, found);
    }
}

/// What the grammar is known to see wrongly.
fn is_excepted(text: &str) -> bool {
    // Two substitutions in backticks in one line are taken for one.
    let backticks = text.matches('`').count() > 2;
    // It knows neither of these reserved words.
    let words = text.contains("coproc") || text.contains("time");
    // A compound command behind `!` is taken for words.
    let negated = ["if", "while", "until", "for", "case", "{", "[[", "function"]
        .iter()
        .any(|word| text.contains(&format!("! {word}")));
    // A lone dollar fuses with the next word, and so do parts of a pattern; a statement of redirections alone
    // has a command in it.
    let fused = ["$ ", "$\n", "!(", "+(", "@(", "?(", "*("].iter().any(|part| text.contains(part));
    let aimed = text.contains(">&") || text.contains("<&");
    backticks || words || negated || fused || aimed || has_open_document(text)
}

/// A here-document without its end: bash takes all the rest for its body, the grammar does not.
fn has_open_document(text: &str) -> bool {
    text.match_indices("<<").any(|(at, _)| {
        let rest = text.get(at + 2..).unwrap_or_default();
        let word = rest.trim_start_matches(['<', '-', ' ', '\'', '"', '\\']);
        let end = word.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(word.len());
        let delimiter = word.get(..end).unwrap_or_default();
        !rest.starts_with('<') && !rest.lines().skip(1).any(|line| line.trim_start_matches('\t') == delimiter)
    })
}
