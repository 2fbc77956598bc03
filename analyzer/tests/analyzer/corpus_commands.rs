//! The collected commands and their labels, measured against floors that only rise.
//!
//! The corpus is no part of this tree. `CIRCINUS_TEST_CORPUS` names its folder; without it the test says so
//! and ends. `CIRCINUS_TEST_CORPUS_MISSES` names a file that gets every row that is not as expected.
//!
//! **Mapping.** The labels are verdicts of other tools; the analyzer yields a tier. A row labelled `block` or
//! `ask` is expected at T2 or above (or with a flag that asks by itself), unless `data/peer_labels.toml` says
//! by the words of its rules that our semantics put the matter elsewhere: gated rows must have a slot that
//! rises to T2 on a gap; excluded rows are left out whatever was found, counted by the reason, and bounded. A
//! row labelled `allow` is expected below T2 and without the flag `catastrophic`. What stays above has a
//! reason by its effects; installing what is named is left out and bounded too, and the figure with it is
//! printed beside.

#![allow(clippy::print_stdout, reason = "figures are what this measurement is for")]

mod mapping;
mod rows;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use circinus_analyzer::Surroundings;
use circinus_analyzer::command::{self, CommandAnalysis};
use circinus_core::action::{Flag, Flags, Tier};
use circinus_core::effect::Effect;
use serde::Deserialize;

use mapping::Mapping;
use rows::{Row, labelled, plain, real};

/// What was reached, in thousandths of the rows; nothing may fall below it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Ratchet {
    harmless_below_t2_unmapped_min: u32,
    harmless_excluded_max: u32,
    harmful_met_min: u32,
    harmful_excluded_max: u32,
    harmless_not_catastrophic_min: u32,
    harmless_below_t2_min: u32,
    seeds_met_min: usize,
    real_opaque_max: u32,
    real_catastrophic_max: u32,
    real_t2_max: u32,
    real_known_invocations_min: u32,
    /// Rows by label and tier, T0 first.
    matrix: BTreeMap<String, [usize; 4]>,
}

impl Ratchet {
    /// What a matrix has that this one had not: an `allow` further up, or anything else further down.
    fn worse(&self, found: &BTreeMap<String, [usize; 4]>) -> Vec<String> {
        let above = |row: &[usize; 4], tier: usize| row.iter().skip(tier).sum::<usize>();
        let cells = self.matrix.iter().flat_map(|(label, row)| (1..4).map(move |tier| (label, row, tier)));
        cells
            .filter_map(|(label, row, tier)| {
                let (was, is) = (above(row, tier), above(found.get(label)?, tier));
                let worse = if label == "allow" { is > was } else { is < was };
                worse.then(|| format!("{label} at T{tier} or above: {was}, now {is}"))
            })
            .collect()
    }
}

fn corpus() -> Option<PathBuf> {
    let folder = env::var_os("CIRCINUS_TEST_CORPUS").map(PathBuf::from).filter(|folder| folder.is_dir());
    if folder.is_none() {
        println!("skipped: CIRCINUS_TEST_CORPUS names no folder");
    }
    folder.map(|folder| folder.join("commands"))
}

fn around(home: &str, workspace: &str) -> Surroundings {
    Surroundings {
        paths: circinus_core::operand::PathContext {
            cwd: workspace.into(),
            home: home.into(),
            workspace: workspace.into(),
            case_sensitive: true,
        },
        circinus_home: format!("{home}/.local/share/circinus").into(),
        host_config_dirs: vec![format!("{home}/.claude").into()],
        temp_dirs: vec!["/tmp".into()],
        overlay: Default::default(),
        real: None,
    }
}

fn flags_of(found: &CommandAnalysis) -> Flags {
    found.slots.iter().fold(found.flags, |all, slot| all.union(slot.flags_unless_granted))
}

/// Whether an action as a whole is one that a person may be asked about.
fn is_severe(found: &CommandAnalysis) -> bool {
    let flags = flags_of(found);
    let named = [Flag::Catastrophic, Flag::Guard, Flag::PersistHost, Flag::SecretSink];
    found.tier >= Tier::T2 || named.iter().any(|flag| flags.contains(*flag))
}

/// Whether content without authority that named its value would raise an action to T2.
fn is_gated(found: &CommandAnalysis) -> bool {
    found
        .slots
        .iter()
        .any(|slot| matches!(slot.effect, Effect::Cred | Effect::Destroy) && slot.tier_on_gap >= Tier::T2)
}

fn thousandths(part: usize, whole: usize) -> u32 {
    u32::try_from(part * 1000 / whole.max(1)).unwrap_or(u32::MAX)
}

/// What goes to the file of misses.
#[derive(Default)]
struct Misses(String);

impl Misses {
    fn note(&mut self, kind: &str, row: &Row, found: &CommandAnalysis) {
        writeln!(
            self.0,
            "{kind}\t{} {} {} [{}]\t{}",
            found.tier,
            found.effects,
            flags_of(found),
            row.labels.join(","),
            row.command.replace('\n', "\\n")
        )
        .expect("text takes text");
    }

    fn save(&self, suffix: &str) {
        if let Some(path) = env::var_os("CIRCINUS_TEST_CORPUS_MISSES") {
            fs::write(Path::new(&path).with_extension(suffix), &self.0)
                .expect("the file of misses is writable");
        }
    }
}

fn ratchet() -> Ratchet {
    toml::from_str(include_str!("../data/commands_ratchet.toml")).expect("a ratchet")
}

