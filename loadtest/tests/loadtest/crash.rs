//! The short form of the crash harness: the long one is `circinus-loadtest crash --seeds 1000`.

use circinus_loadtest::crash::{Kind, Options, run};
use circinus_loadtest::interrupt::StopFlag;

const SEEDS: u64 = 5;

fn assert_holds(kind: Kind) {
    let options = Options {
        seeds: SEEDS,
        first: 0,
        kinds: vec![kind],
        jobs: 1,
        // The daemon in this package's program is built with the test, the program of another package is not.
        circinus: Some(env!("CARGO_BIN_EXE_circinus-loadtest").into()),
        stand_in: Some(env!("CARGO_BIN_EXE_circinus-loadtest").into()),
    };
    let report = run(&options, kind, &StopFlag::default()).unwrap();
    assert!(report.failures.is_empty(), "{report}");
    assert_eq!(report.seeds, SEEDS);
    assert!(report.tally.comparisons >= SEEDS, "{report}");
}

/// INVARIANT (durable-before-ack).
#[test]
fn a_kill_at_a_random_instant_loses_nothing() {
    assert_holds(Kind::Kill);
}

#[test]
fn a_kill_at_a_step_of_the_writer_loses_nothing() {
    assert_holds(Kind::Step);
}

/// INVARIANT (stop-on-failure).
#[test]
fn a_step_that_fails_promises_nothing_more() {
    assert_holds(Kind::Fault);
}

/// INVARIANT (one-transaction).
#[test]
fn a_log_that_lost_its_end_is_a_prefix() {
    assert_holds(Kind::Cut);
}
