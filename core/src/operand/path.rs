//! File system paths, made absolute lexically.
//!
//! Links are not followed: that needs the file system, and the caller compares the resolved form too.

use unicode_normalization::UnicodeNormalization as _;

use super::PathContext;
use super::url::pair;

/// The canonical form of a path: absolute, no `.`, `..`, doubled or trailing slash, NFC. A form with a
/// drive letter has the drive in upper case, `/` between components and the rest in lower case.
pub(super) fn canonical(input: &str, context: &PathContext) -> Option<String> {
    if let Some(rest) = strip_file_scheme(input) {
        return absolute(&file_url(rest)?, context);
    }
    if has_scheme(input) || input.is_empty() {
        return None;
    }
    absolute(&expanded(input, context)?, context)
}

fn strip_file_scheme(input: &str) -> Option<&str> {
    let scheme = input.get(..5)?;
    scheme.eq_ignore_ascii_case("file:").then(|| input.get(5..)).flatten()
}

fn has_scheme(input: &str) -> bool {
    input.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|c: char| c.is_ascii_alphabetic())
            && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'.'))
    })
}

/// The path of a `file:` URL (RFC 8089), percent-decoded; a host other than this one has no path here.
fn file_url(rest: &str) -> Option<String> {
    let rest = rest.split(['?', '#']).next()?;
    let path = match rest.strip_prefix("//") {
        Some(authority) => {
            let (host, _) = authority.split_at(authority.find('/')?);
            let local = host.is_empty() || host.eq_ignore_ascii_case("localhost");
            local.then(|| authority.get(host.len()..)).flatten()?
        }
        None => rest,
    };
    let decoded = percent_decoded(path)?;
    let drive = decoded.strip_prefix('/').filter(|tail| has_drive(tail));
    let path = drive.unwrap_or(&decoded);
    (path.starts_with('/') || has_drive(path)).then(|| path.to_owned())
}

/// Percent-decoded text; `None` when the bytes are no UTF-8 or hold NUL.
pub(super) fn percent_decoded(text: &str) -> Option<String> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, tail)) = rest.split_first() {
        let escape = (first == b'%').then(|| tail.get(..2).and_then(pair)).flatten();
        out.push(escape.unwrap_or(first));
        rest = if escape.is_some() { tail.get(2..).unwrap_or(&[]) } else { tail };
    }
    String::from_utf8(out).ok().filter(|text| !text.contains('\0'))
}

/// Replaces a leading home or working directory and joins a relative path to the working directory.
fn expanded(input: &str, context: &PathContext) -> Option<String> {
    const PREFIXES: [(&str, bool); 5] =
        [("~", true), ("$HOME", true), ("${HOME}", true), ("$PWD", false), ("${PWD}", false)];
    for (prefix, is_home) in PREFIXES {
        let Some(rest) = input.strip_prefix(prefix) else { continue };
        if rest.is_empty() || rest.starts_with('/') {
            let base = if is_home { &context.home } else { &context.cwd };
            return (!base.is_empty()).then(|| format!("{base}{rest}"));
        }
    }
    if input.starts_with('~') {
        return None;
    }
    if input.starts_with('/') || has_drive(input) || input.starts_with(r"\\") {
        return Some(input.to_owned());
    }
    (!context.cwd.is_empty()).then(|| format!("{}/{input}", context.cwd))
}

fn has_drive(path: &str) -> bool {
    matches!(path.as_bytes(), [drive, b':', b'/' | b'\\', ..] if drive.is_ascii_alphabetic())
}

fn absolute(path: &str, context: &PathContext) -> Option<String> {
    if is_open(path) {
        return None;
    }
    if let Some(share) = path.strip_prefix(r"\\") {
        return windows(share);
    }
    if has_drive(path) {
        return drive(path);
    }
    let mut stack = lexical(path.split('/'));
    trim_last(&mut stack);
    let joined = format!("/{}", stack.join("/"));
    let folded = if context.case_sensitive { joined } else { joined.to_lowercase() };
    Some(if folded.is_ascii() { folded } else { folded.nfc().collect() })
}

/// Whether the text stands for no one path: a glob, a brace list, a variable, a substitution or a
/// control character.
fn is_open(path: &str) -> bool {
    let verbatim = path.strip_prefix(r"\\?\").unwrap_or(path);
    verbatim.chars().any(|c| matches!(c, '*' | '?' | '[' | '$' | '`') || c.is_control())
        || (verbatim.contains('{') && verbatim.contains(','))
}

fn lexical<'a>(components: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut stack = Vec::new();
    for component in components {
        match component {
            "" | "." => {}
            ".." => {
                stack.pop();
            }
            name => stack.push(name),
        }
    }
    stack
}

/// Outer white space is no part of an input, so it may not end a canonical form either.
fn trim_last(stack: &mut Vec<&str>) {
    while let Some(last) = stack.pop() {
        match last.trim_end_matches(|c: char| c <= ' ') {
            "" | "." => {}
            ".." => {
                stack.pop();
            }
            name => {
                stack.push(name);
                return;
            }
        }
    }
}

fn windows(share: &str) -> Option<String> {
    if share.starts_with(r".\") {
        return None;
    }
    let verbatim = share.strip_prefix(r"?\").unwrap_or(share);
    if has_drive(verbatim) {
        return drive(verbatim);
    }
    let share = verbatim.strip_prefix(r"UNC\").unwrap_or(verbatim);
    let stack = windows_components(share);
    (stack.len() >= 2).then(|| format!(r"\\{}", fold(&stack)))
}

fn drive(path: &str) -> Option<String> {
    let (letter, rest) = path.split_once(':')?;
    Some(format!("{}:/{}", letter.to_ascii_uppercase(), fold(&windows_components(rest))))
}

/// Components without alternate data stream, trailing dots and trailing spaces, which Windows ignores.
fn windows_components(path: &str) -> Vec<&str> {
    let names = path.split(['/', '\\']).map(|component| {
        if matches!(component, "." | "..") {
            return component;
        }
        let name = component.split(':').next().unwrap_or("");
        name.trim_end_matches(|c: char| c == '.' || c <= ' ')
    });
    lexical(names)
}

fn fold(stack: &[&str]) -> String {
    stack.join("/").to_lowercase().nfc().collect()
}
