//! Common and protected paths.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::operand::PathContext;

static PATHS: LazyLock<Paths> = LazyLock::new(Paths::load);

struct Paths {
    exact: HashSet<&'static str>,
    name: HashSet<&'static str>,
    /// Patterns below the home directory.
    home: Vec<&'static str>,
    /// Patterns below the root.
    root: Vec<&'static str>,
    /// Patterns below any directory, by their first component.
    anywhere: HashMap<&'static str, Vec<&'static str>>,
    /// Patterns of a last component with a star.
    starred: Vec<&'static str>,
}

impl Paths {
    fn load() -> Self {
        let mut sections = super::sections(include_str!("../../../data/common-paths.txt"));
        let mut take = |name| sections.remove(name).unwrap_or_default();
        let mut paths = Self {
            exact: take("exact").into_iter().collect(),
            name: take("name").into_iter().collect(),
            home: Vec::new(),
            root: Vec::new(),
            anywhere: HashMap::new(),
            starred: Vec::new(),
        };
        for pattern in take("protected") {
            match pattern.split_once('/') {
                Some(("~", rest)) => paths.home.push(rest),
                Some(("**", rest)) if rest.contains('*') => paths.starred.push(rest),
                Some(("**", rest)) => {
                    let first = rest.split('/').next().unwrap_or(rest);
                    paths.anywhere.entry(first).or_default().push(rest);
                }
                _ => paths.root.push(pattern),
            }
        }
        paths
    }
}

/// Whether a canonical path is conventional: listed, one component below the workspace, the home
/// directory itself, or a conventional name inside the workspace.
pub(super) fn is_common(path: &str, context: &PathContext) -> bool {
    let path = path.strip_suffix('/').filter(|rest| !rest.is_empty()).unwrap_or(path);
    if PATHS.exact.contains(path) || path == &*context.home || path == &*context.workspace {
        return true;
    }
    if is_protected(path, context) {
        return false;
    }
    let Some(inside) = below(path, &context.workspace) else { return false };
    let name = inside.rsplit('/').next().unwrap_or(inside);
    !inside.contains('/') || PATHS.name.contains(name)
}

fn below<'a>(path: &'a str, root: &str) -> Option<&'a str> {
    if root.is_empty() {
        return None;
    }
    let rest = path.strip_prefix(root.strip_suffix('/').unwrap_or(root))?;
    rest.strip_prefix('/').filter(|rest| !rest.is_empty())
}

/// Whether the path is a secret or a place that runs or instructs by itself.
fn is_protected(path: &str, context: &PathContext) -> bool {
    let home = below(path, &context.home);
    let last = path.rsplit('/').next().unwrap_or(path);
    home.is_some_and(|rest| PATHS.home.iter().any(|pattern| begins(rest, pattern)))
        || PATHS.root.iter().any(|pattern| begins(path, pattern))
        || PATHS.starred.iter().any(|pattern| begins(last, pattern))
        || memchr::memchr_iter(b'/', path.as_bytes()).any(|at| {
            let rest = path.get(at + 1..).unwrap_or("");
            let first = rest.split('/').next().unwrap_or(rest);
            let patterns = PATHS.anywhere.get(first);
            patterns.is_some_and(|patterns| patterns.iter().any(|pattern| begins(rest, pattern)))
        })
}

/// Whether a single component is named by a `**/` pattern of one component.
pub(super) fn is_protected_name(name: &str) -> bool {
    let whole = PATHS.anywhere.get(name).is_some_and(|patterns| patterns.contains(&name));
    whole || PATHS.starred.iter().any(|pattern| begins(name, pattern))
}

/// Compares a path with a pattern: all below when it ends in a slash, otherwise whole.
fn begins(path: &str, pattern: &str) -> bool {
    if let Some(directory) = pattern.strip_suffix('/') {
        return path.strip_prefix(directory).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
    }
    match pattern.split_once('*') {
        Some((head, tail)) => {
            !path.contains('/')
                && path.len() > head.len() + tail.len()
                && path.starts_with(head)
                && path.ends_with(tail)
        }
        None => path == pattern,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> PathContext {
        PathContext {
            cwd: "/w/p".into(),
            home: "/home/u".into(),
            workspace: "/w/p".into(),
            case_sensitive: true,
        }
    }

    #[test]
    fn conventional_paths_are_common_and_protected_ones_never() {
        let context = context();
        for path in ["/w/p/notes.txt", "/w/p/src/main.rs", "/tmp", "/home/u", "/w/p/web/package.json"] {
            assert!(is_common(path, &context), "{path}");
        }
        for path in
            ["/w/p/.env", "/w/p/.git/hooks/pre-push", "/home/u/.ssh/id_rsa", "/w/p/a/b.txt", "/etc/passwd"]
        {
            assert!(!is_common(path, &context), "{path}");
        }
    }
}
