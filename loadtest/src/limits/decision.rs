//! L9, L10 and L12: a decision over indexes of several sizes, and beside the writer.

use std::hint::black_box;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use circinus_core::action::Action;
use circinus_core::event::Recorded;
use circinus_core::gate::{Circumstances, decide};
use circinus_core::id::EventSeq;
use circinus_core::index::{Hot, Snapshot};
use circinus_core::policy::Profile;
use circinus_core::time::UnixMillis;

use super::promise::all;
use super::sample::{Sample, in_words};
use super::{LimitsError, Row, Setting};
use crate::workload::{commits, index};

const SMALL: usize = 10_000;
const LARGE: usize = 1_000_000;

/// URLs in one argument of about 1 KB.
const URLS: usize = 12;

const HERE: Circumstances = Circumstances { profile: Profile::Balanced, store_up: true, now: UnixMillis(0) };

/// Measures L9, L10 and L12.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Row>, LimitsError> {
    let large_operands = setting.rounds(LARGE, LARGE / 5);
    let (small, large) = (index::snapshot(SMALL), index::snapshot(large_operands));
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..setting.rounds(20_000, 4_000) {
        for (times, (snapshot, operands)) in times.iter_mut().zip([(&small, SMALL), (&large, large_operands)])
        {
            // Other places each time: the caches of a machine know twelve places by heart.
            let asked = index::action((0..URLS).map(|url| (round * 7_919 + url * 811) % operands));
            times.push(timed(&asked, snapshot));
        }
    }
    let [small, at_large] = times.map(Sample::new);
    let size = format!("{} k operands", large_operands / 1_000);
    let told = format!("{} against {} at 10 k", in_words(at_large.p50()), in_words(small.p50()));
    Ok(vec![
        Row::of(all::L9, at_large.p99() * 1e6, format!("{size}, {URLS} URLs, {} decisions", at_large.len())),
        Row::of(all::L10, at_large.p50() / small.p50(), format!("{size}: {told}")),
        beside_the_writer(large, setting)?,
    ])
}

fn timed(asked: &Action, snapshot: &Snapshot) -> Duration {
    let began = Instant::now();
    drop(black_box(decide(black_box(asked), snapshot, HERE)));
    began.elapsed()
}

/// L12: turns with and without a writer that publishes as fast as it can.
fn beside_the_writer(snapshot: Snapshot, setting: &Setting) -> Result<Row, LimitsError> {
    const TURN: Duration = Duration::from_millis(50);
    let first = snapshot.last().0 + 1;
    let hot = Arc::new(Hot::new(snapshot));
    let (running, ended) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let writer = {
        let (hot, running, ended) = (Arc::clone(&hot), Arc::clone(&running), Arc::clone(&ended));
        thread::spawn(move || publish(&hot, first, &running, &ended))
    };
    let mut times = [Vec::new(), Vec::new()];
    for turn in 0..setting.rounds(80, 20) {
        let busy = turn % 2 == 1;
        running.store(busy, Ordering::Release);
        writer.thread().unpark();
        let until = Instant::now() + TURN;
        let mut round = turn;
        while Instant::now() < until {
            round += 1;
            let asked = index::action((0..URLS).map(|url| (round * 7_919 + url * 811) % SMALL));
            let began = Instant::now();
            drop(black_box(decide(black_box(&asked), &hot.load(), HERE)));
            times.get_mut(usize::from(busy)).into_iter().for_each(|times| times.push(began.elapsed()));
        }
    }
    ended.store(true, Ordering::Release);
    writer.thread().unpark();
    let published = writer.join().map_err(|_| LimitsError::Lost)?;
    let [idle, busy] = times.map(Sample::new);
    let told =
        format!("{} against {}, {published} ingests published", in_words(busy.p99()), in_words(idle.p99()));
    Ok(Row::of(all::L12, busy.p99() / idle.p99(), told))
}

fn publish(hot: &Hot, first: u64, running: &AtomicBool, ended: &AtomicBool) -> u64 {
    let mut seq = first;
    while !ended.load(Ordering::Acquire) {
        if running.load(Ordering::Acquire) {
            let event = commits::ingest(seq).event;
            hot.publish(&[Recorded { seq: EventSeq(seq), at: UnixMillis(seq), event }]);
            seq += 1;
        } else {
            thread::park_timeout(Duration::from_millis(1));
        }
    }
    seq - first
}
