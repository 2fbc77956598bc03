//! Whatever comes in, an analysis comes out, within bounds.

use circinus_analyzer::command;
use circinus_core::action::{Flag, Tier};
use circinus_core::limits::SLOTS_MAX;
use proptest::prelude::*;

use crate::sample::around;

/// Pieces of shell that nest, quote and join.
const PIECES: &[&str] = &[
    "$(",
    ")",
    "`",
    "'",
    "\"",
    "${x:-",
    "}",
    "{",
    "(",
    "<(",
    "((",
    "))",
    "[[ ",
    " ]]",
    "if ",
    "; then ",
    "; fi",
    "for i in a b; do ",
    "; done",
    "case x in a) ",
    ";; esac",
    "<<E\n",
    "\nE\n",
    "|",
    "&&",
    ";",
    "\n",
    "\\",
    "$",
    "$'",
    "rm -rf ~ ",
    "curl -o x https://h.example.org ",
    "f() { f; }; f ",
    "eval ",
    "bash -c ",
    "xargs -I{} ",
    "~",
    "*",
    "=",
    "é",
    " ",
    "alias a=a; a ",
    "find . -exec ",
    "env -S ",
    "sudo ",
    "\u{0}",
];

fn shellish() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..40).prop_map(|pieces| pieces.concat())
}

fn check(text: &str) {
    let found = command::analyze(text, &around());
    assert!(found.slots.len() <= SLOTS_MAX);
    assert!(found.slots.iter().all(|slot| slot.tier_on_gap >= found.tier));
    let opaque = found.flags.contains(Flag::Opaque);
    assert!(!opaque || found.tier >= Tier::T2, "opaque is never mild: {text:?}");
    for (_, range) in command::candidates(text) {
        assert!(text.get(range).is_some());
    }
    if let Some(form) = command::canonical(text) {
        assert_eq!(command::canonical(&form).as_deref(), Some(form.as_str()), "{text:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    #[test]
    fn any_text_is_analysed(text in "\\PC{0,200}") {
        check(&text);
    }

    #[test]
    fn any_mix_of_shell_is_analysed(text in shellish()) {
        check(&text);
    }
}

/// INVARIANT (bounded-or-opaque): beyond a bound the analysis is opaque, never mild and never endless.
#[test]
fn what_exceeds_a_bound_is_opaque() {
    let deep_eval = (0..12)
        .fold("rm -rf ~".to_owned(), |inner, _| format!("eval \"$(echo {})\"", inner.replace('"', "\\\"")));
    let explosive = "f() { g; g; g; g; }; g() { h; h; h; h; }; h() { i; i; i; i; }; i() { j; j; j; j; }; j() { ls; ls; ls; ls; }; f";
    let loops =
        (0..12).fold("[[ x ]]".to_owned(), |body, n| format!("for v{n} in 1 2 3 4 5 6 7; do {body}; done"));
    for text in [
        loops,
        "$(".repeat(30_000),
        "(".repeat(50_000),
        "if ".repeat(20_000),
        format!("ls {}", "a".repeat(100_000)),
        "ls; ".repeat(10_000),
        explosive.to_owned(),
        deep_eval,
    ] {
        let found = command::analyze(&text, &around());
        assert!(found.flags.contains(Flag::Opaque), "{}", text.get(..40).unwrap_or(&text));
        assert!(found.tier >= Tier::T2);
    }
}
