//! The programs of a command line as the evaluation met them, for people.

use super::value::Arg;

/// Steps kept; the evaluation itself stops at as many simple commands.
pub const STEPS_MAX: usize = 512;

/// One program as it was understood: what stands in the text, and what wrappers, functions, substitutions and
/// nested texts lead to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Programs that it stands in: 1 behind a wrapper, 2 behind two.
    pub depth: usize,
    /// How the program was found.
    pub kind: StepKind,
    /// Its words, the program first.
    pub words: Vec<StepWord>,
    /// Its redirections, as written.
    pub redirections: Vec<String>,
}

/// How a program was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepKind {
    /// Its name has a row in the command table.
    Listed,
    /// Its name has no row.
    Unlisted,
    /// A file that runs, by its path.
    File,
    /// A function or an alias of this very text.
    Function,
    /// The word in command position is not known.
    Unknown,
    /// Redirections without a command.
    None,
}

impl StepKind {
    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Listed => "listed",
            Self::Unlisted => "unlisted",
            Self::File => "file",
            Self::Function => "function",
            Self::Unknown => "unknown",
            Self::None => "none",
        }
    }
}

/// A word as the program gets it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepWord {
    /// Its text; what is not known stands in it as written, such as `$x`.
    pub text: String,
    /// The text is exactly what the program gets.
    pub known: bool,
}

/// Collects steps where somebody wants them.
#[derive(Debug, Default)]
pub(super) struct Trace {
    steps: Option<Vec<Step>>,
    redirections: Vec<String>,
    depth: usize,
}

impl Trace {
    /// A trace that keeps what it is told.
    pub(super) fn kept() -> Self {
        Self { steps: Some(Vec::new()), ..Self::default() }
    }

    /// The redirections of the program that comes next.
    pub(super) fn redirected(&mut self, written: impl FnOnce() -> Vec<String>) {
        if self.steps.is_some() {
            self.redirections = written();
        }
    }

    /// Redirections that no program takes.
    pub(super) fn alone(&mut self) {
        if !self.redirections.is_empty() {
            self.enter(StepKind::None, []);
            self.leave();
        }
    }

    /// A program; what it leads to comes until [`Trace::leave`].
    pub(super) fn enter<'a>(&mut self, kind: StepKind, words: impl IntoIterator<Item = &'a Arg>) {
        let redirections = std::mem::take(&mut self.redirections);
        if let Some(steps) = self.steps.as_mut().filter(|steps| steps.len() < STEPS_MAX) {
            let words = words.into_iter().map(|arg| StepWord { text: arg.text.clone(), known: arg.known });
            steps.push(Step { depth: self.depth, kind, words: words.collect(), redirections });
        }
        self.depth += 1;
    }

    /// The end of a program.
    pub(super) fn leave(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// What was kept.
    pub(super) fn into_steps(self) -> Vec<Step> {
        self.steps.unwrap_or_default()
    }
}
