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
        let observed = matches!(influence.path, Path::Whole { .. } | Path::Remote(_));
        for (place, step) in steps(influence).into_iter().enumerate() {
            let next = self.node(NodeKind::Step, step, place + 1);
            self.edge(last, next, observed);
            last = next;
        }
        let gap = match influence.gap {
            Gap::None => "granted".to_owned(),
            gap => format!("gap {gap}"),
        };
        let slot = format!("{} at `{}`\n{gap}", influence.effect, escape_untrusted(&influence.place));
        let slot = self.node(NodeKind::Slot, slot, slot_column);
        self.edge(last, slot, observed);
        self.edge(slot, call, true);
    }

    /// The box with this text, made when there is none.
    fn node(&mut self, kind: NodeKind, text: String, column: usize) -> usize {
        let node = Node { kind, text, column };
        self.nodes.iter().position(|known| *known == node).unwrap_or_else(|| {
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    fn edge(&mut self, from: usize, to: usize, observed: bool) {
        let edge = Edge { from, to, observed };
        if !self.edges.contains(&edge) {
            self.edges.push(edge);
        }
    }
}

/// What lies between source and slot, first step first.
fn steps(influence: &Influence) -> Vec<String> {
    match &influence.path {
        Path::Quote(hit) => vec![quoted(hit)],
        Path::Copied { quote, file } => {
            let file =
                file.as_ref().map(|(file, by)| format!("retyped into `{}` ({by})", reason::operand(file)));
            std::iter::once(quoted(quote)).chain(file).collect()
        }
        Path::Whole { file, hops } => {
            // The last hop is the source itself, and the first one is the file.
            let between = hops.iter().rev().filter(|hop| influence.artifact != Some(**hop));
            let mut steps: Vec<_> = between.map(|hop| format!("copied: {hop}")).collect();
            steps.push(format!("copied into `{}`", reason::operand(file)));
            steps
        }
        Path::Remote(from) => vec![format!("bytes straight from `{}`", reason::operand(from))],
    }
}
