//! All surfaces of one content: the text, its folded form, its hidden spans and its decoded runs.

use std::borrow::Cow;

use circinus_core::evidence::Finding;
use circinus_core::limits::VIEW_DEPTH_MAX;

use super::JUDGED_BYTES_MAX;
use super::encoded::decoded;
use super::fold::{Unseen, fold};
use super::hidden::Span;
use super::level::Groups;
use super::lexicon::Lexicon;
use super::scan::{Hit, Scope, rules, scan};
use super::surface::{Origin, Surface};

/// What all surfaces together showed.
pub(super) struct Survey<'l> {
    lexicon: &'l Lexicon,
    pub(super) groups: Groups,
    pub(super) findings: Vec<Finding>,
    /// Bytes of surfaces, words looked up, tokens visited and bytes given to patterns.
    pub(super) work: u64,
}

impl<'l> Survey<'l> {
    /// Surveys `bytes`. Decoded runs are shorter than what they were decoded from and at most
    /// [`VIEW_DEPTH_MAX`] deep, so the work is linear in the length.
    pub(super) fn of(lexicon: &'l Lexicon, bytes: &[u8]) -> Self {
        let mut survey = Self { lexicon, groups: Groups::default(), findings: Vec::new(), work: 0 };
        let covered = bytes.get(..bytes.len().min(JUDGED_BYTES_MAX)).unwrap_or_default();
        survey.groups.unread = covered.len() < bytes.len();
        match utf16(covered) {
            Some(text) => {
                let origin = Origin::Range(0, covered.len());
                survey.examine(&Surface { text: Cow::Owned(text.into_bytes()), origin }, 0);
            }
            None => {
                // A cut inside a character at the bound is the bound's doing, which is told already.
                let whole = covered.len() == bytes.len();
                survey.groups.unread |= whole && std::str::from_utf8(covered).is_err();
                survey.examine(&Surface { text: Cow::Borrowed(covered), origin: Origin::Offset(0) }, 0);
            }
        }
        survey
    }

    fn examine(&mut self, surface: &Surface<'_>, depth: usize) {
        let (folded, unseen) = fold(surface);
        let top = folded.as_ref().unwrap_or(surface);
        let seen = scan(self.lexicon, &top.text, &mut self.work);
        self.work += top.text.len() as u64;
        self.groups.discusses |= seen.discusses;
        for hit in &seen.hits {
            self.add(hit.signal, top.judged(hit.start, hit.end));
        }
        self.unseen(surface, top, &unseen, &seen.hits);
        for span in &seen.spans.found {
            self.hidden(top, *span, &seen.hits);
        }
        if depth < VIEW_DEPTH_MAX {
            for run in decoded(&top.text) {
                let origin = top.judged(run.start, run.end);
                let inner = Surface { text: Cow::Owned(run.text), origin: Origin::Range(origin.0, origin.1) };
                self.examine(&inner, depth + 1);
            }
        }
        // Last, so that what the decoded runs showed is company too.
        if self.groups.model || self.groups.role {
            let mut hits = Vec::new();
            let whole = (0, top.text.len());
            rules(self.lexicon, &top.text, whole, Scope::Company, &mut hits, &mut self.work);
            hits.iter().for_each(|hit| self.add(hit.signal, top.judged(hit.start, hit.end)));
        }
    }

    fn add(&mut self, signal: &str, (start, end): (usize, usize)) {
        self.groups.count(signal);
        let bound = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        self.findings.push(Finding { signal: signal.into(), start: bound(start), end: bound(end) });
    }

    /// A hidden span counts when it holds an instruction, a role marker or a payload.
    fn hidden(&mut self, surface: &Surface<'_>, span: Span, outer: &[Hit<'l>]) {
        let mut inner = Vec::new();
        let range = (span.start, span.end);
        rules(self.lexicon, &surface.text, range, Scope::Hidden, &mut inner, &mut self.work);
        for hit in &inner {
            self.add(hit.signal, surface.judged(hit.start, hit.end));
        }
        let within = |hit: &&Hit<'l>| hit.start >= span.start && hit.end <= span.end;
        if inner.iter().chain(outer.iter().filter(within)).any(|hit| carries(hit.signal)) {
            self.add(span.signal, surface.judged(span.start, span.end));
        }
    }

    /// Invisible characters count by what they hide: a split instruction, a turned-round one, or a payload.
    fn unseen(&mut self, raw: &Surface<'_>, top: &Surface<'_>, unseen: &Unseen, hits: &[Hit<'l>]) {
        if let Some((start, end)) = unseen.tags {
            self.add("H5", raw.judged(start, end));
        }
        for (start, end) in &unseen.zero_width {
            self.add("H9", raw.judged(*start, *end));
        }
        if unseen.splits.is_empty() && unseen.overrides.is_empty() {
            return;
        }
        let splits: Vec<usize> = unseen.splits.iter().map(|at| raw.judged(*at, at + 1).0).collect();
        let overrides: Vec<(usize, usize)> =
            unseen.overrides.iter().map(|(start, end)| raw.judged(*start, *end)).collect();
        for hit in hits.iter().filter(|hit| carries(hit.signal)) {
            let (start, end) = top.judged(hit.start, hit.end);
            let first = splits.partition_point(|at| *at < start);
            if splits.get(first).is_some_and(|at| *at < end) {
                self.add("H6", (start, end));
            }
            let turned = overrides.partition_point(|(_, over)| *over <= start);
            if overrides.get(turned).is_some_and(|(from, _)| *from < end) {
                self.add("H7", (start, end));
            }
        }
    }
}

/// Whether a signal makes the channel that hides it adverse.
fn carries(signal: &str) -> bool {
    signal.starts_with(['M', 'R', 'X'])
}

/// The text of UTF-16 with a byte order mark, if it is well formed.
fn utf16(bytes: &[u8]) -> Option<String> {
    let (body, little) = match bytes {
        [0xff, 0xfe, body @ ..] => (body, true),
        [0xfe, 0xff, body @ ..] => (body, false),
        _ => return None,
    };
    let unit = |pair: [u8; 2]| if little { u16::from_le_bytes(pair) } else { u16::from_be_bytes(pair) };
    let (pairs, odd) = body.as_chunks::<2>();
    if !odd.is_empty() {
        return None;
    }
    String::from_utf16(&pairs.iter().copied().map(unit).collect::<Vec<_>>()).ok()
}
