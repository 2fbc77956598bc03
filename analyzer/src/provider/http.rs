//! The one client: one request, one answer, within one deadline.

use std::io;
use std::time::Duration;

use serde_json::Value;

use super::secret::Secret;

/// Bytes of an answer; a verdict with all that surrounds it has under ten thousand.
pub const ANSWER_BYTES_MAX: u64 = 256 << 10;

/// The longest pause that a provider can ask for (`Retry-After`) and get.
const RETRY_AFTER_MAX: Duration = Duration::from_secs(60);

/// A request, all of it but the key.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Where it goes.
    pub url: String,
    /// Its headers, but for the one that carries the key.
    pub headers: Vec<(&'static str, &'static str)>,
    /// Name of the header that carries the key, and what stands before the key in it.
    pub key_header: (&'static str, &'static str),
    /// Its body.
    pub body: Value,
}

/// An answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Its status code (RFC 9110, 15).
    pub status: u16,
    /// How long the provider asks to be left alone, in whole seconds (RFC 9110, 10.2.3), at most a minute.
    pub retry_after: Option<Duration>,
    /// Its body.
    pub body: Vec<u8>,
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// No connection, no answer in time, or one that ended in its middle.
    #[error("no answer: {0}")]
    Unreachable(String),
    /// The answer is longer than [`ANSWER_BYTES_MAX`].
    #[error("the answer has more than {ANSWER_BYTES_MAX} bytes")]
    TooLong,
}

/// Sends requests. Making it opens nothing.
///
/// No redirect is followed and no proxy is taken from the environment, so that a text goes to the host that
/// the user wrote down or nowhere.
pub struct Client(ureq::Agent);

impl Client {
    /// A client whose requests take at most `deadline` each.
    pub fn new(deadline: Duration) -> Self {
        let config = ureq::Agent::config_builder()
            .timeout_global(Some(deadline))
            .http_status_as_error(false)
            .max_redirects(0)
            .max_redirects_will_error(false)
            .proxy(None)
            .user_agent(concat!("circinus/", env!("CARGO_PKG_VERSION")))
            .build();
        Self(config.into())
    }

    /// Sends a request and reads its answer, whatever its status.
    ///
    /// # Errors
    /// [`SendError`]; its text holds nothing of the request.
    pub fn send(&self, request: &Request, key: Option<&Secret>) -> Result<Answer, SendError> {
        let mut builder = self.0.post(&request.url).header("content-type", "application/json");
        for (name, value) in &request.headers {
            builder = builder.header(*name, *value);
        }
        if let Some(key) = key {
            let (name, before) = request.key_header;
            builder = builder.header(name, format!("{before}{}", key.expose()));
        }
        let sent = builder.send(request.body.to_string());
        let mut response = sent.map_err(|error| SendError::Unreachable(plain(&error).to_owned()))?;
        let status = response.status().as_u16();
        let retry_after = response.headers().get("retry-after").and_then(|value| value.to_str().ok());
        let retry_after = retry_after.and_then(|text| text.parse().ok()).map(Duration::from_secs);
        let body = response.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
        let body = body.map_err(|error| match error {
            ureq::Error::BodyExceedsLimit(_) => SendError::TooLong,
            other => SendError::Unreachable(plain(&other).to_owned()),
        })?;
        Ok(Answer {
            status,
            retry_after: retry_after.map(|pause: Duration| pause.min(RETRY_AFTER_MAX)),
            body,
        })
    }
}

impl std::fmt::Debug for Client {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Client")
    }
}

/// What went wrong, in words of our own: those of the client could hold parts of a request.
fn plain(error: &ureq::Error) -> &'static str {
    match error {
        ureq::Error::Timeout(_) => "it did not come in time",
        ureq::Error::HostNotFound => "the host is not known",
        ureq::Error::ConnectionFailed => "no connection",
        ureq::Error::Rustls(_) | ureq::Error::Tls(_) => "no secure connection",
        ureq::Error::Io(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
            "the connection was refused"
        }
        ureq::Error::Io(_) => "the connection ended",
        _ => "the answer is not HTTP",
    }
}
