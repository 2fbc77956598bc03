//! From the labels of other tools to what our semantics expect.

use circinus_core::action::{Flag, Flags};
use circinus_core::effect::{Effect, Effects};
use serde::Deserialize;

/// `data/peer_labels.toml`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Mapping {
    gated: Vec<String>,
    exclusion: Vec<Exclusion>,
    raised: Vec<Raised>,
}

/// Why rows whose rules are about something are not expected at T2.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Exclusion {
    class: String,
    #[serde(rename = "why")]
    _why: String,
    about: Vec<String>,
}

/// Why an action that others let pass is at T2 by our semantics.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Raised {
    pub(super) class: String,
    #[serde(rename = "why")]
    _why: String,
    effect: Option<String>,
    flag: Option<String>,
    /// Whether such rows are left out of the figure.
    #[serde(default)]
    pub(super) excluded: bool,
}

impl Mapping {
    pub(super) fn load() -> Self {
        toml::from_str(include_str!("../../data/peer_labels.toml")).expect("a mapping")
    }

    /// The class that excludes a row with these rules: every one of them must be excluded.
    pub(super) fn exclusion(&self, rules: &[String]) -> Option<&str> {
        let class_of = |rule: &String| {
            let row = self.exclusion.iter().find(|row| is_about(rule, &row.about));
            row.map(|row| row.class.as_str())
        };
        let classes: Option<Vec<_>> = rules.iter().map(class_of).collect();
        classes?.first().copied()
    }

    /// Whether rows of these rules are expected to wait for a gap.
    pub(super) fn is_gated(&self, rules: &[String]) -> bool {
        !rules.is_empty() && rules.iter().all(|rule| is_about(rule, &self.gated))
    }

    /// The first reason that holds.
    pub(super) fn raised(&self, flags: Flags, effects: Effects) -> Option<&Raised> {
        self.raised.iter().find(|row| {
            let by_flag = row.flag.as_deref().is_some_and(|name| {
                flags.contains(Flag::ALL.into_iter().find(|flag| flag.name() == name).expect("a flag"))
            });
            let by_effect = row
                .effect
                .as_deref()
                .is_some_and(|name| effects.contains(Effect::from_name(name).expect("an effect")));
            by_flag || by_effect
        })
    }
}

/// Whether the name of a rule has all the words of one of the phrases.
fn is_about(rule: &str, phrases: &[String]) -> bool {
    let words = words(rule);
    phrases.iter().any(|phrase| phrase.split(' ').all(|word| words.iter().any(|w| w == word)))
}

/// The words of a name in snake case, kebab case or camel case, lower case.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    for c in name.chars() {
        if !c.is_alphanumeric() || c.is_uppercase() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
    }
    words
}

#[test]
fn a_rule_is_about_what_its_words_say() {
    let phrases = ["keys kept".to_owned(), "loud".to_owned()];
    assert!(
        is_about("x/keys-kept", &phrases) && is_about("VeryLoud", &phrases) && is_about("so_loud", &phrases)
    );
    assert!(!is_about("keys", &phrases) && !is_about("aloud", &phrases));
}
