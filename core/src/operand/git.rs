//! Git remotes in any of the notations that git, npm and pip take, as `git:host[:port]/path`.

use super::host::{self, Name};
use super::url::percent;

/// Forges whose paths ignore case and whose repository is a known part of the path.
const FORGES: [&str; 3] = ["github.com", "gitlab.com", "bitbucket.org"];

/// Other names of the forges; the second group answers for SSH on the HTTPS port.
const FORGE_ALIASES: [(&str, &str); 6] = [
    ("www.github.com", "github.com"),
    ("www.gitlab.com", "gitlab.com"),
    ("www.bitbucket.org", "bitbucket.org"),
    ("ssh.github.com", "github.com"),
    ("altssh.gitlab.com", "gitlab.com"),
    ("altssh.bitbucket.org", "bitbucket.org"),
];

/// The canonical form of a remote. A command transport (`ext::`), an option and a local path have none.
pub(super) fn canonical(input: &str) -> Option<String> {
    if input.starts_with('-') || input.contains("::") || input.chars().any(|c| c.is_control() || c == ' ') {
        return None;
    }
    if let Some(rest) = input.strip_prefix("git:").filter(|rest| !rest.starts_with("//")) {
        let (authority, path) = rest.split_once('/')?;
        let (name, port) = host::with_port(authority)?;
        return remote(&name, port, path);
    }
    let input = input.strip_prefix("git+").unwrap_or(input);
    if let Some((scheme, rest)) = input.split_once("://") {
        return with_scheme(scheme, rest);
    }
    scp_like(input)
}

/// The host of a canonical remote, without port.
pub(super) fn host_of(canonical: &str) -> Option<String> {
    let authority = canonical.strip_prefix("git:")?.split('/').next()?;
    host::canonical(authority)
}

fn with_scheme(scheme: &str, rest: &str) -> Option<String> {
    let port_default = match scheme.to_ascii_lowercase().as_str() {
        "https" => 443,
        "http" => 80,
        "ssh" => 22,
        "git" => 9418,
        _ => return None,
    };
    let (authority, path) = rest.split_once('/')?;
    let authority = authority.rsplit_once('@').map_or(authority, |(_userinfo, authority)| authority);
    let (name, port) = host::with_port(authority)?;
    remote(&name, port.filter(|port| *port != port_default), path)
}

/// `[user@]host:path`, and the shorthands `github:owner/repository` and kin.
fn scp_like(input: &str) -> Option<String> {
    let (authority, path) = input.split_once(':')?;
    if authority.contains('/') {
        return None;
    }
    if let Some(forge) = FORGES.iter().find(|forge| forge.split('.').next() == Some(authority)) {
        return remote(&Name::Dns((*forge).to_owned()), None, path);
    }
    let (user, name) = authority.rsplit_once('@').map_or((None, authority), |(u, name)| (Some(u), name));
    if user.is_none() && !name.contains('.') {
        return None;
    }
    remote(&host::parse(name)?, None, path)
}

fn remote(name: &Name, port: Option<u16>, path: &str) -> Option<String> {
    let authority = name.in_authority();
    let alias = FORGE_ALIASES.iter().find(|(alias, _)| *alias == authority);
    let port = port.filter(|port| alias.is_none() || *port != 443);
    let authority = alias.map_or(authority, |(_, forge)| (*forge).to_owned());
    let path = path.split(['#', '?']).next()?;
    let path = percent(path);
    let mut segments: Vec<&str> = path.split('/').filter(|segment| !segment.is_empty()).collect();
    if segments.iter().any(|segment| matches!(*segment, "." | "..")) {
        return None;
    }
    if port.is_none() && FORGES.contains(&authority.as_str()) {
        let path = on_forge(&authority, &segments)?.to_lowercase();
        return Some(format!("git:{authority}/{path}"));
    }
    let last = without_suffix(segments.pop()?)?;
    segments.push(last);
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    Some(format!("git:{authority}{port}/{}", segments.join("/")))
}

/// Owner and repository; a GitLab project may stand in nested groups and ends at `-`.
fn on_forge(forge: &str, segments: &[&str]) -> Option<String> {
    let kept: Vec<&str> = match forge {
        "gitlab.com" => segments.iter().take_while(|segment| **segment != "-").copied().collect(),
        _ => segments.iter().take(2).copied().collect(),
    };
    let (last, owners) = kept.split_last()?;
    let (last, owners) = (without_suffix(last)?, owners.join("/"));
    (!owners.is_empty()).then(|| format!("{owners}/{last}"))
}

/// Drops `@ref` and `.git`.
fn without_suffix(segment: &str) -> Option<&str> {
    let mut name = segment.split('@').next()?;
    while let Some(shorter) = name.strip_suffix(".git") {
        name = shorter;
    }
    (!name.is_empty() && !matches!(name, "." | "..")).then_some(name)
}
