//! Ports: what the core needs from outside, as traits that the outside implements.

use std::fmt;
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
