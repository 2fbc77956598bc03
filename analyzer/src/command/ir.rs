//! The statements of a shell program, reduced to what understanding needs.
//!
//! The structural parser stands behind these types: nothing else in the crate names it.

use std::fmt;

/// One statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// Assignments, words and redirections.
    Simple(Simple),
    /// Stages joined by `|`.
    Pipeline(Vec<Node>),
    /// Statements one after the other, each with the operator behind it.
    List(Vec<(Node, Joint)>),
    /// A condition and the alternatives, of which any may run.
    Branch {
        /// What is always evaluated first.
        head: Vec<Node>,
        /// Each alternative.
        arms: Vec<Node>,
    },
    /// A body that runs any number of times.
    Loop {
        /// Variable and the words that it takes, if it is a `for`.
        over: Option<(String, Vec<String>)>,
        /// Its condition is constant, so that it never ends by itself.
        endless: bool,
        /// Condition (if any) and body.
        body: Vec<Node>,
    },
    /// A function definition.
    Function(String, Box<Node>),
    /// A group with redirections; `true` for a subshell.
    Group(Box<Node>, Vec<Redirect>, bool),
    /// Raw words that are only expanded, such as those of `[[ ]]`, `(( ))` and `case`.
    Expand(Vec<String>),
    /// Something nested deeper than is followed.
    TooDeep,
}

/// What stands behind a statement of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Joint {
    And,
    Or,
    Then,
    Background,
}

impl Joint {
    /// How it is written.
    pub(super) const fn text(self) -> &'static str {
        match self {
            Self::And => "&&",
            Self::Or => "||",
            Self::Then => ";",
            Self::Background => "&",
        }
    }
}

/// A simple command; words are raw, quotes and all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    pub(super) assignments: Vec<String>,
    pub(super) words: Vec<String>,
    pub(super) redirects: Vec<Redirect>,
}

/// A redirection.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Redirect {
    /// The descriptor before the operator, if written.
    pub(super) fd: Option<i32>,
    /// The variable that gets the descriptor, as in `{name}<file`.
    pub(super) name: Option<String>,
    pub(super) kind: RedirectKind,
}

/// What a redirection does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RedirectKind {
    /// `op` and a raw word: `<`, `>`, `>>`, `>|`, `&>`, `&>>`, `<>`, `>&`, `<&`, `<<<`.
    Word(String, String),
    /// A here-document.
    Here {
        /// The body.
        body: String,
        /// The delimiter was quoted: the body is literal.
        literal: bool,
    },
}

/// As it is written; of a here-document only that it is one.
impl fmt::Display for Redirect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = &self.name {
            write!(f, "{{{name}}}")?;
        } else if let Some(fd) = self.fd {
            write!(f, "{fd}")?;
        }
        match &self.kind {
            RedirectKind::Word(op, word) => write!(f, "{op}{word}"),
            RedirectKind::Here { body, literal } => {
                let kind = if *literal { "literal" } else { "expanded" };
                write!(f, "<<(here-document, {kind}, {} bytes)", body.len())
            }
        }
    }
}
