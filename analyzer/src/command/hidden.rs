//! Characters by which a command line shows something else than it does.

/// Whether a text holds characters that reorder it or that nobody sees: bidirectional controls (Unicode
/// Standard Annex 9), tag characters outside of flags, and blank letters.
pub(super) fn is_disguised(text: &str) -> bool {
    let mut in_flag = false;
    for c in text.chars() {
        match c {
            '\u{1f3f4}' => in_flag = true,
            '\u{e0000}'..='\u{e007f}' if in_flag => {}
            '\u{e0000}'..='\u{e007f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{3164}'
            | '\u{ffa0}' => return true,
            _ => in_flag = false,
        }
    }
    false
}

/// Whether a host is not the one that it looks like: its letters are of several scripts, or some of its
/// characters become others when it is looked up.
pub(super) fn is_lookalike(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let latin = host.chars().any(|c| c.is_ascii_alphabetic());
    host.split('.').any(|label| {
        let own = label.chars().any(|c| c.is_ascii_alphabetic());
        own && label.chars().any(|c| ('\u{370}'..='\u{52f}').contains(&c))
    }) || latin
        && host.chars().any(|c| matches!(c, '\u{3002}' | '\u{ff0e}' | '\u{ff61}' | '\u{ff01}'..='\u{ff5e}'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_and_foreign_words_are_no_disguise() {
        assert!(is_disguised("ls \u{202e}txt.x") && is_disguised("a\u{e0041}"));
        assert!(!is_disguised("echo \u{1f3f4}\u{e0067}\u{e0062}\u{e007f} né 日本"));
        assert!(is_lookalike("https://wіdget.example.org/") && is_lookalike("widget\u{ff0e}example"));
        assert!(!is_lookalike("https://пример.example.org/é") && !is_lookalike("https://a.example.org/і"));
    }
}
