//! Absolute network URLs.
//!
//! WHATWG parse without a base, then: `http` and `https` are one class written `https`, `ws` and `wss`
//! one written `wss`; credentials and fragment are dropped; escapes of unreserved characters are decoded
//! and the others written in upper case (RFC 3986, 6.2.2).

use std::fmt::Write as _;

use url::Url;

use super::host::{self, Name};

/// A URL taken apart, each part canonical.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Parts {
    /// `https`, `wss` or `ftp`.
    pub(super) scheme: &'static str,
    /// Name or address.
    pub(super) host: Name,
    /// A port other than the default of the class.
    pub(super) port: Option<u16>,
    /// Path, begins with `/`.
    pub(super) path: String,
    /// Query without `?`, never empty.
    pub(super) query: Option<String>,
}

/// The canonical form of a URL.
pub(super) fn canonical(input: &str) -> Option<String> {
    parts(input).map(|parts| parts.to_string())
}

/// Takes a URL apart.
pub(super) fn parts(input: &str) -> Option<Parts> {
    let input = input.strip_prefix('<').and_then(|inner| inner.strip_suffix('>')).unwrap_or(input);
    let behind = input.split_once("://").map_or("", |(_, behind)| behind);
    let authority = behind.split(['/', '\\', '?', '#']).next().unwrap_or_default();
    if host::is_overlong(authority.rsplit('@').next()?.split(':').next()?) {
        return None;
    }
    let url = Url::parse(input).ok()?;
    let scheme = match url.scheme() {
        "http" | "https" => "https",
        "ws" | "wss" => "wss",
        "ftp" => "ftp",
        _ => return None,
    };
    let host = host::of_url(url.host()?)?;
    // Both defaults of a class are dropped, or `http://h:443/` would change when read a second time.
    let port = url.port().filter(|port| scheme == "ftp" || !matches!(port, 80 | 443));
    let path = percent(url.path());
    let query = url.query().filter(|query| !query.is_empty()).map(percent);
    Some(Parts { scheme, host, port, path, query })
}

impl std::fmt::Display for Parts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host.in_authority())?;
        if let Some(port) = self.port {
            write!(f, ":{port}")?;
        }
        f.write_str(&self.path)?;
        self.query.as_ref().map_or(Ok(()), |query| write!(f, "?{query}"))
    }
}

/// Normalises escapes: unreserved decoded, others in upper case, a lone `%` written `%25`, so that no
/// second reading can find an escape that the first one made.
pub(super) fn percent(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        match after.as_bytes().get(..2).and_then(pair) {
            Some(byte) => {
                if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') {
                    out.push(char::from(byte));
                } else {
                    let _infallible = write!(out, "%{byte:02X}");
                }
                rest = after.get(2..).unwrap_or("");
            }
            None => {
                out.push_str("%25");
                rest = after;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Path and query of a canonical URL.
pub(crate) fn path_and_query(canonical: &str) -> Option<(String, String)> {
    parts(canonical).map(|parts| (parts.path, parts.query.unwrap_or_default()))
}

/// A part of a URL with all its escapes decoded; bytes that are no text are replaced.
pub(crate) fn decoded(part: &str) -> String {
    let mut bytes = Vec::with_capacity(part.len());
    let mut rest = part.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        match (*first == b'%').then(|| after.get(..2).and_then(pair)).flatten() {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The byte that two hexadecimal digits spell.
pub(crate) fn pair(digits: &[u8]) -> Option<u8> {
    let digit = |at: usize| digits.get(at).and_then(|b| char::from(*b).to_digit(16));
    u8::try_from(digit(0)? * 16 + digit(1)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_escape_is_never_made_by_decoding_another() {
        assert_eq!(percent("/%4%31"), "/%2541");
        assert_eq!(percent(&percent("/%4%31")), "/%2541");
        assert_eq!(percent("/%zz%"), "/%25zz%25");
    }

    #[test]
    fn either_default_port_of_a_class_is_dropped() {
        assert_eq!(canonical("http://parts.shop:443/x").as_deref(), Some("https://parts.shop/x"));
        assert_eq!(canonical("ws://parts.shop:80/x").as_deref(), Some("wss://parts.shop/x"));
        assert_eq!(canonical("ftp://parts.shop:80/x").as_deref(), Some("ftp://parts.shop:80/x"));
    }
}
