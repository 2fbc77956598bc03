//! A model played in virtual time beside recorded sessions.

use std::collections::{BTreeSet, HashMap, HashSet};

use circinus::daemon::{ASKING_MAX, POOL_TASKS_MAX};
use circinus_analyzer::pool::{Priority, Queue, Task};
use circinus_core::digest::Digest;
use serde::Serialize;

use super::trace::{Moment, Trace};

/// Median latency of one request in milliseconds: of the log-normal distribution that has 0.5 s and 3 s as its
/// quantiles of 2.5 % and 97.5 %.
const LATENCY_MEDIAN_MS: f64 = 1_224.744_871;
/// Its spread: ln(6) over twice 1.959964.
const LATENCY_SIGMA: f64 = 0.457_089_3;

/// How the sessions and the model are played.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Sessions at once.
    pub agents: usize,
    /// How long the gate waits for a verdict, in milliseconds.
    pub wait_ms_max: u64,
    /// Of the latencies.
    pub seed: u64,
}

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Readiness {
    /// Sessions played.
    pub sessions: u64,
    /// Actions that cannot be undone.
    pub actions: u64,
    /// Of these, needing a verdict of the model: all of them were there.
    pub ready: u64,
    /// The last of them came while the gate waited.
    pub waited: u64,
    /// One did not come in time.
    pub not_ready: u64,
    /// Of the ready ones, those whose verdicts had all been asked for by an earlier session.
    pub ready_by_reuse: u64,
    /// Times that some content was recorded.
    pub came: u64,
    /// Of these, contents that a model is asked about.
    pub came_routed: u64,
    /// Of these, contents that it had been asked about before.
    pub came_reused: u64,
    /// Requests to the model.
    pub requests: u64,
}

impl Readiness {
    /// Actions that need a verdict.
    #[must_use]
    pub fn needed(&self) -> u64 {
        self.ready + self.waited + self.not_ready
    }

    /// Of a hundred actions that need a verdict, those that find it ready; not a number when none needs one.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "counts of actions are far below 2^52")]
    pub fn percent(&self) -> f64 {
        100.0 * self.ready as f64 / self.needed() as f64
    }
}

/// Plays a trace.
#[must_use]
pub fn play(trace: &Trace, pace: Pace) -> Readiness {
    let mut model = Model::new(pace.seed);
    let mut found = Readiness { sessions: trace.sessions.len() as u64, ..Readiness::default() };
    let mut parked: Vec<(u64, Vec<Digest>)> = Vec::new();
    for (now, session, moment) in timeline(trace, pace.agents) {
        model.pass(now);
        match moment {
            Moment::Came { content, sequence, low_origin } => {
                found.came += 1;
                let Some(requests) = trace.requests.get(content) else { continue };
                found.came_routed += 1;
                let priority =
                    Priority { awaited: false, live: true, low_origin: *low_origin, sequence: *sequence };
                let fresh = model.ask(now, *content, *requests, priority, session);
                found.came_reused += u64::from(!fresh);
                found.requests += if fresh { u64::from(*requests) } else { 0 };
            }
            Moment::Decided(contents) => {
                found.actions += 1;
                let needed: Vec<Digest> =
                    contents.iter().filter(|content| trace.requests.contains_key(content)).copied().collect();
                if needed.is_empty() {
                    continue;
                }
                if needed.iter().all(|content| model.has_judged(content)) {
                    found.ready += 1;
                    let reused = needed.iter().all(|content| model.asked_by(content) != Some(session));
                    found.ready_by_reuse += u64::from(reused);
                    continue;
                }
                model.urge(&needed);
                parked.push((now + pace.wait_ms_max, needed));
            }
        }
    }
    model.pass(u64::MAX);
    for (deadline, needed) in parked {
        let in_time = |content: &Digest| model.judged.get(content).is_some_and(|at| *at <= deadline);
        let counter = if needed.iter().all(in_time) { &mut found.waited } else { &mut found.not_ready };
        *counter += 1;
    }
    found
}

