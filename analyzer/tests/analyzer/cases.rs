//! One case per rule, as data.

use circinus_analyzer::{Source, command};
use circinus_core::action::{Flags, SlotValue, Tier, WriteSource};
use circinus_core::effect::{Effect, Effects};
use serde::Deserialize;

use crate::sample::{around, flags};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    why: String,
    command: String,
    tier: Option<String>,
    below: Option<String>,
    #[serde(default)]
    effects: Vec<String>,
    #[serde(default)]
    flags: Vec<String>,
    #[serde(default)]
    without: Vec<String>,
    #[serde(default)]
    unless_granted: Vec<String>,
    remote_exec: Option<String>,
    operand: Option<String>,
    source: Option<String>,
    #[serde(default)]
    reads: Vec<String>,
    #[serde(default)]
    writes: Vec<(String, String)>,
}

fn tier(name: &str) -> Tier {
    Tier::ALL.into_iter().find(|tier| tier.to_string() == name).expect("the name of a tier")
}

fn first(value: &SlotValue) -> Option<&str> {
    match value {
        SlotValue::Operands(operands) | SlotValue::Remote(operands) => {
            operands.first().map(|o| o.canonical())
        }
        SlotValue::File(operand) => Some(operand.canonical()),
        SlotValue::Text(_) | SlotValue::Workspace => None,
    }
}

/// What is wrong with a case, if anything.
fn faults(case: &Case) -> Vec<String> {
    let found = command::analyze(&case.command, &around());
    let mut faults = Vec::new();
    let mut check = |good: bool, what: &str| {
        if !good {
            faults.push(what.to_owned());
        }
    };
    check(case.tier.as_deref().is_none_or(|name| found.tier == tier(name)), "tier");
    check(case.below.as_deref().is_none_or(|name| found.tier < tier(name)), "tier not below");
    let effects = Effects::of(case.effects.iter().map(|name| Effect::from_name(name).expect("an effect")));
    check(effects.is_subset(found.effects), "effects");
    check(flags(&case.flags).is_subset(found.flags), "flags");
    let conditional = found.slots.iter().fold(Flags::NONE, |all, slot| all.union(slot.flags_unless_granted));
    check(flags(&case.unless_granted).is_subset(conditional), "flags unless granted");
    let unwanted = flags(&case.without);
    check(!unwanted.iter().any(|flag| found.flags.union(conditional).contains(flag)), "unwanted flag");
    check(
        case.remote_exec.as_deref().is_none_or(|url| {
            found.slots.iter().any(|slot| {
                slot.effect == Effect::Exec
                    && matches!(&slot.value, SlotValue::Remote(_))
                    && first(&slot.value) == Some(url)
            })
        }),
        "no remote code",
    );
    check(
        case.operand
            .as_deref()
            .is_none_or(|text| found.slots.iter().any(|slot| first(&slot.value) == Some(text))),
        "operand",
    );
    check(case.source.as_deref().is_none_or(|_| matches!(found.source, Source::Remote(_))), "source");
    for path in &case.reads {
        check(found.reads.iter().any(|read| read.canonical() == path), "reads");
    }
    for (path, from) in &case.writes {
        let good = found.writes.iter().any(|write| {
            let kind = match write.from {
                WriteSource::Remote(_) => "Remote",
                WriteSource::Files(_) => "Files",
                WriteSource::Agent => "Agent",
                WriteSource::Local => "Local",
                WriteSource::Built => "Built",
            };
            write.path.canonical() == path && kind == from
        });
        check(good, "writes");
    }
    check(found.slots.iter().all(|slot| slot.tier_on_gap >= found.tier), "a slot lowers the tier");
    if faults.is_empty() {
        faults
    } else {
        vec![format!("{faults:?}: {} {} {}", found.tier, found.effects, found.flags)]
    }
}

#[test]
fn every_case_holds() {
    let mut wrong = Vec::new();
    for line in include_str!("../data/commands.jsonl").lines() {
        let case: Case = serde_json::from_str(line).expect("a case");
        wrong.extend(
            faults(&case).into_iter().map(|fault| format!("{}\n  {}\n  {fault}", case.why, case.command)),
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
