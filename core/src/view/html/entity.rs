//! Character references (HTML, 13.5), the ones that can spell a designator.

use crate::view::piece::Builder;

/// Longest reference in bytes between `&` and `;`.
const NAME_BYTES_MAX: usize = 14;

const NAMED: [(&str, &str); 40] = [
    ("amp", "&"),
    ("lt", "<"),
    ("gt", ">"),
    ("quot", "\""),
    ("apos", "'"),
    ("nbsp", " "),
    ("period", "."),
    ("colon", ":"),
    ("sol", "/"),
    ("bsol", "\\"),
    ("commat", "@"),
    ("lowbar", "_"),
    ("hyphen", "-"),
    ("dash", "-"),
    ("num", "#"),
    ("percnt", "%"),
    ("equals", "="),
    ("quest", "?"),
    ("plus", "+"),
    ("dollar", "$"),
    ("comma", ","),
    ("semi", ";"),
    ("excl", "!"),
    ("ast", "*"),
    ("lpar", "("),
    ("rpar", ")"),
    ("lsqb", "["),
    ("rsqb", "]"),
    ("lbrack", "["),
    ("rbrack", "]"),
    ("lcub", "{"),
    ("rcub", "}"),
    ("verbar", "|"),
    ("grave", "`"),
    ("Tab", "\t"),
    ("NewLine", "\n"),
    ("shy", ""),
    ("ZeroWidthSpace", ""),
    ("zwnj", ""),
    ("zwj", ""),
];

/// Replaces the reference that begins at `at`, if one does; returns the offset to go on from.
pub(super) fn replace(builder: &mut Builder<'_>, text: &str, at: usize) -> usize {
    let rest = text.get(at + 1..).unwrap_or("");
    let mut buffer = [0; 4];
    let read = match rest.strip_prefix('#') {
        Some(digits) => numeric(digits).map(|(c, length)| (&*c.encode_utf8(&mut buffer), length + 1)),
        None => named(rest),
    };
    let Some((shown, length)) = read else { return at + 1 };
    builder.replace(at..at + 1 + length, shown);
    at + 1 + length
}

fn named(rest: &str) -> Option<(&'static str, usize)> {
    let end = rest.bytes().take(NAME_BYTES_MAX + 1).position(|b| b == b';')?;
    let name = rest.get(..end)?;
    NAMED.iter().find(|(known, _)| *known == name).map(|(_, shown)| (*shown, end + 1))
}

/// A decimal or hexadecimal reference; the final `;` may be missing, as browsers allow.
fn numeric(rest: &str) -> Option<(char, usize)> {
    let (digits, radix, prefix) = match rest.strip_prefix(['x', 'X']) {
        Some(digits) => (digits, 16, 1),
        None => (rest, 10, 0),
    };
    let length = digits.bytes().take(8).take_while(|b| char::from(*b).is_digit(radix)).count();
    let code = u32::from_str_radix(digits.get(..length)?, radix).ok()?;
    let c = char::from_u32(code).filter(|c| !c.is_control() || c.is_ascii_whitespace())?;
    let closed = usize::from(digits.as_bytes().get(length) == Some(&b';'));
    Some((c, prefix + length + closed))
}
