//! Statements that start processes without end: functions that start themselves, loops that never wait.

use std::collections::{BTreeMap, BTreeSet};

use super::ir::{Joint, Node};

/// Statements looked at; a text with more is judged by the first ones.
const STATEMENTS_MAX: usize = 2_048;

/// Whether a text starts processes without end.
pub(super) fn multiplies(nodes: &[Node]) -> bool {
    let mut look = Look { calls: BTreeMap::new(), left: STATEMENTS_MAX, endless: false };
    nodes.iter().for_each(|node| look.node(node, None, false));
    look.endless || look.starts_itself()
}

/// Which function calls which word, and whether it does not wait for it.
struct Look<'n> {
    calls: BTreeMap<&'n str, BTreeSet<(&'n str, bool)>>,
    left: usize,
    endless: bool,
}

impl<'n> Look<'n> {
    /// Looks at a statement of the function `inside`; `forked` when it runs beside its caller.
    fn node(&mut self, node: &'n Node, inside: Option<&'n str>, forked: bool) {
        let Some(left) = self.left.checked_sub(1) else { return };
        self.left = left;
        match node {
            Node::Simple(simple) => {
                if let (Some(name), Some(word)) = (inside, simple.words.first()) {
                    self.calls.entry(name).or_default().insert((word, forked));
                }
            }
            Node::Pipeline(stages) => stages.iter().for_each(|stage| self.node(stage, inside, true)),
            Node::List(items) => {
                for (item, joint) in items {
                    self.node(item, inside, forked || *joint == Joint::Background);
                }
            }
            Node::Branch { head, arms } => {
                head.iter().chain(arms).for_each(|node| self.node(node, inside, forked));
            }
            Node::Loop { endless, body, .. } => {
                self.endless |= *endless && body.last().is_some_and(leaves_jobs);
                body.iter().for_each(|node| self.node(node, inside, forked));
            }
            Node::Function(name, body) => self.node(body, Some(name), false),
            Node::Group(body, ..) => self.node(body, inside, forked),
            Node::Expand(_) | Node::TooDeep => {}
        }
    }

    /// Whether some function reaches itself on a way on which nobody waits.
    fn starts_itself(&self) -> bool {
        self.calls.keys().any(|start| {
            let mut seen = BTreeSet::new();
            let mut open = vec![(*start, false)];
            while let Some((name, forked)) = open.pop() {
                for (callee, beside) in self.calls.get(name).into_iter().flatten() {
                    let forked = forked || *beside;
                    if callee == start && forked {
                        return true;
                    }
                    if seen.insert((*callee, forked)) {
                        open.push((callee, forked));
                    }
                }
            }
            false
        })
    }
}

/// Whether a body of a loop starts a job that it does not wait for in every round.
fn leaves_jobs(body: &Node) -> bool {
    jobs_after(body, false)
}

/// Whether jobs are left behind a statement, given whether there were some before it.
fn jobs_after(node: &Node, before: bool) -> bool {
    match node {
        Node::List(items) => items
            .iter()
            .fold(before, |left, (item, joint)| jobs_after(item, left) || *joint == Joint::Background),
        Node::Simple(simple) => before && simple.words.first().is_none_or(|word| word != "wait"),
        _ => before,
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse::parse;
    use super::multiplies;

    #[test]
    fn only_what_never_waits_multiplies() {
        for text in [
            "spawn() { spawn | spawn & }; spawn",
            "one() { two; }; two() { one & }; one",
            "while true; do job & done",
            "until false; do job & wait; job & done",
            "for ((;;)); do job & done",
        ] {
            assert!(multiplies(&parse(text).expect("parses")), "{text}");
        }
        for text in [
            "while true; do job & wait; done",
            "while read -r x; do job & done",
            "retry() { retry; }; retry",
            "for n in 1 2; do job & done; wait",
            "serve() { work & }; serve",
        ] {
            assert!(!multiplies(&parse(text).expect("parses")), "{text}");
        }
    }
}
