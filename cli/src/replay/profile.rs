//! The policy profile of a run.

use clap::ValueEnum;
use serde::Serialize;

/// How strictly the daemon of the run judges; the names of `config.toml`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Profile {
    /// Waits least for evidence.
    Realtime,
    /// The default of the product.
    Balanced,
    /// Asks at weaker signs.
    Strict,
    /// Blocks where others ask.
    Critical,
}

impl Profile {
    /// The word that `config.toml` takes.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Profile::Realtime => "realtime",
            Profile::Balanced => "balanced",
            Profile::Strict => "strict",
            Profile::Critical => "critical",
        }
    }
}
