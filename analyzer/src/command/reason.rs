//! Why something was found: at which program, by which part of its command line.

use std::fmt;

use circinus_core::action::{Flag, Tier};
use circinus_core::effect::Effect;

/// Characters of a word that a reason quotes.
const WORD_CHARS_MAX: usize = 80;

/// What was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Gain {
    /// At least this tier.
    Tier(Tier),
    /// This effect.
    Effect(Effect),
    /// This fact; it may hold only while its slot's value is not granted.
    Flag(Flag),
}

impl fmt::Display for Gain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tier(tier) => tier.fmt(f),
            Self::Effect(effect) => effect.fmt(f),
            Self::Flag(flag) => f.write_str(flag.name()),
        }
    }
}

/// The part of a command line that something was found at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Part {
    /// The text as a whole.
    #[default]
    Text,
    /// The program's row of the command table.
    Row,
    /// The program has no row.
    Unlisted,
    /// An option, by the first of its spellings.
    Option(&'static str),
    /// A word in its role, shortened.
    Word(Box<str>),
    /// A redirection.
    Redirection,
    /// A row of the user's overlay; the line of it, from 1.
    Overlay(usize),
}

impl Part {
    /// A word, shortened.
    pub(super) fn word(text: &str) -> Self {
        let mut letters = text.char_indices();
        match letters.nth(WORD_CHARS_MAX) {
            Some((at, _)) => Self::Word(format!("{}…", text.get(..at).unwrap_or_default()).into()),
            None => Self::Word(text.into()),
        }
    }
}

/// What the evaluation is looking at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cause {
    /// The program with its subcommands, such as `git push`; empty for the text as a whole.
    pub program: Box<str>,
    /// The part of its command line.
    pub part: Part,
    /// Which of the rules, in words, where the part alone does not say it.
    pub rule: Option<&'static str>,
}

/// Why something was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// What was found.
    pub gain: Gain,
    /// At what.
    pub cause: Cause,
}
