//! The configuration a person writes, and where everything is kept.

mod edit;
mod key;
mod keys;
mod model;
mod overlay;
mod places;
mod read;

use circinus_core::policy::Profile;

pub use edit::{ConfigEdit, EditConfigError, WriteConfigError};
pub use key::KeyError;
pub use keys::{KEYS, Key};
pub use model::{Caps, KeySource, ModelConfig, usual_variable};
pub use overlay::CommandOverlay;
pub use places::{CreatePlacesError, Places};
pub use read::LoadConfigError;

/// Seconds the host gives a hook before it goes on without us.
///
/// Our own answer comes within a third of it, and the longest wait of a profile is 10 s, so less than the
/// default would cut the wait of profile `critical` short.
pub const HOOK_TIMEOUT_S_DEFAULT: u32 = 60;

/// The shortest registered timeout: three times the longest wait of any profile.
pub const HOOK_TIMEOUT_S_MIN: u32 = 30;

/// The longest registered timeout: the host's own default for a hook.
pub const HOOK_TIMEOUT_S_MAX: u32 = 600;

/// Everything `config.toml` can say; a missing file or key means the default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// How much the user wants to be asked (`profile`).
    pub profile: Profile,
    /// The host Claude Code (`[claude_code]`).
    pub claude_code: ClaudeCodeConfig,
    /// The user's own model (`[model]`).
    pub model: ModelConfig,
    /// Where counters may go (`[telemetry]`).
    pub telemetry: TelemetryConfig,
}

/// The telemetry channel; off unless the environment variable `CIRCINUS_TELEMETRY_ENABLED` is `true`, too.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TelemetryConfig {
    /// Where to (`endpoint`); nowhere if empty.
    pub endpoint: Box<str>,
}

/// Settings for the host Claude Code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaudeCodeConfig {
    /// Seconds registered as the timeout of every hook entry (`hook_timeout_s`), between
    /// [`HOOK_TIMEOUT_S_MIN`] and [`HOOK_TIMEOUT_S_MAX`].
    pub hook_timeout_s: u32,
}

impl Default for ClaudeCodeConfig {
    fn default() -> Self {
        Self { hook_timeout_s: HOOK_TIMEOUT_S_DEFAULT }
    }
}
