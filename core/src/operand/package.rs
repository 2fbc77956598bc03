//! Packages as `ecosystem:name`, without version; each ecosystem's own rule says which names are equal.

use super::host;

/// Longest name in bytes (npm allows 214, no ecosystem here more).
const NAME_BYTES_MAX: usize = 214;

/// Forges whose owner and repository ignore case in a Go module path.
const GO_FORGES: [&str; 3] = ["github.com", "gitlab.com", "bitbucket.org"];

/// The canonical form of `ecosystem name[version]` or `ecosystem:name`. A direct reference to a URL, a
/// repository or a path is of another kind.
pub(super) fn canonical(input: &str) -> Option<String> {
    let (ecosystem, spec) = input.split_at(input.find([' ', ':'])?);
    let spec = spec.get(1..)?.trim();
    if spec.starts_with(['-', '.', '/', '~', '_']) {
        return None;
    }
    let name = match ecosystem {
        "npm" => npm(spec),
        "pypi" => pypi(spec),
        "cargo" => cargo(spec),
        "gem" => plain(spec.split([':', '@']).next()?, str::to_owned),
        "go" => go(spec),
        "brew" | "apt" => plain(spec.split(['@', '=']).next()?, str::to_lowercase),
        "nuget" => plain(spec.split('@').next()?, str::to_lowercase),
        "composer" => composer(spec),
        _ => None,
    }?;
    (name.len() <= NAME_BYTES_MAX).then(|| format!("{ecosystem}:{name}"))
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'+'))
}

fn plain(text: &str, fold: fn(&str) -> String) -> Option<String> {
    is_name(text).then(|| fold(text))
}

/// Lower case; an alias (`name@npm:other`) is the package that gets installed.
fn npm(spec: &str) -> Option<String> {
    let spec = spec.strip_prefix("npm:").unwrap_or(spec);
    if let Some((_, installed)) = spec.split_once("@npm:") {
        return npm(installed);
    }
    let (scope, rest) = match spec.strip_prefix('@') {
        Some(scoped) => {
            let (scope, rest) = scoped.split_once('/')?;
            (Some(scope), rest)
        }
        None => (None, spec),
    };
    let name = rest.split('@').next()?;
    if !is_name(name) || !scope.is_none_or(is_name) {
        return None;
    }
    let name = name.to_ascii_lowercase();
    Some(scope.map_or_else(|| name.clone(), |scope| format!("@{}/{name}", scope.to_ascii_lowercase())))
}

/// PEP 503: lower case, runs of `-`, `_` and `.` are one `-`.
fn pypi(spec: &str) -> Option<String> {
    if spec.contains('@') {
        return None;
    }
    let name = spec.split(['[', '<', '>', '=', '!', '~', ';', '(', ' ']).next()?;
    if !is_name(name) || name.contains('+') || !name.ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return None;
    }
    let words = name.split(['-', '_', '.']).filter(|word| !word.is_empty());
    Some(words.collect::<Vec<_>>().join("-").to_ascii_lowercase())
}

/// The Rust registry takes `-` and `_`, and both cases, as equal.
fn cargo(spec: &str) -> Option<String> {
    let name = spec.split('@').next()?;
    (is_name(name) && !name.contains(['.', '+'])).then(|| name.to_ascii_lowercase().replace('_', "-"))
}

fn composer(spec: &str) -> Option<String> {
    let (vendor, rest) = spec.split_once('/')?;
    let name = rest.split([':', '@']).next()?;
    (is_name(vendor) && is_name(name)).then(|| format!("{vendor}/{name}").to_ascii_lowercase())
}

/// A module path: host folded, owner and repository folded on forges that ignore case.
fn go(spec: &str) -> Option<String> {
    let path = spec.split('@').next()?;
    let path = path.strip_suffix("/...").unwrap_or(path);
    let (host, rest) = path.split_once('/').map_or((path, None), |(host, rest)| (host, Some(rest)));
    if !host.contains('.') || host.contains(':') {
        return None;
    }
    let host = host::canonical(host)?;
    host::registrable(&host)?;
    let Some(rest) = rest else { return Some(host) };
    let folded = if GO_FORGES.contains(&host.as_str()) { 2 } else { 0 };
    let segments: Vec<String> = rest
        .split('/')
        .enumerate()
        .map(|(at, segment)| if at < folded { segment.to_ascii_lowercase() } else { segment.to_owned() })
        .collect();
    let sound = segments.iter().all(|segment| segment == &segment.replace("..", "") && is_segment(segment));
    sound.then(|| format!("{host}/{}", segments.join("/")))
}

fn is_segment(segment: &str) -> bool {
    !segment.is_empty()
        && segment.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.' | b'~' | b'+'))
}
