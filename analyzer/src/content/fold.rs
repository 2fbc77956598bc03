//! One pass that undoes what a reader does not see: escapes and character references are decoded, invisible
//! and direction characters dropped, compatibility forms folded (NFKC, Unicode Standard Annex 15).
//!
//! Every output position keeps its way back to the input, so that a finding names the judged bytes.

use std::borrow::Cow;

use unicode_normalization::UnicodeNormalization;

use super::surface::{Origin, Surface};

/// Flags on Unicode's tag characters are written as a black flag, at most this many tags and a terminator.
const FLAG_TAGS_MAX: usize = 7;
/// Tag characters from which a text counts as smuggled.
const TAGS_MIN: usize = 8;
/// Zero-width characters in a row from which a run is noted.
const ZERO_WIDTH_RUN_MIN: usize = 3;

/// What the pass saw on its way, in positions of the text that it was given.
#[derive(Default, Debug)]
pub(super) struct Unseen {
    /// Range from the first to the last tag character, if there were enough of them.
    pub(super) tags: Option<(usize, usize)>,
    /// Runs of zero-width characters.
    pub(super) zero_width: Vec<(usize, usize)>,
    /// Positions where an invisible character stands between two letters.
    pub(super) splits: Vec<usize>,
    /// Spans under a direction override, to its end or the end of the line.
    pub(super) overrides: Vec<(usize, usize)>,
}

/// The folded surface, or `None` when there is nothing to fold.
pub(super) fn fold<'a>(surface: &Surface<'_>) -> (Option<Surface<'a>>, Unseen) {
    if !worth_folding(&surface.text) {
        return (None, Unseen::default());
    }
    let text = String::from_utf8_lossy(&surface.text);
    // INVARIANT (findings-name-judged-bytes): lossy decoding moves positions, so only exact text is folded.
    if matches!(text, Cow::Owned(_)) {
        return (None, Unseen::default());
    }
    let mut pass =
        Pass { surface, output: String::with_capacity(text.len()), pieces: vec![], ..Pass::new(surface) };
    pass.run(&text);
    let unseen = pass.finish(text.len());
    (Some(unseen.0), unseen.1)
}

/// A cheap test over the bytes: any escape, character reference or suspicious lead byte.
fn worth_folding(text: &[u8]) -> bool {
    let escape =
        memchr::memchr_iter(b'\\', text).any(|at| matches!(text.get(at + 1), Some(b'u' | b'x' | b'U')));
    escape
        || memchr::memmem::find(text, b"&#").is_some()
        || memchr::memmem::find(text, b"&lt;").is_some()
        || memchr::memchr2_iter(0xc2, 0xe2, text).any(|at| {
            match (text.get(at), text.get(at + 1), text.get(at + 2)) {
                (Some(0xc2), Some(next), _) => *next == 0xad,
                (Some(0xe2), Some(0x80), Some(last)) => {
                    (0x8b..=0x8f).contains(last) || (0xaa..=0xae).contains(last)
                }
                (Some(0xe2), Some(second), _) => *second == 0x81,
                _ => false,
            }
        })
        || memchr::memchr3_iter(0xef, 0xf0, 0xf3, text)
            .any(|at| !matches!((text.get(at), text.get(at + 1)), (Some(0xf0), Some(0x9f..=0xbf))))
}

struct Pass<'s, 't> {
    surface: &'s Surface<'t>,
    output: String,
    pieces: Vec<(usize, usize)>,
    unseen: Unseen,
    tags: Vec<(usize, usize)>,
    tag_run: Vec<usize>,
    flag: bool,
    zero_run: Option<(usize, usize, usize)>,
    last_word: bool,
    pending_split: Option<usize>,
    open_override: Option<usize>,
    expected: usize,
}

impl<'s, 't> Pass<'s, 't> {
    fn new(surface: &'s Surface<'t>) -> Self {
        Self {
            surface,
            output: String::new(),
            pieces: Vec::new(),
            unseen: Unseen::default(),
            tags: Vec::new(),
            tag_run: Vec::new(),
            flag: false,
            zero_run: None,
            last_word: false,
            pending_split: None,
            open_override: None,
            expected: usize::MAX,
        }
    }

    fn run(&mut self, text: &str) {
        let mut at = 0;
        while at < text.len() {
            at = self.plain(text, at);
            let Some(character) = text.get(at..).and_then(|rest| rest.chars().next()) else { return };
            let (decoded, width) = match character {
                '\\' | '&' => decode(text.as_bytes().get(at..).unwrap_or_default())
                    .unwrap_or((character, character.len_utf8())),
                _ => (character, character.len_utf8()),
            };
            self.take(decoded, at, width);
            at += width;
        }
    }

