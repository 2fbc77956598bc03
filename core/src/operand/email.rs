//! Mail addresses (RFC 5322 dot-atoms, RFC 6531 letters), both parts in lower case.

use unicode_normalization::UnicodeNormalization as _;

use super::host::{self, Name};
use super::path::percent_decoded;

/// Longest local part in bytes (RFC 5321, 4.5.3.1.1).
const LOCAL_BYTES_MAX: usize = 64;

/// The canonical form of an address; display name, `mailto:` and its headers are dropped.
pub(super) fn canonical(input: &str) -> Option<String> {
    let angle = input.rfind('<').and_then(|at| input.get(at + 1..)?.split_once('>'));
    let address = angle.map_or(input, |(address, _)| address).trim();
    let address = match address.get(..7).filter(|scheme| scheme.eq_ignore_ascii_case("mailto:")) {
        Some(_) => address.get(7..)?.split('?').next()?,
        None => address,
    };
    let address = percent_decoded(address)?;
    let (local, domain) = address.rsplit_once('@')?;
    Some(format!("{}@{}", local_part(local)?, domain_part(domain)?))
}

/// The domain of a canonical address.
pub(super) fn domain(canonical: &str) -> Option<&str> {
    canonical.rsplit_once('@').map(|(_, domain)| domain)
}

fn local_part(text: &str) -> Option<String> {
    let text = text.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')).unwrap_or(text);
    let local: String = text.nfc().collect::<String>().to_lowercase().nfc().collect();
    let sound = local.len() <= LOCAL_BYTES_MAX
        && local.split('.').all(|atom| !atom.is_empty())
        && local.chars().all(is_atom_char);
    sound.then_some(local)
}

/// Letters of RFC 5322 and RFC 6531 but `%`, which a second decoding would read as an escape.
fn is_atom_char(c: char) -> bool {
    if c.is_ascii() {
        c.is_ascii_alphanumeric() || "!#$&'*+-/=?^_`{|}~.".contains(c)
    } else {
        !c.is_control() && !c.is_whitespace()
    }
}

fn domain_part(text: &str) -> Option<String> {
    if text.starts_with('[') || text.contains(':') {
        return None;
    }
    match host::parse(text)? {
        Name::Dns(name) if name.contains('.') => Some(name),
        _ => None,
    }
}
