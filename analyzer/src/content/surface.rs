//! A text that is scanned, and the way from its positions back to the judged bytes.

use std::borrow::Cow;

/// How positions of a surface map to positions of the judged bytes.
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// The surface is the judged bytes from this offset on.
    Offset(usize),
    /// The whole surface was decoded from this range; finer positions have no meaning.
    Range(usize, usize),
    /// Position pairs (surface, judged), ascending; between two pairs both advance alike.
    Pieces(Vec<(usize, usize)>),
}

impl Origin {
    fn position(&self, at: usize) -> usize {
        match self {
            Self::Offset(offset) => offset + at,
            Self::Range(start, _) => *start,
            Self::Pieces(pieces) => {
                let index = pieces.partition_point(|(surface, _)| *surface <= at);
                let piece = index.checked_sub(1).and_then(|index| pieces.get(index));
                piece.map_or(at, |(surface, judged)| judged + (at - surface))
            }
        }
    }

    /// The judged range of a half-open, non-empty surface range.
    pub(super) fn range(&self, start: usize, end: usize) -> (usize, usize) {
        match self {
            Self::Range(start, end) => (*start, *end),
            _ => (self.position(start), self.position(end.saturating_sub(1)) + 1),
        }
    }
}

/// One text to scan.
pub(super) struct Surface<'a> {
    pub(super) text: Cow<'a, [u8]>,
    pub(super) origin: Origin,
}

impl Surface<'_> {
    /// The same bytes read at a deeper level: ranges inside this surface, mapped to the judged bytes.
    pub(super) fn judged(&self, start: usize, end: usize) -> (usize, usize) {
        self.origin.range(start, end)
    }
}
