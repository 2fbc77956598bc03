//! Container image references (distribution reference grammar), with the defaults written out.

use super::host;

const HUB: &str = "docker.io";
const HUB_ALIASES: [&str; 4] =
    ["docker.io", "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"];

/// Longest tag in bytes (distribution reference grammar).
const TAG_BYTES_MAX: usize = 128;
/// Longest repository name in bytes (distribution reference grammar).
const NAME_BYTES_MAX: usize = 255;

/// The canonical form: registry, repository, and digest or tag.
pub(super) fn canonical(input: &str) -> Option<String> {
    let input = input.strip_prefix("docker://").or_else(|| input.strip_prefix("oci://")).unwrap_or(input);
    if input.starts_with('-') || input.contains("://") {
        return None;
    }
    let (name, digest) = match input.split_once('@') {
        Some((name, digest)) => (name, Some(sha256(digest)?)),
        None => (input, None),
    };
    let (name, tag) = split_tag(name)?;
    let (registry, repository) = split_registry(name)?;
    if repository.len() > NAME_BYTES_MAX || !repository.split('/').all(is_component) || is_id(&repository) {
        return None;
    }
    Some(match digest {
        Some(digest) => format!("{registry}/{repository}@sha256:{digest}"),
        None => format!("{registry}/{repository}:{}", tag.unwrap_or("latest")),
    })
}

/// The registry host of a canonical reference, without port.
pub(super) fn registry_host(canonical: &str) -> Option<String> {
    host::canonical(canonical.split('/').next()?)
}

fn sha256(digest: &str) -> Option<String> {
    let hex = digest.strip_prefix("sha256:")?;
    (hex.len() == 64 && hex.bytes().all(|b| b.is_ascii_hexdigit())).then(|| hex.to_ascii_lowercase())
}

fn split_tag(name: &str) -> Option<(&str, Option<&str>)> {
    let Some((head, tag)) = name.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')) else {
        return Some((name, None));
    };
    let sound = tag.len() <= TAG_BYTES_MAX
        && tag.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && tag.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'));
    sound.then_some((head, Some(tag)))
}

/// The first component is a registry if it has a dot or a port, or is `localhost`.
fn split_registry(name: &str) -> Option<(String, String)> {
    let is_registry = |name: &str| name.contains(['.', ':']) || name.eq_ignore_ascii_case("localhost");
    let (authority, repository) = match name.split_once('/').filter(|(first, _)| is_registry(first)) {
        Some((first, rest)) => {
            let (host, port) = host::with_port(first)?;
            let port = port.map(|port| format!(":{port}")).unwrap_or_default();
            let authority = format!("{}{port}", host.in_authority());
            // A final dot is no part of a host's name, and a name without one would be read as a folder of the hub's.
            (is_registry(&authority).then_some(authority)?, rest)
        }
        None => (HUB.to_owned(), name),
    };
    if !HUB_ALIASES.contains(&authority.as_str()) {
        return Some((authority, repository.to_owned()));
    }
    let library = if repository.contains('/') { "" } else { "library/" };
    Some((HUB.to_owned(), format!("{library}{repository}")))
}

/// Runs of lower-case letters and digits, separated by `.`, `_`, `__` or dashes.
fn is_component(component: &str) -> bool {
    let is_word = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = component.as_bytes();
    let ends = [bytes.first(), bytes.last()].iter().all(|end| end.is_some_and(|b| is_word(*b)));
    let separators = component.split(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    ends && separators
        .filter(|run| !run.is_empty())
        .all(|run| matches!(run, "." | "_" | "__") || run.bytes().all(|b| b == b'-'))
}

/// A bare image id is no name of a repository.
fn is_id(repository: &str) -> bool {
    let last = repository.strip_prefix("library/").unwrap_or(repository);
    last.len() == 64 && last.bytes().all(|b| b.is_ascii_hexdigit())
}
