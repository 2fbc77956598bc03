//! A tool call in one line that a terminal shows safely.

use super::format::Event;

/// Longest line.
const SHOWN_CHARS: usize = 160;

/// Tool and arguments; a command line, path or URL stands for the arguments where there is one.
#[must_use]
pub fn describe(event: &Event) -> String {
    let input = event.tool_input.as_ref();
    let known = ["command", "file_path", "url"].into_iter().find_map(|name| input?.get(name)?.as_str());
    let arguments = match known {
        Some(text) => text.to_owned(),
        None => input.map(ToString::to_string).unwrap_or_default(),
    };
    shorten(&format!("{}: {arguments}", event.tool()))
}

/// The head of a text with everything escaped that a terminal could take as more than a letter.
#[must_use]
pub fn shorten(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN_CHARS).flat_map(escape).collect();
    if text.chars().nth(SHOWN_CHARS).is_some() {
        shown.push('…');
    }
    shown
}

fn escape(c: char) -> impl Iterator<Item = char> {
    // Quotes and backslashes are harmless, and a doubled backslash would misquote a command.
    let plain = matches!(c, '"' | '\'' | '\\');
    let escaped = (!plain).then(|| c.escape_debug());
    plain.then_some(c).into_iter().chain(escaped.into_iter().flatten())
}
