//! What one argument designates.

use circinus_core::operand::{Kind, Operand};

use crate::Surroundings;
use crate::place::{Place, locate};

/// Kinds that a whole string may be, most telling first.
const KINDS: &[Kind] = &[Kind::Url, Kind::Email, Kind::Git, Kind::Token, Kind::Ip, Kind::Path];
/// Pieces of one argument that are looked at; a list of recipients is shorter.
const PIECES_MAX: usize = 64;

/// The operands that a text designates, each with its expansions: the text as a whole if it is one operand,
/// else each of its pieces between commas, semicolons and line ends. `plain` says whether a piece that is
/// nothing else is a plain value.
pub(super) fn designated(text: &str, plain: bool, around: &Surroundings) -> Vec<Vec<Operand>> {
    let text = text.trim();
    if let Some(whole) = parsed(text, around) {
        return vec![whole];
    }
    let lines = text.lines().take(PIECES_MAX);
    let pieces = lines.flat_map(|line| {
        let several = line.contains([',', ';']);
        let parts = line.split([',', ';']).filter(move |_| several);
        std::iter::once(line).chain(parts.take(PIECES_MAX))
    });
    let mut found: Vec<Vec<Operand>> = Vec::new();
    for piece in pieces {
        let piece = piece.trim();
        let value = || plain.then(|| Operand::value(piece.trim_start_matches(['#', '@']))).flatten();
        if let Some(operands) = parsed(piece, around).or_else(|| value().map(|value| vec![value]))
            && !found.contains(&operands)
        {
            found.push(operands);
        }
    }
    found
}

/// Where a path among the arguments lies; nothing for other operands.
pub(super) fn located(operands: &[Operand], text: &str, around: &Surroundings) -> Option<Place> {
    let is_path = operands.first().is_some_and(|operand| operand.kind() == Kind::Path);
    is_path.then(|| locate(text.trim(), Some(around.cwd()), around))
}

fn parsed(text: &str, around: &Surroundings) -> Option<Vec<Operand>> {
    let kinds = KINDS.iter().filter(|kind| looks_like(**kind, text));
    let operand = kinds.filter_map(|kind| Operand::parse(*kind, text, &around.paths)).next()?;
    Some(operand.expand())
}

/// Whether a text has the outer form of a kind. An amount is no address: only four numbers between dots, or
/// groups between colons, stand in the place of one here.
fn looks_like(kind: Kind, text: &str) -> bool {
    match kind {
        Kind::Path => text.starts_with(['/', '~', '.']) && text.contains('/') && !text.contains('\n'),
        Kind::Git => text.starts_with("git@") || text.ends_with(".git"),
        Kind::Ip => text.matches('.').count() == 3 || text.matches(':').count() >= 2,
        _ => true,
    }
}
