//! Brace expansion (bash manual, 3.5.1): one raw word to several, before anything else is expanded.

/// More words than one raw word may give.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::command) struct TooMany;

/// Words that one raw word may give.
const WORDS_MAX: usize = 64;

/// The words that a raw word stands for; the word itself if it holds no brace list.
pub(in crate::command) fn braces(raw: &str) -> Result<Vec<String>, TooMany> {
    let mut words = Vec::new();
    if raw.contains('{') {
        expand(raw, &mut words)?;
    } else {
        words.push(raw.to_owned());
    }
    Ok(words)
}

/// Every list gives at least two words, so that the work is bounded by their number.
fn expand(raw: &str, words: &mut Vec<String>) -> Result<(), TooMany> {
    let Some((open, close, parts)) = list(raw)? else {
        words.push(raw.to_owned());
        return if words.len() > WORDS_MAX { Err(TooMany) } else { Ok(()) };
    };
    let (head, tail) = (raw.get(..open).unwrap_or_default(), raw.get(close + 1..).unwrap_or_default());
    parts.iter().try_for_each(|part| expand(&format!("{head}{part}{tail}"), words))
}

/// The first brace list: where it opens and closes, and its parts.
fn list(raw: &str) -> Result<Option<(usize, usize, Vec<String>)>, TooMany> {
    let bytes = raw.as_bytes();
    let mut open: Vec<(usize, Vec<usize>)> = Vec::new();
    let mut found: Option<(usize, usize, Vec<String>)> = None;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' if open.len() < WORDS_MAX => open.push((at, Vec::new())),
            b',' => {
                if let Some((_, commas)) = open.last_mut() {
                    commas.push(at);
                }
            }
            b'}' => {
                let Some((from, commas)) = open.pop() else {
                    at += 1;
                    continue;
                };
                let parts = if commas.is_empty() {
                    sequence(raw.get(from + 1..at).unwrap_or_default())?
                } else {
                    Some(split(raw, from, &commas, at))
                };
                // An outer list begins earlier than those in it.
                if let Some(parts) = parts {
                    found = match found.take() {
                        Some(earlier) if earlier.0 < from => Some(earlier),
                        _ => Some((from, at, parts)),
                    };
                }
                if open.is_empty() && found.is_some() {
                    return Ok(found);
                }
            }
            _ => match quoted(raw, at) {
                Some(end) => at = end,
                // Nothing behind what does not end is a list.
                None => return Ok(found),
            },
        }
        at += 1;
    }
    Ok(found)
}

fn split(raw: &str, open: usize, commas: &[usize], close: usize) -> Vec<String> {
    let starts = std::iter::once(open).chain(commas.iter().copied());
    let ends = commas.iter().copied().chain([close]);
    starts.zip(ends).map(|(from, to)| raw.get(from + 1..to).unwrap_or_default().to_owned()).collect()
}

/// `1..5`, `a..e`, `0..10..5`.
fn sequence(inside: &str) -> Result<Option<Vec<String>>, TooMany> {
    let mut ends = inside.split("..");
    let (Some(from), Some(to), step, None) = (ends.next(), ends.next(), ends.next(), ends.next()) else {
        return Ok(None);
    };
    let letter = |end: &str| match end.as_bytes() {
        [byte] if byte.is_ascii_alphabetic() => Some(i64::from(*byte)),
        _ => None,
    };
    let numbers = from.parse::<i64>().ok().zip(to.parse::<i64>().ok());
    let Some((first, last)) = numbers.or_else(|| letter(from).zip(letter(to))) else { return Ok(None) };
    let step = step.and_then(|step| step.parse::<i64>().ok()).map_or(1, i64::saturating_abs).max(1);
    let count = first.abs_diff(last) / step.unsigned_abs() + 1;
    if count < 2 {
        return Ok(None);
    }
    let count = i64::try_from(count).ok().filter(|count| *count <= WORDS_MAX as i64).ok_or(TooMany)?;
    let value = |index: i64| if last >= first { first + index * step } else { first - index * step };
    let text = |value: i64| match u8::try_from(value) {
        Ok(byte) if numbers.is_none() => char::from(byte).to_string(),
        _ => value.to_string(),
    };
    Ok(Some((0..count).map(|index| text(value(index))).collect()))
}

/// Where what begins at `at` ends, if it is quoted or an expansion of its own; `at` itself otherwise. `None` if it
/// does not end.
fn quoted(raw: &str, at: usize) -> Option<usize> {
    let rest = raw.get(at + 1..).unwrap_or_default();
    let to = |end: char| {
        let mut escaped = false;
        rest.find(|c| {
            let ends = c == end && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        })
    };
    let length = match raw.as_bytes().get(at) {
        Some(b'\\') => rest.chars().next().map(|c| c.len_utf8() - 1),
        Some(b'\'') => rest.find('\''),
        Some(b'"') => to('"'),
        Some(b'`') => to('`'),
        Some(b'$') if rest.starts_with('{') => nested(rest, '{', '}'),
        Some(b'$') if rest.starts_with('(') => nested(rest, '(', ')'),
        _ => return Some(at),
    };
    length.map(|length| at + 1 + length)
}

/// The offset at which the bracket that `text` begins with closes.
fn nested(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        depth = depth + usize::from(c == open) - usize::from(c == close && depth > 0);
        (depth == 0).then_some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_expand_as_in_bash() {
        for (raw, words) in [
            ("a{b,c}d", "abd acd"),
            ("{rm,'-rf',\"a b\"}", "rm '-rf' \"a b\""),
            ("{a,b}{c,d}", "ac ad bc bd"),
            ("{a,{b,c}}", "a b c"),
            ("{{a,b},c}x", "ax bx cx"),
            ("/{us,et}{r,c}", "/usr /usc /etr /etc"),
            ("{1..3}", "1 2 3"),
            ("{c..a}x", "cx bx ax"),
            ("{0..10..5}", "0 5 10"),
            ("{,x}", " x"),
            ("${a,b}", "${a,b}"),
            ("${a}{b,c}", "${a}b ${a}c"),
            ("$(x {a,b})", "$(x {a,b})"),
            ("'{a,b}'", "'{a,b}'"),
            ("\\{a,b}", "\\{a,b}"),
            ("{a}", "{a}"),
            ("{a,b", "{a,b"),
            ("{a{b,c}", "{ab {ac"),
            ("{}", "{}"),
        ] {
            assert_eq!(braces(raw).expect("few words").join(" "), words, "{raw}");
        }
    }

    #[test]
    fn too_many_words_are_no_words() {
        for raw in ["{1..65}", "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}", "{1..9999999999}", &"{a,".repeat(70)] {
            let outcome = braces(raw);
            assert!(outcome == Err(TooMany) || outcome.is_ok_and(|words| words.len() == 1), "{raw}");
        }
    }
}
