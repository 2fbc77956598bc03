//! Finds operands in text.
//!
//! One pass splits the text at white space, quotes and angle brackets; only chunks that hold a dot, a
//! slash, an at sign or a long run with digits are looked at closer. A second pass looks for commands
//! that install something. What is found through views comes after what the text itself holds.

use std::collections::HashSet;
use std::ops::Range;

use super::{Kind, Operand, PathContext, common};
use crate::limits::{EXTRACT_BYTES_MAX, OPERANDS_PER_ARTIFACT_MAX, VIEW_DEPTH_MAX};
use crate::operand::Hit;
use crate::port::{Grammar, NoGrammar};
use crate::view::{self, View, ViewChain, Viewed};

mod chunk;
mod focus;
mod install;
mod link;
mod name;
mod place;
mod random;
mod suffix;

/// Every distinctive operand that the text itself holds, each at its first position, with what it brings
/// (the host, site and tenant of a URL have the range of the URL).
///
/// At most [`OPERANDS_PER_ARTIFACT_MAX`] hits, from at most [`EXTRACT_BYTES_MAX`] bytes; time is linear.
/// What lies beyond is found by a search when it is asked for, see `Artifact::is_partly_read`.
pub fn extract(text: &str, context: &PathContext) -> Vec<Hit> {
    let mut finder = Finder::new(context, &NoGrammar);
    finder.scan(capped(text), &Origin::Exact);
    finder.hits
}

/// What [`extract`] finds and the command lines that the grammar finds, then what only a chain of at most
/// [`VIEW_DEPTH_MAX`] views shows of both.
pub fn extract_with_views(text: &str, context: &PathContext, grammar: &dyn Grammar) -> Vec<Hit> {
    let text = capped(text);
    let mut finder = Finder::new(context, grammar);
    finder.scan_commands(text, &Origin::Exact);
    finder.scan(text, &Origin::Exact);
    finder.look_through(text, &Origin::Exact);
    finder.hits
}

/// The command lines that the text itself holds, common ones among them.
pub fn command_lines(text: &str, grammar: &dyn Grammar) -> Vec<Hit> {
    let lines = grammar.command_lines(capped(text)).into_iter();
    let hit = |(canonical, range): (String, Range<usize>)| {
        let (start, end) = (u32::try_from(range.start).ok()?, u32::try_from(range.end).ok()?);
        Some(Hit { operand: Operand::command(&canonical)?, views: ViewChain::default(), start, end })
    };
    lines.filter_map(hit).collect()
}

fn capped(text: &str) -> &str {
    let mut end = text.len().min(EXTRACT_BYTES_MAX);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.get(..end).unwrap_or("")
}

/// Where a piece of text comes from: the original, or a part of a view of another piece.
enum Origin<'a> {
    Exact,
    View { view: View, viewed: &'a Viewed, offset: usize, outer: &'a Origin<'a> },
}

impl Origin<'_> {
    fn range(&self, range: Range<usize>) -> Range<usize> {
        match self {
            Self::Exact => range,
            Self::View { viewed, offset, outer, .. } => {
                outer.range(viewed.map.original(range.start + offset..range.end + offset))
            }
        }
    }

    fn chain(&self) -> Vec<View> {
        match self {
            Self::Exact => Vec::new(),
            Self::View { view, outer, .. } => {
                let mut chain = outer.chain();
                chain.push(*view);
                chain
            }
        }
    }

    fn depth(&self) -> usize {
        match self {
            Self::Exact => 0,
            Self::View { outer, .. } => outer.depth() + 1,
        }
    }
}

/// Collects hits, one per operand.
struct Finder<'c> {
    context: &'c PathContext,
    grammar: &'c dyn Grammar,
    hits: Vec<Hit>,
    seen: HashSet<Operand>,
}

impl<'c> Finder<'c> {
    fn new(context: &'c PathContext, grammar: &'c dyn Grammar) -> Self {
        Self { context, grammar, hits: Vec::new(), seen: HashSet::new() }
    }

    fn is_full(&self) -> bool {
        self.hits.len() >= OPERANDS_PER_ARTIFACT_MAX
    }

    fn scan(&mut self, text: &str, origin: &Origin<'_>) {
        let mut scan = Scan { finder: self, text, origin, raw: HashSet::new() };
        chunk::scan(&mut scan);
        install::scan(&mut scan);
    }

    fn scan_commands(&mut self, text: &str, origin: &Origin<'_>) {
        let lines = self.grammar.command_lines(text);
        let mut scan = Scan { finder: self, text, origin, raw: HashSet::new() };
        for (canonical, range) in lines {
            Operand::command(&canonical).into_iter().for_each(|operand| scan.add_one(operand, range.clone()));
        }
    }

    /// Applies every view to the text and scans the parts that it changed: words for what stands in one, whole
    /// lines for commands.
    fn look_through(&mut self, text: &str, outer: &Origin<'_>) {
        if outer.depth() >= VIEW_DEPTH_MAX {
            return;
        }
        for view in View::ALL {
            let Some(viewed) = view::apply(view, text) else { continue };
            for line in focus::lines(&viewed) {
                let origin = Origin::View { view, viewed: &viewed, offset: line.start, outer };
                self.scan_commands(viewed.text.get(line).unwrap_or(""), &origin);
            }
            for part in focus::parts(&viewed) {
                if self.is_full() {
                    return;
                }
                let origin = Origin::View { view, viewed: &viewed, offset: part.start, outer };
                let shown = viewed.text.get(part).unwrap_or("");
                self.scan(shown, &origin);
                self.look_through(shown, &origin);
            }
        }
    }
}

/// One text under search.
struct Scan<'s, 'c, 't> {
    finder: &'s mut Finder<'c>,
    text: &'t str,
    origin: &'s Origin<'s>,
    /// Spellings that were tried, so that a repeated one is parsed once.
    raw: HashSet<(Kind, &'t str)>,
}

impl<'t> Scan<'_, '_, 't> {
    fn get(&self, range: Range<usize>) -> &'t str {
        self.text.get(range).unwrap_or("")
    }

    fn is_full(&self) -> bool {
        self.finder.is_full()
    }

    /// Parses a spelling once; adds what it is and what that brings. Whether it was one, or was known.
    fn try_add(&mut self, kind: Kind, range: Range<usize>) -> bool {
        let spelling = self.get(range.clone());
        if !self.raw.insert((kind, spelling)) {
            return true;
        }
        let Some(operand) = Operand::parse(kind, spelling, self.finder.context) else { return false };
        self.add(&operand, range);
        true
    }

    /// Adds an operand and what it brings, unless common or known.
    fn add(&mut self, operand: &Operand, range: Range<usize>) {
        for operand in operand.expand() {
            self.add_one(operand, range.clone());
        }
    }

    fn add_one(&mut self, operand: Operand, range: Range<usize>) {
        let finder = &mut *self.finder;
        if finder.is_full() || finder.seen.contains(&operand) || common::is_common(&operand, finder.context) {
            return;
        }
        let range = self.origin.range(range);
        // EXTRACT_BYTES_MAX is far below the range of u32.
        let (Ok(start), Ok(end)) = (u32::try_from(range.start), u32::try_from(range.end)) else { return };
        finder.seen.insert(operand.clone());
        let views = ViewChain(self.origin.chain().into_boxed_slice());
        finder.hits.push(Hit { operand, views, start, end });
    }
}
