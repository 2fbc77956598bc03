//! A bar for long work, on standard error, and only where that is a terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A bar; it shows nothing until its length is known.
#[derive(Debug)]
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar over `what`.
    #[must_use]
    pub fn new(what: &'static str) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        Self(bar.with_message(what))
    }

    /// Shows it.
    pub fn start(&self, length: u64) {
        self.0.set_length(length);
        // A template that does not parse leaves indicatif's own.
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} {msg}, {eta} left") {
            self.0.set_style(style);
        }
        self.0.set_draw_target(ProgressDrawTarget::stderr());
    }

    /// More is done.
    pub fn add(&self, done: u64) {
        self.0.inc(done);
    }

    /// Takes it away.
    pub fn finish(&self) {
        self.0.finish_and_clear();
    }
}
