//! Values of the abstract evaluation: what is known of a word, a variable or a stream.

use circinus_core::operand::Operand;

/// Sources kept for one value; beyond it the value counts as coming from the kept ones.
const SOURCES_MAX: usize = 64;

/// Hosts (with their sub-domains) that a secret is meant for; none when it is meant for no host.
pub(super) type Homes = &'static [&'static str];

/// Where bytes come from, as far as they do not come from the command line itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Taint {
    /// Straight from other machines: addresses and their expansions.
    pub(super) remote: Vec<Operand>,
    /// From a machine that the command does not name.
    pub(super) remote_unnamed: bool,
    /// From these files.
    pub(super) files: Vec<Operand>,
    /// The secrets that they are or hold, each as the hosts that may have it.
    pub(super) secrets: Vec<Homes>,
    /// They were decoded: what they say cannot be read off the command line.
    pub(super) decoded: bool,
}

impl Taint {
    /// Bytes from the given addresses.
    pub(super) fn remote(remote: Vec<Operand>) -> Self {
        Self { remote_unnamed: remote.is_empty(), remote, ..Self::default() }
    }

    /// Adds the sources of `other`.
    pub(super) fn absorb(&mut self, other: &Self) {
        extend_bounded(&mut self.remote, &other.remote);
        extend_bounded(&mut self.files, &other.files);
        self.remote_unnamed |= other.remote_unnamed;
        for homes in &other.secrets {
            self.add_secret(homes);
        }
        self.decoded |= other.decoded;
    }

    /// Adds a secret that may only go to `homes`.
    pub(super) fn add_secret(&mut self, homes: Homes) {
        if self.secrets.len() < SOURCES_MAX && !self.secrets.contains(&homes) {
            self.secrets.push(homes);
        }
    }

    /// Whether some of the bytes come from another machine.
    pub(super) fn is_remote(&self) -> bool {
        self.remote_unnamed || !self.remote.is_empty()
    }
}

fn extend_bounded(to: &mut Vec<Operand>, from: &[Operand]) {
    for operand in from {
        if to.len() < SOURCES_MAX && !to.contains(operand) {
            to.push(operand.clone());
        }
    }
}

/// Names of standard input among files.
const STDIN: &[&str] = &["-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"];

/// What flows through a pipe or stands in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stream {
    /// The text, if the command line alone determines it.
    pub(super) text: Option<String>,
    /// Where the bytes come from.
    pub(super) taint: Taint,
}

impl Stream {
    /// Nothing at all.
    pub(super) fn empty() -> Self {
        Self::literal("")
    }

    /// Text that the command line determines.
    pub(super) fn literal(text: impl Into<String>) -> Self {
        Self { text: Some(text.into()), taint: Taint::default() }
    }

    /// Bytes that are not known.
    pub(super) fn unknown(taint: Taint) -> Self {
        Self { text: None, taint }
    }

    /// This stream, and `other` behind it.
    pub(super) fn append(&mut self, other: &Self) {
        self.text = match (self.text.take(), &other.text) {
            (Some(head), Some(tail)) => Some(head + tail),
            _ => None,
        };
        self.taint.absorb(&other.taint);
    }
}

/// One word as the program gets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Arg {
    /// The text; what is not known stands in it as written, such as `$x`.
    pub(super) text: String,
    /// The text is exactly what the program gets.
    pub(super) known: bool,
    /// It is a pattern that the shell expands.
    pub(super) glob: bool,
    /// Where substituted parts come from.
    pub(super) taint: Taint,
    /// The word is a process substitution with this content.
    pub(super) feed: Option<Stream>,
    /// The word is a process substitution that is written to: its source.
    pub(super) drain: Option<String>,
}

impl Arg {
    /// Whether it stands for standard input where a file is expected.
    pub(super) fn is_stdin(&self) -> bool {
        STDIN.contains(&self.text.as_str())
    }

    /// A word that is known.
    pub(super) fn literal(text: impl Into<String>) -> Self {
        Self { text: text.into(), known: true, ..Self::default() }
    }

    /// The value of a variable that nothing here sets.
    pub(super) fn unknown(written: impl Into<String>) -> Self {
        Self { text: written.into(), ..Self::default() }
    }

    /// This word less `prefix`, the rest unchanged.
    pub(super) fn strip(&self, prefix: &str) -> Option<Self> {
        self.text.strip_prefix(prefix).map(|rest| self.with_text(rest))
    }

    /// Other text from the same sources.
    pub(super) fn with_text(&self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self.clone() }
    }

    /// The word as a stream, for inline code and here-strings.
    pub(super) fn stream(&self) -> Stream {
        Stream { text: self.known.then(|| self.text.clone()), taint: self.taint.clone() }
    }
}
