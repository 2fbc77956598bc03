//! One surface: literals and words first, then rules and patterns only where they can match.

use super::anchors::Anchor;
use super::decoy::decoys;
use super::grammar::Rule;
use super::hidden::Spans;
use super::lexer::{BREAK, Lexer, Token, is_word};
use super::lexicon::{Lexicon, in_company};
use super::reader::read;
use super::source::MarkerForm;

/// Bytes after a payload anchor that its pattern may need; the patterns bound their own gaps below it.
const PAYLOAD_REACH: usize = 720;

/// Something seen in one surface; positions are those of the surface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Hit<'l> {
    pub(super) signal: &'l str,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl<'l> Hit<'l> {
    fn new(rule: &'l Rule, from: u32, to: u32) -> Self {
        Self { signal: &rule.signal, start: from as usize, end: to as usize }
    }
}

/// What one scan saw.
#[derive(Default)]
pub(super) struct Seen<'l> {
    pub(super) hits: Vec<Hit<'l>>,
    pub(super) spans: Spans,
    /// Whether the text speaks about attacks.
    pub(super) discusses: bool,
}

/// Ascending windows, each merged with the one before when they touch, so that no byte is read twice.
#[derive(Default)]
pub(super) struct Windows(pub(super) Vec<(usize, usize)>);

impl Windows {
    pub(super) fn add(&mut self, start: usize, end: usize) {
        match self.0.last_mut() {
            Some((_, last)) if start <= *last => *last = end.max(*last),
            _ => self.0.push((start, end)),
        }
    }
}

/// Scans a whole surface.
pub(super) fn scan<'l>(lexicon: &'l Lexicon, text: &[u8], work: &mut u64) -> Seen<'l> {
    let mut seen = Seen::default();
    let mut payloads: Vec<Windows> = Vec::new();
    payloads.resize_with(lexicon.payloads.len(), Windows::default);
    let windows = read(lexicon, text, work, |anchor, start, end| match anchor {
        Anchor::Payload(index) => {
            let lead = lexicon.payloads.get(index).map_or(0, |payload| payload.lead);
            if let Some(windows) = payloads.get_mut(index) {
                windows.add(start.saturating_sub(lead), text.len().min(end + PAYLOAD_REACH));
            }
        }
        Anchor::Marker(index, form) if stands(form, text, start, end) => {
            let signal = lexicon.markers.get(index).map_or("", |signal| &**signal);
            seen.hits.push(Hit { signal, start, end });
        }
        Anchor::Discusses => seen.discusses = true,
        Anchor::Conceals => seen.spans.consider(lexicon, text, start, end),
        Anchor::Marker(..) | Anchor::Sensitive => {}
    });
    for range in windows {
        rules(lexicon, text, range, Scope::Alone, &mut seen.hits, work);
    }
    for (payload, windows) in lexicon.payloads.iter().zip(payloads) {
        for (start, end) in windows.0 {
            let window = text.get(start..end).unwrap_or_default();
            *work += window.len() as u64;
            seen.hits.extend(payload.pattern.find_iter(window).map(|found| Hit {
                signal: &payload.signal,
                start: start + found.start(),
                end: start + found.end(),
            }));
        }
    }
    seen.hits.extend(decoys(text).into_iter().map(|(signal, start, end)| Hit { signal, start, end }));
    seen
}

/// Which rules a window is for. The discriminant is the place of their gates in the lexicon.
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
    pub(super) fn holds(self, rule: &Rule) -> bool {
        match self {
            Self::Alone => !rule.hidden_only && !in_company(&rule.signal),
            Self::Company => !rule.hidden_only && in_company(&rule.signal),
            Self::Hidden => true,
        }
    }
}

/// Runs the rules over one range of `text`, cut at word boundaries.
pub(super) fn rules<'l>(
    lexicon: &'l Lexicon,
    text: &[u8],
    (start, end): (usize, usize),
    scope: Scope,
    hits: &mut Vec<Hit<'l>>,
    work: &mut u64,
) {
    let window = text.get(start..end).unwrap_or_default();
    // A window that begins inside a word would read its tail as a word.
    let whole = start == 0 || scope == Scope::Hidden || text.get(start - 1) == Some(&b'\n');
    let cut = if whole { 0 } else { window.iter().take_while(|byte| is_word(**byte)).count() };
    let tokens = Lexer::tokens(lexicon, text, start + cut, end, whole);
    *work += tokens.len() as u64;
    let mut apply = |tokens: &[Token<'_>], crosses: bool| {
        let seen = classes_of(tokens);
        for gate in lexicon.gates(scope).iter().filter(|gate| gate.rarest & seen != 0) {
            let rules = gate.rules.iter().filter_map(|rule| lexicon.rules.get(*rule));
            for rule in rules.filter(|rule| rule.crosses == crosses && rule.possible(seen)) {
                *work += tokens.len() as u64;
                rule.find(tokens, |from, to| hits.push(Hit::new(rule, from, to)));
            }
        }
    };
    for sentence in tokens.split_inclusive(|token| token.classes & BREAK != 0) {
        apply(sentence, false);
    }
    apply(&tokens, true);
}

fn classes_of(tokens: &[Token<'_>]) -> u128 {
    tokens.iter().fold(0, |classes, token| classes | token.classes)
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
