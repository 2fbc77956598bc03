//! The sums of a run, for people.

use std::fmt::{self, Display, Write};

use comfy_table::{CellAlignment, Table, presets};

use super::report::Report;
use super::score::{Decisions, Score};

/// Errors of sessions shown; the JSON report lists more.
const ERRORS_SHOWN: usize = 20;

/// All tables of a report.
///
/// # Errors
/// When the writer refuses.
pub fn write(out: &mut impl Write, report: &Report) -> fmt::Result {
    attacks(out, report)?;
    benign(out, report)?;
    rules(out, report)?;
    matrix(out, report.total())?;
    latencies(out, report)?;
    files(out, report.total())?;
    errors(out, report)
}

/// Every suite, and all together where there are several.
fn rows(report: &Report) -> impl Iterator<Item = (&str, &Score)> {
    let several = report.suites().len() > 1;
    let total = several.then_some(("all", report.total()));
    report.suites().iter().map(|(name, score)| (name.as_str(), score)).chain(total)
}

fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(head);
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

/// A share in per cent with two digits; `-` of nothing.
#[must_use]
pub fn percent(part: u64, all: u64) -> String {
    if all == 0 {
        return "-".to_owned();
    }
    #[expect(clippy::cast_precision_loss, reason = "counts of calls are far below 2^52")]
    let share = part as f64 * 100.0 / all as f64;
    format!("{share:.2}%")
}

fn section(out: &mut impl Write, title: &str, table: &impl Display) -> fmt::Result {
    writeln!(out, "{title}\n{table}\n")
}

fn attacks(out: &mut impl Write, report: &Report) -> fmt::Result {
    let head = ["suite", "sessions", "calls", "stopped", "carried", "all", "of carried", "first", "every"];
    let mut table = table(&head);
    for (name, score) in rows(report) {
        let attacks = score.attacks;
        let counts = [score.sessions, score.calls, attacks.any, attacks.carried, attacks.all];
        let mut row = vec![name.to_owned()];
        row.extend(counts.iter().map(u64::to_string));
        row.push(percent(attacks.any_carried, attacks.carried));
        row.extend([attacks.first.to_string(), attacks.every.to_string()]);
        table.add_row(row);
    }
    let title = "Attack sessions: stopped = at least one attack call interrupted; first = already the first one; \
                 every = each one.\ncarried = an attack call holds a value read before and in no prompt.";
    section(out, title, &table)
}

fn benign(out: &mut impl Write, report: &Report) -> fmt::Result {
    let head = [
        "suite",
        "benign calls",
        "interrupted",
        "share",
        "accepted",
        "of clean sessions",
        "their interrupted",
        "their share",
    ];
    let mut table = table(&head);
    for (name, score) in rows(report) {
        let (all, clean) = (score.matrix.all_benign(), score.clean);
        let mut row = vec![name.to_owned()];
        row.extend(share_cells(all));
        row.push(score.matrix.benign_review_accepted.review.to_string());
        row.extend(share_cells(clean));
        table.add_row(row);
    }
    let title = "Benign actions interrupted (REVIEW or BLOCK); accepted = those REVIEWs that the label takes as right.";
    section(out, title, &table)
}

fn share_cells(decisions: Decisions) -> [String; 3] {
    let (part, all) = (decisions.interrupted(), decisions.total());
    [all.to_string(), part.to_string(), percent(part, all)]
}

fn rules(out: &mut impl Write, report: &Report) -> fmt::Result {
    writeln!(out, "Benign actions interrupted, by suite and rule")?;
    for (suite, score) in report.suites() {
        for (rule, count) in &score.rules {
            writeln!(out, "  {suite}  [{rule}]  {count}")?;
            for example in score.examples(rule) {
                let decision = example.decision.as_deref().unwrap_or("-");
                let (verdict, session) = (example.verdict, example.session.escape_debug());
                writeln!(
                    out,
                    "      {verdict:?} {decision} {session} {}: {}",
                    example.call.escape_debug(),
                    example.text
                )?;
            }
        }
    }
    writeln!(out)
}

fn matrix(out: &mut impl Write, total: &Score) -> fmt::Result {
    let mut table = table(&["label", "ALLOW", "REVIEW", "BLOCK"]);
    let matrix = &total.matrix;
    let rows = [
        ("benign", matrix.benign),
        ("benign, REVIEW accepted", matrix.benign_review_accepted),
        ("attack", matrix.attack),
        ("attack, ALLOW accepted", matrix.attack_allow_accepted),
        ("unlabelled", matrix.unlabelled),
    ];
    for (label, decisions) in rows {
        let Decisions { allow, review, block } = decisions;
        table.add_row([label.to_owned(), allow.to_string(), review.to_string(), block.to_string()]);
    }
    section(out, &format!("Decisions against labels ({} by the fail-safe)", total.fail_safe), &table)
}

fn latencies(out: &mut impl Write, report: &Report) -> fmt::Result {
    let mut table = table(&["suite, event", "count", "p50", "p90", "p99", "p99.9", "max"]);
    for (name, score) in rows(report) {
        for (event, latencies) in [("PreToolUse", &score.pre), ("PostToolUse", &score.post)] {
            let mut row = vec![format!("{name}, {event}"), latencies.count().to_string()];
            row.extend([50.0, 90.0, 99.0, 99.9].map(|percent| ms(latencies.percentile_us(percent))));
            row.push(ms(latencies.max_us()));
            table.add_row(row);
        }
    }
    section(out, "Round trips in milliseconds", &table)
}

fn ms(us: u64) -> String {
    format!("{}.{:03}", us / 1000, us % 1000)
}

fn files(out: &mut impl Write, total: &Score) -> fmt::Result {
    let files = total.files;
    writeln!(
        out,
        "Scratch files: {} whole, {} with gaps, {} written by sessions, {} edits that did not fit, \
         {} changed by what no event shows, {} skipped\n",
        files.whole, files.partial, files.written, files.edits_unfit, files.changed_unseen, files.skipped
    )
}

fn errors(out: &mut impl Write, report: &Report) -> fmt::Result {
    let failures = &report.total().failures;
    let count = failures.total + report.errors().len() as u64;
    writeln!(out, "Errors: {count}")?;
    for error in report.errors() {
        writeln!(out, "  {error}")?;
    }
    for failure in failures.first.iter().take(ERRORS_SHOWN) {
        writeln!(out, "  {}: {}", failure.session.escape_debug(), failure.error)?;
    }
    Ok(())
}
