//! What each file held when the session began, as far as the session's own results tell.
//!
//! A first read tells all of a file, or some lines of it; later reads and the context of edits tell more, and since
//! each edit says which lines it moved, their line numbers lead back to the start of the session. What nobody saw is
//! empty lines. A file that the session itself made is not there at the start.

use std::collections::BTreeMap;

use super::file_event::{FileEvent, Hunk, LINES_MAX, Original};
use super::format::Event;

/// The files at the start of a session, by path; text, and whether all of it is known.
pub type StartFiles = BTreeMap<String, StartFile>;

/// One file at the start of a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StartFile {
    /// Its content; empty lines where nothing is known.
    pub content: String,
    /// Whether every byte is known.
    pub whole: bool,
}

/// Reads the results of a session, in order.
#[must_use]
pub fn start_files(events: &[Event]) -> StartFiles {
    let mut files: BTreeMap<String, Knowledge> = BTreeMap::new();
    for fact in events.iter().filter_map(FileEvent::of) {
        files.entry(fact.path().to_owned()).or_default().learn(fact);
    }
    files.into_iter().filter_map(|(path, known)| Some((path, known.start()?))).collect()
}

#[derive(Debug, Default)]
struct Knowledge {
    /// Lines at the start of the session, by number from 1.
    lines: BTreeMap<usize, String>,
    whole: bool,
    /// The session's edits so far, each as its hunks.
    edits: Vec<Vec<Hunk>>,
    /// Nothing more is to be learned: the file was made or replaced, or it changed in a way that nobody recorded.
    closed: bool,
}

impl Knowledge {
    fn learn(&mut self, fact: FileEvent) {
        if self.closed {
            return;
        }
        match fact {
            FileEvent::Read { start, content, whole, .. } => {
                self.closed = !self.add(start, content.split('\n'));
                // A whole read behind an edit tells each line, but not which lines the edit took away.
                self.whole |= whole && self.edits.is_empty() && !self.closed;
            }
            FileEvent::Write { original, .. } => {
                self.learn_original(original);
                self.closed = true;
            }
            FileEvent::Edit { hunks, original, .. } => {
                self.learn_original(original);
                for hunk in &hunks {
                    self.closed |= !self.add(hunk.old_start, hunk.old.iter().map(String::as_str));
                }
                self.closed |= hunks.is_empty();
                self.edits.push(hunks);
            }
        }
    }

    fn learn_original(&mut self, original: Original) {
        match original {
            Original::Text(text) if self.edits.is_empty() => {
                self.lines.clear();
                self.whole = self.add(1, text.split('\n'));
            }
            Original::Absent => self.closed = true,
            Original::Text(_) | Original::Unknown => {}
        }
    }

    /// Adds lines seen now; false when one contradicts what is known, so that the file changed unseen.
    fn add<'a>(&mut self, start: usize, lines: impl Iterator<Item = &'a str>) -> bool {
        for (offset, line) in lines.enumerate() {
            let Some(number) = start.checked_add(offset).and_then(|now| self.number_at_start(now)) else {
                continue;
            };
            if number > LINES_MAX {
                return true;
            }
            match self.lines.get(&number) {
                Some(known) if known != line => return false,
                Some(_) => {}
                // Beyond the end of a file that is known whole: it grew unseen.
                None if self.whole => return false,
                None => {
                    self.lines.insert(number, line.to_owned());
                }
            }
        }
        true
    }

    /// The number that a line had at the start of the session; nothing for lines that an edit touched.
    fn number_at_start(&self, now: usize) -> Option<usize> {
        self.edits.iter().rev().try_fold(now, |number, hunks| before_edit(number, hunks))
    }

    fn start(self) -> Option<StartFile> {
        let last = *self.lines.last_key_value()?.0;
        let mut lines = self.lines;
        let text: Vec<String> = (1..=last).map(|number| lines.remove(&number).unwrap_or_default()).collect();
        let mut content = text.join("\n");
        if !self.whole && !content.ends_with('\n') {
            content.push('\n');
        }
        Some(StartFile { content, whole: self.whole })
    }
}

