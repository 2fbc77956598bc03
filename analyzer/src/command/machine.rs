//! The abstract evaluation: statements are walked in order, every way that may be taken, and each simple
//! command is understood with what is known of its words and its input.

mod expand;
mod held;
mod redirect;
mod simple;

pub(super) use redirect::{host_operands, source_of};

use std::collections::{BTreeSet, HashMap};

use circinus_core::action::{Flag, Tier};

use super::Program;
use super::bomb;
use super::canonical::render;
use super::env::Env;
use super::found::Found;
use super::ir::{Joint, Node};
use super::parse::{Refusal, parse};
use super::salvage;
use super::trace::Trace;
use super::value::{Stream, Taint};
use crate::Surroundings;

/// Simple commands evaluated in one call, repetitions included: the longest real script has about a hundred.
const COMMANDS_MAX: usize = 512;
/// Statements evaluated in one call, those that run nothing included: loops in loops multiply.
const STATEMENTS_MAX: usize = 4_096;
/// Texts inside texts: substitutions, `sh -c`, `eval`.
pub(super) const TEXT_DEPTH_MAX: usize = 8;
/// Statements and functions inside one another, over all texts; bounds the stack.
const NESTING_MAX: usize = 40;
/// Bytes parsed in one call, all nested texts and repetitions together.
const WORK_BYTES_MAX: usize = 256 << 10;
/// Words of a `for` that are tried one by one; what the rest does is judged by the last, unknown round.
const ROUNDS_MAX: usize = 8;

/// The state of one evaluation.
pub(super) struct Machine<'a> {
    pub(super) around: &'a Surroundings,
    pub(super) env: Env,
    pub(super) found: Found,
    /// What the user's overlay adds; the evaluation does not look at it.
    pub(super) added: Found,
    /// What files hold that this very call wrote.
    pub(super) files: HashMap<String, Stream>,
    /// Directories that this very call filled, and what the files there come from.
    pub(super) trees: Vec<(String, Taint)>,
    /// It ends processes that it looks up.
    pub(super) kills: bool,
    /// What this very call put into a repository.
    pub(super) staged: Taint,
    /// Pipelines in canonical form.
    pub(super) lines: BTreeSet<String>,
    /// Programs run by name.
    pub(super) programs: BTreeSet<Program>,
    /// The programs in order, where somebody wants to see them.
    pub(super) trace: Trace,
    commands_left: usize,
    statements_left: usize,
    bytes_left: usize,
    text_depth: usize,
    nesting: usize,
    /// What is looked at is only what words may be.
    guessing: bool,
}

impl<'a> Machine<'a> {
    /// A fresh shell.
    pub(super) fn new(around: &'a Surroundings) -> Self {
        Self {
            around,
            env: Env::new(around),
            found: Found::default(),
            added: Found::default(),
            files: HashMap::new(),
            trees: Vec::new(),
            kills: false,
            staged: Taint::default(),
            lines: BTreeSet::new(),
            programs: BTreeSet::new(),
            trace: Trace::default(),
            commands_left: COMMANDS_MAX,
            statements_left: STATEMENTS_MAX,
            bytes_left: WORK_BYTES_MAX,
            text_depth: 0,
            nesting: 0,
            guessing: false,
        }
    }

    /// Runs a shell text and returns what it prints.
    pub(super) fn text(&mut self, text: &str, stdin: &Stream) -> Stream {
        let Some(left) = self.bytes_left.checked_sub(text.len()) else {
            self.found.opaque_by("too long, all nested texts together");
            return Stream::default();
        };
        self.bytes_left = left;
        if self.text_depth >= TEXT_DEPTH_MAX {
            self.found.opaque_by("texts nested too deep");
            return Stream::default();
        }
        self.text_depth += 1;
        let out = match parse(text) {
            Ok(nodes) => {
                if bomb::multiplies(&nodes) {
                    self.found.raise(Tier::T2);
                }
                self.all(&nodes, stdin)
            }
            Err(refusal) => self.refused(text, refusal),
        };
        self.text_depth -= 1;
        out
    }

    /// A text that has no statements is opaque, and still judged by what its pieces would do.
    fn refused(&mut self, text: &str, refusal: Refusal) -> Stream {
        self.found.opaque_by("no shell text that can be parsed");
        if refusal == Refusal::Syntax || text.len() <= super::parse::PARSE_BYTES_MAX {
            for words in salvage::commands(text) {
                let Some(left) = self.commands_left.checked_sub(1) else { break };
                self.commands_left = left;
                self.program(words, Stream::default());
            }
        }
        Stream::default()
    }

    fn all(&mut self, nodes: &[Node], stdin: &Stream) -> Stream {
        let mut out = Stream::empty();
        for node in nodes {
            out.append(&self.node(node, stdin));
        }
        out
    }

    /// Runs one statement.
    pub(super) fn node(&mut self, node: &Node, stdin: &Stream) -> Stream {
        let Some(left) = self.statements_left.checked_sub(1).filter(|_| self.nesting < NESTING_MAX) else {
            self.found.opaque_by("too many statements, or nested too deep");
            return Stream::default();
        };
        self.statements_left = left;
        self.nesting += 1;
        let out = self.statement(node, stdin);
        self.nesting -= 1;
        out
    }