    /// Copies a run of ASCII that holds neither an escape nor a reference, when nothing before it waits for
    /// its first character; returns where it ends.
    fn plain(&mut self, text: &str, at: usize) -> usize {
        let rest = text.as_bytes().get(at..).unwrap_or_default();
        let waits = self.pending_split.is_some() || self.open_override.is_some() || self.zero_run.is_some();
        if waits || !self.tag_run.is_empty() || self.expected != at {
            return at;
        }
        let special = rest.iter().position(|byte| matches!(byte, b'\\' | b'&' | 0x80..));
        let end = at + special.unwrap_or(rest.len());
        if let Some(run) = text.get(at..end).filter(|run| !run.is_empty()) {
            self.output.push_str(run);
            self.last_word = run.as_bytes().last().is_some_and(u8::is_ascii_alphanumeric);
            self.flag = false;
            self.expected = end;
        }
        end
    }

    fn take(&mut self, character: char, at: usize, width: usize) {
        self.tag(character, at);
        if is_zero_width(character) {
            let (start, _, count) = self.zero_run.unwrap_or((at, at, 0));
            self.zero_run = Some((start, at + width, count + 1));
        } else {
            self.end_zero_run();
        }
        match character {
            '\u{202d}' | '\u{202e}' => self.open_override = self.open_override.or(Some(at)),
            '\u{202c}' | '\n' => self.end_override(at),
            _ => {}
        }
        if is_invisible(character) {
            if self.last_word {
                self.pending_split = self.pending_split.or(Some(at));
            }
            return;
        }
        let word = character.is_alphanumeric();
        if let Some(split) = self.pending_split.take()
            && word
        {
            self.unseen.splits.push(split);
        }
        self.last_word = word && character.is_ascii();
        self.emit(character, at, width);
    }

    fn emit(&mut self, character: char, at: usize, width: usize) {
        if self.expected != at {
            self.pieces.push((self.output.len(), self.surface.judged(at, at + 1).0));
        }
        let before = self.output.len();
        if is_compatibility(character) {
            self.output.extend(std::iter::once(character).nfkc());
        } else {
            self.output.push(character);
        }
        // Only a character of unchanged width keeps both sides in step.
        let in_step = self.output.len() - before == width && matches!(self.surface.origin, Origin::Offset(_));
        self.expected = if in_step { at + width } else { usize::MAX };
    }

    fn tag(&mut self, character: char, at: usize) {
        match character {
            '\u{e0020}'..='\u{e007f}' => self.tag_run.push(at),
            _ => {
                self.end_tag_run();
                self.flag = character == '\u{1f3f4}';
            }
        }
    }

    fn end_tag_run(&mut self) {
        let (Some(&first), Some(&last)) = (self.tag_run.first(), self.tag_run.last()) else { return };
        if !(self.flag && self.tag_run.len() <= FLAG_TAGS_MAX) {
            let count = self.tag_run.len();
            self.tags.extend(std::iter::repeat_n((first, last + 4), count.min(TAGS_MIN)));
        }
        self.tag_run.clear();
    }

    fn end_zero_run(&mut self) {
        if let Some((start, end, count)) = self.zero_run.take()
            && count >= ZERO_WIDTH_RUN_MIN
        {
            self.unseen.zero_width.push((start, end));
        }
    }

    fn end_override(&mut self, at: usize) {
        if let Some(start) = self.open_override.take() {
            self.unseen.overrides.push((start, at));
        }
    }

    fn finish<'a>(mut self, length: usize) -> (Surface<'a>, Unseen) {
        self.end_tag_run();
        self.end_zero_run();
        self.end_override(length);
        if self.tags.len() >= TAGS_MIN
            && let (Some(first), Some(last)) = (self.tags.first(), self.tags.last())
        {
            self.unseen.tags = Some((first.0, last.1));
        }
        let origin = match &self.surface.origin {
            Origin::Range(start, end) => Origin::Range(*start, *end),
            _ => Origin::Pieces(self.pieces),
        };
        (Surface { text: Cow::Owned(self.output.into_bytes()), origin }, self.unseen)
    }
}

