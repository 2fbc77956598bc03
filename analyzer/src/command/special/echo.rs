//! `echo` and `printf`: their arguments are data, and what comes out of them is known.

use circinus_core::effect::Effect;

use super::super::machine::Machine;
use super::super::secret::secret_variables;
use super::super::value::Stream;
use super::Call;

pub(super) fn print(machine: &mut Machine<'_>, call: Call<'_>) -> Option<Stream> {
    let Call { by, args, .. } = call;
    machine.found.effect(Effect::Inform);
    let mut out = Stream::empty();
    args.iter().for_each(|arg| out.taint.absorb(&arg.taint));
    for arg in args.iter().filter(|arg| !arg.known) {
        secret_variables(&arg.text).for_each(|name| machine.found.shows_variable(by, name));
    }
    let known = args.iter().all(|arg| arg.known && !arg.glob);
    if !known {
        out.text = None;
        return Some(out);
    }
    let texts: Vec<_> = args.iter().map(|arg| arg.text.as_str()).collect();
    out.text = if by == "printf" { formatted(&texts) } else { Some(echoed(&texts)) };
    Some(out)
}

fn echoed(args: &[&str]) -> String {
    let options = args.iter().take_while(|arg| matches!(**arg, "-n" | "-e" | "-E" | "-ne" | "-en")).count();
    let escapes = args.iter().take(options).any(|arg| arg.contains('e'));
    let text = args.get(options..).unwrap_or_default().join(" ");
    let text = if escapes { unescaped(&text) } else { text };
    if args.iter().take(options).any(|arg| arg.contains('n')) { text } else { text + "\n" }
}

/// `printf` with text conversions only; other ones give text that is not known.
fn formatted(args: &[&str]) -> Option<String> {
    let (variable, rest) = match args {
        ["-v", _, rest @ ..] => (true, rest),
        ["--", rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let (format, values) = rest.split_first()?;
    if variable {
        return Some(String::new());
    }
    let format = unescaped(format);
    let mut values = values.iter();
    let mut out = String::new();
    loop {
        let mut pieces = format.split('%');
        out.push_str(pieces.next().unwrap_or_default());
        let mut used = false;
        let mut pieces = pieces.peekable();
        while let Some(piece) = pieces.next() {
            if piece.is_empty() {
                out.push('%');
                out.push_str(pieces.next().unwrap_or_default());
                continue;
            }
            let value = values.next().copied().unwrap_or_default();
            let rest = match piece.strip_prefix('b') {
                Some(rest) => {
                    out.push_str(&unescaped(value));
                    rest
                }
                None => {
                    out.push_str(value);
                    piece.strip_prefix(['s', 'd'])?
                }
            };
            out.push_str(rest);
            used = true;
        }
        if !used || values.len() == 0 {
            return Some(out);
        }
    }
}

/// Backslash escapes as `printf` and `echo -e` have them.
fn unescaped(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        let Some((&kind, tail)) = tail.split_first() else { break };
        rest = tail;
        match kind {
            b'n' => out.push(b'\n'),
            b't' => out.push(b'\t'),
            b'r' => out.push(b'\r'),
            b'e' => out.push(0x1b),
            b'x' => rest = number(rest, 16, 2, &mut out),
            b'0'..=b'7' => {
                let digits = text.len() - rest.len() - 1;
                rest = number(
                    text.as_bytes().get(digits..).unwrap_or_default(),
                    8,
                    if kind == b'0' { 4 } else { 3 },
                    &mut out,
                );
            }
            b'\\' => out.push(b'\\'),
            other => out.extend([b'\\', other]),
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Reads at most `count` digits, adds the byte, and returns what is left.
fn number<'a>(text: &'a [u8], radix: u32, count: usize, out: &mut Vec<u8>) -> &'a [u8] {
    let digits = text.iter().take(count).take_while(|byte| char::from(**byte).is_digit(radix)).count();
    let (head, tail) = text.split_at(digits);
    let value = head
        .iter()
        .filter_map(|byte| char::from(*byte).to_digit(radix))
        .fold(0_u32, |n, digit| n * radix + digit);
    if digits > 0 {
        out.push(u8::try_from(value & 0xff).unwrap_or(u8::MAX));
    }
    tail
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_and_escapes_give_what_the_program_prints() {
        assert_eq!(formatted(&["%s-%s\\n", "a", "b"]).as_deref(), Some("a-b\n"));
        assert_eq!(formatted(&["%s,", "a", "b"]).as_deref(), Some("a,b,"));
        assert_eq!(formatted(&["\\x6c\\163"]).as_deref(), Some("ls"));
        assert_eq!(formatted(&["%b", "\\x6cs"]).as_deref(), Some("ls"));
        assert_eq!(formatted(&["100%%"]).as_deref(), Some("100%"));
        assert_eq!(formatted(&["%5.2f", "1"]), None);
        assert_eq!(echoed(&["-n", "a", "b"]), "a b");
    }
}
