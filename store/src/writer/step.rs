//! The steps of the writer, for whoever has to stop or fail it between two of them.

use std::io;

/// Where the writer stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// A group was gathered; its transaction has not begun.
    Gathered,
    /// The transaction has begun.
    Begun,
    /// One event of the group was appended.
    Appended,
    /// All were; COMMIT comes next.
    Committing,
    /// COMMIT has returned; nothing is visible or acknowledged.
    Committed,
    /// The events are visible; nothing is acknowledged.
    Published,
    /// One commit of the group was acknowledged.
    Acknowledged,
    /// The write-ahead log is about to be copied back.
    CopyingBack,
    /// It was copied back.
    CopiedBack,
}

impl Step {
    /// All of them, in the order in which they come.
    pub const ALL: [Self; 9] = [
        Self::Gathered,
        Self::Begun,
        Self::Appended,
        Self::Committing,
        Self::Committed,
        Self::Published,
        Self::Acknowledged,
        Self::CopyingBack,
        Self::CopiedBack,
    ];
}

/// Told each step, on the writer's thread. An error counts as an I/O error of that step; after COMMIT there is
/// nothing left that could fail, and it only stops the writer.
pub type Watch = Box<dyn FnMut(Step) -> io::Result<()> + Send>;

/// Looks on.
pub(super) fn nobody() -> Watch {
    Box::new(|_| Ok(()))
}
