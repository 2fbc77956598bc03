//! The signal data, compiled once: word classes, rules, markers, payload patterns and their anchors.
//!
//! The data are versioned TOML files, one for what no language owns and one for each language; a language is
//! added by adding its file to [`SOURCES`].

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};
use circinus_core::digest::Digest;
use regex::bytes::{Regex, RegexBuilder};

use super::grammar::Rule;
use super::lexer::{WORD_BYTES_MAX, is_unspaced, is_word, lowered};
use super::sieve::Sieve;
use source::{PayloadSource, Source};

pub(super) use source::MarkerForm;

mod source;

/// The data files in the order in which they are digested.
const SOURCES: [&str; 10] = [
    include_str!("../../data/signals.common.toml"),
    include_str!("../../data/signals.en.toml"),
    include_str!("../../data/signals.de.toml"),
    include_str!("../../data/signals.es.toml"),
    include_str!("../../data/signals.fr.toml"),
    include_str!("../../data/signals.it.toml"),
    include_str!("../../data/signals.ja.toml"),
    include_str!("../../data/signals.pt.toml"),
    include_str!("../../data/signals.ru.toml"),
    include_str!("../../data/signals.zh.toml"),
];

/// Classes are bits of one integer, whose last bit marks the end of a sentence.
const CLASSES_MAX: usize = 127;

/// Bytes of the longest word in a script without blanks: ten characters.
const SEGMENT_BYTES_MAX: usize = 30;

/// What a class of everyday words counts among the classes of a rule: more than any number of rare words.
const COMMON: usize = 1 << 20;

/// Memory of one compiled payload pattern; the largest needs about a tenth.
const PATTERN_BYTES_MAX: usize = 4 << 20;

/// Classes that the lexer finds by shape, in the order of their bits.
const SHAPES: [&str; 7] = ["url", "email", "path", "sensitive", "code", "colon", "tool"];

/// The class of [`Lexicon::set_apart`].
const SET_APART: &str = "sysmark";

/// All bits of [`SHAPES`].
pub(super) const SHAPES_ALL: u128 = (1 << SHAPES.len()) - 1;

/// Bit of a token that holds `://`.
pub(super) const URL: u128 = 1;
/// Bit of a mail address.
pub(super) const EMAIL: u128 = 1 << 1;
/// Bit of a token with a path separator or a file extension.
pub(super) const PATH: u128 = 1 << 2;
/// Bit of a path that holds credentials or later code.
pub(super) const SENSITIVE: u128 = 1 << 3;
/// Bit of a token at the start of a code span.
pub(super) const CODE: u128 = 1 << 4;
/// Bit of a colon after a word.
pub(super) const COLON: u128 = 1 << 5;
/// Bit of a name of several words joined by underscores, as functions and tools have.
pub(super) const TOOL: u128 = 1 << 6;

/// Why the signal data could not be compiled; the data are part of the build, so a test meets this first.
#[derive(Debug, thiserror::Error)]
pub(super) enum LexiconError {
    /// The file is not TOML of the expected shape.
    #[error("signal data: {0}")]
    Toml(#[from] toml::de::Error),
    /// A rule or anchor names a class that no file defines.
    #[error("signal data: unknown class `{0}`")]
    Class(String),
    /// A word to be found misspelt is in no class.
    #[error("signal data: `{0}` is in no class")]
    Misspelt(String),
    /// A rule is not in the notation described in the data file.
    #[error("signal data: bad rule `{0}`")]
    Rule(String),
    /// A file without a version, or with words of no language.
    #[error("signal data: a file needs a version from 1, and a language if it has words")]
    Header,
    /// More classes than bits.
    #[error("signal data: more than {CLASSES_MAX} classes")]
    Classes,
    /// A payload pattern does not compile.
    #[error("signal data: {0}")]
    Pattern(#[from] regex::Error),
    /// The anchors do not compile.
    #[error("signal data: {0}")]
    Anchors(#[from] aho_corasick::BuildError),
}

/// What an anchor opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// A marker: the index of its signal, and its form.
    Marker(usize, MarkerForm),
    /// A window for the payload pattern of this index.
    Payload(usize),
    /// A word of a text about attacks.
    Discusses,
    /// A place where a hidden span may begin.
    Conceals,
}

/// A payload pattern behind its anchors.
pub(super) struct Payload {
    pub(super) signal: Box<str>,
    /// Bytes before the anchor in which a match may begin.
    pub(super) lead: usize,
    pub(super) pattern: Regex,
}

/// FNV-1a (64 bits): the table's keys are fixed data, so no text can choose them to collide.
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Hasher for Fnv {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 =
            bytes.iter().fold(self.0, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3));
    }
}

