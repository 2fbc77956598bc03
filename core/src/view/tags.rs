//! Unicode tag characters, which no font shows.

use super::piece::{Builder, Viewed};

/// Maps U+E0020 to U+E007E to ASCII, and drops the other tag characters.
pub(super) fn undo(text: &str) -> Option<Viewed> {
    let mut builder = Builder::new(text);
    // All tag characters begin with the bytes F3 A0.
    for at in memchr::memmem::find_iter(text.as_bytes(), b"\xF3\xA0") {
        let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) else { continue };
        let code = u32::from(c);
        if !(0xE0000..=0xE007F).contains(&code) {
            continue;
        }
        let ascii = u8::try_from(code - 0xE0000).map(char::from).ok().filter(|c| (' '..='~').contains(c));
        let mut buffer = [0; 4];
        builder.replace(at..at + c.len_utf8(), ascii.map_or("", |c| c.encode_utf8(&mut buffer)));
    }
    builder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn smuggled_text_is_shown() {
        let hidden: String =
            "parts.shop".chars().filter_map(|c| char::from_u32(0xE0000 + u32::from(c))).collect();
        let viewed = undo(&format!("hi\u{E0001}{hidden}\u{E007F}!")).expect("shown");
        assert_eq!(viewed.text, "hiparts.shop!");
    }

    #[test]
    fn other_supplementary_characters_stay() {
        assert!(undo("\u{E0100} \u{1F600} \u{10FFFF}").is_none());
    }
}
