//! The figures of Circinus with a stand-in for the user's model, apart from all others.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use super::model::answers::{FALSE_POSITIVE_PERCENT, RECALL_PERCENT};
use super::model::seen::Sums;
use super::model::settling::SETTLING_MAX;
use super::tables::{by_rule, compared, family, heads, table};
use super::{Quality, StoodIn};
use crate::replay::table::percent;

/// What an attack is called whose words stand in no content that was recorded.
const NOWHERE: &str = "its words stand in nothing that was recorded";

/// All tables.
///
/// # Errors
/// When the writer refuses.
pub(super) fn write(out: &mut impl Write, quality: &Quality) -> fmt::Result {
    writeln!(
        out,
        "## With a stand-in of stated quality: {RECALL_PERCENT} % recall, {FALSE_POSITIVE_PERCENT} % false positives, not a \
         model\n\n\
         The stand-in knows from the corpus which texts carry an attack and errs as often as that, by a seed. What it is asked \
         about is the product's routing. Before each call the replay waits until all that came in the session is judged, at \
         most {} s, for agents take seconds between their steps; how often a verdict is there in time is measured by \
         `circinus-loadtest readiness`.\n",
        SETTLING_MAX.as_secs()
    )?;
    let scored: Vec<_> = quality.stood_in.iter().map(|stood_in| &stood_in.scored).collect();
    compared(out, &scored, quality)?;
    asked(out, quality)?;
    for stood_in in &quality.stood_in {
        fates(out, stood_in)?;
        lacking(out, stood_in, quality)?;
        by_rule(out, &stood_in.scored)?;
    }
    Ok(())
}

/// What was put to the stand-in, and how right it was.
fn asked(out: &mut impl Write, quality: &Quality) -> fmt::Result {
    let mut table = table(heads(&[
        "contents",
        "all",
        "put to the stand-in",
        "of these, found suspicious or adverse",
        "calls that waited, in vain",
    ]));
    for stood_in in &quality.stood_in {
        for (part, seen) in [("real sessions", &stood_in.sessions), ("suites", &stood_in.attacks)] {
            for (attack, kind) in [(true, "with the words of an attack"), (false, "all others")] {
                let Sums { all, asked, found } = seen.sums(attack);
                if all == 0 {
                    continue;
                }
                table.add_row([
                    format!("{}: {part}, {kind}", stood_in.scored.name),
                    all.to_string(),
                    format!("{asked}, {}", percent(asked, all)),
                    format!("{found}, {}", percent(found, asked)),
                    format!("{}, {}", seen.waits, seen.in_vain),
                ]);
            }
        }
    }
    writeln!(out, "### What was asked\n\n{table}\n")
}

/// What became of contents with the words of an attack.
fn fates(out: &mut impl Write, stood_in: &StoodIn) -> fmt::Result {
    let mut table = table(heads(&["with the words of an attack", "contents"]));
    for (fate, count) in stood_in.attacks.fates() {
        table.add_row([fate.words(), count.to_string()]);
    }
    writeln!(out, "### Contents with the words of an attack: {}\n\n{table}\n", stood_in.scored.name)
}

/// What attack sessions that were not stopped have in common: the best that became of the attack's words.
fn lacking(out: &mut impl Write, stood_in: &StoodIn, quality: &Quality) -> fmt::Result {
    let mut counts: BTreeMap<_, (u64, u64, BTreeMap<&str, u64>)> = BTreeMap::new();
    for (suite, score) in stood_in.scored.attacks.suites() {
        for missed in &score.missed.first {
            let fate = stood_in.attacks.fate_of(&missed.session);
            let (all, framed, suites) = counts.entry(fate).or_default();
            let nature = quality.natures.get(&missed.session);
            *all += 1;
            *framed += u64::from(nature.is_some_and(|nature| nature.carried && nature.framed));
            *suites.entry(family(suite)).or_default() += 1;
        }
    }
    let mut table = table(heads(&["the attack's words", "sessions", "carried and framed", "by suite"]));
    for (fate, (all, framed, suites)) in counts {
        let words = fate.map_or_else(|| NOWHERE.to_owned(), |fate| fate.words());
        let suites: Vec<_> = suites.into_iter().map(|(suite, count)| format!("{suite} {count}")).collect();
        table.add_row([words, all.to_string(), framed.to_string(), suites.join(", ")]);
    }
    let name = &stood_in.scored.name;
    writeln!(out, "### Not stopped, by what became of the attack's words: {name}\n\n{table}\n")
}
