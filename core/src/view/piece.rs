//! The text of a view and the way back to the original.

use std::ops::Range;

/// What a view shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Viewed {
    /// The text with hidden pieces undone.
    pub text: String,
    /// Where its bytes come from.
    pub map: Map,
}

/// A monotone piecewise map from byte offsets of a viewed text to ranges of the original.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Map {
    pieces: Vec<Piece>,
}

/// A run of the viewed text, up to the next piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Piece {
    /// First byte in the viewed text.
    viewed: usize,
    /// First byte in the original.
    start: usize,
    /// End in the original.
    end: usize,
    /// Whether the bytes are the original's; otherwise each byte stands for the whole range.
    copied: bool,
}

impl Map {
    /// The range of the original that the range `viewed` of the viewed text comes from.
    pub fn original(&self, viewed: Range<usize>) -> Range<usize> {
        let first = self.at(viewed.start);
        let last = self.at(viewed.end.max(viewed.start + 1) - 1);
        first.start..last.end.max(first.start)
    }

    /// The ranges of the viewed text that differ from the original, in order; an empty range is a place
    /// from which something was removed.
    pub fn changed(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        let ends = self.pieces.iter().skip(1).map(|next| next.viewed).chain([usize::MAX]);
        self.pieces.iter().zip(ends).filter(|(piece, _)| !piece.copied).map(|(piece, end)| piece.viewed..end)
    }

    fn at(&self, offset: usize) -> Range<usize> {
        let after = self.pieces.partition_point(|piece| piece.viewed <= offset);
        let Some(piece) = after.checked_sub(1).and_then(|at| self.pieces.get(at)) else { return 0..0 };
        if !piece.copied {
            return piece.start..piece.end;
        }
        let start = (piece.start + (offset - piece.viewed)).min(piece.end);
        start..(start + 1).min(piece.end)
    }
}

/// Bytes as text, if they are text that a person could read.
fn printable(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| !text.is_empty())?;
    text.chars().all(|c| !c.is_control() || c.is_ascii_whitespace()).then_some(text)
}

/// Builds the text of a view from copied and replaced pieces, in the order of the original.
pub(super) struct Builder<'a> {
    original: &'a str,
    /// Everything before it is in the output.
    cursor: usize,
    text: String,
    pieces: Vec<Piece>,
    changed: bool,
}

impl<'a> Builder<'a> {
    pub(super) fn new(original: &'a str) -> Self {
        Self { original, cursor: 0, text: String::new(), pieces: Vec::new(), changed: false }
    }

    /// Puts `text` in the place of `range`; what lies between the last range and this one is copied.
    /// Ranges that begin before the end of the last one, or that split a character, are left alone.
    pub(super) fn replace(&mut self, range: Range<usize>, text: &str) {
        if range.start < self.cursor || self.original.get(range.clone()).is_none() {
            return;
        }
        self.changed = true;
        self.copy_to(range.start);
        match self.pieces.last_mut() {
            Some(last) if !last.copied && last.end == range.start => last.end = range.end,
            _ => self.push(range.start, range.end, false),
        }
        self.text.push_str(text);
        self.cursor = range.end;
    }

    /// Decodes the run of three-byte escapes that begins at `at`, where it is text that a person could read;
    /// gives the end of the run.
    pub(super) fn decode_run(&mut self, at: usize, escape: impl Fn(&[u8], usize) -> Option<u8>) -> usize {
        let mut decoded = Vec::new();
        let mut end = at;
        while let Some(byte) = escape(self.original.as_bytes(), end) {
            decoded.push(byte);
            end += 3;
        }
        if let Some(shown) = printable(&decoded) {
            self.replace(at..end, shown);
        }
        end
    }

    /// First byte that is neither copied nor replaced yet.
    pub(super) const fn cursor(&self) -> usize {
        self.cursor
    }

    /// Copies the rest; `None` when nothing was replaced.
    pub(super) fn finish(mut self) -> Option<Viewed> {
        if !self.changed {
            return None;
        }
        self.copy_to(self.original.len());
        Some(Viewed { text: self.text, map: Map { pieces: self.pieces } })
    }

    fn copy_to(&mut self, end: usize) {
        if self.text.capacity() == 0 {
            self.text.reserve(self.original.len());
        }
        let Some(copied) = self.original.get(self.cursor..end).filter(|copied| !copied.is_empty()) else {
            return;
        };
        self.push(self.cursor, end, true);
        self.text.push_str(copied);
        self.cursor = end;
    }

    fn push(&mut self, start: usize, end: usize, copied: bool) {
        self.pieces.push(Piece { viewed: self.text.len(), start, end, copied });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_lead_back_to_the_piece_they_come_from() {
        let mut builder = Builder::new("abcXXXdef");
        builder.replace(3..6, "..");
        let viewed = builder.finish().expect("changed");
        assert_eq!(viewed.text, "abc..def");
        assert_eq!(viewed.map.original(0..2), 0..2);
        assert_eq!(viewed.map.original(2..4), 2..6);
        assert_eq!(viewed.map.original(4..7), 3..8);
        assert_eq!(viewed.map.original(0..8), 0..9);
        assert_eq!(viewed.map.changed().next(), Some(3..5));
    }

    #[test]
    fn a_removed_piece_is_an_empty_change() {
        let mut builder = Builder::new("ab--cd");
        builder.replace(2..4, "");
        let viewed = builder.finish().expect("changed");
        assert_eq!(viewed.text, "abcd");
        assert_eq!(viewed.map.original(0..4), 0..6);
        assert_eq!(viewed.map.changed().next(), Some(2..2));
    }

    #[test]
    fn nothing_replaced_is_nothing_viewed() {
        assert!(Builder::new("text").finish().is_none());
    }
}
