//! Addresses: IPv4 in any notation the URL parser takes, IPv6 as RFC 5952 writes it.

use std::net::{IpAddr, Ipv6Addr};

use super::host::{self, Name};

/// The canonical form of an address in host position; a port and a zone are dropped.
pub(super) fn canonical(input: &str) -> Option<String> {
    match host::with_port(input)?.0 {
        Name::Ip(address) => Some(address.to_string()),
        Name::Dns(_) => None,
    }
}

/// Parses IPv6 text without brackets; the zone (RFC 4007) is dropped and a mapped address is IPv4.
pub(super) fn v6(text: &str) -> Option<IpAddr> {
    let address = text.split_once('%').map_or(text, |(address, _zone)| address);
    let address: Ipv6Addr = address.parse().ok()?;
    Some(IpAddr::V6(address).to_canonical())
}
