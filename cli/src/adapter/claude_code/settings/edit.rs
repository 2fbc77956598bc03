//! Puts our entries in and takes exactly them out.

mod splice;

use serde_json::Value;

use super::EditError;
use super::entry::{Event, Registration, events, is_ours};
use super::json::{Document, Member, Node};
use super::layout::{event_members, hooks_line, is_made_by_us, new_file, new_hooks, root_line, slot};
use splice::Splices;

/// A settings text after an edit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub struct Edited {
    /// The new text; `None` when nothing is left and the file is not needed.
    pub text: Option<String>,
    /// What changed; empty when the text is as it was.
    pub changes: Vec<Change>,
}

/// One change of one event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Our entry was put in.
    Added {
        /// The event.
        event: String,
    },
    /// An entry of ours was taken out.
    Removed {
        /// The event.
        event: String,
    },
}

/// Puts our entries into a settings text; `None` is a file that is not there.
///
/// Entries of ours that are there already stay when they are exactly right, and are all replaced otherwise.
/// Comments and trailing commas are kept, although the host ignores a file that has them: the caller should
/// refuse it ([`super::inspect()`] says so).
///
/// # Errors
/// [`EditError`]: the text is not JSON, or what must hold our entries has another type.
///
/// # Invariants
/// INVARIANT (settings-reversible): [`remove`] of the result is the text from before, byte for byte, if that held
/// none of our entries. An empty file counts as one that is not there.
pub fn install(text: Option<&str>, registration: &Registration) -> Result<Edited, EditError> {
    let before = text.unwrap_or_default();
    if is_current(&Document::parse(before)?, registration)? {
        return Ok(Edited { text: Some(before.to_owned()), changes: Vec::new() });
    }
    let Edited { text: stripped, mut changes } = remove(before)?;
    let stripped = stripped.unwrap_or_default();
    let text = insert(&Document::parse(&stripped)?, registration)?;
    // Checked on every text, not only in tests: what cannot be undone exactly is not written.
    if remove(&text)?.text.unwrap_or_default() != stripped {
        return Err(EditError::Irreversible);
    }
    changes.extend(
        events(registration.host).iter().map(|event| Change::Added { event: event.name().to_owned() }),
    );
    Ok(Edited { text: Some(text), changes })
}

/// Takes our entries out of a settings text, and the containers that we made for them.
///
/// # Errors
/// [`EditError`]: the text is not JSON, or it has two `hooks`.
pub fn remove(text: &str) -> Result<Edited, EditError> {
    let doc = Document::parse(text)?;
    let mut changes = Vec::new();
    let mut splices = Splices::default();
    let Some((root, hooks)) = doc.root.as_ref().zip(hooks_member(&doc)?) else {
        return Ok(Edited { text: Some(text.to_owned()), changes });
    };
    let members = root.as_object().unwrap_or_default();
    if empties(&doc, hooks, &mut splices, &mut changes) {
        let gone = members.iter().map(|member| member.key_span == hooks.key_span);
        let spans: Vec<_> = members.iter().map(Member::span).collect();
        if members.len() == 1 && is_made_by_us(&doc, root) {
            splices.delete_file_value(&doc, root.span.clone());
        } else {
            splices.delete_elements(&doc, &spans, &gone.collect::<Vec<_>>());
        }
    }
    let text = splices.apply(text);
    Ok(Edited { text: (!text.is_empty() || changes.is_empty()).then_some(text), changes })
}

/// Takes our entries out of the `hooks` object; whether the whole member goes is the answer, and then there
/// is no splice inside it.
fn empties(doc: &Document<'_>, hooks: &Member, splices: &mut Splices, changes: &mut Vec<Change>) -> bool {
    let events = hooks.value.as_object().unwrap_or_default();
    let mut inner = Splices::default();
    let gone: Vec<bool> = events.iter().map(|event| event_empties(doc, event, &mut inner, changes)).collect();
    if !gone.is_empty() && gone.iter().all(|&gone| gone) && is_made_by_us(doc, &hooks.value) {
        return true;
    }
    let spans: Vec<_> = events.iter().map(Member::span).collect();
    inner.delete_elements(doc, &spans, &gone);
    splices.append(inner);
    false
}

fn event_empties(
    doc: &Document<'_>,
    event: &Member,
    splices: &mut Splices,
    changes: &mut Vec<Change>,
) -> bool {
    let groups = event.value.as_array().unwrap_or_default();
    let mut inner = Splices::default();
    let mut gone = Vec::with_capacity(groups.len());
    for group in groups {
        let entries = group.get("hooks").and_then(Node::as_array).unwrap_or_default();
        let ours: Vec<bool> = entries.iter().map(is_our_entry).collect();
        for _ in ours.iter().filter(|&&ours| ours) {
            changes.push(Change::Removed { event: event.key.clone() });
        }
        let whole = !ours.is_empty() && ours.iter().all(|&ours| ours);
        if !whole {
            let spans: Vec<_> = entries.iter().map(|entry| entry.span.clone()).collect();
            inner.delete_elements(doc, &spans, &ours);
        }
        gone.push(whole);
    }
    if !gone.is_empty() && gone.iter().all(|&gone| gone) && is_made_by_us(doc, &event.value) {
        return true;
    }
    let spans: Vec<_> = groups.iter().map(|group| group.span.clone()).collect();
    inner.delete_elements(doc, &spans, &gone);
    splices.append(inner);
    false
}

