//! Rules over classified words: bounded-gap sequences, matched in one left-to-right pass.
//!
//! For every prefix of a rule only the latest place where it was complete is kept. The latest place is never
//! worse than an earlier one, since a gap is counted from it, so the pass needs no backtracking and its cost
//! is (words × elements).

use super::lexer::{BREAK, Token};
use super::lexicon::{Classes, LexiconError};

/// Elements of one rule; the longest has six.
const ELEMENTS_MAX: usize = 8;

/// Words before a match in which a word of `unless` voids it.
const UNLESS_REACH: usize = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Element {
    classes: u128,
    gap: usize,
    /// Whether the gap may cross the end of a sentence.
    crosses: bool,
    /// Whether the word has to begin its sentence.
    begins: bool,
}

/// One compiled rule.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) signal: Box<str>,
    elements: Vec<Element>,
    unless: u128,
    /// Whether the rule counts only inside a hidden channel.
    pub(super) hidden_only: bool,
    /// Whether some gap crosses the end of a sentence.
    pub(super) crosses: bool,
    /// The element whose classes have the fewest words: where it is missing, the rule is not looked at.
    pub(super) rarest: u128,
}

/// Where a prefix of a rule was last complete.
#[derive(Clone, Copy)]
struct Reached {
    at: usize,
    start: u32,
}

impl Rule {
    /// Parses the notation that the data file describes.
    pub(super) fn parse(
        signal: &str,
        text: &str,
        unless: u128,
        hidden_only: bool,
        classes: &Classes,
    ) -> Result<Self, LexiconError> {
        let bad = || LexiconError::Rule(text.to_owned());
        let mut elements = Vec::new();
        let (mut gap, mut crosses) = (0, false);
        for part in text.split_whitespace() {
            if let Some(count) = part.strip_prefix('~') {
                crosses = count.starts_with('~');
                gap = count.trim_start_matches('~').parse().map_err(|_| bad())?;
                continue;
            }
            let begins = part.starts_with('^');
            let classes = classes.mask(part.trim_start_matches('^'))?;
            elements.push(Element { classes, gap, crosses, begins });
            (gap, crosses) = (0, false);
        }
        if elements.is_empty() || elements.len() > ELEMENTS_MAX || gap > 0 {
            return Err(bad());
        }
        let crosses = elements.iter().any(|element| element.crosses);
        let masks = elements.iter().map(|element| element.classes);
        let rarest = masks.min_by_key(|mask| classes.words(*mask)).unwrap_or_default();
        Ok(Self { signal: signal.into(), elements, unless, hidden_only, crosses, rarest })
    }

    /// Whether words of the classes `seen` can fill every element.
    pub(super) fn possible(&self, seen: u128) -> bool {
        self.rarest & seen != 0 && self.elements.iter().all(|element| element.classes & seen != 0)
    }

    /// Whether words of the classes `hints`, in this order, can fill every element, at whatever distance.
    pub(super) fn in_order(&self, hints: impl Iterator<Item = u128>) -> bool {
        let mut elements = self.elements.iter();
        let mut next = elements.next();
        for hint in hints {
            match next {
                Some(element) if element.classes & hint != 0 => next = elements.next(),
                Some(_) => {}
                None => break,
            }
        }
        next.is_none()
    }

    /// Calls `found` with the byte range of every match, shortest first from the left.
    pub(super) fn find(&self, tokens: &[Token<'_>], mut found: impl FnMut(u32, u32)) {
        let mut places = [None; ELEMENTS_MAX];
        let Some(reached) = places.get_mut(..self.elements.len()) else { return };
        let mut voided: Option<usize> = None;
        for (at, token) in tokens.iter().enumerate() {
            if token.classes & BREAK != 0 {
                self.end_sentence(reached);
                voided = None;
                continue;
            }
            if token.classes & self.unless != 0 {
                reached.fill(None);
                voided = Some(at);
                continue;
            }
            let blocked = voided.is_some_and(|void| at - void <= UNLESS_REACH);
            self.advance(reached, at, token, blocked);
            if let Some(Some(complete)) = reached.last().copied() {
                found(complete.start, token.end);
                reached.fill(None);
            }
        }
    }

    /// Takes one word into every prefix, the longest first, so that one word fills one place.
    fn advance(&self, reached: &mut [Option<Reached>], at: usize, token: &Token<'_>, blocked: bool) {
        for (index, element) in self.elements.iter().enumerate().rev() {
            if token.classes & element.classes == 0 || (element.begins && !token.begins) {
                continue;
            }
            let start = match index.checked_sub(1) {
                None => (!blocked).then_some(token.start),
                Some(before) => reached
                    .get(before)
                    .copied()
                    .flatten()
                    .filter(|prefix| at - prefix.at - 1 <= element.gap)
                    .map(|prefix| prefix.start),
            };
            if let (Some(start), Some(slot)) = (start, reached.get_mut(index)) {
                *slot = Some(Reached { at, start });
            }
        }
    }

    fn end_sentence(&self, reached: &mut [Option<Reached>]) {
        for (slot, next) in reached.iter_mut().zip(self.elements.iter().skip(1)) {
            if !next.crosses {
                *slot = None;
            }
        }
    }
}
