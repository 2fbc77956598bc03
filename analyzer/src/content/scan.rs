//! One pass over one surface: anchors first, then rules and patterns only near them.

use super::decoy::decoys;
use super::grammar::Rule;
use super::hidden::Spans;
use super::lexer::{Lexer, is_word};
use super::lexicon::{Anchor, Lexicon, MarkerForm, in_company};

/// Bytes before and after an anchor word that its rules may need.
const WORD_REACH: usize = 480;
/// Bytes after a payload anchor that its pattern may need; the patterns bound their own gaps below it.
const PAYLOAD_REACH: usize = 720;

/// Something seen in one surface; positions are those of the surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) signal: Box<str>,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// What one scan saw.
#[derive(Default)]
pub(super) struct Seen {
    pub(super) hits: Vec<Hit>,
    pub(super) spans: Spans,
    /// Windows for the rules that count only in company.
    pub(super) companions: Vec<(usize, usize)>,
    /// Whether the text speaks about attacks.
    pub(super) discusses: bool,
}

/// Ascending windows, each merged with the one before when they touch, so that no byte is read twice.
#[derive(Default)]
struct Windows(Vec<(usize, usize)>);

impl Windows {
    fn add(&mut self, start: usize, end: usize) {
        match self.0.last_mut() {
            Some((_, last)) if start <= *last => *last = end.max(*last),
            _ => self.0.push((start, end)),
        }
    }

    /// Adds the surroundings of a word up to the ends of its paragraph. An anchor inside the last window
    /// needs no look back, since the window has it already.
    fn add_paragraph(&mut self, text: &[u8], start: usize, end: usize) {
        let limit = text.len().min(end + WORD_REACH);
        let after = text.get(end..limit).unwrap_or_default();
        let to = memchr::memmem::find(after, b"\n\n").map_or(limit, |at| end + at);
        match self.0.last_mut() {
            Some((_, last)) if end <= *last => *last = to.max(*last),
            _ => {
                let reach = start.saturating_sub(WORD_REACH);
                let before = text.get(reach..start).unwrap_or_default();
                let from = memchr::memmem::rfind(before, b"\n\n").map_or(reach, |at| reach + at + 2);
                self.add(from, to);
            }
        }
    }
}

/// Scans a whole surface.
pub(super) fn scan(lexicon: &Lexicon, text: &[u8]) -> Seen {
    let mut seen = Seen::default();
    let (mut words, mut companions) = (Windows::default(), Windows::default());
    let mut payloads: Vec<Windows> = lexicon.payloads.iter().map(|_| Windows::default()).collect();
    for found in lexicon.anchors.find_overlapping_iter(text) {
        for anchor in lexicon.opens.get(found.pattern().as_usize()).into_iter().flatten() {
            match *anchor {
                Anchor::Word if stands_alone(text, found.start(), found.end()) => {
                    words.add_paragraph(text, found.start(), found.end());
                }
                Anchor::Companion if stands_alone(text, found.start(), found.end()) => {
                    companions.add_paragraph(text, found.start(), found.end());
                }
                Anchor::Word | Anchor::Companion => {}
                Anchor::Payload(index) => {
                    let lead = lexicon.payloads.get(index).map_or(0, |payload| payload.lead);
                    if let Some(windows) = payloads.get_mut(index) {
                        let end = text.len().min(found.end() + PAYLOAD_REACH);
                        windows.add(found.start().saturating_sub(lead), end);
                    }
                }
                Anchor::Marker(index, form) if stands(form, text, found.start(), found.end()) => {
                    let signal = lexicon.markers.get(index).cloned().unwrap_or_default();
                    seen.hits.push(Hit { signal, start: found.start(), end: found.end() });
                }
                Anchor::Marker(..) => {}
                Anchor::Discusses => seen.discusses = true,
                Anchor::Conceals => seen.spans.consider(lexicon, text, found.start(), found.end()),
            }
        }
    }
    for (start, end) in words.0 {
        rules(lexicon, text, start, end, Scope::Alone, &mut seen.hits);
    }
    seen.companions = companions.0;
    for (payload, windows) in lexicon.payloads.iter().zip(payloads) {
        for (start, end) in windows.0 {
            let window = text.get(start..end).unwrap_or_default();
            seen.hits.extend(payload.pattern.find_iter(window).map(|found| Hit {
                signal: payload.signal.clone(),
                start: start + found.start(),
                end: start + found.end(),
            }));
        }
    }
    seen.hits.extend(decoys(text).into_iter().map(|(signal, start, end)| Hit {
        signal: signal.into(),
        start,
        end,
    }));
    seen
}

/// Which rules a window is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Those that count alone.
    Alone,
    /// Those that count in company.
    Company,
    /// All of them, also those for hidden channels only.
    Hidden,
}

impl Scope {
    fn holds(self, rule: &Rule) -> bool {
        match self {
            Self::Alone => !rule.hidden_only && !in_company(&rule.signal),
            Self::Company => !rule.hidden_only && in_company(&rule.signal),
            Self::Hidden => true,
        }
    }
}

/// Runs the rules over `text[start..end]`, cut at word boundaries.
pub(super) fn rules(
    lexicon: &Lexicon,
    text: &[u8],
    start: usize,
    end: usize,
    scope: Scope,
    hits: &mut Vec<Hit>,
) {
    let window = text.get(start..end).unwrap_or_default();
    // A window that begins inside a word would read its tail as a word.
    let whole = start == 0 || scope == Scope::Hidden || text.get(start - 1) == Some(&b'\n');
    let cut = if whole { 0 } else { window.iter().take_while(|byte| is_word(**byte)).count() };
    let tokens = Lexer::tokens(lexicon, text, start + cut, end, whole);
    let present = tokens.iter().fold(0, |classes, token| classes | token.classes);
    for rule in lexicon.rules.iter().filter(|rule| scope.holds(rule)) {
        rule.find(&tokens, present, |from, to| {
            hits.push(Hit { signal: rule.signal.clone(), start: from as usize, end: to as usize });
        });
    }
}

fn stands_alone(text: &[u8], start: usize, end: usize) -> bool {
    let before = start.checked_sub(1).and_then(|at| text.get(at));
    // An escaped line end (`\n` in JSON) before the word ends in a letter.
    let escaped = start.checked_sub(2).and_then(|at| text.get(at)) == Some(&b'\\');
    (escaped || !before.is_some_and(u8::is_ascii_alphanumeric))
        && !text.get(end).is_some_and(u8::is_ascii_alphanumeric)
}

fn stands(form: MarkerForm, text: &[u8], start: usize, end: usize) -> bool {
    let before = text.get(..start).unwrap_or_default();
    let after = text.get(end..).unwrap_or_default();
    let indent = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).take(64).count();
    let before = before.get(..before.len() - indent).unwrap_or_default();
    let line_start = before.is_empty() || before.ends_with(b"\n") || before.ends_with(b"\\n");
    match form {
        MarkerForm::Anywhere => true,
        MarkerForm::Line => {
            let after = after
                .get(after.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r')).take(64).count()..);
            let after = after.unwrap_or_default();
            line_start && (after.is_empty() || after.starts_with(b"\n") || after.starts_with(b"\\n"))
        }
        MarkerForm::Turn => {
            before.ends_with(b"\n\n") || before.ends_with(b"\\n\\n") || before.ends_with(b"\n\r\n")
        }
    }
}
