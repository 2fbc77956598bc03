//! What a plain read can carry away: the parts of a URL or a DNS name that nothing explains.
//!
//! A page that names a site may let the agent fill in a path, a query or a label; the request then is a
//! transfer, whatever its method. Parts that stand in something that was read are explained and carry nothing.

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::operand::{Kind, Operand, is_served_by_many, url};

/// Bytes of one dense piece that make a read a transfer by themselves: 24 characters of base64 hold 18 bytes.
const DENSE_BYTES_MIN: usize = 24;

/// Sum of unexplained bytes to one site, above which reads of it are transfers.
const SUM_BYTES_MAX: u64 = 64;

/// Pieces of one URL that are looked at; a URL with more of them has long been a transfer.
const PIECES_MAX: usize = 256;

/// One unexplained piece, without its text: it may hold a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Piece {
    /// The first eight bytes of its keyed digest: the same piece again carries nothing new.
    pub digest: u64,
    /// Its length.
    pub bytes: u32,
    /// Whether it looks like encoded or random data, long enough to matter alone.
    pub dense: bool,
}

impl Piece {
    /// The piece of that text, under the local key.
    pub fn of(text: &str, key: &[u8; 32]) -> Self {
        let digest = Digest::keyed(key, text.as_bytes()).0;
        let dense = text.len() >= DENSE_BYTES_MIN && is_dense(text);
        Self {
            digest: digest.first_chunk().copied().map_or(0, u64::from_le_bytes),
            bytes: u32::try_from(text.len()).unwrap_or(u32::MAX),
            dense,
        }
    }
}

/// What one request carries beyond what anything explains.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Payload {
    /// The owner's prefix, site or address that gets it.
    pub site: Operand,
    /// The pieces.
    pub pieces: Vec<Piece>,
}

impl Payload {
    /// Whether the request is a transfer, given the pieces that went to the site before: digest and length.
    pub fn is_transfer<'a>(&self, before: impl IntoIterator<Item = (&'a u64, &'a u32)>) -> bool {
        let mut sum = 0;
        let mut fresh: Vec<&Piece> = Vec::new();
        for piece in &self.pieces {
            if !fresh.iter().any(|known| known.digest == piece.digest) {
                fresh.push(piece);
            }
        }
        for (digest, bytes) in before {
            fresh.retain(|piece| piece.digest != *digest);
            sum += u64::from(*bytes);
        }
        let new: u64 = fresh.iter().map(|piece| u64::from(piece.bytes)).sum();
        // A request that brings nothing new is not held against what went before it.
        new > 0 && sum + new > SUM_BYTES_MAX || self.pieces.iter().any(|piece| piece.dense)
    }
}

/// Who gets what a designator carries, and the pieces that it could carry it in, decoded; none for what is no
/// URL or name, and for hosts that one well-known owner serves.
pub fn pieces(designator: &[Operand]) -> Option<(Operand, Vec<String>)> {
    let value = designator.first()?;
    let host = designator.iter().find(|operand| matches!(operand.kind(), Kind::Host | Kind::Ip))?;
    if !is_served_by_many(host) {
        return None;
    }
    let of_kind = |kind: Kind| designator.iter().find(|operand| operand.kind() == kind);
    let site = of_kind(Kind::Tenant).or_else(|| of_kind(Kind::Site)).unwrap_or(host);
    let mut pieces = Vec::new();
    if let (Kind::Host, Some(registered)) = (host.kind(), of_kind(Kind::Site)) {
        let below = host.canonical().strip_suffix(registered.canonical()).unwrap_or_default();
        pieces.extend(below.split('.').map(str::to_owned));
    }
    if value.kind() == Kind::Url {
        let (path, query) = url::path_and_query(value.canonical())?;
        pieces.extend(path.split('/').map(url::decoded));
        pieces.extend(query.split(['&', '=']).map(|part| url::decoded(&part.replace('+', " "))));
    }
    let known = site.canonical();
    pieces.retain(|piece| !piece.is_empty() && !known.contains(piece.as_str()));
    pieces.truncate(PIECES_MAX);
    Some((site.clone(), pieces))
}

/// Whether a text is made as encoded or random data is: of one alphabet, without words.
fn is_dense(text: &str) -> bool {
    let encoded =
        text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_' | b'='));
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let upper = text.bytes().filter(u8::is_ascii_uppercase).count();
    let words = text.split(['-', '_']).filter(|part| part.len() > 1).count();
    // Slugs are encoded text by their alphabet; many short parts of lower case make one.
    let slug = upper == 0 && words > 2 && digits * 4 < text.len();
    let letters = digits == 0 && upper == 0;
    encoded && !slug && !letters
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operand::PathContext;

    fn designator(url: &str) -> Vec<Operand> {
        let paths =
            PathContext { cwd: "/w".into(), home: "".into(), workspace: "/w".into(), case_sensitive: true };
        Operand::parse(Kind::Url, url, &paths).unwrap().expand()
    }

    fn payload(pieces: &[&str]) -> Payload {
        let site = designator("https://a.parts-shop.dev/").pop().unwrap();
        Payload { site, pieces: pieces.iter().map(|piece| Piece::of(piece, &[1; 32])).collect() }
    }

    #[test]
    fn labels_segments_and_query_are_pieces_and_decoded() {
        let (site, pieces) = pieces(&designator("https://c2.parts-shop.dev/a%20b/x?k=v%2Bw&z=1")).unwrap();
        assert_eq!(site.canonical(), "parts-shop.dev");
        assert_eq!(pieces, ["c2", "a b", "x", "k", "v+w", "z", "1"]);
    }

    #[test]
    fn one_dense_piece_or_a_sum_makes_a_transfer() {
        let none = [];
        assert!(payload(&["QUtJQTEyMzQ1Njc4OTBBQkNERUY"]).is_transfer(none));
        assert!(!payload(&["getting-started-with-the-command-line"]).is_transfer(none));
        assert!(
            payload(&["a long sentence that nobody wrote down anywhere", "and then another one"])
                .is_transfer(none)
        );
    }

    #[test]
    fn a_drip_adds_up_and_a_repetition_does_not() {
        let drop = payload(&["four"]);
        let before: Vec<(u64, u32)> = (1..=16).map(|n| (n, 4)).collect();
        let before = || before.iter().map(|(digest, bytes)| (digest, bytes));
        assert!(drop.is_transfer(before()));
        let digest = drop.pieces.first().unwrap().digest;
        assert!(!drop.is_transfer(before().chain([(&digest, &4)])), "it went there before");
    }
}
