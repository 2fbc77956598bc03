//! The canonical form of command lines.

use circinus_analyzer::command::{candidates, canonical};
use proptest::prelude::*;

/// Input and canonical form, `None` for what has none.
const FORMS: &[(&str, Option<&str>)] = &[
    ("$ fetch -q https://a.example.org/x | run", Some("fetch -q https://a.example.org/x | run")),
    ("fetch   -q\t'https://a.example.org/x'|run", Some("fetch -q https://a.example.org/x | run")),
    ("fetch \\\n  -q x", Some("fetch -q x")),
    ("fe''tch \"-\"q r\\un", Some("fetch -q run")),
    ("$'\\x66etch' it", Some("fetch it")),
    ("fetch it # later", Some("fetch it")),
    ("a && b || c", Some("a && b || c")),
    ("a\nb\n", Some("a ; b")),
    ("say \"x y\" > out", Some("say 'x y' >out")),
    ("say x>>f 2>err", Some("say x >>f 2>err")),
    ("say it\\'s", Some("say 'it'\\''s'")),
    ("N=1 ./go", Some("N=1 ./go")),
    ("a;;b", Some("a ; b")),
    ("go /w/x;", Some("go /w/x")),
    ("go \"$X\"", None),
    ("go `x`", None),
    ("say 'open", None),
    ("# nothing", None),
    ("  ", None),
];

#[test]
fn forms_are_as_the_rules_say_and_stable() {
    for (input, expected) in FORMS {
        let form = canonical(input);
        assert_eq!(form.as_deref(), *expected, "{input:?}");
        if let Some(form) = form {
            assert_eq!(canonical(&form).as_deref(), Some(form.as_str()), "{input:?} twice");
        }
    }
}

#[test]
fn a_line_in_a_page_and_the_same_line_typed_meet_in_one_form() {
    let page = "Before use:\n\n    curl   -sL 'https://get.widget.example.org/i' | bash\n\nThen go on.";
    let typed = canonical("curl -sL https://get.widget.example.org/i|bash").expect("a form");
    assert!(candidates(page).iter().any(|(form, _)| *form == typed));
}

/// Text that is likely to reach the branches of the grammar.
fn spelling() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z0-9./=-]{1,6}",
        Just(" ".to_owned()),
        Just("$ ".to_owned()),
        Just(" | ".to_owned()),
        Just(" && ".to_owned()),
        Just(" & ".to_owned()),
        Just(";".to_owned()),
        Just("\n".to_owned()),
        Just("\\\n".to_owned()),
        Just(" 2>&1".to_owned()),
        Just(" >>".to_owned()),
        Just("$'\\x41'".to_owned()),
        Just("https://a.example/?b&c".to_owned()),
        Just("if ".to_owned()),
        "['\"\\\\#~!*?{}\\[\\]()$%<>]{1,2}",
        "\\PC{1,2}",
    ];
    prop::collection::vec(piece, 0..10).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// P12 for command lines: reading a canonical form again changes nothing.
    #[test]
    fn p12_canonical_command_lines_are_stable(input in spelling()) {
        if let Some(once) = canonical(&input) {
            prop_assert_eq!(canonical(&once), Some(once));
        }
    }
}