/// Words in lower case and what they are.
pub(super) type Words = HashMap<Box<[u8]>, Word, BuildHasherDefault<Fnv>>;

/// One entry of the word table.
#[derive(Default)]
pub(super) struct Word {
    /// Classes of the word alone.
    pub(super) classes: u128,
    /// Classes of the word and of every phrase of which it is the most telling part.
    pub(super) hint: u128,
    /// Continuations that make it a phrase: the further words and the classes of the whole.
    pub(super) phrases: Vec<(Vec<Box<[u8]>>, u128)>,
}

/// The compiled signal data.
pub(super) struct Lexicon {
    pub(super) words: Words,
    /// All words of the table.
    sieve: Sieve,
    /// The words of `rarest`.
    rare: Sieve,
    /// The union of the rarest elements of the rules that count alone.
    pub(super) rarest: u128,
    pub(super) rules: Vec<Rule>,
    /// The class whose words count only where they are set apart from the text around them.
    pub(super) set_apart: u128,
    pub(super) sensitive: AhoCorasick,
    pub(super) concealing: Vec<String>,
    pub(super) markers: Vec<Box<str>>,
    pub(super) payloads: Vec<Payload>,
    /// Finds every anchor in one pass.
    pub(super) anchors: AhoCorasick,
    /// What each anchor of the automaton opens; one literal may open several things.
    pub(super) opens: Vec<Vec<Anchor>>,
}

static LEXICON: LazyLock<Result<Lexicon, LexiconError>> = LazyLock::new(|| Lexicon::compile(&SOURCES));

static CONFIG: LazyLock<Digest> =
    LazyLock::new(|| Digest::of_parts(SOURCES.iter().map(|source| source.as_bytes())));

/// Digest of the signal data: the `config` of the evidence key.
pub(super) fn config() -> Digest {
    *CONFIG
}

/// The compiled data, or why they do not compile.
pub(super) fn lexicon() -> Result<&'static Lexicon, &'static LexiconError> {
    LEXICON.as_ref()
}

/// Names of the classes and their bits.
pub(super) struct Classes {
    bits: HashMap<String, u128>,
    /// Words of every bit, in the order of the bits.
    words: Vec<usize>,
}

impl Classes {
    fn new(sources: &[Source]) -> Result<Self, LexiconError> {
        let mut names: Vec<&String> = sources.iter().flat_map(|source| source.class.keys()).collect();
        names.sort();
        names.dedup();
        let all = SHAPES.iter().map(ToString::to_string).chain(names.into_iter().cloned());
        let bits: HashMap<String, u128> =
            all.enumerate().map(|(bit, name)| (name, 1_u128.checked_shl(bit as u32).unwrap_or(0))).collect();
        if bits.len() > CLASSES_MAX {
            return Err(LexiconError::Classes);
        }
        let mut words = vec![0; CLASSES_MAX];
        let common = sources.iter().flat_map(|source| &source.common);
        for name in common {
            let bit = bits.get(name).ok_or_else(|| LexiconError::Class(name.clone()))?.trailing_zeros();
            words.get_mut(bit as usize).into_iter().for_each(|count| *count = COMMON);
        }
        // Shapes are taken for granted by the first look, so a rule is never kept out by one.
        words.iter_mut().take(SHAPES.len()).for_each(|count| *count = usize::MAX);
        for (name, phrases) in sources.iter().flat_map(|source| &source.class) {
            let bit = bits.get(name).map_or(0, |bit| bit.trailing_zeros() as usize);
            words
                .get_mut(bit)
                .into_iter()
                .for_each(|count: &mut usize| *count = count.saturating_add(phrases.len()));
        }
        Ok(Self { bits, words })
    }

