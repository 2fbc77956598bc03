//! The store against a model in memory: any commits, in any groups, with restarts in between.

use std::collections::{BTreeMap, BTreeSet};

use circinus_core::digest::Digest;
use circinus_core::event::{Commit, Event};
use circinus_core::policy::Verdict;
use circinus_store::Writer;
use proptest::prelude::*;

use crate::harness::{Home, PATIENCE, open, replay, submit};
use crate::sample;

/// What a client may do; small numbers, so that contents, deliveries and keys meet again.
#[derive(Clone, Copy, Debug)]
enum Step {
    Ingest { content: u8, delivery: u8, analysed: bool, body: bool },
    Judge { content: u8, deep: bool },
    Decide { session: u8, verdict: Verdict },
    Open { session: u8 },
    Close { session: u8 },
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..6_u8, 0..10_u8, any::<bool>(), any::<bool>())
            .prop_map(|(content, delivery, analysed, body)| Step::Ingest { content, delivery, analysed, body }),
        3 => (0..6_u8, any::<bool>()).prop_map(|(content, deep)| Step::Judge { content, deep }),
        1 => (0..3_u8, prop::sample::select(&Verdict::ALL[..]))
            .prop_map(|(session, verdict)| Step::Decide { session, verdict }),
        1 => (0..3_u8).prop_map(|session| Step::Open { session }),
        1 => (0..3_u8).prop_map(|session| Step::Close { session }),
        2 => Just(Step::Restart),
    ]
}

/// The commit of a step; none for a restart.
fn commit(step: Step) -> Option<Commit> {
    let name = |session: u8| format!("s-{session}");
    Some(match step {
        Step::Ingest { content, delivery, analysed, body } => {
            let bytes = [content; 5];
            let artifact = circinus_core::artifact::Artifact { analysed, ..sample::artifact("s-0", &bytes) };
            Commit {
                event: Event::Ingested(Box::new(artifact)),
                body: body.then(|| bytes.as_slice().into()),
                delivery: Some(Digest::of(&[delivery])),
            }
        }
        Step::Judge { content, deep } => {
            sample::commit(sample::judged(&[content; 5], if deep { "deep" } else { "cheap" }))
        }
        Step::Decide { session, verdict } => sample::commit(sample::decided(&name(session), verdict)),
        Step::Open { session } => sample::commit(sample::opened(&name(session))),
        Step::Close { session } => sample::commit(sample::closed(&name(session))),
        Step::Restart => return None,
    })
}

/// What the store promises, without a disk.
#[derive(Debug, Default)]
struct Model {
    log: Vec<Event>,
    deliveries: BTreeMap<Digest, u64>,
    verdicts: BTreeMap<(Digest, Box<str>), u64>,
    bodies: BTreeSet<Digest>,
    /// Content that waits, by the first artifact that asked.
    tasks: BTreeMap<Digest, u64>,
}

impl Model {
    /// Place and duplicate flag that the commit must be acknowledged with.
    fn apply(&mut self, commit: Commit) -> (u64, bool) {
        if let Some(first) = commit.delivery.and_then(|delivery| self.deliveries.get(&delivery)) {
            return (*first, true);
        }
        let seq = self.log.len() as u64 + 1;
        match &commit.event {
            Event::Judged { judgement, .. } => {
                let key = (judgement.key.content, judgement.key.analyser.clone());
                if let Some(first) = self.verdicts.get(&key) {
                    return (*first, true);
                }
                self.verdicts.insert(key, seq);
                self.tasks.remove(&judgement.key.content);
            }
            Event::Ingested(artifact) => {
                let judged = self.verdicts.keys().any(|(content, _)| *content == artifact.content);
                if artifact.analysed && !judged {
                    self.tasks.entry(artifact.content).or_insert(seq);
                }
                if commit.body.is_some() {
                    self.bodies.insert(artifact.content);
                }
            }
            _ => {}
        }
        if let Some(delivery) = commit.delivery {
            self.deliveries.insert(delivery, seq);
        }
        self.log.push(commit.event);
        (seq, false)
    }
}

/// Submits without waiting in between, so that groups form as they will, then compares every outcome.
fn run(writer: &Writer, model: &mut Model, steps: &[Step]) {
    let commits = || steps.iter().copied().filter_map(commit);
    let outcomes: Vec<_> = commits().map(|commit| submit(writer, commit)).collect();
    for (commit, outcome) in commits().zip(outcomes) {
        let ack = outcome.recv_timeout(PATIENCE).expect("is called").expect("is acknowledged");
        assert_eq!((ack.seq.0, ack.duplicate), model.apply(commit));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_does_what_the_model_does(steps in prop::collection::vec(step(), 1..60)) {
        let home = Home::new();
        let mut model = Model::default();
        for run_of_steps in steps.split(|step| matches!(step, Step::Restart)) {
            let writer = home.writer();
            run(&writer, &mut model, run_of_steps);
            drop(writer);

            let (store, recovered) = open(&home.path).expect("opens");
            let events: Vec<Event> = replay(&store).into_iter().map(|recorded| recorded.event).collect();
            prop_assert_eq!(&events, &model.log);
            let queued = home.reader().tasks(usize::MAX).expect("reads");
            let tasks: BTreeMap<Digest, u64> =
                queued.iter().map(|task| (task.facts.content, task.artifact.0.0)).collect();
            prop_assert_eq!(&tasks, &model.tasks);
            prop_assert_eq!(recovered.unfinished, model.tasks.len() as u64);
        }
        let reader = home.reader();
        for content in 0..6_u8 {
            let digest = Digest::of(&[content; 5]);
            let body = reader.body(digest).expect("reads");
            prop_assert_eq!(body.is_some(), model.bodies.contains(&digest));
        }
        prop_assert_eq!(reader.verify().expect("verifies"), []);
    }
}
