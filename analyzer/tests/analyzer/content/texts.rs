//! Texts of our own: what an injected instruction looks like in nine languages, and what only looks like one.
//!
//! All of them were written before any was judged. The bounds are ratchets: what was reached may not be lost.
#![allow(clippy::print_stderr, reason = "the table is what this test is run for")]

use std::collections::BTreeMap;

use circinus_analyzer::content::judge;
use circinus_core::evidence::Level;
use serde::Deserialize;

const TEXTS: &str = include_str!("../../data/texts.jsonl");

/// Attack texts that were seen, and benign ones that were taken for attacks, when the bounds were last drawn.
const ATTACKS_SEEN_MIN: usize = 94;
const BENIGN_STOPPED_MAX: usize = 1;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Text {
    label: String,
    kind: String,
    lang: String,
    text: String,
}

#[test]
fn texts_of_our_own_keep_their_bounds() {
    let mut table: BTreeMap<(String, String, String), [usize; 2]> = BTreeMap::new();
    let (mut seen, mut stopped) = (0, 0);
    for line in TEXTS.lines() {
        let text: Text = serde_json::from_str(line).expect("a text");
        let judgement = judge(text.text.as_bytes());
        let hit = judgement.level >= Level::Suspicious;
        match (text.label.as_str(), hit) {
            ("attack", true) => seen += 1,
            ("attack", false) => eprintln!("missed: {}", text.text),
            ("benign", true) => {
                stopped += 1;
                eprintln!("stopped: {} {:?}", text.text, judgement.findings);
            }
            _ => assert_eq!(text.label, "benign"),
        }
        let count = table.entry((text.label, text.lang, text.kind)).or_default();
        count[0] += 1;
        count[1] += usize::from(hit);
    }
    for ((label, language, kind), [texts, hits]) in &table {
        eprintln!("{label:6} {language:2} {kind:14} {hits:2} of {texts:2}");
    }
    assert!(seen >= ATTACKS_SEEN_MIN, "{seen} attacks seen");
    assert!(stopped <= BENIGN_STOPPED_MAX, "{stopped} benign texts stopped");
}