    /// Words of all classes in `mask`.
    pub(super) fn words(&self, mask: u128) -> usize {
        let counts = self.words.iter().enumerate().filter(|(bit, _)| mask >> bit & 1 == 1);
        counts.fold(0, |sum, (_, count)| sum.saturating_add(*count))
    }

    /// The union of the classes in `a|b|c`.
    pub(super) fn mask(&self, names: &str) -> Result<u128, LexiconError> {
        names.split('|').try_fold(0, |mask, name| {
            let bit = self.bits.get(name).ok_or_else(|| LexiconError::Class(name.to_owned()))?;
            Ok(mask | bit)
        })
    }
}

/// Literals with what they open, merged so that each literal is one pattern of the automaton.
#[derive(Default)]
struct AnchorTable(Vec<(String, Vec<Anchor>)>);

impl AnchorTable {
    fn add(&mut self, literal: &str, anchor: Anchor) {
        let literal = literal.to_ascii_lowercase();
        match self.0.iter_mut().find(|(known, _)| *known == literal) {
            Some((_, opens)) if opens.contains(&anchor) => {}
            Some((_, opens)) => opens.push(anchor),
            None => self.0.push((literal, vec![anchor])),
        }
    }
}

fn automaton(literals: &[&str], kind: MatchKind) -> Result<AhoCorasick, aho_corasick::BuildError> {
    AhoCorasickBuilder::new()
        .ascii_case_insensitive(true)
        .match_kind(kind)
        .kind(Some(AhoCorasickKind::DFA))
        .build(literals)
}

impl Lexicon {
    fn compile(sources: &[&str]) -> Result<Self, LexiconError> {
        let sources: Vec<Source> =
            sources.iter().map(|source| toml::from_str(source)).collect::<Result<_, _>>()?;
        if !sources.iter().all(Source::is_headed) {
            return Err(LexiconError::Header);
        }
        let classes = Classes::new(&sources)?;
        let mut table = AnchorTable::default();
        let mut rules = Vec::new();
        let mut markers = Vec::new();
        let mut payloads = Vec::new();
        for source in &sources {
            for rule in &source.rule {
                let unless = rule.unless.as_deref().map_or(Ok(0), |names| classes.mask(names))?;
                for text in &rule.r#match {
                    rules.push(Rule::parse(&rule.signal, text, unless, rule.hidden_only, &classes)?);
                }
            }
            for marker in &source.marker {
                for literal in &marker.literals {
                    table.add(literal, Anchor::Marker(markers.len(), marker.form));
                }
                markers.push(marker.signal.clone().into_boxed_str());
            }
            for payload in &source.payload {
                for literal in &payload.near {
                    table.add(literal, Anchor::Payload(payloads.len()));
                }
                payloads.push(compile_payload(payload)?);
            }
            source.discusses.words.iter().for_each(|word| table.add(word, Anchor::Discusses));
        }
        for literal in super::hidden::OPENERS {
            table.add(literal, Anchor::Conceals);
        }
        let literals: Vec<&str> = table.0.iter().map(|(literal, _)| literal.as_str()).collect();
        let sensitive: Vec<&str> = sources.iter().flat_map(|s| &s.sensitive).map(String::as_str).collect();
        let words = word_table(&sources, &classes)?;
        let alone = rules.iter().filter(|rule: &&Rule| !rule.hidden_only && !in_company(&rule.signal));
        let rarest = alone.fold(0, |all, rule| all | rule.rarest);
        Ok(Self {
            sieve: Sieve::new(words.keys()),
            rare: Sieve::new(words.iter().filter(|(_, word)| word.hint & rarest != 0).map(|(key, _)| key)),
            words,
            rarest,
            rules,
            set_apart: classes.bits.get(SET_APART).copied().unwrap_or_default(),
            sensitive: automaton(&sensitive, MatchKind::Standard)?,
            concealing: sources.iter().flat_map(|source| source.concealing.clone()).collect(),
            markers,
            payloads,
            anchors: automaton(&literals, MatchKind::Standard)?,
            opens: table.0.into_iter().map(|(_, opens)| opens).collect(),
        })
    }
}

