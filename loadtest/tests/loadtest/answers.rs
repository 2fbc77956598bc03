//! What answers mean.

use circinus_loadtest::gate::HookAnswer;
use circinus_loadtest::replay::answer::{FAIL_SAFE, UNNAMED, check_other, ruling};
use circinus_loadtest::replay::format::Verdict;

use crate::fixture::{decide, deny};

fn raw(exit: i32, stdout: &str) -> HookAnswer {
    HookAnswer { exit, stdout: stdout.into(), stderr: Vec::new() }
}

#[test]
fn silence_is_allow_and_words_are_the_rest() {
    assert_eq!(ruling(&raw(0, "")).unwrap().verdict, Verdict::Allow);
    let asked = ruling(&decide("ask", "Circinus REVIEW (d12): from a page [E3 A1] [A2]")).unwrap();
    assert_eq!((asked.verdict, asked.rule.as_str()), (Verdict::Review, "E3"));
    assert_eq!(asked.decision.as_deref(), Some("d12"));
    assert_eq!(ruling(&deny("REVIEW", "A1")).unwrap().verdict, Verdict::Review);
    assert_eq!(ruling(&deny("BLOCK", "A1")).unwrap().verdict, Verdict::Block);
    assert_eq!(ruling(&decide("ask", "Circinus REVIEW of [x] and [A] and d1x")).unwrap().rule, UNNAMED);
}

#[test]
fn exit_two_is_the_fail_safe() {
    let ruling = ruling(&raw(2, "")).unwrap();
    assert_eq!((ruling.verdict, ruling.rule.as_str()), (Verdict::Block, FAIL_SAFE));
}

#[test]
fn everything_else_is_an_error() {
    for answer in [
        raw(1, ""),
        raw(0, "ok"),
        raw(0, "{}{}"),
        raw(0, "{}"),
        decide("allow", "Circinus"),
        decide("deny", "no"),
        raw(0, "{\"hookSpecificOutput\":{\"hookEventName\":\"Stop\",\"permissionDecision\":\"ask\"}}"),
    ] {
        assert!(ruling(&answer).is_err(), "{answer:?}");
    }
}

#[test]
fn other_events_get_nothing_or_an_object_of_their_own() {
    assert!(check_other("Stop", &raw(0, "")).is_ok());
    assert!(check_other("Stop", &raw(0, "{\"hookSpecificOutput\":{\"hookEventName\":\"Stop\"}}")).is_ok());
    assert!(check_other("Stop", &raw(0, "{\"hookSpecificOutput\":{\"hookEventName\":\"Other\"}}")).is_err());
    assert!(check_other("Stop", &raw(2, "")).is_err());
    let error = check_other("Stop", &raw(0, "\u{1b}[2J")).unwrap_err().to_string();
    assert!(error.contains("not one JSON object") && !error.contains('\u{1b}'), "{error}");
}