/// Decodes one escape or character reference at the start of `bytes`: the character and the bytes it took.
fn decode(bytes: &[u8]) -> Option<(char, usize)> {
    match bytes {
        [b'\\', b'u', b'{', rest @ ..] => {
            let digits = rest.iter().take(7).take_while(|byte| byte.is_ascii_hexdigit()).count();
            (rest.get(digits) == Some(&b'}')).then_some(())?;
            Some((number(rest.get(..digits)?, 16)?, digits + 4))
        }
        [b'\\', b'u', rest @ ..] => surrogate_pair(bytes).or_else(|| Some((number(rest.get(..4)?, 16)?, 6))),
        [b'\\', b'U', rest @ ..] => Some((number(rest.get(..8)?, 16)?, 10)),
        [b'\\', b'x', rest @ ..] => Some((number(rest.get(..2)?, 16)?, 4)).filter(|(c, _)| c.is_ascii()),
        [b'&', b'#', b'x' | b'X', rest @ ..] => reference(rest, 16, 3),
        [b'&', b'#', rest @ ..] => reference(rest, 10, 2),
        _ => {
            let named: [(&[u8], char); 5] =
                [(b"&lt;", '<'), (b"&gt;", '>'), (b"&amp;", '&'), (b"&quot;", '"'), (b"&apos;", '\'')];
            named.into_iter().find(|(name, _)| bytes.starts_with(name)).map(|(name, c)| (c, name.len()))
        }
    }
}

/// Two `\u` escapes that make one character (RFC 8259, section 7).
fn surrogate_pair(bytes: &[u8]) -> Option<(char, usize)> {
    let unit = |from: usize| {
        let digits = std::str::from_utf8(bytes.get(from..from + 4)?).ok()?;
        u16::from_str_radix(digits, 16).ok()
    };
    (bytes.get(6..8)? == b"\\u").then_some(())?;
    let units = [unit(2)?, unit(8)?];
    (0xd800..0xdc00).contains(&units[0]).then_some(())?;
    Some((char::decode_utf16(units).next()?.ok()?, 12))
}

fn reference(rest: &[u8], radix: u32, lead: usize) -> Option<(char, usize)> {
    let digits = rest.iter().take(8).take_while(|byte| byte.is_ascii_hexdigit()).count();
    let end = usize::from(rest.get(digits) == Some(&b';'));
    Some((number(rest.get(..digits)?, radix)?, lead + digits + end))
}

fn number(digits: &[u8], radix: u32) -> Option<char> {
    let digits = std::str::from_utf8(digits).ok()?;
    char::from_u32(u32::from_str_radix(digits, radix).ok()?).filter(|character| *character != '\0')
}

fn is_zero_width(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}' | '\u{180e}')
}

fn is_invisible(character: char) -> bool {
    is_zero_width(character)
        || matches!(character, '\u{ad}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fe00}'..='\u{fe0f}'
            | '\u{e0000}'..='\u{e01ef}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}')
}

/// Blocks whose characters look like ASCII letters and fold to them.
fn is_compatibility(character: char) -> bool {
    matches!(character, '\u{ff01}'..='\u{ff5e}' | '\u{1d400}'..='\u{1d7ff}' | '\u{2100}'..='\u{214f}' | '\u{24b6}'..='\u{24e9}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folded(text: &str) -> (String, Unseen) {
        let surface = Surface { text: Cow::Borrowed(text.as_bytes()), origin: Origin::Offset(0) };
        let (out, unseen) = fold(&surface);
        (out.map_or_else(|| text.to_owned(), |out| String::from_utf8(out.text.into_owned()).unwrap()), unseen)
    }

    #[test]
    fn escapes_and_references_are_decoded_once() {
        assert_eq!(folded("\\u0061\\x62&#99;&#x64;&lt;&#x1F600;").0, "abcd<\u{1f600}");
        assert_eq!(folded("\\ud83d\\ude00").0, "\u{1f600}");
        assert_eq!(folded("&#38;lt;").0, "&lt;");
    }

    #[test]
    fn invisible_characters_vanish_and_splits_are_told() {
        let (text, unseen) = folded("ig\u{200b}no\u{ad}re\u{fe0f} \u{2764}\u{fe0f} it");
        assert_eq!(text, "ignore \u{2764} it");
        assert_eq!(unseen.splits.len(), 2);
    }

    #[test]
    fn compatibility_letters_fold() {
        assert_eq!(folded("\u{ff49}\u{ff47}\u{1d427}").0, "ign");
    }

    #[test]
    fn a_flag_is_no_smuggling_and_eight_tags_are() {
        let flag = "\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}".repeat(3);
        assert!(folded(&flag).1.tags.is_none());
        let spread = "x\u{e0072}\u{e0075}\u{e006e}y\u{e0072}\u{e0075}\u{e006e}z\u{e0072}\u{e0075}";
        assert!(folded(spread).1.tags.is_some());
    }

    #[test]
    fn a_position_leads_back_to_the_judged_bytes() {
        let text = "\u{200b}\u{200b}ab\\u0063d";
        let surface = Surface { text: Cow::Borrowed(text.as_bytes()), origin: Origin::Offset(0) };
        let out = fold(&surface).0.unwrap();
        assert_eq!(&*out.text, b"abcd");
        assert_eq!(out.judged(2, 3), (8, 9));
        assert_eq!(out.judged(3, 4), (14, 15));
    }
}
