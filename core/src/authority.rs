//! The authority lattice: what content may cause, and how that combines.
//!
//! Authority is a set of effects ordered by inclusion (a finite distributive lattice); confidentiality is
//! a second lattice of two points. Derivation meets authority and joins secrecy, so authority can only
//! shrink and secrecy can only grow on the way from a source to what is made of it.

use serde::{Deserialize, Serialize};

use crate::effect::{Effect, Effects};

/// What an artifact may cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Authority(Effects);

impl Authority {
    /// Every effect: the user at their own terminal.
    pub const TOP: Self = Self(Effects::ALL);
    /// No effect at all.
    pub const BOTTOM: Self = Self(Effects::NONE);

    /// The authority to cause exactly `effects`.
    pub const fn new(effects: Effects) -> Self {
        Self(effects)
    }

    /// The effects it covers.
    pub const fn effects(self) -> Effects {
        self.0
    }

    /// Greatest lower bound: what both allow.
    #[must_use]
    pub const fn meet(self, other: Self) -> Self {
        Self(self.0.intersection(other.0))
    }

    /// Least upper bound: what either allows.
    #[must_use]
    pub const fn join(self, other: Self) -> Self {
        Self(self.0.union(other.0))
    }

    /// The order of the lattice.
    pub const fn leq(self, other: Self) -> bool {
        self.0.is_subset(other.0)
    }

    /// Whether it covers `effect`.
    pub const fn allows(self, effect: Effect) -> bool {
        self.0.contains(effect)
    }
}

/// Whether content is confidential. Derivation takes the greater of the two.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Secrecy {
    /// Anybody may read it.
    #[default]
    Public,
    /// It holds a credential or was read from a credential store.
    Secret,
}
