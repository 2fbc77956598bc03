//! Operands: the distinctive values that lineage follows, each in one canonical form per kind.

use std::fmt;
use std::ops::Range;

use serde::{Deserialize, Serialize};

use crate::digest::Digest;
use crate::view::ViewChain;

mod common;
mod email;
mod expand;
mod extract;
mod git;
mod host;
mod image;
mod ip;
mod package;
mod path;
mod secret;
mod token;
pub(crate) mod url;
mod value;

pub use common::{is_common, is_common_anywhere, is_served_by_many};
pub use extract::{command_lines, extract, extract_with_views};
pub use secret::{SecretKind, masked, secret_home, secret_kinds};

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

/// Longest canonical form in bytes. Longer designators are data: their host still is an operand, and the
/// rest is found through views.
pub const OPERAND_BYTES_MAX: usize = 8 << 10;

/// Begins the canonical form of a token that was sealed; no token holds a colon.
const SEAL: &str = "hmac:";

/// What a relative or home-relative path is resolved against.
///
/// A drive letter or a `\\?\` prefix makes a path a Windows path whatever the host is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathContext {
    /// Working directory, absolute.
    pub cwd: Box<str>,
    /// Home directory of the user, absolute; empty when unknown, then `~` has no canonical form.
    pub home: Box<str>,
    /// Root of the workspace, absolute.
    pub workspace: Box<str>,
    /// Whether the volume tells `A` from `a`.
    pub case_sensitive: bool,
}

impl Operand {
    /// The operand that `input` spells, or `None`: never a partly canonical form.
    ///
    /// Outer ASCII white space and controls are no part of it; a NUL anywhere makes it invalid. Parsing a
    /// canonical form again gives the same operand. The kinds `Command` and `Span` have constructors of
    /// their own and are not parsed.
    pub fn parse(kind: Kind, input: &str, context: &PathContext) -> Option<Self> {
        if input.contains('\0') {
            return None;
        }
        let input = input.trim_matches(|c: char| c <= ' ');
        let canonical = match kind {
            Kind::Url => url::canonical(input),
            Kind::Host => host::canonical(input),
            Kind::Site => host::site(input),
            Kind::Ip => ip::canonical(input),
            Kind::Path => path::canonical(input, context),
            Kind::Email => email::canonical(input),
            Kind::Token => token::canonical(input),
            Kind::Package => package::canonical(input),
            Kind::Git => git::canonical(input),
            Kind::Image => image::canonical(input),
            Kind::Value => value::canonical(input),
            Kind::Tenant => {
                input.split_once('/').and_then(|(host, path)| common::tenant(host, &format!("/{path}")))
            }
            Kind::Command | Kind::Span => None,
        }?;
        Self::new(kind, canonical)
    }

    /// A command line whose canonical text the caller computed: words re-quoted minimally, one space.
    pub fn command(canonical: &str) -> Option<Self> {
        let blank = canonical.trim().is_empty() || canonical.contains('\0');
        if blank { None } else { Self::new(Kind::Command, canonical.to_owned()) }
    }

    /// A long verbatim piece of text; the canonical form is the digest of its normalised bytes.
    pub fn span(text: &str) -> Option<Self> {
        Self::new(Kind::Span, Digest::of(text.as_bytes()).to_string())
    }

    /// One line of an argument of a structured call; see [`Operand::values`] for several.
    pub fn value(text: &str) -> Option<Self> {
        Self::new(Kind::Value, value::canonical(text)?)
    }

    /// Every line of an argument that is a distinctive value, in order.
    pub fn values(text: &str) -> Vec<Self> {
        text.lines().filter_map(Self::value).collect()
    }

    /// This operand first, then those that come with it: a URL brings its host, site and tenant, a remote,
    /// an image, a Go module and an address their host, a host its site.
    pub fn expand(&self) -> Vec<Self> {
        expand::expand(self)
    }

    /// Where this value stands in a text, exactly and as a whole; for other kinds use the extraction.
    pub fn value_in(&self, text: &str) -> Option<Range<usize>> {
        (self.kind == Kind::Value).then(|| value::find(&self.canonical, text)).flatten()
    }

    /// Where a text that was not extracted as a whole spells this operand out, less what a text may leave out: the
    /// scheme of a URL, the ecosystem of a package. It says that the operand is there, not that it ends there.
    /// None for what the index holds in another form than texts do.
    pub fn spelled_in(&self, text: &str) -> Option<Range<usize>> {
        let spelled = match self.kind {
            Kind::Value => return self.value_in(text),
            Kind::Token | Kind::Span => return None,
            Kind::Url => self.canonical.split_once("://")?.1.trim_end_matches('/'),
            Kind::Package => self.canonical.split_once(':')?.1,
            _ => &self.canonical,
        };
        value::find(spelled, text)
    }

    /// Whether this value names a bank account or a telephone.
    pub fn is_account(&self) -> bool {
        self.kind == Kind::Value && value::is_account(&self.canonical)
    }

    /// The form that may be stored: a token becomes a keyed digest, and a known secret inside a value of
    /// another kind is masked, so that the rest of it is still followed. Idempotent.
    #[must_use]
    pub fn sealed(&self, key: &[u8; 32]) -> Self {
        if self.is_sealed() {
            return self.clone();
        }
        let canonical = match self.kind {
            Kind::Token => format!("{SEAL}{}", Digest::keyed(key, self.canonical.as_bytes())),
            _ => masked(&self.canonical).into_owned(),
        };
        Self { kind: self.kind, canonical: canonical.into() }
    }

    /// Whether this is a token in its stored form.
    pub fn is_sealed(&self) -> bool {
        self.kind == Kind::Token && self.canonical.starts_with(SEAL)
    }

    fn new(kind: Kind, canonical: String) -> Option<Self> {
        let sound = !canonical.is_empty() && canonical.len() <= OPERAND_BYTES_MAX;
        sound.then(|| Self { kind, canonical: canonical.into() })
    }

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
