//! What the view holds: the newest events, what is selected, what the person wishes.

use std::collections::{BTreeMap, VecDeque};

use super::Row;
use crate::daemon::Status;

/// Rows kept: some hours of an agent's work; older ones are in `circinus log`.
pub const ROWS_MAX: usize = 2_000;

/// Sessions listed.
const SESSIONS_MAX: usize = 100;

/// A key, as far as the view cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// A page up.
    PageUp,
    /// A page down.
    PageDown,
    /// The oldest row.
    Home,
    /// The newest row, and stay with it.
    End,
    /// Only decisions, or everything.
    Decisions,
    /// Explain the selected decision, or close the explanation.
    Explain,
    /// Approve the selected decision.
    Approve,
    /// Endorse what the selected decision rests on.
    Endorse,
    /// Leave.
    Quit,
}

/// What the person wishes that the view cannot do by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wish {
    /// The explanation of a decision.
    Explain(String),
    /// To approve a decision.
    Approve(String),
    /// To endorse an operand for an effect.
    Endorse {
        /// The operand.
        subject: String,
        /// The effect.
        effect: &'static str,
    },
    /// To leave.
    Quit,
}

/// The state.
#[derive(Debug, Default)]
pub struct Model {
    rows: VecDeque<Row>,
    sessions: BTreeMap<String, u64>,
    /// Place of the selected row among the shown ones; none follows the newest.
    selected: Option<usize>,
    decisions_only: bool,
    /// The daemon's own account, or why there is none.
    pub status: Option<Status>,
    /// Contents that wait for a verdict.
    pub queued: u64,
    /// An explanation that covers the list, with the first line shown.
    pub page: Option<(String, u16)>,
    /// What went wrong last, or what a key cannot do here.
    pub notice: Option<String>,
}

impl Model {
    /// Takes a new event in.
    pub fn add(&mut self, row: Row) {
        if let Some(session) = &row.session
            && (self.sessions.len() < SESSIONS_MAX || self.sessions.contains_key(session))
        {
            self.sessions.insert(session.clone(), row.at_ms);
        }
        self.rows.push_back(row);
        if self.rows.len() > ROWS_MAX
            && let Some(gone) = self.rows.pop_front()
            && self.shows(&gone)
        {
            // The selection stays with its row while older ones go.
            self.selected = self.selected.map(|selected| selected.saturating_sub(1));
        }
    }

    /// The rows that are shown, oldest first.
    pub fn shown(&self) -> impl DoubleEndedIterator<Item = &Row> {
        self.rows.iter().filter(|row| self.shows(row))
    }

    /// How many rows are shown.
    #[must_use]
    pub fn shown_len(&self) -> usize {
        self.shown().count()
    }

    /// Sessions seen, with the time of their last event, newest first.
    #[must_use]
    pub fn sessions(&self) -> Vec<(&str, u64)> {
        let mut sessions: Vec<_> = self.sessions.iter().map(|(name, &at)| (name.as_str(), at)).collect();
        sessions.sort_by_key(|&(_, at)| std::cmp::Reverse(at));
        sessions
    }

    /// Place of the selected row among the shown ones.
    #[must_use]
    pub fn selected(&self) -> Option<usize> {
        let last = self.shown_len().checked_sub(1)?;
        Some(self.selected.map_or(last, |selected| selected.min(last)))
    }

    /// The selected row.
    #[must_use]
    pub fn selection(&self) -> Option<&Row> {
        self.shown().nth(self.selected()?)
    }

    /// Whether the newest row is selected as it comes.
    #[must_use]
    pub const fn follows(&self) -> bool {
        self.selected.is_none()
    }

    /// Whether only decisions are shown.
    #[must_use]
    pub const fn decisions_only(&self) -> bool {
        self.decisions_only
    }

    /// Does what a key asks; `page` is how many rows a screen holds.
    pub fn press(&mut self, key: Key, page: usize) -> Option<Wish> {
        self.notice = None;
        match key {
            Key::Quit if self.page.is_some() => self.page = None,
            Key::Quit => return Some(Wish::Quit),
            Key::Explain if self.page.is_some() => self.page = None,
            Key::Explain => return self.decision().map(Wish::Explain),
            Key::Approve => return self.decision().map(Wish::Approve),
            Key::Endorse => return self.endorsable(),
            Key::Decisions => {
                self.decisions_only = !self.decisions_only;
                self.selected = None;
            }
            Key::Up | Key::PageUp | Key::Home | Key::Down | Key::PageDown | Key::End => self.go(key, page),
        }
        None
    }

