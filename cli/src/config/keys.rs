//! The keys of `config.toml` as a person is told of them. The reader alone decides what is allowed; a test
//! holds the two together.

use circinus_core::policy::Profile;

use super::{Config, HOOK_TIMEOUT_S_MAX, HOOK_TIMEOUT_S_MIN};

/// One key.
#[derive(Clone, Copy)]
pub struct Key {
    /// Its name, with the tables it stands in: `claude_code.hook_timeout_s`.
    pub name: &'static str,
    /// What it is for, in sentences.
    pub meaning: &'static str,
    /// What may be written, in words.
    pub allowed: fn() -> String,
    /// When a change counts, in a sentence.
    pub takes_effect: &'static str,
    /// Its value in a configuration, as TOML writes it.
    pub value: fn(&Config) -> String,
}

/// All keys, in the order in which they are shown.
pub const KEYS: [Key; 2] = [
    Key {
        name: "profile",
        meaning: "How much you want to be asked, from fewest questions to refusing where the others ask. What \
                  `circinus profile NAME` states counts before it.",
        allowed: || Profile::ALL.map(|profile| format!("\"{profile}\"")).join(", "),
        takes_effect: AT_DAEMON_START,
        value: |config| format!("\"{}\"", config.profile),
    },
    Key {
        name: "claude_code.hook_timeout_s",
        meaning: "Seconds that Claude Code gives a hook. The answer comes within a third of them.",
        allowed: || format!("{HOOK_TIMEOUT_S_MIN} to {HOOK_TIMEOUT_S_MAX}"),
        takes_effect: "It counts from the next `circinus setup` on.",
        value: |config| config.claude_code.hook_timeout_s.to_string(),
    },
];

const AT_DAEMON_START: &str =
    "It counts when the daemon starts: run `circinus daemon stop`, the next hook starts it.";

impl Key {
    /// The key of that name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<&'static Self> {
        KEYS.iter().find(|key| key.name == name)
    }

    /// The tables that the key stands in, and its own name.
    pub fn path(&self) -> (impl Iterator<Item = &'static str> + use<>, &'static str) {
        let (tables, own) = self.name.rsplit_once('.').unwrap_or(("", self.name));
        (tables.split('.').filter(|table| !table.is_empty()), own)
    }
}
