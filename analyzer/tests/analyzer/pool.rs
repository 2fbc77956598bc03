//! The pool: dedupe, order, bounds, survival and stopping. Waits are on channels, never on time alone.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use circinus_analyzer::content;
use circinus_analyzer::pool::{Begun, Full, Pool, Priority, Task};
use circinus_core::digest::Digest;
use circinus_core::evidence::{Judgement, Level};

/// A content and what became of it.
type Outcome = (Digest, Option<Judgement>);

const PATIENCE: Duration = Duration::from_secs(20);

fn task(text: &str, live: bool, sequence: u64) -> Task {
    let bytes = text.as_bytes();
    Task {
        content: Digest::of(bytes),
        bytes: bytes.into(),
        priority: Priority { awaited: false, live, low_origin: false, sequence },
    }
}

fn reporting() -> (impl Fn(&Task, Option<Judgement>, Begun) + Send + Sync + 'static, Receiver<Outcome>) {
    let (sender, receiver) = channel();
    let sender = Mutex::new(sender);
    let done = move |task: &Task, judged, _| {
        sender.lock().expect("sender").send((task.content, judged)).unwrap_or(());
    };
    (done, receiver)
}

/// A judge that waits at a gate: it says that it began, then waits to be let go.
struct Gate {
    began: Sender<()>,
    go: Receiver<()>,
}

static GATES: LazyLock<Mutex<Vec<Gate>>> = LazyLock::new(Mutex::default);
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn judge(task: &Task) -> Judgement {
    content::judge(&task.bytes)
}

fn gated(task: &Task) -> Judgement {
    if *task.bytes == *b"gate" {
        let gate = GATES.lock().expect("gates").pop().expect("a gate");
        gate.began.send(()).expect("somebody waits");
        gate.go.recv_timeout(PATIENCE).expect("let go");
    }
    judge(task)
}

fn gate() -> (Receiver<()>, Sender<()>) {
    let ((began, has_begun), (let_go, go)) = (channel(), channel());
    GATES.lock().expect("gates").push(Gate { began, go });
    (has_begun, let_go)
}

#[test]
fn a_judgement_arrives_for_every_content() {
    let (done, outcomes) = reporting();
    let pool = Pool::start(2, 64, judge, done).unwrap();
    let texts: Vec<String> = (0..32).map(|number| format!("text {number}")).collect();
    texts.iter().for_each(|text| pool.offer(task(text, false, 0)).unwrap());
    let mut seen: Vec<Digest> = texts.iter().map(|_| outcomes.recv_timeout(PATIENCE).unwrap().0).collect();
    let mut expected: Vec<Digest> = texts.iter().map(|text| Digest::of(text.as_bytes())).collect();
    seen.sort();
    expected.sort();
    assert_eq!(seen, expected);
    pool.stop();
}

#[test]
fn one_content_in_flight_is_judged_once_and_the_rest_comes_in_order() {
    let _alone = ONE_AT_A_TIME.lock().unwrap();
    let (began, go) = gate();
    let (done, outcomes) = reporting();
    let pool = Pool::start(1, 3, gated, done).unwrap();
    pool.offer(task("gate", false, 0)).unwrap();
    began.recv_timeout(PATIENCE).unwrap();
    pool.offer(task("gate", true, 9)).unwrap();
    for (text, live, sequence) in [("older", false, 1), ("newer", false, 2), ("live", true, 0)] {
        pool.offer(task(text, live, sequence)).unwrap();
    }
    pool.offer(task("newer", false, 2)).unwrap();
    assert_eq!(pool.waiting(), 3);
    assert_eq!(pool.offer(task("too many", true, 99)), Err(Full));
    go.send(()).unwrap();
    let order: Vec<Digest> = (0..4).map(|_| outcomes.recv_timeout(PATIENCE).unwrap().0).collect();
    assert_eq!(order, ["gate", "live", "newer", "older"].map(|text| Digest::of(text.as_bytes())));
    pool.stop();
    assert!(outcomes.try_recv().is_err());
}

#[test]
fn a_content_is_not_queued_again_before_its_outcome_is_recorded() {
    let (sender, outcomes) = channel();
    let sender = Mutex::new(sender);
    let done = move |_: &Task, _: Option<Judgement>, begun: Begun| {
        sender.lock().expect("sender").send(begun).expect("somebody waits");
    };
    let pool = Pool::start(1, 8, judge, done).unwrap();
    let content = task("text", true, 0).content;
    pool.offer(task("text", true, 0)).unwrap();
    let begun = outcomes.recv_timeout(PATIENCE).unwrap();
    pool.offer(task("text", true, 0)).unwrap();
    assert_eq!((pool.holds(&content), pool.waiting()), (true, 0));
    drop(begun);
    assert!(!pool.holds(&content));
    pool.offer(task("text", true, 0)).unwrap();
    drop(outcomes.recv_timeout(PATIENCE).unwrap());
    pool.stop();
}

/// INVARIANT (worker-survives).
#[test]
fn a_panic_of_the_judge_is_told_and_the_worker_goes_on() {
    fn touchy(task: &Task) -> Judgement {
        assert_ne!(*task.bytes, *b"bad");
        judge(task)
    }
    let (done, outcomes) = reporting();
    let pool = Pool::start(1, 8, touchy, done).unwrap();
    pool.offer(task("bad", false, 0)).unwrap();
    assert_eq!(outcomes.recv_timeout(PATIENCE).unwrap(), (Digest::of(b"bad"), None));
    pool.offer(task("good", false, 0)).unwrap();
    assert_eq!(outcomes.recv_timeout(PATIENCE).unwrap().1.unwrap().level, Level::Benign);
    assert_eq!(pool.faults(), 1);
    pool.stop();
}

#[test]
fn a_panic_of_the_callback_is_survived_and_counted() {
    let (sender, outcomes) = channel();
    let sender = Mutex::new(sender);
    let done = move |task: &Task, judged, _| {
        assert_ne!(task.content, Digest::of(b"bad"));
        sender.lock().unwrap().send((task.content, judged)).unwrap_or(());
    };
    let pool = Arc::new(Pool::start(1, 8, judge, done).unwrap());
    pool.offer(task("bad", true, 0)).unwrap();
    pool.offer(task("good", false, 0)).unwrap();
    assert_eq!(outcomes.recv_timeout(PATIENCE).unwrap().0, Digest::of(b"good"));
    assert_eq!(pool.faults(), 1);
}
