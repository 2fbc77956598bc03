//! `rev`, `tac`, `tr` and `cut`: what they make of a text that the command line gives is known.

use super::super::apply::Run;
use super::super::argv::Argv;
use super::super::value::Stream;

/// Characters that one set of `tr` names; a set that names more is not understood.
const SET_MAX: usize = 4096;

/// What the program prints when it rewrites a text that is known; nothing where it is not understood.
pub(super) fn rewritten(argv: &Argv, run: &mut Run<'_>) {
    let source = if run.has_input { &run.input } else { run.stdin };
    let Some(text) = &source.text else { return };
    if !argv.unknown.is_empty() || argv.operands.iter().any(|arg| !arg.known) {
        return;
    }
    let text = match run.by.as_str() {
        "rev" => Some(lines(text, |line| line.chars().rev().collect())),
        "tac" => Some(text.split_inclusive('\n').rev().collect()),
        "tr" => translated(argv, text),
        "cut" => cut(argv, text),
        _ => None,
    };
    if text.is_some() {
        run.payload_out = Some(Stream { text, taint: source.taint.clone() });
    }
}

/// Each line on its own; line ends stay.
fn lines(text: &str, of: impl Fn(&str) -> String) -> String {
    let ended = |line: &str| match line.strip_suffix('\n') {
        Some(line) => of(line) + "\n",
        None => of(line),
    };
    text.split_inclusive('\n').map(ended).collect()
}

fn given<'a>(argv: &'a Argv, names: &[&str]) -> Option<Option<&'a str>> {
    let mut options = argv.options.iter().rev();
    let option = options.find(|option| option.opt.names.iter().any(|name| names.contains(name)))?;
    Some(option.value.as_ref().filter(|value| value.known).map(|value| value.text.as_str()))
}

/// `tr SET1 SET2` and `tr -d SET1` with ranges and escapes, without classes and complements.
fn translated(argv: &Argv, text: &str) -> Option<String> {
    let sets: Vec<_> = argv.operands.iter().map(|arg| arg.text.as_str()).collect();
    match (sets.as_slice(), argv.options.len()) {
        ([], 1) => {
            let gone = set(given(argv, &["-d"])??)?;
            Some(text.chars().filter(|c| !gone.contains(c)).collect())
        }
        ([from, to], 0) => {
            let (from, to) = (set(from)?, set(to)?);
            let last = to.last()?;
            let place = |c: char| from.iter().rposition(|other| *other == c);
            let other = |c: char| place(c).map_or(c, |at| *to.get(at).unwrap_or(last));
            Some(text.chars().map(other).collect())
        }
        _ => None,
    }
}

/// The characters that a set of `tr` names (POSIX, utility `tr`), in order.
fn set(written: &str) -> Option<Vec<char>> {
    if written.contains("[:") || written.contains("[=") || written.contains('*') {
        return None;
    }
    let mut named = Vec::new();
    let mut rest = written.chars().peekable();
    while let Some(c) = rest.next() {
        let c = if c == '\\' { escape(rest.next()?)? } else { c };
        let mut ahead = rest.clone();
        let end = (ahead.next() == Some('-')).then(|| ahead.next()).flatten();
        match end {
            Some(end) if end != '\\' && end >= c => {
                rest = ahead;
                named.extend((c..=end).take(SET_MAX + 1));
            }
            Some(_) => return None,
            None => named.push(c),
        }
        if named.len() > SET_MAX {
            return None;
        }
    }
    Some(named)
}

fn escape(c: char) -> Option<char> {
    match c {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        '\\' => Some('\\'),
        c if c.is_ascii_punctuation() => Some(c),
        _ => None,
    }
}

/// `cut -c LIST`, `cut -b LIST` of plain text, and `cut -d C -f LIST`.
fn cut(argv: &Argv, text: &str) -> Option<String> {
    if given(argv, &["--output-delimiter", "-s", "--complement"]).is_some() {
        return None;
    }
    if let Some(list) = given(argv, &["-f", "--fields"]) {
        let ranges = ranges(list?)?;
        let by = given(argv, &["-d", "--delimiter"]).map_or(Some("\t"), |by| by)?;
        let field = |line: &str| {
            if !line.contains(by) {
                return line.to_owned();
            }
            let fields = line.split(by).enumerate().filter(|(at, _)| within(&ranges, at + 1));
            fields.map(|(_, field)| field).collect::<Vec<_>>().join(by)
        };
        return (by.chars().count() == 1).then(|| lines(text, field));
    }
    let list = given(argv, &["-c", "-b", "--characters", "--bytes"])?;
    let ranges = ranges(list?)?;
    let kept = |line: &str| {
        line.chars().enumerate().filter(|(at, _)| within(&ranges, at + 1)).map(|(_, c)| c).collect()
    };
    text.is_ascii().then(|| lines(text, kept))
}

/// `1,3-5,7-` as ranges, both ends included.
fn ranges(list: &str) -> Option<Vec<(usize, usize)>> {
    let end = |text: &str, open: usize| if text.is_empty() { Some(open) } else { text.parse().ok() };
    let range = |piece: &str| match piece.split_once('-') {
        Some((from, to)) => Some((end(from, 1)?, end(to, usize::MAX)?)),
        None => piece.parse().ok().map(|at| (at, at)),
    };
    list.split(',').map(range).collect()
}

fn within(ranges: &[(usize, usize)], at: usize) -> bool {
    ranges.iter().any(|(from, to)| (*from..=*to).contains(&at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_its_ranges_and_escapes_or_not_understood() {
        assert_eq!(set("a-c\\n").map(String::from_iter).as_deref(), Some("abc\n"));
        assert_eq!(set("-x").map(String::from_iter).as_deref(), Some("-x"));
        for written in ["[:upper:]", "c-a", "x*", "\\101"] {
            assert_eq!(set(written), None, "{written}");
        }
    }

    #[test]
    fn a_list_of_places_is_read_with_open_ends() {
        assert_eq!(ranges("2,4-5,7-"), Some(vec![(2, 2), (4, 5), (7, usize::MAX)]));
        assert_eq!(ranges("x"), None);
    }
}