/// All moments in order: each of the agents plays one session after another, and whoever ends first takes the next.
fn timeline(trace: &Trace, agents: usize) -> Vec<(u64, &str, &Moment)> {
    let mut free = vec![0_u64; agents.max(1)];
    let mut all = Vec::new();
    for (session, moments) in &trace.sessions {
        let Some(begin) = free.iter_mut().min() else { continue };
        all.extend(moments.iter().map(|(t_ms, moment)| (*begin + t_ms, session.as_str(), moment)));
        *begin += moments.last().map_or(0, |(t_ms, _)| *t_ms);
    }
    // Stable: what happened at one time in one session stays in order.
    all.sort_by_key(|(now, _, _)| *now);
    all
}

/// The model and the queue before it.
struct Model<'t> {
    queue: Queue,
    latencies: fastrand::Rng,
    /// Requests under way, by the time at which their verdict comes.
    busy: BTreeSet<(u64, Digest)>,
    requests: HashMap<Digest, u32>,
    judged: HashMap<Digest, u64>,
    asked_by: HashMap<Digest, &'t str>,
    /// Those that the queue had no room for, as the log keeps them.
    owed: HashSet<(Digest, u64, bool)>,
}

impl<'t> Model<'t> {
    fn new(seed: u64) -> Self {
        Self {
            queue: Queue::new(POOL_TASKS_MAX),
            latencies: fastrand::Rng::with_seed(seed),
            busy: BTreeSet::new(),
            requests: HashMap::new(),
            judged: HashMap::new(),
            asked_by: HashMap::new(),
            owed: HashSet::new(),
        }
    }

    /// Lets verdicts come until `now`.
    fn pass(&mut self, now: u64) {
        while let Some((at, content)) = self.busy.first().copied().filter(|(at, _)| *at <= now) {
            self.busy.remove(&(at, content));
            self.judged.insert(content, at);
            self.queue.finished(content);
            self.offer_owed();
            self.begin(at);
        }
    }

    /// Queues a content unless it was asked about before; says whether it was not.
    fn ask(
        &mut self,
        now: u64,
        content: Digest,
        requests: u32,
        priority: Priority,
        session: &'t str,
    ) -> bool {
        let fresh = !self.asked_by.contains_key(&content);
        if fresh {
            self.asked_by.insert(content, session);
            self.requests.insert(content, requests);
        }
        if !self.judged.contains_key(&content)
            && self.queue.offer(Task { content, bytes: [].into(), priority }).is_err()
        {
            self.owed.insert((content, priority.sequence, priority.low_origin));
        }
        self.begin(now);
        fresh
    }

    fn offer_owed(&mut self) {
        let newest = self.owed.iter().max_by_key(|(_, sequence, _)| *sequence).copied();
        let Some(owed @ (content, sequence, low_origin)) = newest else { return };
        let priority = Priority { awaited: false, live: true, low_origin, sequence };
        if self.queue.offer(Task { content, bytes: [].into(), priority }).is_ok() {
            self.owed.remove(&owed);
        }
    }

    fn begin(&mut self, now: u64) {
        while self.busy.len() < ASKING_MAX {
            let Some(task) = self.queue.take() else { return };
            let requests = self.requests.get(&task.content).copied().unwrap_or(1);
            // The pieces of one content are asked about one after another.
            let took: u64 = (0..requests).map(|_| self.latency_ms()).sum();
            self.busy.insert((now + took, task.content));
        }
    }

