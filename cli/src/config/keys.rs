//! The keys of `config.toml` as a person is told of them. The reader alone decides what is allowed; a test
//! holds the two together.

use circinus_analyzer::provider::Kind;
use circinus_core::policy::Profile;

use super::{Config, HOOK_TIMEOUT_S_MAX, HOOK_TIMEOUT_S_MIN, KeySource};

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
pub const KEYS: [Key; 16] = [
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
    Key {
        name: "model.provider",
        meaning: "The provider of your own model, which is asked about texts that the built-in signals cannot settle. With none, nothing leaves the machine.",
        allowed: || "\"none\", \"anthropic\", \"openai\" (and what speaks as it does), \"ollama\"".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| format!("\"{}\"", config.model.provider.map_or("none", Kind::name)),
    },
    Key {
        name: "model.name",
        meaning: "The model, as its provider names it.",
        allowed: || "a name".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| quoted(&config.model.name),
    },
    Key {
        name: "model.endpoint",
        meaning: "Where the provider is, if not at its usual place.",
        allowed: || "a URL: https, or http on this machine".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| quoted(&config.model.endpoint),
    },
    Key {
        name: "model.key_env",
        meaning: "The environment variable of the daemon that holds the key, if not the provider's usual one.",
        allowed: || "the name of a variable".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| match &config.model.key {
            KeySource::Environment(name) => quoted(name),
            _ => quoted(""),
        },
    },
    Key {
        name: "model.key_file",
        meaning: "The file that holds the key, readable by you alone (mode 0600).",
        allowed: || "an absolute path".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| match &config.model.key {
            KeySource::File(path) => quoted(&path.to_string_lossy()),
            _ => quoted(""),
        },
    },
    Key {
        name: "model.key_command",
        meaning: "The program that prints the key, such as the tool of your keyring, with its arguments; it is run without a shell when the daemon starts.",
        allowed: || "an array: [\"secret-tool\", \"lookup\", \"service\", \"circinus\"]".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| match &config.model.key {
            KeySource::Command(words) => {
                let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
                format!("[{}]", words.join(", "))
            }
            _ => "[]".to_owned(),
        },
    },
    Key {
        name: "model.deadline_ms",
        meaning: "Milliseconds that one request may take. The gate never waits for them.",
        allowed: || "1000 to 120000".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| config.model.deadline_ms.to_string(),
    },
    Key {
        name: "model.request_cents_per_mtok",
        meaning: "Price of a million tokens of requests, in cents of a US dollar; without prices only tokens are counted.",
        allowed: || "a whole number".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| config.model.request_cents_per_mtok.to_string(),
    },
    Key {
        name: "model.answer_cents_per_mtok",
        meaning: "Price of a million tokens of answers, in cents of a US dollar.",
        allowed: || "a whole number".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| config.model.answer_cents_per_mtok.to_string(),
    },
    Key {
        name: "model.day_requests_max",
        meaning: "Requests in one day (UTC); beyond, what would be asked counts as failed.",
        allowed: || "a whole number".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| config.model.day_requests_max.to_string(),
    },
    Key {
        name: "model.day_tokens_max",
        meaning: "Tokens in one day (UTC).",
        allowed: || "a whole number".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| config.model.day_tokens_max.to_string(),
    },
    Key {
        name: "model.day_cents_max",
        meaning: "Cents of a US dollar in one day (UTC); counts once prices are given.",
        allowed: || "a whole number".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| config.model.day_cents_max.to_string(),
    },
    Key {
        name: "model.session_tokens_max",
        meaning: "Tokens for what one session has read.",
        allowed: || "a whole number".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| config.model.session_tokens_max.to_string(),
    },
    Key {
        name: "telemetry.endpoint",
        meaning: "Where counters go if the environment variable CIRCINUS_TELEMETRY_ENABLED is true; see `circinus telemetry show`.",
        allowed: || "a URL: https, or http on this machine".to_owned(),
        takes_effect: AT_DAEMON_START,
        value: |config| quoted(&config.telemetry.endpoint),
    },
];

/// A basic string of TOML.
fn quoted(text: &str) -> String {
    toml_edit::value(text).to_string()
}

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
