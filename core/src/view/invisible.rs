//! Characters that are not seen, and compatibility forms (UAX 15, NFKC).

use unicode_normalization::{IsNormalized, UnicodeNormalization as _, is_nfkc_quick};

use super::piece::{Builder, Viewed};

/// Removes zero-width characters, soft hyphens, variation selectors and bidi controls, then writes runs
/// of other non-ASCII text in NFKC.
pub(super) fn undo(text: &str) -> Option<Viewed> {
    if text.is_ascii() {
        return None;
    }
    let mut builder = Builder::new(text);
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        if c.is_ascii() {
            continue;
        }
        // The run takes the letter before it with it, which a combining mark would change.
        let start =
            text.get(..at).and_then(|head| head.char_indices().next_back()).map_or(at, |(start, _)| start);
        let mut end = at + c.len_utf8();
        while let Some((next, c)) = chars.next_if(|(_, c)| !c.is_ascii()) {
            end = next + c.len_utf8();
        }
        let start = start.max(builder.cursor());
        let Some(run) = text.get(start..end) else { continue };
        let hides = run.chars().any(is_invisible);
        if !hides && is_nfkc_quick(run.chars()) == IsNormalized::Yes {
            continue;
        }
        let shown: String = run.chars().filter(|c| !is_invisible(*c)).nfkc().collect();
        if shown != run {
            builder.replace(start..end, &shown);
        }
    }
    builder.finish()
}

const fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{AD}' | '\u{34F}' | '\u{61C}' | '\u{115F}' | '\u{1160}' | '\u{17B4}' | '\u{17B5}'
            | '\u{180B}'..='\u{180F}' | '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}'
            | '\u{2060}'..='\u{206F}' | '\u{3164}' | '\u{FE00}'..='\u{FE0F}' | '\u{FEFF}'
            | '\u{FFA0}' | '\u{E0100}'..='\u{E01EF}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unseen_characters_and_wide_letters_are_undone() {
        let viewed = undo("go to par\u{200B}ts\u{AD}.\u{202E}\u{FF53}hop today").expect("shown");
        assert_eq!(viewed.text, "go to parts.shop today");
        assert_eq!(viewed.map.original(6..16).start, 6);
    }

    #[test]
    fn plain_letters_of_any_script_stay() {
        assert!(undo("größe \u{4E2D}\u{6587} ascii").is_none());
    }
}
