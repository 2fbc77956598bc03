//! Colour: when it is used, and which.

use std::ffi::OsString;

/// What `--color` says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum ColorChoice {
    /// Colour on a terminal, unless `NO_COLOR` is set or `TERM` is `dumb`.
    #[default]
    Auto,
    /// Colour always.
    Always,
    /// No colour.
    Never,
}

impl ColorChoice {
    /// Whether a stream gets colour. `NO_COLOR` counts when set and not empty (no-color.org).
    #[must_use]
    pub fn wants_color(self, is_terminal: bool, env: &dyn Fn(&str) -> Option<OsString>) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => {
                let is_set = |name: &str| env(name).is_some_and(|value| !value.is_empty());
                is_terminal && !is_set("NO_COLOR") && env("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

/// What a piece of text is, from which its look follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// As it is.
    Plain,
    /// Headings and names that the eye looks for.
    Strong,
    /// What one may skip.
    Dim,
    /// Passed, allowed, added.
    Good,
    /// To be looked at: REVIEW, a warning.
    Warning,
    /// Failed, blocked, removed.
    Bad,
}

impl Style {
    /// The SGR parameters (ECMA-48, 8.3.117); colours of the basic eight, which follow the terminal's theme.
    const fn sgr(self) -> &'static str {
        match self {
            Self::Plain => "",
            Self::Strong => "1",
            Self::Dim => "2",
            Self::Good => "32",
            Self::Warning => "33",
            Self::Bad => "31",
        }
    }

    /// `text` in this style, or as it is when `color` is off.
    #[must_use]
    pub fn paint(self, text: &str, color: bool) -> String {
        if !color || self == Self::Plain || text.is_empty() {
            return text.to_owned();
        }
        format!("\x1b[{}m{text}\x1b[0m", self.sgr())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &'static [(&'static str, &'static str)]) -> impl Fn(&str) -> Option<OsString> {
        move |name| pairs.iter().find(|pair| pair.0 == name).map(|pair| pair.1.into())
    }

    #[test]
    fn auto_follows_terminal_and_environment() {
        assert!(ColorChoice::Auto.wants_color(true, &env(&[])));
        assert!(!ColorChoice::Auto.wants_color(false, &env(&[])));
        assert!(!ColorChoice::Auto.wants_color(true, &env(&[("NO_COLOR", "1")])));
        assert!(ColorChoice::Auto.wants_color(true, &env(&[("NO_COLOR", "")])));
        assert!(!ColorChoice::Auto.wants_color(true, &env(&[("TERM", "dumb")])));
    }

    #[test]
    fn the_flag_wins_over_the_environment() {
        assert!(ColorChoice::Always.wants_color(false, &env(&[("NO_COLOR", "1")])));
        assert!(!ColorChoice::Never.wants_color(true, &env(&[])));
    }

    #[test]
    fn painting_without_color_changes_nothing() {
        assert_eq!(Style::Bad.paint("no", false), "no");
        assert_eq!(Style::Bad.paint("no", true), "\x1b[31mno\x1b[0m");
    }
}
