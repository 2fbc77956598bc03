//! URLs and remotes with a scheme in running text.

use std::ops::Range;

use super::{Scan, chunk, random};
use crate::operand::{Kind, Operand};

/// Longest scheme looked for, `git+https`.
const SCHEME_BYTES_MAX: usize = 10;
/// URLs of one chunk that may hold one another; further ones end where the next begins.
const NESTED_MAX: usize = 4;

/// Adds the URLs of a chunk and returns their ranges, in order; a URL inside a URL has its own.
pub(super) fn find(scan: &mut Scan<'_, '_, '_>, chunk: Range<usize>) -> Vec<Range<usize>> {
    let text = scan.get(chunk.clone());
    let mut starts: Vec<usize> = Vec::new();
    for at in memchr::memmem::find_iter(text.as_bytes(), b"://") {
        let head = text.get(..at).unwrap_or("").as_bytes();
        let scheme =
            head.iter().rev().take(SCHEME_BYTES_MAX).take_while(|b| b.is_ascii_alphanumeric() || **b == b'+');
        let length = scheme.count();
        if length >= 2 {
            starts.push(at - length);
        }
    }
    let nests = starts.len() <= NESTED_MAX;
    let mut found = Vec::with_capacity(starts.len());
    for (at, start) in starts.iter().enumerate() {
        let next = starts.get(at + 1).copied();
        let limit = next.filter(|next| !nests || separates(text, *next)).unwrap_or(text.len());
        let body = text.get(*start..limit).unwrap_or("");
        let range = chunk.start + start..chunk.start + start + trimmed(body).len();
        add(scan, range.clone());
        found.push(range);
    }
    found
}

/// Whether a URL that begins at `at` is the next of a list rather than part of the one before.
fn separates(text: &str, at: usize) -> bool {
    text.get(..at)
        .and_then(|head| head.bytes().next_back())
        .is_some_and(|b| matches!(b, b',' | b';' | b'|' | b'('))
}

/// Cuts at a backslash, a pipe or wide punctuation, then drops trailing punctuation and closers that
/// nothing opens.
fn trimmed(body: &str) -> &str {
    let is_end = |c: char| matches!(c, '\\' | '|' | '^') || chunk::is_wide_mark(c);
    let mut body = body.split(is_end).next().unwrap_or("");
    // Closers without opener so far, counted once so that a long run of them costs one pass.
    let mut surplus: [Option<usize>; 3] = [None; 3];
    loop {
        let Some(last) = body.bytes().next_back() else { return body };
        let pair = match last {
            b')' => Some((0, b'(')),
            b']' => Some((1, b'[')),
            b'}' => Some((2, b'{')),
            b'.' | b',' | b';' | b':' | b'!' | b'?' | b'*' | b'_' | b'~' => None,
            _ => return body,
        };
        if let Some((open, left)) = pair.and_then(|(at, open)| Some((open, surplus.get_mut(at)?))) {
            let count = |byte| memchr::memchr_iter(byte, body.as_bytes()).count();
            let unopened = left.unwrap_or_else(|| count(last).saturating_sub(count(open)));
            if unopened == 0 {
                return body;
            }
            *left = Some(unopened - 1);
        }
        body = body.get(..body.len() - 1).unwrap_or("");
    }
}

fn add(scan: &mut Scan<'_, '_, '_>, range: Range<usize>) {
    let text = scan.get(range.clone());
    let scheme = text.split(':').next().unwrap_or("").to_ascii_lowercase();
    let (kind, from) = match scheme.as_str() {
        "ssh" | "git" => (Kind::Git, 0),
        "git+ssh" | "git+https" | "git+http" => (Kind::Git, 0),
        "file" => (Kind::Path, 0),
        "docker" | "oci" => (Kind::Image, 0),
        // A scheme may follow other letters without a break: `xhttps://`.
        other => match ["https", "http", "wss", "ws", "ftp"].iter().find(|known| other.ends_with(**known)) {
            Some(known) => (Kind::Url, other.len() - known.len()),
            None => return,
        },
    };
    let range = range.start + from..range.end;
    let secret = random::scan(scan, range.clone());
    let text = scan.get(range.clone());
    if secret {
        // INVARIANT (no-secret-in-clear): a URL that carries a secret is known by its host alone.
        return host_only(scan, range);
    }
    if !scan.try_add(kind, range.clone()) && kind == Kind::Url {
        host_only(scan, range.clone());
    }
    if kind == Kind::Url && text.trim_end_matches('/').ends_with(".git") {
        scan.try_add(Kind::Git, range);
    }
}

/// The host of a URL that is no operand as a whole, because it is too long or carries a secret.
fn host_only(scan: &mut Scan<'_, '_, '_>, range: Range<usize>) {
    let text = scan.get(range.clone());
    let after = text.split_once("://").map_or("", |(_, rest)| rest);
    let authority = after.split(['/', '?', '#']).next().unwrap_or("");
    let name = authority.rsplit('@').next().unwrap_or("");
    if let Some(host) = Operand::parse(Kind::Host, name, scan.finder.context) {
        scan.add(&host, range);
    }
}
