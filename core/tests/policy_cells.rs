//! Every cell of the policy's domain: the evaluation is total, deterministic and monotone, no rule is
//! redundant, and the table is the published one.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a helper of a test fails the test"
)]

use circinus_core::action::{Flag, Flags, Tier};
use circinus_core::evidence::Level;
use circinus_core::policy::{Cell, Gap, Profile, RULES, Rule, Verdict, evaluate, firing};

fn flag_sets() -> impl Iterator<Item = Flags> {
    (0_u16..512)
        .map(|bits| Flags::of(Flag::ALL.into_iter().filter(move |flag| bits & (1 << *flag as u8) != 0)))
}

fn cells() -> impl Iterator<Item = Cell> {
    Tier::ALL.into_iter().flat_map(|tier| {
        Gap::ALL.into_iter().flat_map(move |gap| {
            Level::ALL.into_iter().flat_map(move |evidence| {
                Profile::ALL.into_iter().flat_map(move |profile| {
                    flag_sets().map(move |flags| Cell { tier, gap, evidence, profile, flags })
                })
            })
        })
    })
}

/// The cells one step up in one dimension.
fn steps_up(cell: Cell) -> Vec<Cell> {
    let mut up = Vec::new();
    up.extend(Tier::ALL.into_iter().find(|t| *t > cell.tier).map(|tier| Cell { tier, ..cell }));
    up.extend(Gap::ALL.into_iter().find(|g| *g > cell.gap).map(|gap| Cell { gap, ..cell }));
    up.extend(Level::ALL.into_iter().find(|l| *l > cell.evidence).map(|evidence| Cell { evidence, ..cell }));
    up.extend(Profile::ALL.into_iter().find(|p| *p > cell.profile).map(|profile| Cell { profile, ..cell }));
    up.extend(Flag::ALL.into_iter().map(|flag| Cell { flags: cell.flags.with(flag), ..cell }));
    up
}

fn evaluate_without(rules: &[Rule], left_out: usize, cell: &Cell) -> Verdict {
    let others = rules.iter().enumerate().filter(|(place, _)| *place != left_out);
    others.filter(|(_, rule)| rule.fires(cell)).map(|(_, rule)| rule.result).max().unwrap_or_default()
}

#[test]
fn the_domain_has_every_cell_once() {
    assert_eq!(cells().count(), 4 * 3 * 6 * 4 * 512);
}

#[test]
fn the_verdict_is_the_greatest_result_of_the_rules_that_fire() {
    for cell in cells() {
        let greatest = firing(cell).map(|(_, rule)| rule.result).max().unwrap_or(Verdict::Allow);
        assert_eq!(evaluate(cell), greatest, "{cell:?}");
        assert_eq!(evaluate(cell), evaluate(cell), "{cell:?}");
    }
}

/// P10.
#[test]
fn p10_one_step_up_in_any_dimension_or_flag_never_relaxes() {
    for cell in cells() {
        for up in steps_up(cell) {
            assert!(evaluate(up) >= evaluate(cell), "{cell:?} -> {up:?}");
            assert!(
                firing(cell).all(|(id, _)| firing(up).any(|(other, _)| other == id)),
                "{cell:?} -> {up:?}"
            );
        }
    }
}

#[test]
fn every_rule_is_decisive_somewhere() {
    for (place, rule) in RULES.iter().enumerate() {
        let decisive = cells().any(|cell| evaluate_without(&RULES, place, &cell) != evaluate(cell));
        assert!(decisive, "rule {} changes nothing", rule.name);
    }
}

#[test]
fn the_table_reads_as_published_at_t2_without_flags() {
    let at =
        |gap, evidence, profile| evaluate(Cell { tier: Tier::T2, gap, evidence, profile, ..Cell::default() });
    use Verdict::{Allow, Block, Review};
    assert_eq!(at(Gap::None, Level::Benign, Profile::Balanced), Allow);
    assert_eq!(at(Gap::Inferred, Level::Benign, Profile::Balanced), Allow);
    assert_eq!(at(Gap::Inferred, Level::Benign, Profile::Strict), Review);
    assert_eq!(at(Gap::Observed, Level::Benign, Profile::Realtime), Review);
    for level in [Level::Pending, Level::Failed, Level::Suspicious] {
        assert_eq!(at(Gap::None, level, Profile::Balanced), Review);
        assert_eq!(at(Gap::None, level, Profile::Critical), Block);
    }
    assert_eq!(at(Gap::None, Level::Adverse, Profile::Realtime), Block);
}

#[test]
fn observing_without_flags_is_never_stopped() {
    for cell in cells().filter(|cell| cell.tier == Tier::T0 && cell.flags.is_empty()) {
        assert_eq!(evaluate(cell), Verdict::Allow, "{cell:?}");
    }
}

#[test]
fn the_rules_are_the_twenty_three_in_their_stored_order() {
    let names: Vec<_> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(
        names.join(" "),
        "E1 E2 E3 E4 E5 E6 A1 A2 A3 A4 S1 S2 S3 S4 S5 C1 C2 C3 F1 F2 S6 S7 A5",
        "stored decisions refer to rules by place: append only"
    );
}
