//! Which texts carry the words of an attack, known from the corpus alone.
//!
//! Texts are compared by their letters in runs of `WINDOW_LETTERS`: line breaks, quotation marks, masked secrets and
//! moved folders, which differ between a recording and what is put to a model, break a few runs and leave the others.

use std::collections::{HashSet, VecDeque};
use std::ops::Range;

use crate::replay::carried::{each_text, values};
use crate::replay::format::{Event, Kind, Session, names};

/// Letters in a row by which a passage is recognised: about five words, which two texts seldom share by chance.
const WINDOW_LETTERS: usize = 24;

/// Bytes on each side of a value that belong to the passage that brought it, within its line: a long sentence.
const AROUND_BYTES: usize = 240;

/// The words of all attacks of a corpus.
#[derive(Debug, Default)]
pub struct Oracle {
    windows: HashSet<u64>,
}

impl Oracle {
    /// Learns the words of an attack session from the results that came before its first attack call. They are the
    /// corpus's own words on its goal where a result holds them; otherwise what stands around the values that the attack
    /// calls carry and that neither a prompt nor a call of the user's own holds; otherwise all that came.
    pub fn learn(&mut self, session: &Session) {
        let came = before_the_attack(&session.events);
        let whole: HashSet<u64> = came.iter().flat_map(|text| hashes(text)).collect();
        let mut words =
            said(session).flat_map(hashes).filter(|hash| whole.contains(hash)).collect::<HashSet<_>>();
        if words.is_empty() {
            let brought = brought(&session.events);
            let passages =
                came.iter().flat_map(|text| brought.iter().flat_map(|value| passages(text, value)));
            words = passages.flat_map(hashes).collect();
        }
        self.windows.extend(if words.is_empty() { whole } else { words });
    }

    /// Takes back what a session without an attack holds, too.
    pub fn acquit(&mut self, session: &Session) {
        for event in &session.events {
            let texts = [event.tool_response.as_ref(), event.tool_input.as_ref()];
            let mut acquit = |text: &str| {
                for (hash, _) in windows(text) {
                    self.windows.remove(&hash);
                }
            };
            texts.into_iter().for_each(|text| each_text(text, &mut acquit));
            acquit(event.prompt.as_deref().unwrap_or_default());
        }
    }

    /// Where in `text` the first words of an attack stand, in bytes.
    #[must_use]
    pub fn find(&self, text: &str) -> Option<Range<usize>> {
        windows(text).find(|(hash, _)| self.windows.contains(hash)).map(|(_, place)| place)
    }
}

fn is_attack(event: &Event) -> bool {
    event.is_pre() && event.label.as_ref().is_some_and(|label| label.kind == Kind::Attack)
}

/// The corpus's words on the attack.
fn said(session: &Session) -> impl Iterator<Item = &str> {
    session.events.iter().filter_map(|event| event.label.as_ref()).map(|label| label.why.as_str())
}

fn before_the_attack(events: &[Event]) -> Vec<String> {
    let mut came = Vec::new();
    for event in events.iter().take_while(|event| !is_attack(event)).filter(|event| event.is_post()) {
        each_text(event.tool_response.as_ref(), &mut |text| came.push(text.to_owned()));
    }
    came
}

/// Values of attack calls that nothing of the user's own holds.
fn brought(events: &[Event]) -> HashSet<String> {
    let (mut own, mut of_attack) = (String::new(), HashSet::new());
    for event in events {
        if is_attack(event) {
            each_text(event.tool_input.as_ref(), &mut |text| {
                of_attack.extend(values(text).map(str::to_owned))
            });
        } else if event.is_pre() || event.event == names::USER_PROMPT_SUBMIT {
            let mut hold = |text: &str| {
                own.push_str(text);
                own.push('\n');
            };
            each_text(event.tool_input.as_ref(), &mut hold);
            hold(event.prompt.as_deref().unwrap_or_default());
        }
    }
    of_attack.retain(|value| !own.contains(value.as_str()));
    of_attack
}

/// What stands around each occurrence of `value`.
fn passages<'t>(text: &'t str, value: &str) -> impl Iterator<Item = &'t str> {
    text.match_indices(value).filter_map(|(start, found)| {
        let end = start + found.len();
        let (from, to) = (start.saturating_sub(AROUND_BYTES), text.len().min(end + AROUND_BYTES));
        let from = (from..=start).find(|at| text.is_char_boundary(*at))?;
        let to = (end..=to).rev().find(|at| text.is_char_boundary(*at))?;
        let from = text.get(from..start)?.rfind('\n').map_or(from, |line| from + line);
        let to = text.get(end..to)?.find('\n').map_or(to, |line| end + line);
        text.get(from..to)
    })
}

fn hashes(text: &str) -> impl Iterator<Item = u64> {
    windows(text).map(|(hash, _)| hash)
}

/// Every run of [`WINDOW_LETTERS`] letters: its hash, which rolls (Karp and Rabin 1987), and where it stands.
fn windows(text: &str) -> impl Iterator<Item = (u64, Range<usize>)> {
    const BASE: u64 = 0x0000_0100_0000_01b3;
    const LEAVING: u64 = BASE.wrapping_pow(WINDOW_LETTERS as u32);
    let (mut hash, mut held) = (0_u64, VecDeque::with_capacity(WINDOW_LETTERS + 1));
    text.char_indices().filter(|(_, c)| c.is_alphabetic()).filter_map(move |(at, c)| {
        let letter = u64::from(c.to_lowercase().next().unwrap_or(c) as u32);
        hash = hash.wrapping_mul(BASE).wrapping_add(letter);
        held.push_back((at, letter));
        if held.len() > WINDOW_LETTERS {
            let (_, left) = held.pop_front()?;
            hash = hash.wrapping_sub(left.wrapping_mul(LEAVING));
        }
        let (start, _) = held.front()?;
        (held.len() == WINDOW_LETTERS).then_some((hash, *start..at + c.len_utf8()))
    })
}
