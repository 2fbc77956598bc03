//! HTML as a reader of the text sees it, and what is hidden in it.
//!
//! Character references are decoded and tags removed. Comments and attribute values stay as text, since
//! that is where text is hidden. This is no HTML parser: text that is no HTML passes with few changes.

use std::ops::Range;

use super::piece::{Builder, Viewed};

mod entity;

/// Longest tag in bytes; longer ones, and unclosed ones, stay as they are.
const TAG_BYTES_MAX: usize = 8192;

/// Elements inside words: their tags leave no gap.
const INLINE: [&str; 24] = [
    "a", "abbr", "b", "bdi", "bdo", "big", "cite", "code", "del", "em", "font", "i", "ins", "kbd", "mark",
    "s", "small", "span", "strong", "sub", "sup", "tt", "u", "wbr",
];
/// Attributes of those elements whose values are presentation.
const PRESENTATION: [&str; 10] =
    ["class", "id", "style", "lang", "dir", "color", "size", "face", "rel", "target"];

/// Decodes references and removes tags and the marks of comments.
pub(super) fn undo(text: &str) -> Option<Viewed> {
    let bytes = text.as_bytes();
    let mut builder = Builder::new(text);
    let mut comment_end = None;
    let mut from = 0;
    while let Some(found) = bytes.get(from..).and_then(|rest| memchr::memchr3(b'<', b'&', b'-', rest)) {
        let at = from + found;
        from = at + 1;
        let rest = bytes.get(at..).unwrap_or(&[]);
        match rest {
            [b'&', ..] => from = entity::replace(&mut builder, text, at).max(from),
            [b'<', b'!', b'-', b'-', ..] => {
                comment_end = memchr::memmem::find(rest, b"-->").map(|end| at + end).or(comment_end);
                builder.replace(at..at + 4, " ");
                from = at + 4;
            }
            [b'-', ..] if comment_end == Some(at) => {
                builder.replace(at..at + 3, " ");
                from = at + 3;
            }
            [b'<', b'!' | b'?' | b'/' | b'a'..=b'z' | b'A'..=b'Z', ..] => {
                if let Some(tag) = Tag::read(bytes, at) {
                    tag.remove(&mut builder, text);
                    from = tag.end;
                }
            }
            _ => {}
        }
    }
    builder.finish()
}

/// A tag and what of it stays.
struct Tag {
    start: usize,
    end: usize,
    inline: bool,
    /// Ranges of the attribute values that stay, without quotes.
    values: Vec<Range<usize>>,
}

impl Tag {
    fn read(bytes: &[u8], start: usize) -> Option<Self> {
        let limit = bytes.len().min(start + TAG_BYTES_MAX);
        let rest = bytes.get(start + 1..limit)?;
        let skipped = rest.iter().take_while(|b| matches!(b, b'/' | b'!' | b'?')).count();
        let name: Vec<u8> = rest
            .iter()
            .skip(skipped)
            .take_while(|b| b.is_ascii_alphanumeric())
            .map(u8::to_ascii_lowercase)
            .collect();
        let inline = INLINE.iter().any(|inline| inline.as_bytes() == name.as_slice());
        let mut tag = Self { start, end: 0, inline, values: Vec::new() };
        let mut at = start + 1 + skipped + name.len();
        // A name goes on with white space, a slash or the end; anything else is no tag.
        if !matches!(bytes.get(at), Some(b'>' | b'/' | b' ' | b'\t' | b'\r' | b'\n' | b'-' | b':' | b'[')) {
            return None;
        }
        let mut word = at;
        while at < limit {
            match bytes.get(at)? {
                b'>' => {
                    tag.end = at + 1;
                    return Some(tag);
                }
                b'<' => return None,
                b'=' => {
                    let name = bytes.get(word..at)?.trim_ascii();
                    let value = value(bytes, at + 1, limit)?;
                    at = value.end;
                    word = at;
                    tag.keep(name, value);
                    continue;
                }
                b' ' | b'\t' | b'\r' | b'\n' | b'"' | b'\'' => word = at + 1,
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn keep(&mut self, name: &[u8], value: Range<usize>) {
        let presentation = PRESENTATION.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(name));
        let dropped = value.is_empty() || self.inline && presentation;
        if !dropped {
            self.values.push(value);
        }
    }

    fn remove(&self, builder: &mut Builder<'_>, text: &str) {
        let mut from = self.start;
        for value in &self.values {
            builder.replace(from..value.start, " ");
            let mut at = value.start;
            while let Some(found) =
                text.as_bytes().get(at..value.end).and_then(|rest| memchr::memchr(b'&', rest))
            {
                at = entity::replace(builder, text, at + found).max(at + found + 1);
            }
            from = value.end;
        }
        builder.replace(from..self.end, if self.inline && self.values.is_empty() { "" } else { " " });
    }
}

/// The value after `=`, with or without quotes.
fn value(bytes: &[u8], from: usize, limit: usize) -> Option<Range<usize>> {
    let rest = bytes.get(from..limit)?;
    let start = from + rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
    let rest = bytes.get(start..limit)?;
    match rest.first()? {
        quote @ (b'"' | b'\'') => {
            let length = memchr::memchr(*quote, rest.get(1..)?)?;
            Some(start + 1..start + 1 + length)
        }
        _ => {
            let length = rest.iter().position(|b| b.is_ascii_whitespace() || matches!(b, b'>' | b'<'))?;
            Some(start..start + length)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_inside_words_leave_no_gap() {
        let viewed = undo("<p>go to <b class=x>par</b>ts.sh&#111;p&period;</p>").expect("changed");
        assert_eq!(viewed.text.trim(), "go to parts.shop.");
        let at = viewed.text.find("parts.shop").expect("joined");
        let original = viewed.map.original(at..at + 10);
        assert_eq!(original.end, "<p>go to <b class=x>par</b>ts.sh&#111;p".len());
    }

    #[test]
    fn comments_and_attribute_values_stay() {
        let viewed = undo("a<!-- secret words --><img alt=\"more&nbsp;words\" src=x.png>z").expect("changed");
        assert_eq!(
            viewed.text.split_whitespace().collect::<Vec<_>>(),
            ["a", "secret", "words", "more", "words", "x.png", "z"]
        );
    }

    #[test]
    fn comparisons_and_open_tags_stay() {
        assert!(undo("if a < b && c > d { x <- y; } <3 <unclosed & &nosuch; ").is_none());
    }

    #[test]
    fn nested_openings_cost_one_pass() {
        assert!(undo(&"<a \"".repeat(200_001)).is_none());
        assert!(undo(&"<a ".repeat(200_000)).is_none());
    }
}
