//! The figures of a run as Markdown, ready for `docs/BENCHMARKS.md`.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::num::NonZeroUsize;

use comfy_table::{CellAlignment, Table, presets};

use super::kind::Missing;
use super::{Nature, Quality, Scored, stand_in_tables};
use crate::replay::report::Report;
use crate::replay::score::{Decisions, Score};
use crate::replay::table::percent;

/// Suites whose name ends so hold no attack.
const CLEAN: &str = ".clean";

/// All tables.
///
/// # Errors
/// When the writer refuses.
pub fn write(out: &mut impl Write, quality: &Quality) -> fmt::Result {
    if quality.every > NonZeroUsize::MIN {
        writeln!(out, "One session of {} of each recording: a sample, not a score.\n", quality.every)?;
    }
    let scored: Vec<_> = quality.scored.iter().collect();
    compared(out, &scored, quality)?;
    for scored in scored.iter().filter(|scored| scored.name.starts_with("Circinus")) {
        by_rule(out, scored)?;
    }
    if !quality.stood_in.is_empty() {
        stand_in_tables::write(out, quality)?;
    }
    let stood_in = quality.stood_in.iter().map(|stood_in| &stood_in.scored);
    scored.into_iter().chain(stood_in).try_for_each(|scored| errors(out, scored))
}

/// What every defence is compared by.
pub(super) fn compared(out: &mut impl Write, scored: &[&Scored], quality: &Quality) -> fmt::Result {
    pair(out, scored, &quality.natures)?;
    suites(out, scored)?;
    benign(out, scored)?;
    scored.iter().try_for_each(|scored| missed(out, scored, &quality.natures))
}

/// Which rules stop and interrupt.
pub(super) fn by_rule(out: &mut impl Write, scored: &Scored) -> fmt::Result {
    stopping(out, scored)?;
    rules(out, &scored.name, "real sessions", &scored.sessions)?;
    rules(out, &scored.name, "suites with clean sessions", &scored.attacks)
}

pub(super) fn table(head: Vec<String>) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::ASCII_MARKDOWN).set_header(head);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

pub(super) fn heads(heads: &[&str]) -> Vec<String> {
    heads.iter().map(|head| (*head).to_owned()).collect()
}

/// The pair that a defence is measured by: what it stops and what it interrupts.
fn pair(out: &mut impl Write, all: &[&Scored], natures: &BTreeMap<String, Nature>) -> fmt::Result {
    let mut table = table(heads(&[
        "defence",
        "stopped / carried / all",
        "of carried",
        "of carried, framed",
        "real sessions interrupted",
        "clean suites interrupted",
    ]));
    for scored in all {
        let attacks = scored.attacks.total().attacks;
        table.add_row([
            scored.name.clone(),
            format!("{} / {} / {}", attacks.any, attacks.carried, attacks.all),
            percent(attacks.any_carried, attacks.carried),
            framed(scored, natures),
            share(scored.sessions.total().matrix.all_benign()),
            share(scored.attacks.total().clean),
        ]);
    }
    writeln!(out, "### Stopped and interrupted\n\n{table}\n")
}

/// Of the attack sessions that carry something and whose text speaks to the model, those that were stopped.
fn framed(scored: &Scored, natures: &BTreeMap<String, Nature>) -> String {
    let counts = |nature: &Nature| nature.carried && nature.framed;
    let all = natures.values().filter(|nature| counts(nature)).count() as u64;
    let suites = scored.attacks.suites().values();
    let missed = suites.flat_map(|score| &score.missed.first);
    let missed = missed.filter(|missed| natures.get(&missed.session).is_some_and(counts)).count() as u64;
    let stopped = all.saturating_sub(missed);
    format!("{stopped} of {all}, {}", percent(stopped, all))
}

fn share(decisions: Decisions) -> String {
    let (part, all) = (decisions.interrupted(), decisions.total());
    format!("{part} of {all}, {}", percent(part, all))
}

/// Attack sessions per suite; one column per defence.
fn suites(out: &mut impl Write, all: &[&Scored]) -> fmt::Result {
    let mut head = heads(&["suite", "carried / all"]);
    head.extend(all.iter().map(|scored| scored.name.clone()));
    let mut table = table(head);
    for (suite, first) in each_suite(all).filter(|(_, score)| score.attacks.all > 0) {
        let mut row = vec![suite.to_owned(), format!("{} / {}", first.attacks.carried, first.attacks.all)];
        row.extend(all.iter().map(|scored| {
            let attacks = scored.attacks.suites().get(suite).map(|score| score.attacks).unwrap_or_default();
            attacks.any.to_string()
        }));
        table.add_row(row);
    }
    writeln!(out, "### Attack sessions stopped, by suite\n\n{table}\n")
}

