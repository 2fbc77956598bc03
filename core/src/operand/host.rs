//! Host names and their registrable domains.
//!
//! The form is that of the WHATWG URL host parser: percent-decoded, UTS 46 non-transitional, A-labels,
//! and IPv4 when the last label is a number. Confusable letters stay different hosts.

use std::net::IpAddr;

use url::Host;

use super::ip;

/// Longest host name in bytes (RFC 1035, 2.3.4).
const NAME_BYTES_MAX: usize = 253;
/// Longest label in bytes (RFC 1035, 2.3.4).
const LABEL_BYTES_MAX: usize = 63;

/// A parsed host: a name, or an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Name {
    /// Lower-case A-labels without the root dot.
    Dns(String),
    /// An address; an IPv4-mapped one is IPv4.
    Ip(IpAddr),
}

impl Name {
    /// The form inside a URL or a remote: IPv6 stands in brackets.
    pub(super) fn in_authority(&self) -> String {
        match self {
            Self::Dns(name) => name.clone(),
            Self::Ip(IpAddr::V6(address)) => format!("[{address}]"),
            Self::Ip(address) => address.to_string(),
        }
    }

    /// The form that stands alone.
    pub(super) fn bare(self) -> String {
        match self {
            Self::Dns(name) => name,
            Self::Ip(address) => address.to_string(),
        }
    }
}

/// The canonical form of a host; a port is dropped.
pub(super) fn canonical(input: &str) -> Option<String> {
    let (name, _port) = with_port(input)?;
    Some(name.bare())
}

/// The registrable domain (eTLD+1) of a host, or `None` for an address, a bare suffix and an unknown
/// suffix.
pub(super) fn site(input: &str) -> Option<String> {
    match with_port(input)?.0 {
        Name::Dns(name) => registrable(&name).map(str::to_owned),
        Name::Ip(_) => None,
    }
}

/// The registrable domain of a canonical host name by the pinned public suffix list.
pub(super) fn registrable(name: &str) -> Option<&str> {
    let domain = psl::domain(name.as_bytes())?;
    if !domain.suffix().is_known() {
        return None;
    }
    std::str::from_utf8(domain.as_bytes()).ok()
}

/// Splits `host[:port]` and parses both; an IPv6 address may stand without brackets, then without port.
pub(super) fn with_port(input: &str) -> Option<(Name, Option<u16>)> {
    if let Some(rest) = input.strip_prefix('[') {
        let (address, rest) = rest.split_once(']')?;
        let port = if rest.is_empty() { None } else { Some(port(rest.strip_prefix(':')?)?) };
        return Some((Name::Ip(ip::v6(address)?), port));
    }
    match input.split_once(':') {
        None => Some((parse(input)?, None)),
        Some((_, rest)) if rest.contains(':') => Some((Name::Ip(ip::v6(input)?), None)),
        Some((host, rest)) => Some((parse(host)?, Some(port(rest)?))),
    }
}

fn port(text: &str) -> Option<u16> {
    if text.is_empty() || !text.bytes().all(|b| b.is_ascii_digit()) { None } else { text.parse().ok() }
}

/// Parses a host without port or brackets.
pub(super) fn parse(input: &str) -> Option<Name> {
    if is_plain(input) {
        return checked(input.to_ascii_lowercase());
    }
    if is_overlong(input) {
        return None;
    }
    match Host::parse(input).ok()? {
        Host::Domain(name) => checked(name),
        Host::Ipv4(address) => Some(Name::Ip(IpAddr::V4(address))),
        Host::Ipv6(_) => None,
    }
}

/// Whether a label stays too long whatever a parser makes of the name. The time of decoding an A-label grows
/// with the square of its length (RFC 3492), so this is asked before.
pub(super) fn is_overlong(name: &str) -> bool {
    let stays = |label: &str| label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'));
    name.split('.').any(|label| label.len() > LABEL_BYTES_MAX && stays(label))
}

/// What the URL parser's host means here: root dot dropped, lengths checked, mapped addresses folded.
pub(super) fn of_url(host: Host<&str>) -> Option<Name> {
    match host {
        Host::Domain(name) => checked(name.to_owned()),
        Host::Ipv4(address) => Some(Name::Ip(IpAddr::V4(address))),
        Host::Ipv6(address) => Some(Name::Ip(IpAddr::V6(address).to_canonical())),
    }
}

/// Whether the name needs no IDNA: letters, digits, `-`, `.`, `_`, no A-label, no number at the end.
fn is_plain(input: &str) -> bool {
    let last = input.strip_suffix('.').unwrap_or(input).rsplit('.').next().unwrap_or("");
    last.bytes().next().is_some_and(|first| first.is_ascii_alphabetic())
        && input.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'.' | b'_'))
        && !input.as_bytes().windows(4).any(|four| four.eq_ignore_ascii_case(b"xn--"))
}

fn checked(mut name: String) -> Option<Name> {
    if name.ends_with('.') {
        name.pop();
    }
    let sound = name.len() <= NAME_BYTES_MAX
        && !name.contains('*')
        && name.split('.').all(|label| !label.is_empty() && label.len() <= LABEL_BYTES_MAX);
    sound.then_some(Name::Dns(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_private_suffix_makes_each_customer_a_site() {
        assert_eq!(site("docs.someone.github.io").as_deref(), Some("someone.github.io"));
        assert_eq!(site("a.b.shop-parts.co.uk").as_deref(), Some("shop-parts.co.uk"));
        assert_eq!(site("github.io"), None);
        assert_eq!(site("host.nosuchsuffix"), None);
        assert_eq!(site("127.0.0.1"), None);
    }

    #[test]
    fn lengths_are_those_of_the_name_system() {
        let label = "a".repeat(63);
        assert!(canonical(&format!("{label}.net")).is_some());
        assert!(canonical(&format!("{label}a.net")).is_none());
        assert!(canonical(&[label.as_str(); 4].join(".")).is_none());
        assert!(is_overlong(&format!("xn--{label}.net")) && !is_overlong(&format!("xn--{label}é.net")));
    }
}
