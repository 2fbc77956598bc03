//! The signal data, compiled once: word classes, rules, markers, payload patterns and their anchors.
//!
//! The data are versioned TOML files, one for what no language owns and one for each language; a language is
//! added by adding its file to [`SOURCES`].

use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};
use circinus_core::digest::Digest;
use regex::bytes::{Regex, RegexBuilder};

use super::anchors::{Anchor, AnchorTable, Leads};
use super::grammar::Rule;
use super::lexer::{is_unspaced, is_word};
use super::scan::Scope;
use super::source::{PayloadSource, Source};
use super::vocabulary::{Vocabulary, Word, words};

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

/// Bytes at which a shape, a line end or an escape begins.
const MARKS: [u8; 8] = *b"\n\r\\:`@/.";

/// Classes that the lexer finds by shape, in the order of their bits.
const SHAPES: [&str; 7] = ["url", "email", "path", "sensitive", "code", "colon", "tool"];

/// The class of [`Lexicon::set_apart`].
const SET_APART: &str = "sysmark";

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
    /// More words than their places can be told apart.
    #[error("signal data: too many words")]
    Words,
    /// The pieces of sensitive paths do not compile.
    #[error("signal data: {0}")]
    Sensitive(#[from] aho_corasick::BuildError),
}

/// A payload pattern behind its anchors.
pub(super) struct Payload {
    pub(super) signal: Box<str>,
    /// Bytes before the anchor in which a match may begin.
    pub(super) lead: usize,
    pub(super) pattern: Regex,
}

/// What every byte is to the reader, in bits; 0 for one that is passed over.
pub(super) struct Kinds([u8; 256]);

impl Kinds {
    /// A byte of a word.
    pub(super) const LETTER: u8 = 1;
    /// The underscore.
    pub(super) const JOINT: u8 = 2;
    /// A byte outside ASCII.
    pub(super) const HIGH: u8 = 4;
    /// A byte at which an anchor, a shape or a line end may begin.
    pub(super) const MARK: u8 = 8;

    fn new(leads: &Leads) -> Self {
        let leads: Vec<u8> = leads.bytes().collect();
        Self(std::array::from_fn(|byte| match u8::try_from(byte).unwrap_or_default() {
            b'_' => Self::LETTER | Self::JOINT,
            0x80.. => Self::LETTER | Self::HIGH,
            byte if is_word(byte) => Self::LETTER,
            byte if leads.contains(&byte) || MARKS.contains(&byte) => Self::MARK,
            _ => 0,
        }))
    }

    #[inline]
    pub(super) fn of(&self, byte: u8) -> u8 {
        self.0.get(usize::from(byte)).copied().unwrap_or_default()
    }
}

/// Rules of one scope that cannot match without the same rare classes.
pub(super) struct Gate {
    pub(super) rarest: u128,
    /// Places of the rules in the lexicon.
    pub(super) rules: Vec<usize>,
}

/// The compiled signal data.
pub(super) struct Lexicon {
    pub(super) words: Vocabulary,
    pub(super) rules: Vec<Rule>,
    /// The gates of every scope, in the order of the scopes.
    gates: [Vec<Gate>; 3],
    /// The class whose words count only where they are set apart from the text around them.
    pub(super) set_apart: u128,
    pub(super) sensitive: AhoCorasick,
    pub(super) concealing: Vec<String>,
    pub(super) markers: Vec<Box<str>>,
    pub(super) payloads: Vec<Payload>,
    /// Anchors that begin with no letter; the others stand by their words.
    pub(super) leads: Leads,
    /// What every byte is to the reader.
    pub(super) kinds: Kinds,
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
        // Paths and colons are everywhere, so a rule is never kept out by a shape if it has a word.
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
        let sensitive: Vec<&str> = sources.iter().flat_map(|s| &s.sensitive).map(String::as_str).collect();
        sensitive.iter().for_each(|piece| table.add(piece, Anchor::Sensitive));
        let (worded, leads) = table.split();
        Ok(Self {
            words: Vocabulary::new(words(&sources, &classes, worded)?)?,
            gates: [Scope::Alone, Scope::Company, Scope::Hidden].map(|scope| gates(&rules, scope)),
            rules,
            set_apart: classes.bits.get(SET_APART).copied().unwrap_or_default(),
            sensitive: automaton(&sensitive, MatchKind::Standard)?,
            concealing: sources.iter().flat_map(|source| source.concealing.clone()).collect(),
            markers,
            payloads,
            kinds: Kinds::new(&leads),
            leads,
        })
    }
}

/// The rules of `scope`, by their rarest classes.
fn gates(rules: &[Rule], scope: Scope) -> Vec<Gate> {
    let mut gates: Vec<Gate> = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        if !scope.holds(rule) {
            continue;
        }
        match gates.iter_mut().find(|gate| gate.rarest == rule.rarest) {
            Some(gate) => gate.rules.push(index),
            None => gates.push(Gate { rarest: rule.rarest, rules: vec![index] }),
        }
    }
    gates
}

impl Lexicon {
    /// The rules of a scope behind their gates.
    pub(super) fn gates(&self, scope: Scope) -> &[Gate] {
        self.gates.get(scope as usize).map_or(&[], Vec::as_slice)
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
        self.words.exact(word).filter(|word| word.classes != 0).map(|word| (range, word))
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
            lexicon.words.get(b"lanzu").map(|word| word.classes),
            lexicon.words.get(b"run").map(|word| word.classes)
        );
        assert_eq!(lexicon.rules.len(), 1);
    }
}
