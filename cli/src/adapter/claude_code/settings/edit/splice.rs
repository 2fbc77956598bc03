//! Replacements in a text, collected first and applied together.

use std::ops::Range;

use super::super::json::Document;

/// Replacements that do not overlap.
#[derive(Debug, Default)]
pub(super) struct Splices(Vec<(Range<usize>, String)>);

impl Splices {
    pub(super) fn insert(&mut self, at: usize, text: String) {
        self.0.push((at..at, text));
    }

    fn delete(&mut self, span: Range<usize>) {
        self.0.push((span, String::new()));
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.0.append(&mut other.0);
    }

    /// The text with all replacements made.
    pub(super) fn apply(mut self, text: &str) -> String {
        // Stable: of two insertions at one place, the first made comes first.
        self.0.sort_by_key(|(span, _)| span.start);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (span, new) in self.0 {
            out.push_str(text.get(at..span.start).unwrap_or_default());
            out.push_str(&new);
            at = span.end.max(at);
        }
        out.push_str(text.get(at..).unwrap_or_default());
        out
    }

    /// Deletes the only value of a file, with the line end behind it.
    pub(super) fn delete_file_value(&mut self, doc: &Document<'_>, root: Range<usize>) {
        let rest = doc.text.get(root.end..).unwrap_or_default();
        let line_end = if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
        self.delete(root.start..root.end.saturating_add(line_end));
    }

    /// Deletes the elements of a container that are `gone`, each with one comma.
    ///
    /// An element goes with what separates it from the one before; comments in between stay.
    pub(super) fn delete_elements(&mut self, doc: &Document<'_>, elements: &[Range<usize>], gone: &[bool]) {
        let mut kept_end = None;
        let mut pending: Option<Range<usize>> = None;
        for (element, &gone) in elements.iter().zip(gone) {
            match (gone, kept_end, pending.take()) {
                (true, Some(end), _) => {
                    self.delete_gap(doc, end..element.start);
                    self.delete(element.clone());
                    kept_end = Some(element.end);
                }
                // Nothing is kept before it, so it goes with what separates it from the next.
                (true, None, None) => pending = Some(element.clone()),
                (true, None, Some(before)) => {
                    self.delete(before.clone());
                    self.delete_gap(doc, before.end..element.start);
                    pending = Some(element.clone());
                }
                (false, _, Some(before)) => {
                    self.delete(before.clone());
                    self.delete_gap(doc, before.end..element.start);
                    kept_end = Some(element.end);
                }
                (false, _, None) => kept_end = Some(element.end),
            }
        }
        if let Some(last) = pending {
            // Nothing is left: a trailing comma would stand alone.
            self.delete(last.clone());
            if let Some(comma) = comma(doc.text, last.end) {
                self.delete(comma..comma.saturating_add(1));
            }
        }
    }

    /// Deletes what stands between two elements: all of it, or the comma alone when a comment stands there.
    fn delete_gap(&mut self, doc: &Document<'_>, gap: Range<usize>) {
        let is_plain = doc.text.get(gap.clone()).is_some_and(|text| !text.contains('/'));
        match comma(doc.text, gap.start) {
            Some(comma) if !is_plain => self.delete(comma..comma.saturating_add(1)),
            _ => self.delete(gap),
        }
    }
}

/// The comma behind white space and comments from `at`, if one comes next.
fn comma(text: &str, mut at: usize) -> Option<usize> {
    loop {
        let rest = text.get(at..)?;
        let body = rest.trim_start_matches([' ', '\t', '\r', '\n']);
        at = at.saturating_add(rest.len().saturating_sub(body.len()));
        let len = if body.starts_with("//") {
            body.find('\n')?
        } else if body.starts_with("/*") {
            body.get(2..)?.find("*/")?.saturating_add(4)
        } else {
            return body.starts_with(',').then_some(at);
        };
        at = at.saturating_add(len);
    }
}
