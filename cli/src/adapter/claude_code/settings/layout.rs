//! How new text is laid out so that it looks like its surroundings, and so that a later removal knows what
//! was there before.
//!
//! INVARIANT (settings-reversible): a container that we make has white space behind its opening bracket; into
//! an empty one that was there we write without any. So removal can tell `"hooks": {}` that the user wrote from
//! one that came with our entries, and no note has to be kept anywhere else.

use std::ops::Range;

use super::entry::{Event, Registration};
use super::json::{Document, Node};

/// Indentation of one level where the file shows none.
const INDENT_DEFAULT: &str = "  ";

/// Where to put a new element of a container, and what goes before it.
pub(super) struct Slot {
    pub(super) at: usize,
    /// A comma, if elements are there, and the white space of the last of them.
    pub(super) lead: String,
    /// Line end and indentation of the elements; `None` when they share a line.
    pub(super) line: Option<String>,
}

/// The line end the text uses: the first one decides, line feed where there is none.
fn line_end(text: &str) -> &'static str {
    let first = text.find('\n').and_then(|at| at.checked_sub(1)).and_then(|at| text.as_bytes().get(at));
    if first == Some(&b'\r') { "\r\n" } else { "\n" }
}

/// White space directly before byte `at`.
fn blank_before(text: &str, at: usize) -> &str {
    let head = text.get(..at).unwrap_or_default();
    let kept = head.trim_end_matches([' ', '\t', '\r', '\n']).len();
    head.get(kept..).unwrap_or_default()
}

/// Line end and indentation before `at`, when it starts a line.
fn line_before(text: &str, at: usize) -> Option<String> {
    let blank = blank_before(text, at);
    let last = blank.rfind('\n')?;
    Some(format!("{}{}", line_end(text), blank.get(last.saturating_add(1)..).unwrap_or_default()))
}

/// Indentation of one level: that of the first member of the root.
fn unit(doc: &Document<'_>) -> String {
    let first = doc.root.as_ref().and_then(Node::as_object).and_then(<[_]>::first);
    first
        .and_then(|member| line_before(doc.text, member.key_span.start))
        .map(|line| line.trim_start_matches(['\r', '\n']).to_owned())
        .filter(|indent| !indent.is_empty())
        .unwrap_or_else(|| INDENT_DEFAULT.to_owned())
}

/// The slot behind the last element of `container`; `line_if_empty` is what its elements would start with.
pub(super) fn slot(
    doc: &Document<'_>,
    container: &Node,
    last: Option<Range<usize>>,
    line_if_empty: Option<String>,
) -> Slot {
    match last {
        Some(last) => {
            let line = line_before(doc.text, last.start);
            let blank = line.clone().unwrap_or_else(|| blank_before(doc.text, last.start).to_owned());
            Slot { at: last.end, lead: format!(",{blank}"), line }
        }
        None => Slot { at: container.span.start.saturating_add(1), lead: String::new(), line: line_if_empty },
    }
}

/// A whole new file that holds `events` only.
pub(super) fn new_file(doc: &Document<'_>, registration: &Registration, events: &[Event]) -> Option<String> {
    let end = line_end(doc.text);
    let line = format!("{end}{INDENT_DEFAULT}");
    let hooks = hooks_member(registration, events, Some(&line), INDENT_DEFAULT)?;
    Some(format!("{{{line}{hooks}{end}}}{end}"))
}

/// A `hooks` member for the root in `slot`.
pub(super) fn new_hooks(
    doc: &Document<'_>,
    slot: &Slot,
    registration: &Registration,
    events: &[Event],
) -> Option<String> {
    hooks_member(registration, events, slot.line.as_deref(), &unit(doc))
}

fn hooks_member(
    registration: &Registration,
    events: &[Event],
    line: Option<&str>,
    unit: &str,
) -> Option<String> {
    let inner = line.map_or_else(|| " ".to_owned(), |line| format!("{line}{unit}"));
    let members = event_members(registration, events, &inner)?;
    Some(format!("\"hooks\": {{{inner}{members}{}}}", line.unwrap_or(" ")))
}

/// Members for `events`, each with an array that we make, separated by a comma and `blank`.
pub(super) fn event_members(registration: &Registration, events: &[Event], blank: &str) -> Option<String> {
    let member = |event: &Event| {
        registration.group_text(*event).map(|group| format!("\"{}\": [ {group} ]", event.name()))
    };
    let members: Option<Vec<String>> = events.iter().map(member).collect();
    Some(members?.join(&format!(",{blank}")))
}

/// The line that members of the root start with where it has none.
pub(super) fn root_line(doc: &Document<'_>) -> String {
    format!("{}{}", line_end(doc.text), unit(doc))
}

/// The line that members of the `hooks` object start with where it has none.
pub(super) fn hooks_line(doc: &Document<'_>, hooks_key_at: usize) -> Option<String> {
    line_before(doc.text, hooks_key_at).map(|line| format!("{line}{}", unit(doc)))
}

/// Whether we made this container, all of whose elements are ours.
pub(super) fn is_made_by_us(doc: &Document<'_>, container: &Node) -> bool {
    let behind_bracket = container.span.start.saturating_add(1);
    doc.text.as_bytes().get(behind_bracket).is_some_and(u8::is_ascii_whitespace)
}
