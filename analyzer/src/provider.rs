//! Models that judge texts, asked over the network: the one place in the product that opens a connection.
//!
//! What the kinds of provider say and how they answer is behind one trait, which is pure; one client sends.
//! Nothing here is built unless the user's configuration names a provider.

mod anthropic;
mod circuit;
mod endpoint;
mod http;
mod ollama;
mod openai;
mod prompt;
mod secret;
mod verdict;

use std::time::Duration;

use circinus_core::digest::Digest;
use serde_json::Value;

pub use circuit::{Circuit, FAILURES_MAX};
pub use endpoint::{Endpoint, EndpointError};
pub use http::{ANSWER_BYTES_MAX, Answer, Client, Request, SendError};
pub use prompt::{PROMPT_VERSION, Prompt};
pub use secret::{Secret, SecretError};
pub use verdict::{Opinion, Technique, VerdictError, opinion};

/// Tokens of an answer at most: a verdict has about a hundred, and models that think first need some more.
pub const ANSWER_TOKENS_MAX: u64 = 1_024;

/// What the kinds of provider differ in. Pure: it makes and reads JSON, the [`Client`] sends it.
pub trait Provider: Send + Sync {
    /// Where requests go, below the endpoint.
    fn path(&self) -> &'static str;

    /// The header that carries the key, and what stands before the key in it.
    fn key_header(&self) -> (&'static str, &'static str);

    /// Further headers.
    fn headers(&self) -> &'static [(&'static str, &'static str)] {
        &[]
    }

    /// The body of a request.
    fn body(&self, model: &str, prompt: &Prompt) -> Value;

    /// What an answer with status 200 says.
    ///
    /// # Errors
    /// When it does not have the form of this kind of provider, or was cut short.
    fn reply(&self, answer: &Value) -> Result<Reply, NoReply>;
}

/// What a model said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reply {
    /// The JSON text of the verdict, not validated.
    pub verdict: String,
    /// Tokens that the provider counted, of the request and of the answer; none if it did not say.
    pub usage: Option<(u64, u64)>,
}

/// An answer without a reply in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoReply {
    /// A field is not there, or is of another type.
    #[error("the answer has no {0}")]
    Missing(&'static str),
    /// The model stopped before its answer was whole, or refused to give one.
    #[error("the model gave no whole answer")]
    Cut,
}

/// The kinds of provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// Anthropic Messages.
    Anthropic,
    /// Chat completions as OpenAI defined them and many servers speak them.
    OpenAi,
    /// Ollama's chat, for models on this machine.
    Ollama,
}

impl Kind {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Anthropic, Self::OpenAi, Self::Ollama];

    /// The name in the configuration.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Anthropic => "anthropic",
            Self::OpenAi => "openai",
            Self::Ollama => "ollama",
        }
    }

    /// Where it is asked unless the configuration says otherwise.
    pub const fn endpoint(self) -> &'static str {
        match self {
            Self::Anthropic => "https://api.anthropic.com",
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Ollama => "http://127.0.0.1:11434",
        }
    }

    /// Whether it is asked with a key.
    pub const fn needs_key(self) -> bool {
        !matches!(self, Self::Ollama)
    }

    fn provider(self, endpoint: &Endpoint) -> Box<dyn Provider> {
        match self {
            Self::Anthropic => Box::new(anthropic::Anthropic),
            Self::OpenAi => Box::new(openai::OpenAi::at(endpoint)),
            Self::Ollama => Box::new(ollama::Ollama),
        }
    }
}

/// What asking costs, in millionths of a US dollar for a million tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Prices {
    /// Tokens of requests.
    pub request: u64,
    /// Tokens of answers.
    pub answer: u64,
}

impl Prices {
    /// Millionths of a US dollar, rounded up.
    pub const fn of(self, request_tokens: u64, answer_tokens: u64) -> u64 {
        let request = self.request.saturating_mul(request_tokens);
        request.saturating_add(self.answer.saturating_mul(answer_tokens)).div_ceil(1_000_000)
    }
}

/// A provider as it is configured.
#[derive(Debug)]
pub struct Settings {
    /// Its kind.
    pub kind: Kind,
    /// The model's name.
    pub model: Box<str>,
    /// Where it is.
    pub endpoint: Endpoint,
    /// The user's key.
    pub key: Option<Secret>,
    /// How long one request may take, from the look-up of the name to the last byte.
    pub deadline: Duration,
    /// What it costs.
    pub prices: Prices,
}

impl Settings {
    /// The provider that these settings name.
    pub fn provider(&self) -> Box<dyn Provider> {
        self.kind.provider(&self.endpoint)
    }
}

/// Digest of everything that makes the verdicts of one configuration others than those of another: the
/// provider, the model, the question and the bounds. The key and the prices are not part of it.
pub(crate) fn identity(settings: &Settings) -> Digest {
    let Settings { kind, model, endpoint, .. } = settings;
    let question = prompt::identity();
    let asked = format!("{}\n{model}\n{endpoint}\n{question}\n{ANSWER_TOKENS_MAX}", kind.name());
    Digest::of(asked.as_bytes())
}

/// The text at `pointer` (RFC 6901).
fn text<'v>(answer: &'v Value, pointer: &str, name: &'static str) -> Result<&'v str, NoReply> {
    answer.pointer(pointer).and_then(Value::as_str).ok_or(NoReply::Missing(name))
}

/// Counts of tokens at two pointers, if both are there.
fn usage(answer: &Value, request: &str, reply: &str) -> Option<(u64, u64)> {
    Some((answer.pointer(request)?.as_u64()?, answer.pointer(reply)?.as_u64()?))
}

#[cfg(test)]
mod tests;
