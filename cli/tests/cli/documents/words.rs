//! `docs/GLOSSARY.md` explains every word that the program says of a decision.

use circinus_core::action::{Flag, Tier};
use circinus_core::effect::Effect;
use circinus_core::evidence::Level;
use circinus_core::policy::{Gap, Profile, Verdict};

use super::page;

#[test]
fn every_word_of_a_decision_is_explained() {
    let glossary = page("docs/GLOSSARY.md");
    let words = Effect::ALL.iter().map(|effect| effect.name().to_owned());
    let words = words.chain(Level::ALL.iter().map(|level| level.name().to_owned()));
    let words = words.chain(Gap::ALL.iter().map(|gap| gap.name().to_owned()));
    let words = words.chain(Tier::ALL.iter().map(ToString::to_string));
    let words = words.chain(Flag::ALL.iter().map(|flag| flag.name().to_owned()));
    let words = words.chain(Profile::ALL.iter().map(|profile| profile.name().to_owned()));
    let words = words.chain(Verdict::ALL.iter().map(|verdict| verdict.name().to_owned()));
    let told: Vec<_> = glossary.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    let missing: Vec<_> = words.filter(|word| !told.contains(&word.as_str())).collect();
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn the_glossary_is_in_order() {
    let glossary = page("docs/GLOSSARY.md");
    let rows = glossary.lines().filter_map(|line| line.strip_prefix("| ")).skip(1);
    let words: Vec<_> = rows.filter_map(|row| row.split(" |").next()).map(str::to_lowercase).collect();
    assert!(words.len() > 20 && words.is_sorted(), "{words:?}");
}
