//! The user's own model: which provider, with which key, for how much.

use std::path::PathBuf;
use std::time::Duration;

use circinus_analyzer::provider::{Endpoint, EndpointError, Kind, Prices, Secret, Settings};
use circinus_core::enquiry::Cost;

use super::key::{self, KeyError};

/// Millionths of a dollar in a cent.
const MICRO_PER_CENT: u64 = 10_000;

/// What may be spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caps {
    /// In one day (UTC).
    pub day: Cost,
    /// For one session.
    pub session: Cost,
}

/// Where the key is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum KeySource {
    /// In the environment variable that the provider's own tools use.
    #[default]
    Usual,
    /// In another environment variable of the daemon.
    Environment(Box<str>),
    /// In a file that only its owner can read.
    File(PathBuf),
    /// In what a program prints, such as the tool of a keyring: its name and arguments.
    Command(Vec<Box<str>>),
}

/// Everything that `[model]` can say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelConfig {
    /// Which provider (`provider`); none unless the user says so.
    pub provider: Option<Kind>,
    /// Which model (`name`).
    pub name: Box<str>,
    /// Where (`endpoint`); where the provider is by itself if empty.
    pub endpoint: Box<str>,
    /// Where the key is (`key_env`, `key_file`, `key_command`; at most one of them).
    pub key: KeySource,
    /// How long one request may take, in milliseconds (`deadline_ms`).
    pub deadline_ms: u32,
    /// Price of a million tokens of requests, in cents of a US dollar (`request_cents_per_mtok`).
    pub request_cents_per_mtok: u32,
    /// Price of a million tokens of answers, in cents of a US dollar (`answer_cents_per_mtok`).
    pub answer_cents_per_mtok: u32,
    /// Requests in one day (`day_requests_max`).
    pub day_requests_max: u32,
    /// Tokens in one day (`day_tokens_max`).
    pub day_tokens_max: u32,
    /// Cents in one day (`day_cents_max`); counts once prices are given.
    pub day_cents_max: u32,
    /// Tokens for one session (`session_tokens_max`).
    pub session_tokens_max: u32,
}

impl Default for ModelConfig {
    fn default() -> Self {
        Self {
            provider: None,
            name: "".into(),
            endpoint: "".into(),
            key: KeySource::Usual,
            deadline_ms: 20_000,
            request_cents_per_mtok: 0,
            answer_cents_per_mtok: 0,
            day_requests_max: 2_000,
            day_tokens_max: 4_000_000,
            day_cents_max: 500,
            session_tokens_max: 1_000_000,
        }
    }
}

impl ModelConfig {
    /// Where the provider is.
    ///
    /// # Errors
    /// The configured URL is none that a key may be sent to.
    pub fn endpoint(&self, kind: Kind) -> Result<Endpoint, EndpointError> {
        Endpoint::parse(if self.endpoint.is_empty() { kind.endpoint() } else { &self.endpoint })
    }

    /// The provider with its key, or, without a key, why it has none. None when no provider is configured.
    ///
    /// # Errors
    /// [`EndpointError`].
    pub fn settings(&self) -> Result<Option<(Settings, Option<KeyError>)>, EndpointError> {
        let Some(kind) = self.provider else { return Ok(None) };
        let endpoint = self.endpoint(kind)?;
        let (key, missing) = match self.secret(kind) {
            Ok(key) => (key, None),
            Err(error) => (None, Some(error)),
        };
        let price = |cents: u32| u64::from(cents) * MICRO_PER_CENT;
        let prices =
            Prices { request: price(self.request_cents_per_mtok), answer: price(self.answer_cents_per_mtok) };
        let deadline = Duration::from_millis(self.deadline_ms.into());
        let settings = Settings { kind, model: self.name.clone(), endpoint, key, deadline, prices };
        Ok(Some((settings, missing)))
    }

    fn secret(&self, kind: Kind) -> Result<Option<Secret>, KeyError> {
        match &self.key {
            KeySource::Usual => match usual_variable(kind) {
                Some(name) => key::from_environment(name).map(Some),
                None => Ok(None),
            },
            KeySource::Environment(name) => key::from_environment(name).map(Some),
            KeySource::File(path) => key::from_file(path).map(Some),
            KeySource::Command(words) => key::from_command(words).map(Some),
        }
    }

    /// What may be spent.
    pub const fn caps(&self) -> Caps {
        let day = Cost {
            requests: self.day_requests_max as u64,
            tokens: self.day_tokens_max as u64,
            micro_usd: self.day_cents_max as u64 * MICRO_PER_CENT,
        };
        let session = Cost { tokens: self.session_tokens_max as u64, ..day };
        Caps { day, session }
    }
}

/// The environment variable that the provider's own tools read the key from.
pub const fn usual_variable(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Anthropic => Some("ANTHROPIC_API_KEY"),
        Kind::OpenAi => Some("OPENAI_API_KEY"),
        Kind::Ollama => None,
    }
}
