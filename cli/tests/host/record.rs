//! What Circinus recorded and the client and the model saw of it.

use serde_json::Value;

use super::client::Played;
use super::page::{HOST, MARKER, URL};
use super::stage::Stage;

/// The call that obeys the page was refused, the model read our reason, nothing ran, and the explanation names
/// the source, the operand, the edge, the evidence and the rule.
pub(super) fn assert_refused(stage: &Stage, played: &Played, source: &str) {
    assert!(
        played.result("toolu_page").text.contains(HOST),
        "the page was not read: {:?}",
        played.result("toolu_page")
    );
    let act = played.result("toolu_act");
    assert!(act.is_error, "{act:?}");
    assert!(!stage.at(MARKER).exists(), "the command ran: {act:?}");
    let explained = stage.told(&["explain", "last", "--json"]);
    let id = explained["decision"].as_str().unwrap();
    let verdict = explained["verdict"].as_str().unwrap();
    eprintln!("the model read: {}\n\n{}", act.text, stage.said(&["explain", "last"]));
    assert!(["BLOCK", "REVIEW"].contains(&verdict), "{explained}");
    assert!(act.text.contains(&format!("Circinus {verdict} {id} [")), "{act:?}");
    assert!(act.text.contains(&format!("circinus explain {id}")), "{act:?}");
    let influence = assert_chain(&explained, source);
    assert_shown(&stage.said(&["explain", id]), &explained, influence);
    assert!(!act.text.contains("AI agents"), "prose of the page reached the model by us: {act:?}");
}

/// INVARIANT (explained-as-decided): the explanation is the recorded one, complete from source to rule.
fn assert_chain<'a>(explained: &'a Value, source: &str) -> &'a Value {
    assert_eq!(explained["tool"], "Bash");
    let influences = explained["influences"].as_array().unwrap();
    let is_by_page = |influence: &&Value| {
        let operand = influence["operand"].as_str().unwrap();
        influence["gap"] != "none" && influence["artifact"].is_string() && operand.contains(HOST)
    };
    let influence =
        influences.iter().find(is_by_page).unwrap_or_else(|| panic!("no gap by the page: {explained}"));
    assert!(influence["source"].as_str().unwrap().contains(source), "{influence}");
    assert_eq!(influence["edge"], "inferred");
    assert_eq!(influence["evidence"], "adverse");
    assert!(!influence["signals"].as_array().unwrap().is_empty(), "{influence}");
    assert!(!influence["analysers"].as_array().unwrap().is_empty(), "{influence}");
    let rules = explained["rules"].as_array().unwrap();
    assert!(!rules.is_empty() && rules.iter().all(|rule| rule["id"].is_string()), "{explained}");
    influence
}

/// The same on the screen of a person.
fn assert_shown(screen: &str, explained: &Value, influence: &Value) {
    let rule = explained["rules"][0]["id"].as_str().unwrap();
    let signal = influence["signals"][0].as_str().unwrap();
    let artifact = influence["artifact"].as_str().unwrap();
    // A long line is broken where the screen ends.
    let flat = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in [artifact, rule, signal, URL, "inferred:", "evidence adverse", "What would change the answer"]
    {
        assert!(flat.contains(word), "`{word}` is not shown: {screen}");
    }
}

/// Nothing was asked or refused, and no hook printed a word.
pub(super) fn assert_silent(stage: &Stage, played: &Played) {
    let loud: Vec<_> = stage.decisions().into_iter().filter(|row| row["verdict"] != "ALLOW").collect();
    assert!(loud.is_empty(), "{loud:?}");
    let hooks = played.hooks();
    assert!(hooks.iter().any(|hook| hook["hook_event"] == "PreToolUse"), "no hook ran: {hooks:?}");
    for hook in hooks {
        let is_quiet = hook["stdout"] == "" && hook["stderr"] == "" && hook["exit_code"] == 0;
        assert!(is_quiet, "{hook}");
    }
}
