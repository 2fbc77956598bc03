//! What an answer to an event means, by the host's own rules.

use serde::Deserialize;
use thiserror::Error;

use super::format::{Verdict, names};
use super::gate::HookAnswer;

/// Bytes of a bad answer that its error shows.
const SHOWN_BYTES: usize = 300;
/// Exit code that blocks whatever stands on the outputs.
const EXIT_BLOCK: i32 = 2;

/// Stands in a ruling's `rule` where the fail-safe spoke and not the policy.
pub const FAIL_SAFE: &str = "fail-safe";
/// Stands in a ruling's `rule` where the reason names none.
pub const UNNAMED: &str = "unnamed";

/// What the gate said about a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ruling {
    /// The decision.
    pub verdict: Verdict,
    /// The primary rule of the brackets in the reason, as `A1`; [`FAIL_SAFE`], [`UNNAMED`], or empty for ALLOW.
    pub rule: String,
    /// The decision's id, as `d42`, where the reason names one.
    pub decision: Option<String>,
}

/// Why an answer is none that Circinus may give.
#[derive(Debug, Error)]
#[error("bad answer to {event}: {fault} (exit {exit}, stdout `{stdout}`, stderr `{stderr}`)")]
pub struct AnswerError {
    event: String,
    fault: String,
    exit: i32,
    stdout: String,
    stderr: String,
}

#[derive(Deserialize)]
struct Answer {
    #[serde(rename = "hookSpecificOutput")]
    output: Option<Output>,
}

#[derive(Deserialize)]
struct Output {
    #[serde(rename = "hookEventName")]
    event: String,
    #[serde(rename = "permissionDecision")]
    decision: Option<String>,
    #[serde(rename = "permissionDecisionReason", default)]
    reason: String,
}

/// Reads the answer to a `PreToolUse`.
///
/// # Errors
/// When it is none of: nothing; `ask`; `deny` with a reason that begins with the product's word; exit 2.
pub fn ruling(answer: &HookAnswer) -> Result<Ruling, AnswerError> {
    read_ruling(answer).map_err(|fault| bad(names::PRE_TOOL_USE, answer, fault))
}

fn read_ruling(answer: &HookAnswer) -> Result<Ruling, String> {
    match answer.exit {
        0 => {}
        EXIT_BLOCK => {
            let reason = String::from_utf8_lossy(&answer.stderr);
            let decision = decision_of(&reason);
            return Ok(Ruling { verdict: Verdict::Block, rule: FAIL_SAFE.to_owned(), decision });
        }
        _ => return Err("neither exit 0 nor exit 2".to_owned()),
    }
    if answer.stdout.is_empty() {
        return Ok(Ruling { verdict: Verdict::Allow, rule: String::new(), decision: None });
    }
    let output = parse(names::PRE_TOOL_USE, answer)?.ok_or("no hookSpecificOutput")?;
    let verdict = match output.decision.as_deref() {
        Some("ask") => Verdict::Review,
        Some("deny") if output.reason.starts_with("Circinus REVIEW") => Verdict::Review,
        Some("deny") if output.reason.starts_with("Circinus BLOCK") => Verdict::Block,
        Some("deny") => return Err("a refusal that begins with neither of the product's words".to_owned()),
        _ => return Err("a permissionDecision that Circinus never gives".to_owned()),
    };
    let rule = rule_of(&output.reason).unwrap_or_else(|| UNNAMED.to_owned());
    Ok(Ruling { verdict, rule, decision: decision_of(&output.reason) })
}

/// Checks the answer to any other event: nothing, or an object for that very event.
///
/// # Errors
/// When it is anything else.
pub fn check_other(event: &str, answer: &HookAnswer) -> Result<(), AnswerError> {
    let fault = match answer.exit {
        0 if answer.stdout.is_empty() => return Ok(()),
        0 => match parse(event, answer) {
            Ok(_) => return Ok(()),
            Err(fault) => fault,
        },
        _ => "not exit 0".to_owned(),
    };
    Err(bad(event, answer, fault))
}

fn parse(event: &str, answer: &HookAnswer) -> Result<Option<Output>, String> {
    let read: Answer =
        serde_json::from_slice(&answer.stdout).map_err(|error| format!("not one JSON object: {error}"))?;
    match read.output {
        Some(output) if output.event != event => {
            Err(format!("an answer to `{}`", output.event.escape_debug()))
        }
        output => Ok(output),
    }
}

/// The primary rule: `A1` of the first brackets that hold nothing but rules, as `[A1 E3]`.
fn rule_of(reason: &str) -> Option<String> {
    let mut brackets = reason.split('[').skip(1).filter_map(|tail| tail.split_once(']'));
    let rules = brackets.find(|(inside, _)| inside.split(' ').all(is_rule))?.0;
    rules.split(' ').next().map(str::to_owned)
}

/// One capital letter and a number.
fn is_rule(word: &str) -> bool {
    word.strip_prefix(|c: char| c.is_ascii_uppercase()).is_some_and(is_number)
}

/// The first word `d42` of a reason.
fn decision_of(reason: &str) -> Option<String> {
    let mut words = reason.split(|c: char| !c.is_ascii_alphanumeric());
    words.find(|word| word.strip_prefix('d').is_some_and(is_number)).map(str::to_owned)
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn bad(event: &str, answer: &HookAnswer, fault: String) -> AnswerError {
    let shown = |bytes: &[u8]| {
        let head = bytes.get(..SHOWN_BYTES).unwrap_or(bytes);
        String::from_utf8_lossy(head).escape_debug().to_string()
    };
    AnswerError {
        event: event.to_owned(),
        fault,
        exit: answer.exit,
        stdout: shown(&answer.stdout),
        stderr: shown(&answer.stderr),
    }
}