    fn statement(&mut self, node: &Node, stdin: &Stream) -> Stream {
        match node {
            Node::Simple(simple) => {
                self.note_line(node);
                self.simple(simple, stdin.clone())
            }
            Node::Pipeline(stages) => {
                self.note_line(node);
                self.pipeline(stages, stdin)
            }
            Node::List(items) => self.list(items, stdin),
            Node::Branch { head, arms } => self.branch(head, arms, stdin),
            Node::Loop { over, body, .. } => self.repeat(over.as_ref(), body, stdin),
            Node::Function(name, body) => {
                self.env.functions.insert(name.clone(), (**body).clone());
                Stream::empty()
            }
            Node::Group(body, redirects, subshell) => self.group(body, redirects, *subshell, stdin),
            Node::Expand(words) => {
                for word in words {
                    self.expand(word);
                }
                Stream::empty()
            }
            Node::TooDeep => {
                self.found.opaque_by("nested too deep");
                Stream::default()
            }
        }
    }

    fn note_line(&mut self, node: &Node) {
        if self.lines.len() < COMMANDS_MAX {
            self.lines.extend(render(node));
        }
    }

    /// Each stage reads what the one before it prints, and runs in a shell of its own.
    fn pipeline(&mut self, stages: &[Node], stdin: &Stream) -> Stream {
        let env = self.env.clone();
        let mut flow = stdin.clone();
        for stage in stages {
            flow = match stage {
                Node::Simple(simple) => self.simple(simple, flow),
                other => self.node(other, &flow),
            };
            self.env = env.clone();
        }
        flow
    }

    fn list(&mut self, items: &[(Node, Joint)], stdin: &Stream) -> Stream {
        let mut out = Stream::empty();
        for (node, _) in items {
            out.append(&self.node(node, stdin));
        }
        out
    }

    fn branch(&mut self, head: &[Node], arms: &[Node], stdin: &Stream) -> Stream {
        let mut out = self.all(head, stdin);
        let before = self.env.clone();
        let mut after = before.clone();
        for arm in arms {
            self.env = before.clone();
            out.append(&self.node(arm, stdin));
            let env = std::mem::replace(&mut self.env, before.clone());
            after.join(env);
        }
        self.env = after;
        out.text = None;
        out
    }

    fn repeat(&mut self, over: Option<&(String, Vec<String>)>, body: &[Node], stdin: &Stream) -> Stream {
        let mut out = Stream::empty();
        let Some((name, words)) = over else {
            let before = self.env.clone();
            out.append(&self.all(body, stdin));
            // The body may run, or not at all.
            self.env.join(before);
            out.text = None;
            return out;
        };
        let mut rounds: Vec<_> = words.iter().flat_map(|word| self.expand(word)).collect();
        if rounds.len() > ROUNDS_MAX || rounds.is_empty() {
            let mut rest = rounds.split_off(rounds.len().min(ROUNDS_MAX - 1));
            let mut unknown = super::value::Arg::unknown(format!("${name}"));
            rest.drain(..).for_each(|arg| unknown.taint.absorb(&arg.taint));
            rounds.push(unknown);
        }
        for value in rounds {
            self.env.set(name, value);
            out.append(&self.all(body, stdin));
        }
        out
    }

    fn group(
        &mut self,
        body: &Node,
        redirects: &[super::ir::Redirect],
        subshell: bool,
        stdin: &Stream,
    ) -> Stream {
        let env = subshell.then(|| self.env.clone());
        let aims = self.redirects(redirects);
        let stdin = aims.stdin.clone().unwrap_or_else(|| stdin.clone());
        for (number, _, stream) in aims.opened.iter().cloned() {
            self.env.open(number, stream);
        }
        let out = self.node(body, &stdin);
        let out = self.deliver(out, &aims, "redirection");
        if let Some(env) = env {
            self.env = env;
        }
        out
    }

    /// Judges a literal that is probably a command line, without what it would change here.
    pub(super) fn inner_shell(&mut self, text: &str) {
        if parse(text).is_ok() {
            let (env, before) = (self.env.clone(), self.found.clone());
            self.text(text, &Stream::empty());
            self.env = env;
            // Text that only may be a command must not make the whole opaque by being none.
            let severe =
                [Flag::Catastrophic, Flag::Guard].iter().any(|flag| self.found.flags.contains(*flag));
            if !severe && self.found.flags.contains(Flag::Opaque) && !before.flags.contains(Flag::Opaque) {
                self.found = before;
            }
        }
    }

    /// An alias is a function that appends its arguments.
    pub(super) fn alias(&mut self, name: &str, text: &str) {
        match parse(&format!("{text} \"$@\"")) {
            Ok(nodes) => {
                let body = Node::List(nodes.into_iter().map(|node| (node, Joint::Then)).collect());
                self.env.functions.insert(name.to_owned(), body);
            }
            Err(_) => self.found.opaque(),
        }
    }

    /// Takes one simple command from the budget.
    pub(super) fn spend(&mut self) -> bool {
        match self.commands_left.checked_sub(1) {
            Some(left) => {
                self.commands_left = left;
                true
            }
            None => {
                self.found.opaque_by("too many commands");
                false
            }
        }
    }
}
