//! One sentence for people and for the agent: what, from where, why. It holds ids, operands and rules, never
//! text of an artifact.

use circinus_core::action::Action;
use circinus_core::explain::{Explanation, Fired, Influence, Path};
use circinus_core::gate::Permit;
use circinus_core::index::Snapshot;
use circinus_core::operand::{Hit, Kind, Operand};
use circinus_core::policy::{Gap, RuleId};

use crate::ui::escape_untrusted;

/// Characters of an operand shown in a sentence.
const OPERAND_CHARS_MAX: usize = 120;

/// The reason of a refusal or a question, for the host to show.
pub fn of_permit(permit: &Permit, action: &Action, snapshot: &Snapshot) -> String {
    let explanation = permit.explanation();
    let id = permit.id().map_or_else(String::new, |id| format!(" {id}"));
    let how = permit.id().map_or_else(
        || "Not recorded: run `circinus doctor`.".to_owned(),
        |id| format!("Explain: circinus explain {id}"),
    );
    // Where nobody can be asked, and where the host refuses instead of asking, a person can say so elsewhere.
    let approve = permit.id().filter(|_| !explanation.questions.is_empty()).map_or_else(String::new, |id| {
        format!(". A person can approve it once, in a terminal of their own: circinus approve {id}")
    });
    format!(
        "Circinus {}{id} [{}]: {} {how}{approve}",
        explanation.verdict,
        rules(explanation),
        sentence(explanation, &action.tool, |influence| label(influence, snapshot)),
    )
}

/// All rules that fired, primary first.
pub fn rules(explanation: &Explanation) -> String {
    let names: Vec<_> = explanation.fired.iter().map(|fired| fired.rule.to_string()).collect();
    names.join(" ")
}

/// What, from where, why.
pub fn sentence(explanation: &Explanation, tool: &str, label: impl Fn(&Influence) -> String) -> String {
    let Some(primary) = explanation.fired.first() else {
        return "Nothing stands against this call.".to_owned();
    };
    let why = capitalised(why(primary.rule));
    let influence = primary.influence.and_then(|place| explanation.influences.get(usize::from(place)));
    let influence = influence.or_else(|| explanation.influences.first());
    let tool = shown(tool);
    match influence {
        None => format!("{tool}: {why}."),
        Some(influence) => format!("{tool}: {why}. {}.", source(influence, &label(influence))),
    }
}

/// What would change the answer of a rule that fired, with its target and its source named.
pub fn remedy(fired: Fired, explanation: &Explanation) -> Option<String> {
    let rule = fired.rule.rule()?;
    let influence = fired.influence.and_then(|place| explanation.influences.get(usize::from(place)));
    let target = influence.map(|influence| match &influence.path {
        Path::Copied { quote, .. } if quote.operand.kind() == Kind::Span => "the code that runs".to_owned(),
        Path::Quote(Hit { operand: value, .. })
        | Path::Copied { quote: Hit { operand: value, .. }, .. }
        | Path::Whole { file: value, .. }
        | Path::Remote(value) => format!("`{}`", operand(value)),
    });
    let source = influence.and_then(|influence| influence.artifact).map(|id| id.to_string());
    Some(rule.remedy(target.as_deref(), source.as_deref()))
}

fn source(influence: &Influence, label: &str) -> String {
    let gap = match influence.gap {
        Gap::None => "",
        Gap::Inferred => " (inferred)",
        Gap::Observed => " (observed)",
    };
    let came = match &influence.path {
        Path::Quote(hit) => format!("`{}` stands in {}", operand(&hit.operand), label),
        Path::Copied { quote, .. } if quote.operand.kind() == Kind::Span => {
            format!("Code that runs here was copied from {label}")
        }
        Path::Copied { quote, .. } => {
            format!("`{}`, which runs here, was copied from {label}", operand(&quote.operand))
        }
        Path::Whole { file, .. } => format!("`{}` came from {}", operand(file), label),
        Path::Remote(from) => format!("The bytes come straight from `{}`", operand(from)),
    };
    let signals = if influence.signals.is_empty() {
        String::new()
    } else {
        format!(", evidence {} ({})", influence.level, influence.signals.join(" "))
    };
    format!("{came}{gap}{signals}")
}

/// An influencing artifact for the agent: what it is, its id and the tool that brought it. The rest of its
/// label may hold what somebody else wrote, and is for `circinus explain` alone.
fn label(influence: &Influence, snapshot: &Snapshot) -> String {
    let origin = influence.origin.describe();
    match influence.artifact.and_then(|id| snapshot.artifact(id).map(|artifact| (id, artifact))) {
        Some((id, artifact)) => {
            let tool = artifact.label.split(' ').next().unwrap_or_default();
            let tool: String =
                tool.chars().filter(|c| c.is_ascii_alphanumeric() || "_-".contains(*c)).collect();
            format!("{origin} ({id}, {tool})")
        }
        None => origin.to_owned(),
    }
}

fn why(rule: RuleId) -> &'static str {
    rule.rule().map_or("a rule of a newer version fired", |rule| rule.reason)
}

/// An operand for people; a sealed secret stays sealed.
pub fn operand(operand: &Operand) -> String {
    if operand.kind() == Kind::Token {
        return "a secret or token".to_owned();
    }
    shown(operand.canonical())
}

fn shown(text: &str) -> String {
    let cut: String = text.chars().take(OPERAND_CHARS_MAX).collect();
    let dots = if cut.len() < text.len() { "..." } else { "" };
    escape_untrusted(&cut) + dots
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