/// Every suite with the first defence's score.
fn each_suite<'s>(all: &[&'s Scored]) -> impl Iterator<Item = (&'s str, &'s Score)> {
    let suites = all.first().into_iter().flat_map(|scored| scored.attacks.suites());
    suites.map(|(suite, score)| (suite.as_str(), score))
}

/// Benign actions per recording; one column per defence.
fn benign(out: &mut impl Write, all: &[&Scored]) -> fmt::Result {
    let mut head = heads(&["recording"]);
    head.extend(all.iter().map(|scored| scored.name.clone()));
    let mut table = table(head);
    let part = |scored: &Scored, suite: &str, sessions: bool| {
        let report = if sessions { &scored.sessions } else { &scored.attacks };
        report.suites().get(suite).map_or_else(String::new, |score| share(score.matrix.all_benign()))
    };
    let real = all.first().into_iter().flat_map(|scored| scored.sessions.suites().keys());
    let clean = each_suite(all).map(|(suite, _)| suite).filter(|suite| suite.ends_with(CLEAN));
    let listed = real.map(|suite| (suite.as_str(), true)).chain(clean.map(|suite| (suite, false)));
    for (suite, sessions) in listed {
        let mut row = vec![suite.to_owned()];
        row.extend(all.iter().map(|scored| part(scored, suite, sessions)));
        table.add_row(row);
    }
    writeln!(out, "### Benign actions interrupted\n\n{table}\n")
}

/// A suite without the name of its template: `agentdojo.banking.direct` is one of `agentdojo.banking`.
pub(super) fn family(suite: &str) -> &str {
    suite.match_indices('.').nth(1).map_or(suite, |(end, _)| suite.get(..end).unwrap_or(suite))
}

/// What a defence did not stop, by kind.
fn missed(out: &mut impl Write, scored: &Scored, natures: &BTreeMap<String, Nature>) -> fmt::Result {
    let mut counts: BTreeMap<(Missing, &str), u64> = BTreeMap::new();
    for (suite, score) in scored.attacks.suites() {
        for missed in &score.missed.first {
            if let Some(nature) = natures.get(&missed.session) {
                *counts.entry((nature.missing, family(suite))).or_default() += 1;
            }
        }
    }
    let mut table = table(heads(&["kind", "sessions", "by suite"]));
    let all = [Missing::Carries, Missing::Tier, Missing::Designator, Missing::Nothing];
    for kind in all {
        let of_kind = counts.iter().filter(|((found, _), _)| *found == kind);
        let total: u64 = of_kind.clone().map(|(_, count)| count).sum();
        let suites: Vec<_> = of_kind.map(|((_, suite), count)| format!("{suite} {count}")).collect();
        table.add_row([kind.words().to_owned(), total.to_string(), suites.join(", ")]);
    }
    writeln!(out, "### Not stopped, by kind: {}\n\n{table}\n", scored.name)
}

/// What each rule stops that no other does.
fn stopping(out: &mut impl Write, scored: &Scored) -> fmt::Result {
    let rules = &scored.attacks.total().stopped_only_by;
    let rules: Vec<_> = rules.iter().map(|(rule, count)| format!("{rule} {count}")).collect();
    writeln!(out, "Attack sessions that one rule alone stops, {}: {}\n", scored.name, rules.join(", "))
}

/// Interrupted benign actions per rule, with examples.
fn rules(out: &mut impl Write, name: &str, part: &str, report: &Report) -> fmt::Result {
    writeln!(out, "### Benign actions interrupted on {part}, by rule: {name}\n")?;
    let clean = report.suites().iter().filter(|(_, score)| score.clean.total() > 0 || score.attacks.all == 0);
    for (suite, score) in clean {
        for (rule, count) in &score.rules {
            writeln!(out, "* {suite} {rule}: {count}")?;
            for example in score.examples(rule) {
                writeln!(out, "  * `{}`", example.text.replace('`', "'"))?;
            }
        }
    }
    writeln!(out)
}

fn errors(out: &mut impl Write, scored: &Scored) -> fmt::Result {
    for report in [&scored.sessions, &scored.attacks] {
        for error in report.errors() {
            writeln!(out, "error: {}: {error}", scored.name)?;
        }
        for failure in &report.total().failures.first {
            let session = failure.session.escape_debug();
            writeln!(out, "error: {}: {session}: {}", scored.name, failure.error)?;
        }
    }
    Ok(())
}
