//! Views: total, deterministic functions from text to text that undo one way of hiding an operand.
//!
//! An operand found in a view is recorded with the chain of views that showed it. Such a hit may add an
//! influence and can never grant authority (INVARIANT (views-never-grant)).

use serde::{Deserialize, Serialize};

mod base64;
mod concatenation;
mod defang;
mod escape;
mod hex;
mod html;
mod invisible;
mod percent;
mod piece;
mod quoted;
mod run;
mod skeleton;
mod tags;

pub use piece::{Map, Viewed};

/// One view. The discriminant is stored; never renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum View {
    /// Percent-decoding (RFC 3986).
    Percent = 1,
    /// HTML character references decoded, tags stripped, attribute values and comments kept.
    Html = 2,
    /// `\uXXXX`, `\xXX`, `\/` and the other JSON escapes decoded.
    Escape = 3,
    /// Base64 or base64url runs decoded (RFC 4648).
    Base64 = 4,
    /// Hexadecimal runs decoded.
    Hex = 5,
    /// Quoted-printable decoded (RFC 2045).
    QuotedPrintable = 6,
    /// Adjacent string literals joined.
    Concatenation = 7,
    /// Zero-width characters, soft hyphens, variation selectors and bidi controls removed, then NFKC.
    Invisible = 8,
    /// Unicode tag characters mapped to ASCII.
    Tags = 9,
    /// Spelled-out dots and schemes (`hxxp`, `[.]`, `(dot)`) restored.
    Defang = 10,
    /// UTS 39 skeleton of tokens that hold a non-ASCII letter.
    Skeleton = 11,
}

/// The views that led to a hit, outermost first; empty means that the text itself held it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ViewChain(pub Box<[View]>);

impl ViewChain {
    /// Whether the text itself held the operand.
    pub fn is_exact(&self) -> bool {
        self.0.is_empty()
    }
}

impl View {
    /// Every view, in the order of the discriminants.
    pub const ALL: [Self; 11] = [
        Self::Percent,
        Self::Html,
        Self::Escape,
        Self::Base64,
        Self::Hex,
        Self::QuotedPrintable,
        Self::Concatenation,
        Self::Invisible,
        Self::Tags,
        Self::Defang,
        Self::Skeleton,
    ];
}

/// Undoes one way of hiding; `None` when the view changes nothing.
///
/// Time is linear in the text. The output is at most twice the input, but for [`View::Invisible`], where
/// NFKC writes at most 11 bytes for one. Text that does not change is copied, so that what stands next to
/// a hidden piece is seen together with it.
pub fn apply(view: View, text: &str) -> Option<Viewed> {
    match view {
        View::Percent => percent::undo(text),
        View::Html => html::undo(text),
        View::Escape => escape::undo(text),
        View::Base64 => base64::undo(text),
        View::Hex => hex::undo(text),
        View::QuotedPrintable => quoted::undo(text),
        View::Concatenation => concatenation::undo(text),
        View::Invisible => invisible::undo(text),
        View::Tags => tags::undo(text),
        View::Defang => defang::undo(text),
        View::Skeleton => skeleton::undo(text),
    }
}
