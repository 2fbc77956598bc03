//! A decision as a graph: sources on the left, what happened on the way, the slot, and the call on the right.

use circinus_core::explain::{Influence, Path};
use circinus_core::policy::Gap;
use circinus_store::query::Decision;

use super::{Source, quoted};
use crate::reason;
use crate::ui::escape_untrusted;

/// What is drawn.
#[derive(Debug, Default)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    pub(super) edges: Vec<Edge>,
}

/// A box.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Node {
    /// What it is, in one word.
    pub(super) kind: NodeKind,
    /// Its text; nothing in it can move a cursor, but it is not escaped for any markup.
    pub(super) text: String,
    /// Steps from the left.
    pub(super) column: usize,
}

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
    Source,
    Step,
    Slot,
    Call,
}

/// An arrow between two boxes, by their places in the list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Edge {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) text: String,
    /// Seen to happen, rather than inferred.
    pub(super) observed: bool,
}

impl NodeKind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Step => "step",
            Self::Slot => "slot",
            Self::Call => "call",
        }
    }
}

impl Graph {
    pub(super) fn of(decision: &Decision, sources: &[Source]) -> Self {
        let mut graph = Self::default();
        let steps = sources.iter().map(|source| steps(&source.influence).len()).max().unwrap_or(0);
        let call = format!("{} {}", decision.record.tool, decision.record.summary);
        let call = graph.node(NodeKind::Call, escape_untrusted(&call), steps + 2);
        for source in sources {
            graph.way(source, steps + 1, call);
        }
        graph
    }

    /// The way of one influence, ending at the call.
    fn way(&mut self, source: &Source, slot_column: usize, call: usize) {
        let influence = &source.influence;
        let evidence = match &*influence.signals {
            [] => format!("evidence {}", influence.level),
            signals => format!("evidence {} ({})", influence.level, signals.join(" ")),
        };
        let mut last = self.node(NodeKind::Source, format!("{}\n{evidence}", source.label), 0);
        let (mut text, observed) = way_text(&influence.path);
        for (place, step) in steps(influence).into_iter().enumerate() {
            let next = self.node(NodeKind::Step, step, place + 1);
            self.edge(last, next, std::mem::take(&mut text), observed);
            last = next;
        }
        let gap = match influence.gap {
            Gap::None => "granted".to_owned(),
            gap => format!("gap {gap}"),
        };
        let slot = format!("{} at `{}`\n{gap}", influence.effect, escape_untrusted(&influence.place));
        let slot = self.node(NodeKind::Slot, slot, slot_column);
        self.edge(last, slot, text, observed);
        self.edge(slot, call, String::new(), true);
    }

    /// The box with this text, made when there is none.
    fn node(&mut self, kind: NodeKind, text: String, column: usize) -> usize {
        let node = Node { kind, text, column };
        self.nodes.iter().position(|known| *known == node).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn edge(&mut self, from: usize, to: usize, text: String, observed: bool) {
        let edge = Edge { from, to, text, observed };
        if !self.edges.contains(&edge) {
            self.edges.push(edge);
        }
    }
}

/// What lies between source and slot, first step first.
fn steps(influence: &Influence) -> Vec<String> {
    match &influence.path {
        Path::Whole { file, hops } => {
            // The last hop is the source itself, and the first one is the file.
            let between = hops.iter().rev().map(ToString::to_string);
            let mut steps: Vec<_> =
                between.filter(|hop| influence.artifact.is_none_or(|id| *hop != id.to_string())).collect();
            steps.push(format!("`{}`", reason::operand(file)));
            steps
        }
        Path::Copied { file: Some((file, by)), .. } => vec![format!("`{}` ({by})", reason::operand(file))],
        Path::Quote(_) | Path::Copied { file: None, .. } | Path::Remote(_) => Vec::new(),
    }
}

fn way_text(path: &Path) -> (String, bool) {
    match path {
        Path::Quote(hit) => (quoted(hit), false),
        Path::Copied { quote, .. } => (format!("retyped: {}", quoted(quote)), false),
        Path::Whole { .. } => ("copied as a whole".to_owned(), true),
        Path::Remote(from) => (format!("bytes straight from `{}`", reason::operand(from)), true),
    }
}