    /// Log-normal, by the transform of Box and Muller (1958).
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive number of milliseconds; a cast of floating point saturates"
    )]
    fn latency_ms(&mut self) -> u64 {
        let (first, second) = (1.0 - self.latencies.f64(), self.latencies.f64());
        let normal = (-2.0 * first.ln()).sqrt() * (std::f64::consts::TAU * second).cos();
        (LATENCY_MEDIAN_MS * (LATENCY_SIGMA * normal).exp()).round() as u64
    }

    fn has_judged(&self, content: &Digest) -> bool {
        self.judged.contains_key(content)
    }

    fn asked_by(&self, content: &Digest) -> Option<&'t str> {
        self.asked_by.get(content).copied()
    }

    fn urge(&mut self, contents: &[Digest]) {
        contents.iter().for_each(|content| self.queue.urge(content));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACE: Pace = Pace { agents: 1, wait_ms_max: 750, seed: 7 };

    fn digest(text: &str) -> Digest {
        Digest::of(text.as_bytes())
    }

    fn came(text: &str) -> Moment {
        Moment::Came { content: digest(text), sequence: 1, low_origin: true }
    }

    fn trace(sessions: &[(&str, Vec<(u64, Moment)>)], requests: &[(&str, u32)]) -> Trace {
        Trace {
            sessions: sessions.iter().map(|(name, moments)| ((*name).to_owned(), moments.clone())).collect(),
            requests: requests.iter().map(|(text, count)| (digest(text), *count)).collect(),
            ..Trace::default()
        }
    }

    #[test]
    fn a_verdict_is_ready_waited_for_or_missing_by_the_time_between() {
        for (gap_ms, wanted) in [(60_000, (1, 0, 0)), (1_200, (0, 1, 0)), (1, (0, 0, 1))] {
            let moments = vec![(0, came("page")), (gap_ms, Moment::Decided(vec![digest("page")]))];
            let requests = if gap_ms == 1_200 { 1 } else { 4 };
            let found = play(&trace(&[("s", moments)], &[("page", requests)]), PACE);
            assert_eq!((found.ready, found.waited, found.not_ready), wanted, "{gap_ms}: {found:?}");
        }
    }

    #[test]
    fn an_action_that_needs_no_verdict_is_not_counted() {
        let moments = vec![(0, came("plain")), (1, Moment::Decided(vec![digest("plain")]))];
        let found = play(&trace(&[("s", moments)], &[]), PACE);
        assert_eq!((found.actions, found.needed()), (1, 0));
    }

    #[test]
    fn the_same_content_is_asked_about_once() {
        let moments = |t_ms| vec![(0, came("page")), (t_ms, Moment::Decided(vec![digest("page")]))];
        let found = play(&trace(&[("a", moments(60_000)), ("b", moments(0))], &[("page", 2)]), PACE);
        assert_eq!((found.came_routed, found.came_reused, found.requests), (2, 1, 2));
        assert_eq!((found.ready, found.ready_by_reuse), (2, 1));
    }

    #[test]
    fn what_an_action_waits_for_overtakes_the_queue() {
        let mut moments: Vec<_> = (0..40).map(|number| (0, came(&format!("page {number}")))).collect();
        moments.insert(0, (0, came("wanted")));
        moments.extend((0..4).map(|number| (0, came(&format!("first {number}")))));
        moments.sort_by_key(|(_, moment)| *moment != came("first 0"));
        let requests: Vec<String> = (0..40).map(|number| format!("page {number}")).collect();
        let mut requests: Vec<(&str, u32)> = requests.iter().map(|text| (text.as_str(), 1)).collect();
        requests.extend([("wanted", 1)]);
        moments.push((1, Moment::Decided(vec![digest("wanted")])));
        let patient = Pace { wait_ms_max: 10_000, ..PACE };
        let found = play(&trace(&[("s", moments)], &requests), patient);
        assert_eq!(found.waited, 1, "{found:?}");
    }

    #[test]
    fn latencies_have_the_quantiles_that_are_promised() {
        let mut model = Model::new(3);
        let mut drawn: Vec<u64> = (0..20_000).map(|_| model.latency_ms()).collect();
        drawn.sort_unstable();
        let within = drawn.iter().filter(|ms| (500..=3_000).contains(*ms)).count();
        assert!((18_800..=19_200).contains(&within), "{within}");
        assert!((1_190..=1_260).contains(&drawn[10_000]), "{}", drawn[10_000]);
    }
}