fn before_edit(after: usize, hunks: &[Hunk]) -> Option<usize> {
    let (mut added, mut removed) = (0, 0);
    for hunk in hunks {
        if after < hunk.new_start {
            break;
        }
        if after < hunk.new_start + hunk.new.len() {
            return None;
        }
        added += hunk.new.len();
        removed += hunk.old.len();
    }
    (after + removed).checked_sub(added).filter(|before| *before > 0)
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use super::*;

    fn lines(text: &[&str]) -> Vec<String> {
        text.iter().map(|line| (*line).to_owned()).collect()
    }

    fn read(start: usize, content: &str, whole: bool) -> FileEvent {
        FileEvent::Read { path: String::new(), start, content: content.to_owned(), whole }
    }

    fn edit(old_start: usize, old: &[&str], new: &[&str]) -> FileEvent {
        let hunks = vec![Hunk { old_start, new_start: old_start, old: lines(old), new: lines(new) }];
        FileEvent::Edit { path: String::new(), replacements: Vec::new(), hunks, original: Original::Unknown }
    }

    fn start(facts: Vec<FileEvent>) -> Option<StartFile> {
        let mut known = Knowledge::default();
        facts.into_iter().for_each(|fact| known.learn(fact));
        known.start()
    }

    #[test]
    fn a_whole_read_is_the_file() {
        let file = start(vec![read(1, "a\nb\n", true)]).unwrap();
        assert_eq!(file, StartFile { content: "a\nb\n".to_owned(), whole: true });
    }

    #[test]
    fn lines_behind_an_edit_lead_back_to_the_start() {
        let facts = vec![
            read(1, "one\ntwo", false),
            edit(2, &["two"], &["two", "new", "newer"]),
            // Line 6 now was line 4.
            read(6, "four", false),
        ];
        assert_eq!(start(facts).unwrap().content, "one\ntwo\n\nfour\n");
    }

    #[test]
    fn an_edit_tells_what_it_replaced() {
        assert_eq!(start(vec![edit(2, &["old"], &["new"])]).unwrap().content, "\nold\n");
    }

    #[test]
    fn a_file_that_changed_unseen_teaches_nothing_more() {
        let facts = vec![read(1, "a\nb\n", true), read(1, "a\nX\n", true), read(4, "later", false)];
        assert_eq!(start(facts).unwrap().content, "a\nb\n");
    }

    #[test]
    fn a_file_that_the_session_made_was_not_there() {
        let made =
            FileEvent::Write { path: String::new(), content: "x".to_owned(), original: Original::Absent };
        assert_eq!(start(vec![made, read(1, "x", true)]), None);
    }

    proptest! {
        /// Law: edits whose hunks were seen, and all lines read afterwards, give the start back exactly.
        #[test]
        fn reading_through_edits_gives_the_start(
            at_start in vec("[a-c]{1,3}", 1..12),
            steps in vec((any::<Index>(), 0..4_usize, vec("[d-f]{1,3}", 0..4)), 0..6),
        ) {
            let mut now = at_start.clone();
            let mut facts = Vec::new();
            for (place, removed, inserted) in steps {
                // At least one line stays in front, as context would.
                let first = 1 + place.index(now.len());
                let end = (first + removed).min(now.len());
                let old: Vec<String> = now.splice(first..end, inserted.clone()).collect();
                let hunk = Hunk { old_start: first + 1, new_start: first + 1, old, new: inserted };
                facts.push(FileEvent::Edit {
                    path: String::new(),
                    replacements: Vec::new(),
                    hunks: vec![hunk],
                    original: Original::Unknown,
                });
            }
            facts.push(read(1, &now.join("\n"), false));
            prop_assert_eq!(start(facts).unwrap().content, at_start.join("\n") + "\n");
        }
    }

    #[test]
    fn a_huge_line_number_makes_no_huge_file() {
        assert_eq!(start(vec![read(usize::MAX, "x\ny", false), read(LINES_MAX + 1, "x", false)]), None);
    }
}
