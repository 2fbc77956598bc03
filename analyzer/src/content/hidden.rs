//! Spans that a reader of the rendered text does not see: comments, concealed elements, attributes.

use super::lexicon::Lexicon;

/// Literals at which a hidden span may begin; they are anchors of the one automaton.
pub(super) const OPENERS: [&str; 10] =
    ["<!--", "[//]:", "[comment]:", "[_]:", "style=", "hidden>", "hidden=", "alt=", "title=", "content="];

/// Bytes of one hidden span; what an element holds beyond it is scanned as plain text only.
const SPAN_BYTES_MAX: usize = 64 << 10;
/// Bytes of one tag.
const TAG_BYTES_MAX: usize = 2_048;
/// Shorter attribute values hold no instruction.
const VALUE_BYTES_MIN: usize = 16;

/// One hidden span of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) signal: &'static str,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// Opens spans at the anchors of one text, in ascending order; a place inside the last span opens none, so
/// that the spans are disjoint and their total length is at most that of the text.
#[derive(Default)]
pub(super) struct Spans {
    pub(super) found: Vec<Span>,
    done: usize,
}

impl Spans {
    /// Considers the anchor at `start..end`.
    pub(super) fn consider(&mut self, lexicon: &Lexicon, text: &[u8], start: usize, end: usize) {
        if start < self.done {
            return;
        }
        let literal = text.get(start..end).unwrap_or_default();
        let span = match literal.first() {
            Some(b'<') => Some(comment(text, end)),
            Some(b'[') => markdown(text, start, end),
            Some(b'h' | b'H') if blank_before(text, start) => element(text, start),
            Some(b'h' | b'H') => None,
            Some(b's' | b'S') => {
                let value = attribute(text, end);
                value.filter(|value| conceals(lexicon, value.text(text))).and_then(|_| element(text, start))
            }
            _ => prose_attribute(text, start, end),
        };
        if let Some(span) = span.filter(|span| span.end > span.start) {
            self.done = span.end;
            self.found.push(span);
        }
    }
}

fn blank_before(text: &[u8], at: usize) -> bool {
    at.checked_sub(1).and_then(|before| text.get(before)).is_some_and(u8::is_ascii_whitespace)
}

#[derive(Clone, Copy)]
struct Value {
    start: usize,
    end: usize,
}

impl Value {
    fn text<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        text.get(self.start..self.end + 1).unwrap_or_default()
    }
}

fn capped(text: &[u8], from: usize) -> &[u8] {
    text.get(from..text.len().min(from + SPAN_BYTES_MAX)).unwrap_or_default()
}

fn comment(text: &[u8], from: usize) -> Span {
    let rest = capped(text, from);
    let length = memchr::memmem::find(rest, b"-->").unwrap_or(rest.len());
    Span { signal: "H1", start: from, end: from + length }
}

/// A link definition that nothing refers to renders as nothing: `[//]: # (text)`.
fn markdown(text: &[u8], start: usize, from: usize) -> Option<Span> {
    let line_start = start == 0 || matches!(text.get(start - 1), Some(b'\n' | b'n' | b'"' | b' '));
    let rest = capped(text, from);
    let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
    line_start.then_some(Span { signal: "H2", start: from, end: from + length })
}

/// The quoted value of the attribute whose `=` ends at `from`; the quotes may be escaped.
fn attribute(text: &[u8], from: usize) -> Option<Value> {
    let quote_at = if text.get(from) == Some(&b'\\') { from + 1 } else { from };
    let quote = *text.get(quote_at).filter(|byte| matches!(byte, b'"' | b'\''))?;
    let start = quote_at + 1;
    let rest = text.get(start..text.len().min(start + TAG_BYTES_MAX)).unwrap_or_default();
    let length = memchr::memchr(quote, rest)?;
    let escaped = length > 0 && rest.get(length - 1) == Some(&b'\\');
    Some(Value { start, end: start + length - usize::from(escaped) })
}

/// Whether a style value holds a concealing declaration.
fn conceals(lexicon: &Lexicon, value: &[u8]) -> bool {
    let squeezed: Vec<u8> =
        value.iter().filter(|byte| !byte.is_ascii_whitespace()).map(u8::to_ascii_lowercase).collect();
    lexicon.concealing.iter().any(|declaration| {
        memchr::memmem::find_iter(&squeezed, declaration.as_bytes()).any(|at| {
            // `width:0` is not the start of `width:0.5em`, nor the end of `max-width:0`-like names.
            let after = squeezed.get(at + declaration.len());
            let before = at.checked_sub(1).and_then(|before| squeezed.get(before));
            before != Some(&b'-')
                && (declaration.ends_with(|c: char| !c.is_ascii_digit())
                    || !matches!(after, Some(b'.' | b'0'..=b'9')))
        })
    })
}

/// The content of the element whose tag holds the byte at `inside`.
fn element(text: &[u8], inside: usize) -> Option<Span> {
    let reach = inside.saturating_sub(TAG_BYTES_MAX);
    let before = text.get(reach..inside)?;
    let open = reach + memchr::memrchr2(b'<', b'>', before)?;
    (text.get(open) == Some(&b'<')).then_some(())?;
    let name = text.get(open + 1..inside)?;
    let length = name.iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
    let name = name.get(..length).filter(|name| !name.is_empty())?;
    let tag = text.get(inside..text.len().min(inside + TAG_BYTES_MAX))?;
    let start = inside + memchr::memchr(b'>', tag)? + 1;
    let rest = capped(text, start);
    let close = memchr::memmem::find_iter(rest, b"</").find(|at| {
        rest.get(at + 2..at + 2 + name.len()).is_some_and(|closing| closing.eq_ignore_ascii_case(name))
    });
    Some(Span { signal: "H3", start, end: start + close.unwrap_or(rest.len()) })
}

/// An attribute that holds prose, inside a tag.
fn prose_attribute(text: &[u8], start: usize, end: usize) -> Option<Span> {
    let before = text.get(start.saturating_sub(TAG_BYTES_MAX)..start)?;
    let open = memchr::memrchr2(b'<', b'>', before)?;
    let in_tag = before.get(open) == Some(&b'<') && before.get(open + 1).is_some_and(u8::is_ascii_alphabetic);
    let own_name = before.last().is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'-');
    let value = attribute(text, end).filter(|value| value.end - value.start >= VALUE_BYTES_MIN)?;
    (in_tag && own_name).then_some(Span { signal: "H4", start: value.start, end: value.end })
}
