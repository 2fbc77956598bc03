//! The canonical form of command lines.

use circinus_analyzer::command::{candidates, canonical};

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
