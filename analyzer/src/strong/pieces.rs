//! A text in pieces that fit one question.

/// Bytes of one piece: what every provider's context holds with room to spare, in any script.
pub const PIECE_BYTES_MAX: usize = 12 << 10;

/// Bytes that two neighbours share, so that an instruction that a cut divides stands whole in one of them.
const OVERLAP_BYTES: usize = 1 << 10;

/// Pieces of one text, about 180 KB; a longer one is not judged in part but counts as failed.
pub const PIECES_MAX: usize = 16;

/// Part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Where it begins in the text, in bytes.
    pub start: usize,
    /// The part.
    pub text: String,
}

/// The pieces of `text`, or none if they are too many.
pub(super) fn cut(text: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut start = 0_usize;
    loop {
        if pieces.len() == PIECES_MAX {
            return None;
        }
        let end = boundary(text, start.saturating_add(PIECE_BYTES_MAX).min(text.len()));
        pieces.push(Piece { start, text: text.get(start..end)?.to_owned() });
        if end == text.len() {
            return Some(pieces);
        }
        start = boundary(text, end - OVERLAP_BYTES);
    }
}

/// The last boundary of characters at or before `at`.
fn boundary(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|place| text.is_char_boundary(*place)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_text_and_overlap() {
        let text = "aé漢".repeat(8_000);
        let pieces = cut(&text).unwrap();
        assert!(pieces.iter().all(|piece| piece.text.len() <= PIECE_BYTES_MAX));
        assert!(pieces.iter().all(|piece| text[piece.start..].starts_with(&piece.text)));
        for pair in pieces.windows(2) {
            let end = pair[0].start + pair[0].text.len();
            assert!(pair[1].start < end && end - pair[1].start >= OVERLAP_BYTES);
        }
        let last = pieces.last().unwrap();
        assert_eq!(last.start + last.text.len(), text.len());
    }

    #[test]
    fn a_short_text_is_one_piece_and_a_huge_one_none() {
        assert_eq!(cut("short").unwrap().len(), 1);
        assert_eq!(cut("").unwrap().len(), 1);
        assert_eq!(cut(&"x".repeat(PIECES_MAX * PIECE_BYTES_MAX)), None);
    }
}
