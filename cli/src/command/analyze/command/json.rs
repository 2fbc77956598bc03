//! The analysis of a command as JSON. Schema 1: fields are only added.

use circinus_analyzer::call::Source;
use circinus_analyzer::command::{Part, Reason, Step};
use circinus_core::action::{FileWrite, Flags, Role, Slot, SlotValue, Tier, WriteSource};
use circinus_core::operand::{Kind, Operand};
use serde_json::{Value, json};

use super::Understood;

pub(super) fn of(understood: &Understood<'_>) -> Value {
    let analysis = &understood.analysis;
    let on_gap = analysis.slots.iter().map(|slot| slot.tier_on_gap).fold(analysis.tier, Tier::max);
    json!({
        "schema": 1,
        "command": understood.text,
        "tier": analysis.tier.to_string(),
        "tier_on_gap": on_gap.to_string(),
        "effects": analysis.effects.iter().map(|effect| effect.name()).collect::<Vec<_>>(),
        "flags": flags(analysis.flags.union(understood.unless_granted)),
        "flags_unless_granted": flags(understood.unless_granted),
        "programs": understood.steps.iter().map(step).collect::<Vec<_>>(),
        "slots": analysis.slots.iter().map(slot).collect::<Vec<_>>(),
        "reads": analysis.reads.iter().map(operand).collect::<Vec<_>>(),
        "writes": analysis.writes.iter().map(write).collect::<Vec<_>>(),
        "source": source(&analysis.source),
        "why": analysis.reasons.iter().map(reason).collect::<Vec<_>>(),
        "overlay": {
            "programs": understood.commands.rows.len(),
            "refused": understood.commands.refused.as_deref(),
        },
    })
}

fn flags(flags: Flags) -> Vec<&'static str> {
    flags.iter().map(|flag| flag.name()).collect()
}

fn step(step: &Step) -> Value {
    let words = step.words.iter().map(|word| json!({ "text": word.text, "known": word.known }));
    json!({
        "depth": step.depth,
        "kind": step.kind.name(),
        "words": words.collect::<Vec<_>>(),
        "redirections": step.redirections,
    })
}

fn slot(slot: &Slot) -> Value {
    let (kind, operands, text) = match &slot.value {
        SlotValue::Operands(operands) => ("operands", operands.iter().map(operand).collect(), None),
        SlotValue::File(file) => ("file", vec![operand(file)], None),
        SlotValue::Remote(from) => ("remote", from.iter().map(operand).collect(), None),
        SlotValue::Text(text) => ("text", Vec::new(), Some(&**text)),
        SlotValue::Workspace => ("workspace", Vec::new(), None),
    };
    json!({
        "role": match slot.role {
            Role::Designator => "designator",
            Role::Content => "content",
        },
        "effect": slot.effect.name(),
        "place": &*slot.place,
        "value": kind,
        "operands": operands,
        "text": text,
        "tier_on_gap": slot.tier_on_gap.to_string(),
        "flags_unless_granted": flags(slot.flags_unless_granted),
    })
}

/// A token may be a secret: it is named as one and not repeated.
fn operand(operand: &Operand) -> Value {
    let value = (operand.kind() != Kind::Token).then(|| operand.canonical());
    json!({ "kind": super::show::kind(operand), "value": value })
}

fn write(write: &FileWrite) -> Value {
    let (from, operands) = match &write.from {
        WriteSource::Remote(from) => ("remote", from.as_slice()),
        WriteSource::Files(files) => ("files", files.as_slice()),
        WriteSource::Agent => ("agent", &[][..]),
        WriteSource::Built => ("built", &[][..]),
        WriteSource::Local => ("local", &[][..]),
    };
    json!({
        "path": operand(&write.path),
        "tree": write.tree,
        "from": from,
        "operands": operands.iter().map(operand).collect::<Vec<_>>(),
    })
}

fn source(source: &Source) -> Value {
    match source {
        Source::Remote(from) => {
            json!({ "kind": "remote", "operands": from.iter().map(operand).collect::<Vec<_>>() })
        }
        _ => json!({ "kind": "local", "operands": [] }),
    }
}

fn reason(reason: &Reason) -> Value {
    let (part, text, line) = match &reason.cause.part {
        Part::Text => ("text", None, None),
        Part::Row => ("row", None, None),
        Part::Unlisted => ("unlisted", None, None),
        Part::Option(name) => ("option", Some(*name), None),
        Part::Word(word) => ("word", Some(&**word), None),
        Part::Redirection => ("redirection", None, None),
        Part::Overlay(line) => ("overlay", None, Some(*line)),
    };
    json!({
        "gives": reason.gain.to_string(),
        "program": &*reason.cause.program,
        "part": part,
        "text": text,
        "line": line,
        "rule": reason.cause.rule,
    })
}
