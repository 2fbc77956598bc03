//! JSON with the place of every value, for edits that leave every other byte as it is.
//!
//! Reads RFC 8259, a byte order mark before it, and two things beyond it that people write into settings:
//! comments and trailing commas. The place of the first of those is kept, because the host refuses them.

mod scan;
mod string;

use std::ops::Range;

use super::EditError;
use crate::ui::SourceSpan;
use scan::Scanner;

/// Bytes of a settings file. Real ones have a few thousand; the diff of a larger one could not be read.
pub(super) const SETTINGS_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Levels of nesting: hooks need five, and the scanner recurses.
const DEPTH_MAX: usize = 128;

/// A value and where it stands.
#[derive(Clone, Debug)]
pub(super) struct Node {
    /// Bytes of the value, from its first to behind its last.
    pub(super) span: Range<usize>,
    /// What it is.
    pub(super) kind: Kind,
}

/// What a value is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    Null,
    Bool(bool),
    /// Not converted: nothing is computed with it but its sign.
    Number,
    /// Decoded; a lone surrogate has become U+FFFD, so it equals no name of ours.
    String(String),
    Array(Vec<Node>),
    Object(Vec<Member>),
}

/// A member of an object.
#[derive(Clone, Debug)]
pub(super) struct Member {
    pub(super) key: String,
    pub(super) key_span: Range<usize>,
    pub(super) value: Node,
}

impl Member {
    /// Bytes from the key to behind the value.
    pub(super) fn span(&self) -> Range<usize> {
        self.key_span.start..self.value.span.end
    }
}

/// A whole text.
#[derive(Debug)]
pub(super) struct Document<'a> {
    pub(super) text: &'a str,
    /// The value; none when the text holds only white space, comments or nothing.
    pub(super) root: Option<Node>,
    /// Where the first comment or trailing comma starts.
    pub(super) relaxed_at: Option<usize>,
}

impl<'a> Document<'a> {
    /// Reads `text`.
    pub(super) fn parse(text: &'a str) -> Result<Self, EditError> {
        if text.len() > SETTINGS_BYTES_MAX {
            return Err(EditError::TooLarge { bytes: text.len() });
        }
        let mut scanner = Scanner::new(text);
        let root = scanner.document().map_err(|wrong| EditError::Syntax {
            problem: wrong.problem,
            place: SourceSpan::new(text, wrong.at..wrong.at.saturating_add(1)),
        })?;
        Ok(Self { text, root, relaxed_at: scanner.relaxed_at })
    }

    /// The text of a span of this document.
    pub(super) fn slice(&self, span: Range<usize>) -> &'a str {
        self.text.get(span).unwrap_or_default()
    }

    /// Line and column of a span.
    pub(super) fn place(&self, span: Range<usize>) -> SourceSpan {
        SourceSpan::new(self.text, span)
    }
}

impl Node {
    pub(super) fn as_object(&self) -> Option<&[Member]> {
        match &self.kind {
            Kind::Object(members) => Some(members),
            _ => None,
        }
    }

    pub(super) fn as_array(&self) -> Option<&[Self]> {
        match &self.kind {
            Kind::Array(items) => Some(items),
            _ => None,
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.kind {
            Kind::String(text) => Some(text),
            _ => None,
        }
    }

    /// The member that counts for a key: with a repeated key the host takes the last.
    pub(super) fn get(&self, key: &str) -> Option<&Self> {
        self.as_object()?.iter().rev().find(|member| member.key == key).map(|member| &member.value)
    }

    /// What the value is, for messages.
    pub(super) const fn type_name(&self) -> &'static str {
        match self.kind {
            Kind::Null => "null",
            Kind::Bool(_) => "a boolean",
            Kind::Number => "a number",
            Kind::String(_) => "a string",
            Kind::Array(_) => "an array",
            Kind::Object(_) => "an object",
        }
    }
}