impl Lexicon {
    /// The classes that a text may show where `word` stands, whatever stands next to it.
    pub(super) fn hint(&self, word: &[u8]) -> u128 {
        if word.first().is_some_and(|lead| *lead >= 0x80) && word.iter().any(|byte| is_unspaced(*byte)) {
            return self.segments(word).iter().fold(0, |seen, (_, word)| seen | word.classes);
        }
        self.entry(word).map_or(0, |word| word.hint)
    }

    /// The words in a run of a script that writes no blanks, longest first from the left, with their ranges.
    pub(super) fn segments<'l>(&'l self, run: &[u8]) -> Vec<(Range<usize>, &'l Word)> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(lead) = run.get(at) {
            let width = if is_unspaced(*lead) { 3 } else { 1 };
            let reach = run.len().min(at + SEGMENT_BYTES_MAX);
            let longest = (width == 3)
                .then(|| (at + width..=reach).rev().step_by(1).find_map(|end| self.piece(run, at..end)))
                .flatten();
            at = longest.as_ref().map_or(at + width, |(range, _)| range.end);
            found.extend(longest);
        }
        found
    }

    fn piece(&self, run: &[u8], range: Range<usize>) -> Option<(Range<usize>, &Word)> {
        let whole = (range.end - range.start).is_multiple_of(3);
        let word = run.get(range.clone()).filter(|_| whole)?;
        self.words.get(word).filter(|word| word.classes != 0).map(|word| (range, word))
    }

    /// Whether `word` may fill the rarest element of some rule.
    pub(super) fn is_rare(&self, word: &[u8]) -> bool {
        (self.rare.lets_pass(word) || word.len() > WORD_BYTES_MAX) && self.hint(word) & self.rarest != 0
    }

    /// The entry of a word of any case.
    pub(super) fn entry(&self, word: &[u8]) -> Option<&Word> {
        if !self.sieve.lets_pass(word) {
            return None;
        }
        lowered(word, |lower| self.words.get(lower))
    }
}

/// Whether rules of this signal change a level only next to an instruction or a role marker.
pub(super) fn in_company(signal: &str) -> bool {
    !signal.starts_with('M')
}

fn compile_payload(source: &PayloadSource) -> Result<Payload, LexiconError> {
    let pattern = RegexBuilder::new(&source.pattern)
        .case_insensitive(true)
        .unicode(false)
        .size_limit(PATTERN_BYTES_MAX)
        .build()?;
    Ok(Payload { signal: source.signal.clone().into_boxed_str(), lead: source.lead, pattern })
}

/// A word of the data in the form in which words of a text are looked up.
fn key(word: &str) -> Box<[u8]> {
    lowered(word.as_bytes(), |lower| Some(lower.into())).unwrap_or_else(|| word.as_bytes().into())
}

