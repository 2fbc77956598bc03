//! A report, and two beside each other, for people.

use std::fmt::{self, Write};

use comfy_table::{CellAlignment, Table, presets};

use super::record::Percentiles;
use super::report::LoadReport;
use crate::limits::sample::in_words;

/// The report in tables.
///
/// # Errors
/// When the writer refuses.
pub fn write(out: &mut impl Write, report: &LoadReport) -> fmt::Result {
    let mut rows =
        table(&["request", "count", "interrupted", "failed", "p50", "p90", "p95", "p99", "p99.9", "max"]);
    for (kind, figures) in &report.kinds {
        for (name, of) in [("", figures.latency_us), (" (from its real start)", figures.service_us)] {
            let mut row = vec![format!("{}{name}", kind.word())];
            row.extend([figures.count, figures.interrupted, figures.failed].map(|count| count.to_string()));
            row.extend(all(of).map(|us| in_words(us as f64 / 1e6)));
            rows.add_row(row);
        }
    }
    writeln!(out, "{rows}\n")?;
    writeln!(out, "{:.0} requests a second over {:.1} s", report.throughput, report.seconds_run)?;
    if let Some((early, late)) = report.memory_mb() {
        writeln!(out, "resident memory {early:.1} MB after a tenth of the run, {late:.1} MB at its end")?;
    }
    if let Some(readiness) = report.looks.iter().rev().find_map(super::watch::Look::readiness) {
        writeln!(out, "evidence ready for {readiness:.2} % of the decisions that rest on any")?;
    }
    if let Some(restart) = report.restart_s {
        writeln!(out, "stopped and started again in {}", in_words(restart))?;
    }
    if report.errors_count > 0 {
        writeln!(out, "{} errors, the first:", report.errors_count)?;
    }
    report.errors.iter().try_for_each(|error| writeln!(out, "  {error}"))
}

/// Two reports: the second over the first.
///
/// # Errors
/// When the writer refuses.
pub fn compare(out: &mut impl Write, a: &LoadReport, b: &LoadReport) -> fmt::Result {
    for (name, value) in &b.header.what {
        let before = a.header.what.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str());
        if before != Some(value) {
            writeln!(out, "{name}: {} -> {value}", before.unwrap_or("-"))?;
        }
    }
    if a.header.machine != b.header.machine {
        writeln!(out, "the machines differ: nothing but ratios within a report travels between them")?;
    }
    let mut rows = table(&["request", "figure", "A", "B", "B / A"]);
    for (kind, of_a) in &a.kinds {
        let Some(of_b) = b.kinds.get(kind) else { continue };
        let names = ["p50", "p90", "p95", "p99", "p99.9", "max"];
        for (name, (a, b)) in names.iter().zip(all(of_a.latency_us).into_iter().zip(all(of_b.latency_us))) {
            let words = [a, b].map(|us| in_words(us as f64 / 1e6));
            let [in_a, in_b] = words;
            rows.add_row([kind.word(), name, &in_a, &in_b, &format!("{:.2}", b as f64 / a as f64)]);
        }
    }
    writeln!(out, "{rows}\n")?;
    writeln!(out, "requests a second: {:.0} -> {:.0}", a.throughput, b.throughput)?;
    if let (Some((_, a)), Some((_, b))) = (a.memory_mb(), b.memory_mb()) {
        writeln!(out, "resident memory at the end: {a:.1} MB -> {b:.1} MB")?;
    }
    Ok(())
}

fn all(of: Percentiles) -> [u64; 6] {
    [of.p50, of.p90, of.p95, of.p99, of.p999, of.max]
}

fn table(head: &[&str]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING).set_header(head);
    table.column_iter_mut().skip(1).for_each(|column| column.set_cell_alignment(CellAlignment::Right));
    table
}