    fn go(&mut self, key: Key, page: usize) {
        if let Some((_, top)) = &mut self.page {
            let page = u16::try_from(page).unwrap_or(u16::MAX);
            *top = match key {
                Key::Up => top.saturating_sub(1),
                Key::Down => top.saturating_add(1),
                Key::PageUp => top.saturating_sub(page),
                Key::PageDown => top.saturating_add(page),
                _ => 0,
            };
            return;
        }
        let Some(now) = self.selected() else { return };
        let last = self.shown_len().saturating_sub(1);
        let next = match key {
            Key::Up => now.saturating_sub(1),
            Key::Down => now + 1,
            Key::PageUp => now.saturating_sub(page),
            Key::PageDown => now + page,
            Key::Home => 0,
            _ => last,
        };
        self.selected = (next < last).then_some(next);
    }

    fn decision(&mut self) -> Option<String> {
        let decision = self.selection().and_then(|row| row.decision);
        if decision.is_none() {
            self.notice = Some("select a decision first; d shows only decisions".to_owned());
        }
        decision.map(|id| id.to_string())
    }

    fn endorsable(&mut self) -> Option<Wish> {
        self.decision()?;
        let found = self.selection().and_then(|row| row.endorsable.clone());
        if found.is_none() {
            self.notice =
                Some("this decision rests on no single value; see `circinus endorse --help`".to_owned());
        }
        found.map(|(subject, effect)| Wish::Endorse { subject, effect })
    }

    fn shows(&self, row: &Row) -> bool {
        !self.decisions_only || row.decision.is_some()
    }
}

#[cfg(test)]
mod tests {
    use circinus_core::id::{DecisionId, EventSeq};

    use super::*;
    use crate::ui::Style;

    fn row(seq: u64, decision: bool) -> Row {
        Row {
            seq,
            at_ms: seq,
            kind: "x",
            style: Style::Plain,
            text: format!("row {seq}"),
            details: Vec::new(),
            session: Some(format!("s{}", seq % 2)),
            decision: decision.then_some(DecisionId(EventSeq(seq))),
            endorsable: None,
        }
    }

    fn model(rows: u64) -> Model {
        let mut model = Model::default();
        (1..=rows).for_each(|seq| model.add(row(seq, seq % 3 == 0)));
        model
    }

    #[test]
    fn the_newest_row_is_followed_until_another_is_chosen() {
        let mut model = model(5);
        assert_eq!(model.selection().unwrap().seq, 5);
        model.press(Key::Up, 10);
        model.add(row(6, true));
        assert_eq!(model.selection().unwrap().seq, 4);
        model.press(Key::End, 10);
        model.add(row(7, false));
        assert_eq!(model.selection().unwrap().seq, 7);
    }

    #[test]
    fn a_selection_stays_with_its_row_when_old_rows_go() {
        let mut model = model(ROWS_MAX as u64);
        model.press(Key::Up, 10);
        let chosen = model.selection().unwrap().seq;
        model.add(row(9_001, false));
        assert_eq!((model.selection().unwrap().seq, model.shown_len()), (chosen, ROWS_MAX));
    }

    #[test]
    fn only_decisions_can_be_explained() {
        let mut model = model(4);
        assert_eq!(model.press(Key::Explain, 10), None);
        assert!(model.notice.as_deref().unwrap().contains("decision"));
        model.press(Key::Decisions, 10);
        assert_eq!(model.shown_len(), 1);
        assert_eq!(model.press(Key::Explain, 10), Some(Wish::Explain("d3".to_owned())));
        assert_eq!(model.press(Key::Approve, 10), Some(Wish::Approve("d3".to_owned())));
    }

    #[test]
    fn quitting_an_explanation_returns_to_the_list() {
        let mut model = model(3);
        model.page = Some(("text".to_owned(), 0));
        assert_eq!(model.press(Key::Quit, 10), None);
        assert_eq!(model.press(Key::Quit, 10), Some(Wish::Quit));
    }

    #[test]
    fn an_empty_view_takes_every_key() {
        let mut model = Model::default();
        for key in [Key::Up, Key::PageDown, Key::End, Key::Home, Key::Explain, Key::Endorse, Key::Decisions] {
            assert_eq!(model.press(key, 0), None);
        }
    }
}
