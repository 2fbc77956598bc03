//! Where a provider is: a URL that a key may be sent to.

use std::fmt;
use std::net::IpAddr;

use url::{Host, Url};

/// The base URL of a provider, without a slash at its end.
///
/// It is `https`, or `http` on this very machine, so that neither texts nor keys cross a network in clear.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint(Box<str>);

/// Why a text is no endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EndpointError {
    /// No URL with a host.
    #[error("not a URL; hint: write it as in https://api.example.org/v1")]
    NotAUrl,
    /// In clear, and not to this machine.
    #[error("texts and keys would cross the network in clear; hint: use https")]
    InClear,
    /// It carries a name, a query or a fragment.
    #[error("it has more than host and path; hint: give a key by key_env, key_file or key_command")]
    TooMuch,
}

impl Endpoint {
    /// Reads a URL.
    ///
    /// # Errors
    /// [`EndpointError`].
    pub fn parse(text: &str) -> Result<Self, EndpointError> {
        let url = Url::parse(text).map_err(|_| EndpointError::NotAUrl)?;
        let host = url.host().ok_or(EndpointError::NotAUrl)?;
        match url.scheme() {
            "https" => {}
            "http" if is_loopback(&host) => {}
            "http" => return Err(EndpointError::InClear),
            _ => return Err(EndpointError::NotAUrl),
        }
        let named = !url.username().is_empty() || url.password().is_some();
        if named || url.query().is_some() || url.fragment().is_some() {
            return Err(EndpointError::TooMuch);
        }
        Ok(Self(url.as_str().trim_end_matches('/').into()))
    }

    /// The URL.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it is on this machine, so that nothing leaves it.
    pub fn is_local(&self) -> bool {
        Url::parse(&self.0).ok().and_then(|url| url.host().map(|host| is_loopback(&host))).unwrap_or(false)
    }

    pub(super) fn is_at(&self, host: &str) -> bool {
        Url::parse(&self.0).is_ok_and(|url| url.host_str() == Some(host))
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_loopback(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost",
        Host::Ipv4(address) => IpAddr::V4(*address).is_loopback(),
        Host::Ipv6(address) => IpAddr::V6(*address).is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_clear_only_to_this_machine() {
        for text in
            ["https://api.example.org/v1/", "http://127.0.0.1:8080", "http://[::1]:1", "http://localhost"]
        {
            assert!(Endpoint::parse(text).is_ok(), "{text}");
        }
        for (text, error) in [
            ("http://example.org", EndpointError::InClear),
            ("http://127.0.0.1.example.org", EndpointError::InClear),
            ("http://192.168.1.7:11434", EndpointError::InClear),
            ("ftp://localhost", EndpointError::NotAUrl),
            ("api.example.org", EndpointError::NotAUrl),
            ("https://name:key@example.org", EndpointError::TooMuch),
            ("https://example.org?key=1", EndpointError::TooMuch),
        ] {
            assert_eq!(Endpoint::parse(text), Err(error), "{text}");
        }
        let endpoint = Endpoint::parse("https://api.example.org/v1/").unwrap();
        assert_eq!((endpoint.as_str(), endpoint.is_local()), ("https://api.example.org/v1", false));
    }
}
