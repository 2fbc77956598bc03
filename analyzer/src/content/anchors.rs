//! Literals that open something: a marker, a payload pattern, a hidden span, a word about attacks.
//!
//! One that begins with a letter is found through the vocabulary when its first word is; one that begins with
//! another byte is found by its first two bytes.

use super::lexer::is_word;
use super::source::MarkerForm;

/// What an anchor opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// A marker: the index of its signal, and its form.
    Marker(usize, MarkerForm),
    /// A window for the payload pattern of this index.
    Payload(usize),
    /// A word of a text about attacks.
    Discusses,
    /// A place where a hidden span may begin.
    Conceals,
    /// A piece of a path that holds credentials or later code.
    Sensitive,
}

/// An anchor that begins with a word.
pub(super) struct Worded {
    pub(super) word: Box<[u8]>,
    /// What follows the word.
    pub(super) rest: Box<[u8]>,
    pub(super) opens: Vec<Anchor>,
}

/// Literals with what they open, each literal once.
#[derive(Default)]
pub(super) struct AnchorTable(Vec<(String, Vec<Anchor>)>);

impl AnchorTable {
    pub(super) fn add(&mut self, literal: &str, anchor: Anchor) {
        let literal = literal.to_ascii_lowercase();
        match self.0.iter_mut().find(|(known, _)| *known == literal) {
            Some((_, opens)) if opens.contains(&anchor) => {}
            Some((_, opens)) => opens.push(anchor),
            None => self.0.push((literal, vec![anchor])),
        }
    }

    /// Those that begin with a word, and the others.
    pub(super) fn split(self) -> (Vec<Worded>, Leads) {
        let mut worded = Vec::new();
        let mut leads = Leads::default();
        for (literal, opens) in self.0 {
            let literal = literal.as_bytes();
            let (word, rest) =
                literal.split_at(literal.iter().position(|byte| !is_word(*byte)).unwrap_or(literal.len()));
            match literal {
                [first, second, ..] if word.is_empty() => leads.add(*first, *second, literal, opens),
                _ => worded.push(Worded { word: word.into(), rest: rest.into(), opens }),
            }
        }
        (worded, leads)
    }
}

/// Anchors that begin with no letter, by their first byte.
#[derive(Default)]
pub(super) struct Leads(Vec<Lead>);

struct Lead {
    first: u8,
    /// Which bytes may follow the first one, so that most places are passed by at once.
    follow: Box<[bool; 256]>,
    literals: Vec<(Box<[u8]>, Vec<Anchor>)>,
}

impl Leads {
    fn add(&mut self, first: u8, second: u8, literal: &[u8], opens: Vec<Anchor>) {
        let known = self.0.iter().position(|lead| lead.first == first).unwrap_or_else(|| {
            self.0.push(Lead { first, follow: Box::new([false; 256]), literals: Vec::new() });
            self.0.len() - 1
        });
        let Some(lead) = self.0.get_mut(known) else { return };
        for byte in [second.to_ascii_lowercase(), second.to_ascii_uppercase()] {
            lead.follow.get_mut(usize::from(byte)).into_iter().for_each(|follows| *follows = true);
        }
        lead.literals.push((literal.into(), opens));
    }

    /// First bytes of the anchors.
    pub(super) fn bytes(&self) -> impl Iterator<Item = u8> {
        self.0.iter().map(|lead| lead.first)
    }

    /// Calls `found` with the length and the meaning of every anchor with which `text` begins.
    #[inline]
    pub(super) fn find(&self, text: &[u8], mut found: impl FnMut(usize, Anchor)) {
        let [first, second, ..] = text else { return };
        let Some(lead) = self.0.iter().find(|lead| lead.first == *first) else { return };
        if !lead.follow.get(usize::from(*second)).copied().unwrap_or_default() {
            return;
        }
        for (literal, opens) in &lead.literals {
            if begins(text, literal) {
                opens.iter().for_each(|anchor| found(literal.len(), *anchor));
            }
        }
    }
}

/// Whether `text` begins with `literal`, which is in lower case.
pub(super) fn begins(text: &[u8], literal: &[u8]) -> bool {
    text.get(..literal.len()).is_some_and(|head| head.eq_ignore_ascii_case(literal))
}
