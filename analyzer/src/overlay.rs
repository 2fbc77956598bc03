//! The user's additions to the command table: they make the analysis of a command stricter, never laxer.
//!
//! INVARIANT (overlay-only-adds): the built-in evaluation does not see an overlay. What its rows say is
//! collected beside it and joined to the findings at the end, so that no row can take anything away.

mod read;

use std::collections::BTreeMap;
use std::ops::Range;

use circinus_core::action::{Flags, Tier};
use circinus_core::effect::Effects;
use thiserror::Error;

/// Rows by program; the default has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    rows: BTreeMap<Box<str>, Row>,
}

/// Why a text is no overlay, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{problem}; hint: {hint}")]
pub struct OverlayError {
    /// What is wrong, in a sentence; it may quote the text.
    pub problem: String,
    /// The bytes of the text that it is about.
    pub span: Range<usize>,
    /// What would be right.
    pub hint: String,
}

/// What a program or a subcommand gets on top.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Row {
    addition: Addition,
    options: Vec<(Vec<Box<str>>, Addition)>,
    subs: BTreeMap<Box<str>, Row>,
}

/// What is added to the findings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Addition {
    /// At least this tier.
    pub(crate) tier: Tier,
    /// Also these effects.
    pub(crate) effects: Effects,
    /// Also these facts.
    pub(crate) flags: Flags,
    /// The line of the overlay that says so, from 1.
    pub(crate) line: usize,
}

impl Overlay {
    /// Reads an overlay: TOML in the shape of the built-in table, with the keys `also`, `tier`, `effects`,
    /// `flags`, `options` (`f`, `tier`, `effects`, `flags`) and `subs`.
    ///
    /// # Errors
    ///
    /// The first thing that is no addition: a key that would change how words are read, a tier below the
    /// built-in one, an empty list, a name that does not exist.
    pub fn parse(text: &str) -> Result<Self, OverlayError> {
        read::overlay(text)
    }

    /// Programs that it adds to.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether it adds nothing.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// What it adds when a program runs with arguments; `operand` tells where the first operand stands.
    pub(crate) fn additions(
        &self,
        program: &str,
        args: &[&str],
        operand: Option<usize>,
    ) -> Vec<(String, Addition)> {
        let mut out = Vec::new();
        let plain = program.strip_suffix(".exe").unwrap_or(program);
        // Some file systems do not tell names by case.
        let row = self.rows.get(plain).or_else(|| self.rows.get(&*plain.to_ascii_lowercase()));
        if let Some(row) = row {
            row.collect(program.to_owned(), args, operand, &mut out);
        }
        out
    }
}

impl Row {
    fn collect(&self, by: String, args: &[&str], operand: Option<usize>, out: &mut Vec<(String, Addition)>) {
        out.push((by.clone(), self.addition));
        for (names, addition) in &self.options {
            let options = args.iter().take_while(|arg| **arg != "--");
            if options.into_iter().any(|arg| names.iter().any(|name| gives(arg, name))) {
                out.push((by.clone(), *addition));
            }
        }
        let sub = |at: usize| {
            let word = args.get(at)?;
            let row = self.subs.get(*word).or_else(|| self.subs.get(&*word.to_ascii_lowercase()))?;
            Some((at, *word, row))
        };
        // Where the options of a program are not known, a value may stand before the subcommand.
        let found = match operand {
            Some(at) => sub(at),
            None => (0..args.len()).find_map(sub),
        };
        if let Some((at, word, row)) = found {
            let rest = args.get(at + 1..).unwrap_or_default();
            row.collect(format!("{by} {word}"), rest, None, out);
        }
    }
}

/// Whether an argument gives an option: by itself, with a value, abbreviated, or in a bundle of letters.
fn gives(arg: &str, name: &str) -> bool {
    let head = arg.split('=').next().unwrap_or_default();
    if name.starts_with("--") {
        // A unique beginning of a long option stands for it (GNU getopt_long); two letters tell little.
        return head == name || head.len() > 4 && name.starts_with(head);
    }
    match name.strip_prefix(['-', '+']) {
        Some(letter) if letter.chars().count() == 1 => {
            let same_sign = arg.chars().next() == name.chars().next() && !arg.starts_with("--");
            let bundle = arg.chars().skip(1).take_while(char::is_ascii_alphabetic);
            same_sign && (arg == name || bundle.into_iter().any(|c| letter.starts_with(c)))
        }
        _ => arg.starts_with(name) && (name.ends_with('=') || head == name),
    }
}

#[cfg(test)]
mod tests {
    use super::gives;

    #[test]
    fn options_are_found_in_every_spelling() {
        for (arg, name) in [
            ("--force", "--force"),
            ("--force=yes", "--force"),
            ("--forc", "--force"),
            ("-f", "-f"),
            ("-rf", "-f"),
            ("-fvalue", "-f"),
            ("if=/dev/zero", "if="),
            ("-exec", "-exec"),
            ("+x", "+x"),
        ] {
            assert!(gives(arg, name), "{arg} is {name}");
        }
        for (arg, name) in [
            ("--fo", "--force"),
            ("--forced", "--force"),
            ("--f", "-f"),
            ("f", "-f"),
            ("-r", "-f"),
            ("x", "if="),
        ] {
            assert!(!gives(arg, name), "{arg} is not {name}");
        }
    }
}
