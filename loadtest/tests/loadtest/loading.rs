//! Reports of load: kept, drawn and compared.

use std::time::Duration;

use circinus_loadtest::daemon::DaemonStatus;
use circinus_loadtest::load::html;
use circinus_loadtest::load::plan::Kind;
use circinus_loadtest::load::record::{Done, Outcome};
use circinus_loadtest::load::report::{Header, LoadReport, Machine, ReadError};
use circinus_loadtest::load::table;
use circinus_loadtest::load::watch::Look;

/// A run of ten seconds in which every request takes `ms`.
fn report(ms: u64) -> LoadReport {
    let done = |number: u64| Done {
        kind: if number.is_multiple_of(3) { Kind::Page } else { Kind::Ask },
        intended: Duration::from_millis(number * 10),
        latency: Duration::from_millis(ms),
        service: Duration::from_millis(ms),
        outcome: Outcome::Silent,
    };
    let status = |ready| DaemonStatus {
        pid: 1,
        operands: 0,
        unrecorded: 0,
        evidence_ready: ready,
        evidence_waited: 1,
        evidence_not_ready: 0,
    };
    let look =
        |second: u64| Look { at_s: second as f64, resident_mb: Some(12.5), status: Some(status(second)) };
    let header = Header { what: vec![("rate <of>".into(), "100".into())], machine: Machine::here() };
    let done: Vec<_> = (0..1_000).map(done).collect();
    LoadReport::of(header, 10.0, &done, (0..10).map(look).collect(), Vec::new()).unwrap()
}

#[test]
fn a_report_comes_back_from_its_file_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.json");
    std::fs::write(&path, serde_json::to_vec(&report(4)).unwrap()).unwrap();
    let read = LoadReport::read(&path).unwrap();
    let shown = |report: &LoadReport| {
        let mut text = String::new();
        table::write(&mut text, report).unwrap();
        text
    };
    assert_eq!(shown(&read), shown(&report(4)));
    assert_eq!(read.header, report(4).header);
    assert!(read.is_clean());
    std::fs::write(&path, b"{}").unwrap();
    assert!(matches!(LoadReport::read(&path), Err(ReadError::Json { .. })));
}

#[test]
fn a_page_has_its_curves_with_names_and_units_and_no_markup_of_the_run() {
    let page = html::page(&report(4)).unwrap();
    for part in [
        "Latency over time",
        "Latency by percentile",
        "Throughput",
        "Evidence ready at the decision",
        "Resident memory of the daemon",
        "time (s)",
        "latency (ms)",
        "requests per second",
        "share (%)",
        "memory (MB)",
        "percentile (%)",
    ] {
        assert!(page.contains(part), "{part}");
    }
    assert_eq!(page.matches("<svg").count(), 5);
    assert!(page.contains("rate &lt;of&gt;") && !page.contains("rate <of>"));
    assert!(!page.contains("NaN") && !page.contains("http://www.example"));
}

#[test]
fn two_reports_beside_each_other_show_what_changed() {
    let mut text = String::new();
    table::compare(&mut text, &report(4), &report(8)).unwrap();
    let line = text.lines().find(|line| line.contains("ask") && line.contains("p95")).unwrap();
    assert!(line.contains("2.00"), "{line}");
    assert!(!text.contains("the machines differ"));
}

#[test]
fn what_could_not_be_recorded_is_no_clean_run() {
    let mut report = report(4);
    for look in &mut report.looks {
        look.status.iter_mut().for_each(|status| status.unrecorded = 1);
    }
    assert!(!report.is_clean());
}
