//! The parts of a view that differ from the text it shows.

use std::ops::Range;

use crate::view::Viewed;

/// Bytes before and after a change that are searched for the ends of its word; designators are shorter.
const WORD_BYTES_MAX: usize = 4096;
/// Bytes before the word that may hold a command it is an argument of.
const COMMAND_BYTES: usize = 48;

/// Ranges of the viewed text around its changes, in order and apart: whole words, and what stands before.
pub(super) fn parts(viewed: &Viewed) -> Vec<Range<usize>> {
    let text = viewed.text.as_str();
    let bytes = text.as_bytes();
    let mut parts: Vec<Range<usize>> = Vec::new();
    for change in viewed.map.changed() {
        let change = change.start..change.end.min(bytes.len());
        let floor = parts.last().map_or(0, |last| last.end);
        if change.end < floor {
            continue;
        }
        let start = floor.max(change.start.saturating_sub(WORD_BYTES_MAX));
        let before = bytes.get(start..change.start).unwrap_or(&[]);
        let start = before.iter().rposition(is_break).map_or(start, |at| start + at + 1);
        // A part may not begin inside a word, or the rest of it would be taken for one.
        let early = start.saturating_sub(COMMAND_BYTES).max(floor);
        let head = bytes.get(early..start).unwrap_or(&[]);
        let start = floor_boundary(text, head.iter().position(is_break).map_or(start, |at| early + at));
        let from = change.end.max(floor);
        let after = bytes.get(from..bytes.len().min(from + WORD_BYTES_MAX)).unwrap_or(&[]);
        let end = after.iter().position(is_break).map_or(from + after.len(), |at| from + at);
        let end = ceil_boundary(text, end);
        match parts.last_mut() {
            Some(last) if start <= last.end => last.end = end.max(last.end),
            _ => parts.push(start..end),
        }
    }
    parts
}

/// Ranges of the viewed text that hold whole lines with changes, in order and apart.
pub(super) fn lines(viewed: &Viewed) -> Vec<Range<usize>> {
    let text = viewed.text.as_str();
    let mut lines: Vec<Range<usize>> = Vec::new();
    for change in viewed.map.changed() {
        let change = change.start..change.end.min(text.len());
        if lines.last().is_some_and(|last| change.end < last.end) {
            continue;
        }
        let before = text.get(..change.start).unwrap_or_default();
        let start = before.rfind('\n').map_or(0, |at| at + 1);
        let after = text.get(change.end..).unwrap_or_default();
        let end = after.find('\n').map_or(text.len(), |at| change.end + at + 1);
        match lines.last_mut() {
            Some(last) if start <= last.end => last.end = end.max(last.end),
            _ => lines.push(start..end),
        }
    }
    lines
}

const fn is_break(byte: &u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r' | b'"' | b'\'' | b'`' | b'<' | b'>')
}

fn floor_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

fn ceil_boundary(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at += 1;
    }
    at
}
