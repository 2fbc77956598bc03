//! Hosts, addresses, mail addresses and scp-like remotes in running text.

use std::ops::Range;

use super::Scan;
use super::suffix::{Position, is_host};
use crate::operand::{Kind, Operand, common};

/// Bytes before a word that are searched for a network command.
const COMMAND_BYTES_MAX: usize = 64;

/// Programs whose argument is a host.
const COMMANDS: [&str; 22] = [
    "curl",
    "wget",
    "ssh",
    "scp",
    "sftp",
    "rsync",
    "nc",
    "ncat",
    "netcat",
    "telnet",
    "ping",
    "ping6",
    "dig",
    "nslookup",
    "host",
    "whois",
    "traceroute",
    "ftp",
    "aria2c",
    "http",
    "httpie",
    "socat",
];

/// `user@host`, `user@host:path`; whether the word was one.
pub(super) fn with_at(scan: &mut Scan<'_, '_, '_>, range: Range<usize>) -> bool {
    let text = scan.get(range.clone());
    let Some((before, after)) = text.rsplit_once('@') else { return false };
    let user = before.rsplit(['/', ':']).next().unwrap_or("");
    if user.is_empty()
        || !user.bytes().all(|b| b.is_ascii_alphanumeric() || b"._%+-".contains(&b) || b >= 0x80)
    {
        return false;
    }
    let (name, path) = match after.split_once([':', '/']) {
        Some((name, path)) => (name, Some(path)),
        None => (after, None),
    };
    let start = range.end - after.len() - 1 - user.len();
    let host = range.end - after.len()..range.end - after.len() + name.len();
    if is_v4(name) {
        return scan.try_add(Kind::Ip, host);
    }
    if !is_host(name, Position::Host) {
        return false;
    }
    let is_scp = after.as_bytes().get(name.len()) == Some(&b':');
    match path.filter(|path| is_scp && !path.is_empty()) {
        Some(path)
            if !path.bytes().all(|b| b.is_ascii_digit()) && scan.try_add(Kind::Git, start..range.end) =>
        {
            true
        }
        Some(_) => scan.try_add(Kind::Host, host),
        None => scan.try_add(Kind::Email, start..host.end) || scan.try_add(Kind::Host, host),
    }
}

/// A bare host, with port or path behind it; whether the word was one.
pub(super) fn bare(scan: &mut Scan<'_, '_, '_>, range: Range<usize>) -> bool {
    let text = scan.get(range.clone());
    let text = text.strip_prefix("//").unwrap_or(text);
    let start = range.end - text.len();
    let name = text.split([':', '/', '?', '#']).next().unwrap_or("");
    if !name.contains('.') || !name.starts_with(|c: char| c.is_alphanumeric()) {
        return dev_tcp(scan, range);
    }
    let rest = text.get(name.len()..).unwrap_or("");
    let host = start..start + name.len();
    let has_port = has_port(rest);
    if name.ends_with(|c: char| c.is_ascii_digit()) {
        let is_address = is_v4(name) && (has_port || is_argument(scan, start));
        return is_address && scan.try_add(Kind::Ip, host);
    }
    // `name.rs:12` is a line of a file and `user.name(` a call, unless a command says otherwise.
    let followed = has_port || rest.len() > 1 && rest.starts_with('/');
    let free = if followed || text.len() < range.len() { Position::Followed } else { Position::Free };
    let is_call = scan.text.as_bytes().get(range.end) == Some(&b'(');
    if !(is_host(name, free) && !is_call || is_host(name, Position::Host) && is_argument(scan, start)) {
        return false;
    }
    link_of(scan, host, start..range.end, rest);
    true
}

/// Adds the host, and as a URL what follows it: programs take `host/path` for one.
fn link_of(scan: &mut Scan<'_, '_, '_>, host: Range<usize>, whole: Range<usize>, rest: &str) {
    let name = scan.get(host.clone());
    let has_path = rest
        .split_once('/')
        .is_some_and(|(port, path)| !path.is_empty() && (port.is_empty() || has_port(port)));
    if has_path {
        let spelled = format!("https://{}", scan.get(whole.clone()));
        if let Some(url) = Operand::parse(Kind::Url, &spelled, scan.finder.context) {
            return scan.add(&url, whole);
        }
    }
    scan.try_add(Kind::Host, host.clone());
    if let Some(tenant) =
        common::tenant(name, rest).and_then(|t| Operand::parse(Kind::Tenant, &t, scan.finder.context))
    {
        scan.add(&tenant, host);
    }
}

/// `/dev/tcp/host/port` of the shells.
fn dev_tcp(scan: &mut Scan<'_, '_, '_>, range: Range<usize>) -> bool {
    let text = scan.get(range.clone());
    let Some(rest) = text.strip_prefix("/dev/tcp/").or_else(|| text.strip_prefix("/dev/udp/")) else {
        return false;
    };
    let name = rest.split('/').next().unwrap_or("");
    let host = range.end - rest.len()..range.end - rest.len() + name.len();
    let kind = if is_v4(name) { Kind::Ip } else { Kind::Host };
    (kind == Kind::Ip || is_host(name, Position::Host)) && scan.try_add(kind, host)
}

fn has_port(rest: &str) -> bool {
    let digits = rest.strip_prefix(':').and_then(|rest| rest.split(['/', '?', '#']).next()).unwrap_or("");
    (2..=5).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Four decimal parts; the other notations are too close to version numbers.
fn is_v4(name: &str) -> bool {
    name.len() <= 15 && name.parse::<std::net::Ipv4Addr>().is_ok()
}

/// Whether a network command stands before the word on its line.
fn is_argument(scan: &Scan<'_, '_, '_>, start: usize) -> bool {
    let mut from = start.saturating_sub(COMMAND_BYTES_MAX);
    while !scan.text.is_char_boundary(from) {
        from += 1;
    }
    let before = scan.get(from..start);
    let line = before.rsplit(['\n', ';', '|']).next().unwrap_or("");
    let mut words = line.split([' ', '\t', '`', '$', '(', '"', '\'']).filter(|word| !word.is_empty()).rev();
    // Options and their values may stand between.
    words.by_ref().take(6).any(|word| COMMANDS.contains(&word))
}
