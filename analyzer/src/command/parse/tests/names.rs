//! The names of all simple commands of a text, those inside substitutions included, as this crate sees them.

use super::super::super::ir::{Node, Redirect, RedirectKind};
use super::super::super::machine::TEXT_DEPTH_MAX;
use super::super::super::word::{Mode, Piece, lex};
use super::super::{Refusal, guard, parse};

/// The names, sorted; `None` when the text, or one inside it, is refused.
pub(super) fn names(text: &str) -> Option<Vec<String>> {
    let mut names = Names::default();
    names.text(text, TEXT_DEPTH_MAX)?;
    names.found.sort_unstable();
    Some(names.found)
}

/// Whether it is accepted as far as bash looks before it runs anything: the inside of here-documents, of
/// `${x:-…}` and of arithmetic it reads only when it gets there.
pub(super) fn accepted(text: &str) -> bool {
    let mut names = Names { shallow: true, ..Names::default() };
    names.text(text, TEXT_DEPTH_MAX).is_some()
}

/// Whether a bound and not the grammar refuses it.
pub(super) fn is_bounded_out(text: &str) -> bool {
    matches!(guard(text), Err(Refusal::Complexity))
}

/// `a[i]=x`, which stands among the words here.
fn sets_element(word: &str) -> bool {
    let name = word.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(word.len());
    name > 0 && word[name..].starts_with('[') && (word.contains("]=") || word.contains("]+="))
}

#[derive(Default)]
struct Names {
    found: Vec<String>,
    shallow: bool,
}

impl Names {
    fn text(&mut self, text: &str, depth: usize) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        parse(text).ok()?.iter().try_for_each(|node| self.node(node, depth))
    }

    fn node(&mut self, node: &Node, depth: usize) -> Option<()> {
        match node {
            Node::Simple(simple) => {
                self.found.extend(simple.words.first().filter(|word| !sets_element(word)).cloned());
                self.words(&simple.assignments, depth)?;
                self.words(&simple.words, depth)?;
                self.redirects(&simple.redirects, depth)
            }
            Node::Pipeline(stages) => stages.iter().try_for_each(|stage| self.node(stage, depth)),
            Node::List(items) => items.iter().try_for_each(|(node, _)| self.node(node, depth)),
            Node::Branch { head, arms } => {
                head.iter().chain(arms).try_for_each(|node| self.node(node, depth))
            }
            Node::Loop { over, body, .. } => {
                self.words(over.as_ref().map_or(&[][..], |(_, words)| words), depth)?;
                body.iter().try_for_each(|node| self.node(node, depth))
            }
            Node::Function(_, body) => self.node(body, depth),
            Node::Group(body, redirects, _) => {
                self.node(body, depth)?;
                self.redirects(redirects, depth)
            }
            Node::Expand(words) => self.words(words, depth),
            Node::TooDeep => None,
        }
    }

    fn redirects(&mut self, redirects: &[Redirect], depth: usize) -> Option<()> {
        redirects.iter().try_for_each(|redirect| match &redirect.kind {
            RedirectKind::Word(_, word) => self.word(word, Mode::Word, depth),
            RedirectKind::Here { literal: true, .. } => Some(()),
            RedirectKind::Here { body, .. } => self.word(body, Mode::Heredoc, depth),
        })
    }

    fn words(&mut self, words: &[String], depth: usize) -> Option<()> {
        words.iter().try_for_each(|word| self.word(word, Mode::Word, depth))
    }

    fn word(&mut self, raw: &str, mode: Mode, depth: usize) -> Option<()> {
        if self.shallow && mode == Mode::Heredoc {
            return Some(());
        }
        lex(raw, mode).into_iter().try_for_each(|piece| match piece {
            Piece::Text { .. } => Some(()),
            Piece::Param { rest, .. } => self.word(&rest, Mode::Heredoc, depth),
            Piece::Command { source, .. } | Piece::Process { source, .. } => self.text(&source, depth),
            Piece::Arithmetic(expression) => self.word(&expression, Mode::Heredoc, depth),
            Piece::Broken => None,
        })
    }
}
