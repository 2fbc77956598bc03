//! Paths in running text.

use std::ops::Range;

use super::Scan;
use crate::operand::{Kind, Operand, PathContext, common};

/// Longest path in bytes (the limit of Linux).
const PATH_BYTES_MAX: usize = 4096;
/// Longest file name extension.
const EXTENSION_BYTES_MAX: usize = 10;

/// Adds a word that is written like a path.
pub(super) fn word(scan: &mut Scan<'_, '_, '_>, range: Range<usize>) {
    let text = scan.get(range.clone());
    let before = range.start.checked_sub(1).and_then(|at| scan.text.as_bytes().get(at));
    if text.starts_with('/') && before.is_some_and(|b| matches!(b, b'}' | b')' | b']' | b'*')) {
        // What follows an expression or a pattern is no root.
        return;
    }
    // `file:line:column`, and `@file` as a mention.
    let text = text.split(':').next().unwrap_or("");
    let plain = text.trim_start_matches(['@', '-', '+']);
    let range = range.start + (text.len() - plain.len())..range.start + text.len();
    if plain.len() <= PATH_BYTES_MAX && is_path(plain) {
        add(scan, range);
    }
}

/// Paths whose signs the split into words would break: `${HOME}/x`, `$HOME/x`, `C:\x`.
pub(super) fn special(scan: &mut Scan<'_, '_, '_>, range: Range<usize>) {
    let text = scan.get(range.clone());
    for (at, _) in text.match_indices(['$', '\\']) {
        let rest = text.get(at..).unwrap_or("");
        let start = match rest.as_bytes() {
            [b'$', b'{', ..] if rest.starts_with("${HOME}/") || rest.starts_with("${PWD}/") => at,
            [b'\\', ..] => match drive_before(text, at) {
                Some(start) => start,
                None => continue,
            },
            _ => continue,
        };
        let is_end = |c: char| matches!(c, ',' | ';' | '|' | '(' | ')' | '[' | ']' | '=' | '&' | '*' | '?');
        let body = text.get(start..).and_then(|rest| rest.split(is_end).next()).unwrap_or("");
        let body = body.trim_end_matches(['.', ':', '!', '}', '\\']);
        if body.len() <= PATH_BYTES_MAX {
            add(scan, range.start + start..range.start + start + body.len());
        }
        return;
    }
}

/// The start of `C:` before a backslash that begins the path.
fn drive_before(text: &str, backslash: usize) -> Option<usize> {
    let head = text.get(..backslash)?.strip_suffix(':')?;
    let start = head.len().checked_sub(1)?;
    let alone = start
        .checked_sub(1)
        .and_then(|at| head.as_bytes().get(at))
        .is_none_or(|b| !b.is_ascii_alphanumeric());
    (alone && head.as_bytes().get(start)?.is_ascii_alphabetic()).then_some(start)
}

fn add(scan: &mut Scan<'_, '_, '_>, range: Range<usize>) {
    scan.try_add(Kind::Path, range.clone());
    let context = scan.finder.context;
    let text = scan.get(range.clone());
    let relative = !text.starts_with(['/', '~', '$', '\\']);
    if relative && context.cwd != context.workspace {
        // A text of the workspace may mean its own root.
        let root = PathContext { cwd: context.workspace.clone(), ..context.clone() };
        if let Some(path) = Operand::parse(Kind::Path, text, &root) {
            scan.add(&path, range);
        }
    }
}

fn is_path(text: &str) -> bool {
    let sound = |c: char| c.is_alphanumeric() || "/._-+@~%$#".contains(c);
    if text.len() < 3 || text.starts_with("//") || !text.chars().all(sound) {
        return false;
    }
    let anchored = ["~/", "$HOME/", "$PWD/", "./", "../"].iter().any(|start| text.starts_with(start));
    let mut names = text.split('/').filter(|name| !name.is_empty());
    if !text.contains('/') {
        return common::is_protected_name(text);
    }
    let count = names.clone().count();
    if anchored {
        return count >= 2;
    }
    let is_number = |name: &str| name.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    if count < 2 || names.clone().all(is_number) {
        return false;
    }
    if text.starts_with('/') {
        return true;
    }
    let last = names.clone().next_back().unwrap_or("");
    has_extension(last) || names.any(is_dot_name)
}

fn is_dot_name(name: &str) -> bool {
    name.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()))
}

fn has_extension(name: &str) -> bool {
    name.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=EXTENSION_BYTES_MAX).contains(&extension.len())
            && extension.bytes().all(|b| b.is_ascii_alphanumeric())
            && extension.bytes().any(|b| b.is_ascii_alphabetic())
    })
}
