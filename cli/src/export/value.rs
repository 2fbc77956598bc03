//! Values that several forms write alike.

use circinus_core::action::Flags;
use circinus_core::effect::Effects;
use circinus_core::event::{Event, Recorded};
use circinus_core::id::{ActId, ArtifactId, DecisionId, EvidenceId};
use circinus_core::operand::{Hit, Kind, Operand};
use serde_json::{Value, json};

/// The id of what an event created; none for events that create nothing.
pub(super) fn id(recorded: &Recorded) -> Option<String> {
    match &recorded.event {
        Event::Ingested(_) => Some(ArtifactId(recorded.seq).to_string()),
        Event::Judged { .. } => Some(EvidenceId(recorded.seq).to_string()),
        Event::Decided(_) => Some(DecisionId(recorded.seq).to_string()),
        Event::Stated(_) => Some(ActId(recorded.seq).to_string()),
        Event::SessionOpened(_)
        | Event::SessionClosed { .. }
        | Event::HostBound(_)
        | Event::Impersonated(_)
        | Event::AskUnreliable { .. }
        | Event::Requested(_)
        | Event::Settled(_)
        | Event::Unanswered(_) => None,
    }
}

/// What kind of event it is, in one word.
pub(super) const fn kind(event: &Event) -> &'static str {
    match event {
        Event::SessionOpened(_) => "session_opened",
        Event::SessionClosed { .. } => "session_closed",
        Event::Ingested(_) => "artifact",
        Event::Judged { .. } => "evidence",
        Event::Decided(_) => "decision",
        Event::Stated(_) => "statement",
        Event::HostBound(_) => "host_bound",
        Event::Impersonated(_) => "impersonated",
        Event::AskUnreliable { .. } => "ask_unreliable",
        Event::Requested(_) => "requested",
        Event::Settled(_) => "settled",
        Event::Unanswered(_) => "unanswered",
    }
}

/// Names of effects.
pub(super) fn effects(effects: Effects) -> Vec<&'static str> {
    effects.iter().map(|effect| effect.name()).collect()
}

/// Names of flags.
pub(super) fn flags(flags: Flags) -> Vec<&'static str> {
    flags.iter().map(|flag| flag.name()).collect()
}

/// An operand; of a token only that it is one.
pub(super) fn operand(operand: &Operand) -> Value {
    let kind = format!("{:?}", operand.kind()).to_lowercase();
    let value = (operand.kind() != Kind::Token).then(|| operand.canonical());
    json!({ "kind": kind, "value": value })
}

/// An operand with its place, a half-open range of bytes, and the views that showed it, outermost first.
pub(super) fn hit(hit: &Hit) -> Value {
    let views: Vec<_> = hit.views.0.iter().map(|view| format!("{view:?}").to_lowercase()).collect();
    json!({ "operand": operand(&hit.operand), "start": hit.start, "end": hit.end, "views": views })
}
