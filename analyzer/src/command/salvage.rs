//! What can still be said of a text that does not parse.

use super::value::Arg;

/// Pieces looked at.
const PIECES_MAX: usize = 64;

/// The words of each piece between operators and line ends, quotes removed. The words are not known, or a
/// piece could look harmless by how it was cut; what they name still counts.
pub(super) fn commands(text: &str) -> Vec<Vec<Arg>> {
    text.split(['\n', ';', '|', '&', '(', ')', '`'])
        .filter_map(|piece| {
            let words: Vec<_> = piece
                .split_ascii_whitespace()
                .map(|word| word.chars().filter(|c| !matches!(c, '\'' | '"' | '\\')).collect::<String>())
                .filter(|word| !word.is_empty())
                .collect();
            let head = words
                .iter()
                .position(|word| !matches!(word.as_str(), "$" | "{" | "}" | "then" | "do" | "else" | "!"));
            let words: Vec<_> = words.into_iter().skip(head?).map(Arg::literal).collect();
            Some(words)
        })
        .take(PIECES_MAX)
        .collect()
}
