//! The effects that content may cause, as a set.

use std::fmt;

use serde::{Deserialize, Serialize};

/// One kind of effect that content may cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Effect {
    /// Being read, quoted or summarised.
    Inform,
    /// Choosing a non-secret file, query or pattern to read.
    Read,
    /// Choosing path and body of an ordinary workspace file.
    Write,
    /// Choosing the target of a plain read over the network.
    Fetch,
    /// Supplying code or a command line that runs.
    Exec,
    /// Naming a package, image, repository or extension whose code becomes runnable.
    Install,
    /// Choosing the destination of outbound data or of a remote change.
    Send,
    /// Choosing content or path of something that later runs or instructs by itself.
    Persist,
    /// Choosing a credential to read or use.
    Cred,
    /// Choosing the target of irreversible deletion or overwrite.
    Destroy,
    /// Changing Circinus, its hooks, or the host's guard settings.
    Guard,
}

impl Effect {
    /// All effects, weakest first.
    pub const ALL: [Self; 11] = [
        Self::Inform,
        Self::Read,
        Self::Write,
        Self::Fetch,
        Self::Exec,
        Self::Install,
        Self::Send,
        Self::Persist,
        Self::Cred,
        Self::Destroy,
        Self::Guard,
    ];

    /// The name used in the policy data and in explanations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Inform => "INFORM",
            Self::Read => "READ",
            Self::Write => "WRITE",
            Self::Fetch => "FETCH",
            Self::Exec => "EXEC",
            Self::Install => "INSTALL",
            Self::Send => "SEND",
            Self::Persist => "PERSIST",
            Self::Cred => "CRED",
            Self::Destroy => "DESTROY",
            Self::Guard => "GUARD",
        }
    }

    /// The effect of that name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effect| effect.name() == name)
    }
}

impl fmt::Display for Effect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A set of effects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Effects(u16);

impl Effects {
    /// No effect.
    pub const NONE: Self = Self(0);
    /// Every effect.
    pub const ALL: Self = Self((1 << Effect::ALL.len()) - 1);

    /// The set of the given effects.
    pub fn of(effects: impl IntoIterator<Item = Effect>) -> Self {
        effects.into_iter().fold(Self::NONE, Self::with)
    }

    /// This set and `effect`.
    #[must_use]
    pub const fn with(self, effect: Effect) -> Self {
        Self(self.0 | 1 << effect as u8)
    }

    /// This set less `effect`.
    #[must_use]
    pub const fn without(self, effect: Effect) -> Self {
        Self(self.0 & !(1 << effect as u8))
    }

    /// What is in both.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// What is in either.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether `effect` is in the set.
    pub const fn contains(self, effect: Effect) -> bool {
        self.0 & (1 << effect as u8) != 0
    }

    /// Whether everything here is also in `other`.
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & other.0 == self.0
    }

    /// Whether nothing is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members, weakest first.
    pub fn iter(self) -> impl Iterator<Item = Effect> {
        Effect::ALL.into_iter().filter(move |effect| self.contains(*effect))
    }
}

impl fmt::Display for Effects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<_> = self.iter().map(Effect::name).collect();
        f.write_str(&names.join(" "))
    }
}
