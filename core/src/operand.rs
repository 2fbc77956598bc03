//! Operands: the distinctive values that lineage follows, each in one canonical form per kind.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::view::ViewChain;

/// What kind of value an operand is. The discriminant is stored; never renumber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Kind {
    /// Absolute network URL.
    Url = 1,
    /// Host name.
    Host = 2,
    /// Registrable domain (eTLD+1 by the pinned public suffix list).
    Site = 3,
    /// Owner part of a multi-tenant host, such as `github.com/owner`.
    Tenant = 4,
    /// IP address.
    Ip = 5,
    /// File system path.
    Path = 6,
    /// Mail address.
    Email = 7,
    /// Random-looking token; secrets are of this kind.
    Token = 8,
    /// Package of an ecosystem, `eco:name`.
    Package = 9,
    /// Git remote.
    Git = 10,
    /// Container image reference.
    Image = 11,
    /// Shell command line.
    Command = 12,
    /// Long verbatim piece of text, by fingerprint.
    Span = 13,
    /// Plain argument value of a structured call.
    Value = 14,
}

/// A value in canonical form. Only the constructors of its kind can make one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Operand {
    kind: Kind,
    canonical: Box<str>,
}

impl Operand {
    /// The kind.
    pub const fn kind(&self) -> Kind {
        self.kind
    }

    /// The canonical form.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.canonical)
    }
}

/// An operand found in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hit {
    /// The operand.
    pub operand: Operand,
    /// How it was seen.
    pub views: ViewChain,
    /// Byte range in the original text, half open; in a view, the range of the undone piece.
    pub start: u32,
    /// End of the byte range.
    pub end: u32,
}
