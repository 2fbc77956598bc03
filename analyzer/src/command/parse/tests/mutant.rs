//! Seeded mutants of shell texts.

/// Pieces that open, close, join and quote.
const PIECES: &[&str] = &[
    "$(",
    ")",
    "`",
    "'",
    "\"",
    "${x:-",
    "}",
    "{ ",
    "; }",
    "(",
    "<(",
    "[[ ",
    " ]]",
    " if ",
    "; then ",
    "; fi",
    "; do ",
    "; done",
    " | ",
    " && ",
    " || ",
    "; ",
    "\n",
    "\\",
    "$",
    " <<E\n",
    "\nE\n",
    " > f ",
    " 2>&1 ",
    " & ",
    "!(a)",
    " # ",
    "=",
    " x=1 ",
    "$'",
    "*",
    "~",
    "case a in a) ",
    ";; esac",
    " f() ",
];
const BYTES_MAX: usize = 600;

/// An endless supply of mutants.
pub(super) struct Mutants<'t> {
    state: u64,
    texts: &'t [String],
}

impl<'t> Mutants<'t> {
    pub(super) fn new(seed: u64, texts: &'t [String]) -> Self {
        Self { state: seed, texts }
    }

    /// A number below `end` (xorshift64).
    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        usize::try_from(self.state >> 16).unwrap_or_default() % end.max(1)
    }

    fn boundary(&mut self, text: &str) -> usize {
        let mut at = self.below(text.len() + 1);
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }

    fn step(&mut self, text: &mut String) {
        let (a, b) = (self.boundary(text), self.boundary(text));
        let (from, to) = (a.min(b), a.max(b));
        match self.below(5) {
            0 => text.replace_range(from..to.min(floor(text, from + 8)), ""),
            1 => {
                let copy = text[from..to.min(floor(text, from + 24))].to_owned();
                text.insert_str(to, &copy);
            }
            2 => {
                let other = &self.texts[self.below(self.texts.len())];
                let cut = self.boundary(other);
                text.truncate(to);
                text.push_str(&other[cut..]);
            }
            _ => text.insert_str(a, PIECES[self.below(PIECES.len())]),
        }
    }
}

fn floor(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

impl Iterator for Mutants<'_> {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        let mut text = self.texts[self.below(self.texts.len())].clone();
        text.truncate(floor(&text, BYTES_MAX));
        for _ in 0..=self.below(3) {
            self.step(&mut text);
        }
        text.truncate(floor(&text, 2 * BYTES_MAX));
        Some(text)
    }
}
