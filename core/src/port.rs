//! Ports: what the core needs from outside, as traits that the outside implements.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use crate::digest::Digest;
use crate::id::EventSeq;

/// Proof that an event is on disk.
///
/// INVARIANT (receipt-after-commit): only the durability tier implements this, on a type that it alone can
/// make, after the transaction that holds the event was committed and synced.
pub trait Receipt {
    /// Number of the committed event.
    fn seq(&self) -> EventSeq;
}

/// The texts of recorded artifacts, as long as they are kept.
pub trait Texts: fmt::Debug {
    /// The text of a content; none when it is kept no longer or is no text.
    fn text(&self, content: &Digest) -> Option<Arc<str>>;
}

/// What finds command lines, which only a shell's grammar can tell from other text.
pub trait Grammar: fmt::Debug {
    /// The command lines in a text, each in canonical form with the byte range of the piece that it stands in.
    /// Time is linear in the text.
    fn command_lines(&self, text: &str) -> Vec<(String, Range<usize>)>;
}

/// Finds no command line.
#[derive(Clone, Copy, Debug)]
pub struct NoGrammar;

impl Grammar for NoGrammar {
    fn command_lines(&self, _: &str) -> Vec<(String, Range<usize>)> {
        Vec::new()
    }
}