#[test]
fn labelled_commands_are_judged_as_the_mapping_says() {
    let Some(folder) = corpus() else { return };
    let mapping = Mapping::load();
    let around = around("/home/test", "/home/test/project");
    let mut misses = Misses::default();
    let mut matrix: BTreeMap<String, [usize; 4]> = BTreeMap::new();
    let mut excluded: BTreeMap<String, usize> = BTreeMap::new();
    let mut tally = Tally::default();
    for row in labelled(&folder.join("given.jsonl")) {
        let found = command::analyze(&row.command, &around);
        matrix.entry(row.expect.clone()).or_default()[found.tier as usize] += 1;
        if row.expect == "allow" {
            tally.harmless(&row, &found, &mapping, &mut misses);
            continue;
        }
        tally.harmful += 1;
        match mapping.exclusion(&row.labels) {
            Some(class) => *excluded.entry(class.to_owned()).or_default() += 1,
            None if is_severe(&found) => tally.met += 1,
            None if mapping.is_gated(&row.labels) && is_gated(&found) => tally.gated += 1,
            None => misses.note("missed", &row, &found),
        }
    }
    misses.save("given");
    let left_out: usize = excluded.values().sum();
    println!("label and tier: {matrix:?}\nexcluded: {excluded:?} = {left_out}\n{tally:#?}");
    let floors = ratchet();
    assert_eq!(floors.worse(&matrix), Vec::<String>::new());
    assert!(thousandths(tally.met + tally.gated, tally.harmful - left_out) >= floors.harmful_met_min);
    assert!(thousandths(left_out, tally.harmful) <= floors.harmful_excluded_max);
    assert!(thousandths(tally.calm, tally.harmless) >= floors.harmless_not_catastrophic_min);
    assert!(thousandths(tally.mild, tally.harmless - tally.left_out) >= floors.harmless_below_t2_min);
    assert!(thousandths(tally.mild, tally.harmless) >= floors.harmless_below_t2_unmapped_min);
    assert!(thousandths(tally.left_out, tally.harmless) <= floors.harmless_excluded_max);
}

/// Counts of labelled rows.
#[derive(Debug, Default)]
struct Tally {
    harmful: usize,
    met: usize,
    gated: usize,
    harmless: usize,
    mild: usize,
    calm: usize,
    /// Labelled `allow` and at T2, by the reason.
    raised: BTreeMap<String, usize>,
    /// Those of them that are left out.
    left_out: usize,
}

impl Tally {
    fn harmless(&mut self, row: &Row, found: &CommandAnalysis, mapping: &Mapping, misses: &mut Misses) {
        self.harmless += 1;
        self.calm += usize::from(!found.flags.contains(Flag::Catastrophic));
        if found.tier < Tier::T2 {
            self.mild += 1;
            return;
        }
        let reason = mapping.raised(found.flags, found.effects).expect("a reason for every way up to T2");
        *self.raised.entry(reason.class.clone()).or_default() += 1;
        self.left_out += usize::from(reason.excluded);
        misses.note(&reason.class, row, found);
    }
}

#[test]
fn seeds_of_bypasses_are_understood() {
    let Some(folder) = corpus() else { return };
    let around = around("/home/test", "/home/test/project");
    let mut misses = Misses::default();
    let (mut met, mut all) = (0, 0);
    for row in plain(&folder.join("bypass_seeds.jsonl")) {
        let found = command::analyze(&row.command, &around);
        all += 1;
        // A row that must pass and sends is T2 by our semantics; the rule for sendings decides about it.
        let met_by = if row.expect == "allow" {
            !is_severe(&found) || found.flags.is_empty() && found.effects.contains(Effect::Send)
        } else {
            is_severe(&found)
                || is_gated(&found)
                || found.slots.iter().any(|slot| slot.effect == Effect::Persist)
        };
        if met_by {
            met += 1;
        }
        if !is_severe(&found) || row.expect == "allow" && is_severe(&found) {
            misses.note(&row.expect, &row, &found);
        }
    }
    misses.save("seeds");
    println!("seeds met: {met} of {all}");
    assert!(met >= ratchet().seeds_met_min);
}

#[test]
fn real_sessions_are_understood_and_rarely_raised() {
    let Some(folder) = corpus() else { return };
    let around = around("/Users/dev", "/Users/dev/workspace/cli");
    let mut misses = Misses::default();
    let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
    let (mut all, mut opaque, mut vast, mut raised, mut calls) = (0, 0, 0, 0, 0);
    for row in real(&folder.join("real_sessions.jsonl.zst")) {
        let found = command::analyze(&row.command, &around);
        all += 1;
        opaque += usize::from(found.flags.contains(Flag::Opaque));
        vast += usize::from(found.flags.contains(Flag::Catastrophic));
        raised += usize::from(found.tier >= Tier::T2);
        if found.tier >= Tier::T2 {
            misses.note("raised", &row, &found);
        }
        calls += found.programs.len();
        for program in found.programs.iter().filter(|program| !program.listed) {
            *unknown.entry(program.name.clone()).or_default() += 1;
        }
    }
    let strangers: usize = unknown.values().sum();
    let mut listed: Vec<_> = unknown.into_iter().collect();
    listed.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    listed.iter().for_each(|(name, count)| misses.0.push_str(&format!("unknown\t{count}\t{name}\n")));
    misses.save("real");
    println!("real: {all}, opaque {opaque}, catastrophic {vast}, T2 or above {raised}");
    println!("invocations {calls}, of unknown programs {strangers}");
    let floors = ratchet();
    assert!(thousandths(opaque, all) <= floors.real_opaque_max);
    assert!(thousandths(vast, all) <= floors.real_catastrophic_max);
    assert!(thousandths(raised, all) <= floors.real_t2_max);
    assert!(thousandths(calls - strangers, calls) >= floors.real_known_invocations_min);
}