/// Whether a hook entry is ours.
pub(super) fn is_our_entry(entry: &Node) -> bool {
    entry.get("command").and_then(Node::as_str).is_some_and(is_ours)
}

/// The one `hooks` member of the root, whatever its type.
fn hooks_member<'d>(doc: &'d Document<'_>) -> Result<Option<&'d Member>, EditError> {
    let Some(root) = &doc.root else {
        return Ok(None);
    };
    let members = root.as_object().ok_or_else(|| wrong_type(doc, "the whole", "an object", root))?;
    let found = only(doc, members, "hooks")?;
    if let Some(hooks) = found.filter(|hooks| hooks.value.as_object().is_none()) {
        return Err(wrong_type(doc, "`hooks`", "an object", &hooks.value));
    }
    Ok(found)
}

/// The member with that key, which must not stand twice.
fn only<'d>(doc: &Document<'_>, members: &'d [Member], key: &str) -> Result<Option<&'d Member>, EditError> {
    let mut found = members.iter().filter(|member| member.key == key);
    let first = found.next();
    match found.next() {
        None => Ok(first),
        Some(second) => {
            Err(EditError::Repeated { key: format!("`{key}`"), place: doc.place(second.key_span.clone()) })
        }
    }
}

fn wrong_type(doc: &Document<'_>, what: &str, wanted: &'static str, found: &Node) -> EditError {
    let place = doc.place(found.span.clone());
    EditError::WrongType { what: what.to_owned(), wanted, found: found.type_name(), place }
}

/// Whether the text holds exactly the entries that would be put in.
fn is_current(doc: &Document<'_>, registration: &Registration) -> Result<bool, EditError> {
    let Some(hooks) = hooks_member(doc)? else {
        return Ok(false);
    };
    let mut current = 0;
    for member in hooks.value.as_object().unwrap_or_default() {
        for group in member.value.as_array().unwrap_or_default() {
            let entries = group.get("hooks").and_then(Node::as_array).unwrap_or_default();
            if !entries.iter().any(is_our_entry) {
                continue;
            }
            let wanted = Event::by_name(&member.key).and_then(|event| registration.group(event));
            let found: Option<Value> = serde_json::from_str(doc.slice(group.span.clone())).ok();
            if wanted.is_none() || wanted != found {
                return Ok(false);
            }
            current += 1;
        }
    }
    // A repeated event or group cannot make up for a missing one: each event must be there by itself.
    let members = hooks.value.as_object().unwrap_or_default();
    let is_there = |event: Event| {
        let groups =
            only(doc, members, event.name()).ok().flatten().and_then(|member| member.value.as_array());
        groups.is_some_and(|groups| {
            groups.iter().any(|group| {
                group
                    .get("hooks")
                    .and_then(Node::as_array)
                    .is_some_and(|hooks| hooks.iter().any(is_our_entry))
            })
        })
    };
    let wanted = events(registration.host);
    Ok(current == wanted.len() && wanted.into_iter().all(is_there))
}

/// Puts all our entries into a text that holds none.
fn insert(doc: &Document<'_>, registration: &Registration) -> Result<String, EditError> {
    let Some(root) = &doc.root else {
        if doc.relaxed_at.is_some() {
            let place = doc.place(doc.text.len()..doc.text.len());
            return Err(EditError::Syntax { problem: "comments and no value", place });
        }
        let file = new_file(doc, registration, &events(registration.host)).ok_or(EditError::PathNotUtf8)?;
        return Ok(format!("{}{file}", doc.text));
    };
    let mut splices = Splices::default();
    match hooks_member(doc)? {
        None => {
            let last = root.as_object().unwrap_or_default().last().map(Member::span);
            let slot = slot(doc, root, last, Some(root_line(doc)));
            let hooks = new_hooks(doc, &slot, registration, &events(registration.host))
                .ok_or(EditError::PathNotUtf8)?;
            splices.insert(slot.at, format!("{}{hooks}", slot.lead));
        }
        Some(hooks) => insert_events(doc, hooks, registration, &mut splices)?,
    }
    Ok(splices.apply(doc.text))
}

/// Puts our groups into the events that are there, and the other events behind the last of them.
fn insert_events(
    doc: &Document<'_>,
    hooks: &Member,
    registration: &Registration,
    splices: &mut Splices,
) -> Result<(), EditError> {
    let members = hooks.value.as_object().unwrap_or_default();
    let mut missing = Vec::new();
    for event in events(registration.host) {
        let Some(member) = only(doc, members, event.name())? else {
            missing.push(event);
            continue;
        };
        let Some(groups) = member.value.as_array() else {
            let what = format!("`hooks.{}`", event.name());
            return Err(wrong_type(doc, &what, "an array", &member.value));
        };
        let slot = slot(doc, &member.value, groups.last().map(|group| group.span.clone()), None);
        let group = registration.group_text(event).ok_or(EditError::PathNotUtf8)?;
        splices.insert(slot.at, format!("{}{group}", slot.lead));
    }
    if missing.is_empty() {
        return Ok(());
    }
    let line = hooks_line(doc, hooks.key_span.start);
    let slot = slot(doc, &hooks.value, members.last().map(Member::span), line);
    let blank = slot.line.clone().unwrap_or_else(|| " ".to_owned());
    let text = event_members(registration, &missing, &blank).ok_or(EditError::PathNotUtf8)?;
    splices.insert(slot.at, format!("{}{text}", slot.lead));
    Ok(())
}