fn word_table(sources: &[Source], classes: &Classes) -> Result<Words, LexiconError> {
    let mut words: Words = HashMap::default();
    let everyday: Vec<&str> = sources.iter().flat_map(|s| &s.everyday).map(String::as_str).collect();
    for (name, phrases) in sources.iter().flat_map(|source| &source.class) {
        let class = classes.mask(name)?;
        for phrase in phrases {
            let parts = phrase.split(|letter: char| letter.is_ascii() && !is_word(letter as u8));
            let telling = parts.max_by_key(|part| (!everyday.contains(part), part.len())).unwrap_or_default();
            words.entry(key(telling)).or_default().hint |= class;
            let mut parts = phrase.split(' ').map(key);
            let Some(first) = parts.next() else { continue };
            let rest: Vec<Box<[u8]>> = parts.collect();
            let word = words.entry(first).or_default();
            if rest.is_empty() {
                word.classes |= class;
            } else if let Some((_, known)) = word.phrases.iter_mut().find(|(known, _)| *known == rest) {
                *known |= class;
            } else {
                word.phrases.push((rest, class));
            }
        }
    }
    for word in sources.iter().flat_map(|source| &source.misspelt) {
        let Some((classes, hint)) = words.get(&key(word)).map(|known| (known.classes, known.hint)) else {
            return Err(LexiconError::Misspelt(word.clone()));
        };
        for slip in slips(word) {
            words.entry(key(&slip)).or_insert(Word { classes, hint, phrases: Vec::new() });
        }
    }
    // The longest continuation wins, so that a phrase is not cut short by its own beginning.
    words.values_mut().for_each(|word| word.phrases.sort_by_key(|(rest, _)| std::cmp::Reverse(rest.len())));
    Ok(words)
}

/// The spellings of `word` that one slip of the hand makes: a letter left out, two exchanged, one too many.
fn slips(word: &str) -> Vec<String> {
    let letters: Vec<char> = word.chars().collect();
    let spelt =
        |head: &[char], middle: &[char], tail: &[char]| [head, middle, tail].concat().iter().collect();
    let mut slips = Vec::new();
    for at in 0..=letters.len() {
        let (head, tail) = letters.split_at(at);
        slips.extend(('a'..='z').map(|more| spelt(head, &[more], tail)));
        if let [_, rest @ ..] = tail {
            slips.push(spelt(head, &[], rest));
        }
        if let [first, second, rest @ ..] = tail {
            slips.push(spelt(head, &[*second, *first], rest));
        }
    }
    slips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_signal_data_compile() {
        assert!(lexicon().is_ok(), "{:?}", lexicon().err());
    }

    #[test]
    fn a_file_without_a_version_or_with_words_of_no_language_is_refused() {
        for bad in ["version = 0\n", "version = 1\n[class]\nact = [\"run\"]\n"] {
            assert!(matches!(Lexicon::compile(&[bad]), Err(LexiconError::Header)), "{bad}");
        }
    }

    #[test]
    fn an_unknown_class_is_an_error_that_names_it() {
        let bad = "version = 1\n[[rule]]\nsignal = \"M1\"\nmatch = [\"nowhere\"]\n";
        assert!(matches!(Lexicon::compile(&[bad]), Err(LexiconError::Class(name)) if name == "nowhere"));
    }

    #[test]
    fn a_language_is_added_as_data_alone() {
        let base = "version = 1\nlanguage = \"x0\"\n[class]\nact = [\"run\"]\nmind = [\"ai\"]\n";
        let more = "version = 1\nlanguage = \"x1\"\n[class]\nact = [\"lanzu\"]\nmind = [\"makina\"]\n\
                    [[rule]]\nsignal = \"M2\"\nmatch = [\"mind act\"]\n";
        let lexicon = Lexicon::compile(&[base, more]).unwrap();
        assert_eq!(
            lexicon.words.get(&b"lanzu"[..]).map(|word| word.classes),
            lexicon.words.get(&b"run"[..]).map(|w| w.classes)
        );
        assert_eq!(lexicon.rules.len(), 1);
    }
}
