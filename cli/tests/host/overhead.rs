//! What the hooks add to a call, from paired runs of the same session with and without them.

use serde_json::{Value, json};

use super::client::{Played, Run, play};
use super::model::{bash, turns};
use super::page::{ALLOWED, read_page};
use super::record::assert_silent;
use super::stage::Stage;

/// Calls of one session after the page.
const CALLS: usize = 20;

/// Pairs of sessions.
const PAIRS: usize = 12;

/// Samples of the bootstrap.
const SAMPLES: usize = 10_000;

#[test]
#[ignore = "measures; run with --ignored"]
fn added_time_per_call() {
    let mut added_ms = Vec::new();
    let mut bare_ms = Vec::new();
    for pair in 0..PAIRS {
        let (mut with, mut without) = (None, None);
        // Which of the two comes first alternates, so that a drift of the machine cancels out.
        for guarded in [pair % 2 == 0, pair % 2 != 0] {
            let Some(per_call) = session(guarded) else { return };
            *if guarded { &mut with } else { &mut without } = Some(per_call);
        }
        let (with, without) = (with.unwrap(), without.unwrap());
        eprintln!("pair {pair}: {with:.1} ms with, {without:.1} ms without");
        added_ms.push(with - without);
        bare_ms.push(without);
    }
    let [low, high] = interval(&added_ms);
    let build = if cfg!(debug_assertions) { "unoptimised" } else { "optimised" };
    eprintln!(
        "added per call ({build} build, {PAIRS} pairs of {CALLS} calls): {:.1} ms, 95 % interval {low:.1} to {high:.1} \
         ms; a call without hooks takes {:.1} ms",
        mean(&added_ms),
        mean(&bare_ms)
    );
    assert!(added_ms.iter().all(|ms| ms.is_finite()));
}

/// Milliseconds from one call of a session to the next.
fn session(guarded: bool) -> Option<f64> {
    let stage = Stage::set()?;
    stage.allow(&ALLOWED);
    if guarded {
        stage.set_up();
    }
    let calls = (0..CALLS).map(|number| bash(&format!("toolu_{number}"), "true"));
    let script: Vec<Value> = [read_page()].into_iter().chain(calls).chain([json!("done")]).collect();
    let played = play(&stage, &turns(script), &Run::default());
    if guarded {
        assert_silent(&stage, &played);
    }
    Some(per_call_ms(&played))
}

/// From the end of the answer that asks for the first call to the arrival of the last call's result.
fn per_call_ms(played: &Played) -> f64 {
    let main: Vec<_> = played.asked.iter().filter(|asked| asked.lane == "main").collect();
    assert_eq!(main.len(), CALLS + 2);
    (main[CALLS + 1].came_s - main[1].left_s) * 1_000.0 / CALLS as f64
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The 95 % percentile interval of the mean by the bootstrap (Efron 1979), from a fixed seed.
fn interval(values: &[f64]) -> [f64; 2] {
    // Marsaglia's xorshift64 with its first triple (2003).
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        values[(state % values.len() as u64) as usize]
    };
    let mut means: Vec<f64> =
        (0..SAMPLES).map(|_| mean(&(0..values.len()).map(|_| draw()).collect::<Vec<_>>())).collect();
    means.sort_by(f64::total_cmp);
    [means[SAMPLES / 40], means[SAMPLES - SAMPLES / 40]]
}
