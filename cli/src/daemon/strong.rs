//! The strong tier in the daemon: what was routed to a model is put to it, within the budgets, until there is a
//! verdict or no point in asking.
//!
//! The durable queue is a fold of the log: contents whose judgement says that a model is asked, without a
//! verdict yet. Nobody waits here for anybody: the gate looks at what is committed and at nothing else.

mod ledger;

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use circinus_analyzer::pool::{Begun, Pool, Task};
use circinus_analyzer::route;
use circinus_analyzer::strong::Strong;
use circinus_core::digest::Digest;
use circinus_core::enquiry::{Cause, Routing, Unanswered};
use circinus_core::event::{Commit, Event};
use circinus_core::evidence::{EvidenceKey, Judgement};
use circinus_core::id::{ArtifactId, EventSeq, SessionId};
use circinus_core::index::{Hot, Required};
use circinus_core::origin::Origin;
use circinus_store::Reader;

use self::ledger::Ledger;
use super::evidence::priority;
use super::service::Service;
use crate::config::{Caps, KeyError};

/// Requests under way at once; providers allow more, and a session reads few new contents in a second.
pub const ASKING_MAX: usize = 4;

/// Tasks in the pool; the rest waits in the log.
pub const POOL_TASKS_MAX: usize = 256;

/// How long a content is left alone after its first failed try; each further one makes it four times longer.
const AGAIN_FIRST: Duration = Duration::from_secs(30);

/// How long a content is left alone when nothing was sent: for want of a budget, or of a working provider.
const AGAIN_UNSENT: Duration = Duration::from_secs(300);

/// When the queue is looked through without any occasion.
const LOOK: Duration = Duration::from_secs(60);

/// Contents whose next try is remembered; of a further one it is forgotten, so that it is tried early.
const DUE_MAX: usize = 65_536;

#[derive(Debug, Default)]
struct State {
    /// When contents may be tried again, and how often they were.
    due: HashMap<Digest, (Instant, u32)>,
    /// Whether something was routed, answered or given up since the queue was looked through.
    changed: bool,
    stopped: bool,
}

impl State {
    /// How long until something is due.
    fn next_look(&self) -> Duration {
        let now = Instant::now();
        let next = self.due.values().map(|(due, _)| *due).filter(|due| *due > now).min();
        next.map_or(LOOK, |due| due.duration_since(now).min(LOOK))
    }
}

/// The strong tier.
pub(super) struct StrongTier {
    hot: Arc<Hot>,
    database: PathBuf,
    strong: Arc<Strong>,
    caps: Caps,
    /// Why the provider cannot be asked although it is configured.
    unavailable: Option<String>,
    pool: Mutex<Option<Pool>>,
    state: Mutex<State>,
    occasion: Condvar,
    /// Held while a reservation is made, so that no two of them take the same rest of a budget.
    spending: Mutex<()>,
}

impl StrongTier {
    /// Nothing is asked before [`StrongTier::start`].
    pub(super) fn new(
        strong: Strong,
        caps: Caps,
        unavailable: Option<KeyError>,
        hot: Arc<Hot>,
        database: PathBuf,
    ) -> Self {
        Self {
            hot,
            database,
            strong: Arc::new(strong),
            caps,
            unavailable: unavailable.map(|error| error.to_string()),
            pool: Mutex::new(None),
            state: Mutex::default(),
            occasion: Condvar::new(),
            spending: Mutex::new(()),
        }
    }

    /// The analyser whose verdict a routed content needs.
    pub(super) fn required(strong: &Strong) -> Required {
        let (analyser, version, config) = strong.analyser();
        Required { analyser: analyser.into(), version, config }
    }

    /// The analyser.
    pub(super) fn strong(&self) -> &Strong {
        &self.strong
    }

    /// What may be spent.
    pub(super) const fn caps(&self) -> Caps {
        self.caps
    }

    /// Why the provider cannot be asked although it is configured.
    pub(super) fn unavailable(&self) -> Option<&str> {
        self.unavailable.as_deref()
    }

    /// Whether a model is asked about a content that was just judged, and why.
    pub(super) fn routing(&self, judgement: &Judgement, bytes: &[u8], artifact: ArtifactId) -> Routing {
        let reason = route::reason(judgement, bytes);
        let key = reason.asks().then(|| self.strong.key(judgement.key.content));
        Routing { reason, key, artifact }
    }

    /// Starts asking, with what the last run left first.
    ///
    /// # Errors
    ///
    /// The system's, when a thread cannot be started.
    pub(super) fn start(self: &Arc<Self>, service: &Arc<Service>) -> io::Result<()> {
        let (tier, weak) = (Arc::clone(self), Arc::downgrade(service));
        let judge = move |task: &Task| tier.judge(task, &weak);
        let (tier, weak) = (Arc::clone(self), Arc::downgrade(service));
        let done = move |task: &Task, outcome: Option<Result<Judgement, Cause>>, _: Begun| {
            tier.done(task.content, outcome.unwrap_or(Err(Cause::Stopped)), &weak);
        };
        let pool = Pool::start(ASKING_MAX, POOL_TASKS_MAX, judge, done).map_err(io::Error::other)?;
        *lock(&self.pool) = Some(pool);
        let tier = Arc::clone(self);
        thread::Builder::new().name("asking".into()).spawn(move || tier.keep_offering())?;
        self.look();
        Ok(())
    }

    /// Looks through the queue soon.
    pub(super) fn look(&self) {
        lock(&self.state).changed = true;
        self.occasion.notify_all();
    }

    /// Brings what an action waits for to the front.
    pub(super) fn urge(&self, contents: &[Digest]) {
        if let Some(pool) = lock(&self.pool).as_ref() {
            contents.iter().for_each(|content| pool.urge(content));
        }
    }

    /// Stops. What is under way ends with the process: a provider may take its whole deadline, and a task without
    /// a recorded outcome is asked again after the next start.
    pub(super) fn stop(&self) {
        lock(&self.state).stopped = true;
        self.occasion.notify_all();
        let pool = lock(&self.pool).take();
        pool.into_iter().for_each(Pool::abandon);
    }

    fn judge(&self, task: &Task, service: &Weak<Service>) -> Result<Judgement, Cause> {
        if self.unavailable.is_some() {
            return Err(Cause::NotConfigured);
        }
        let service = service.upgrade().ok_or(Cause::Stopped)?;
        let artifact = ArtifactId(EventSeq(task.priority.sequence));
        let session = self.hot.load().artifact(artifact).map(|artifact| artifact.session.clone());
        let ledger = self.ledger(&service, self.strong.key(task.content), session);
        self.strong.judge(task.content, &task.bytes, &ledger)
    }

    /// Records what became of a task.
    fn done(&self, content: Digest, outcome: Result<Judgement, Cause>, service: &Weak<Service>) {
        let Some(service) = service.upgrade() else { return };
        let known = self.hot.load().unanswered(&content);
        let event = match outcome {
            Ok(judgement) => Some(Event::Judged { judgement, routing: None }),
            Err(cause) => {
                self.leave_alone(content, cause);
                // What is known already and was no try is not recorded anew each time.
                let news = cause.is_a_try() || known != Some(cause);
                let key = self.strong.key(content);
                news.then_some(Event::Unanswered(Unanswered { key, cause }))
            }
        };
        if lock(&self.state).stopped {
            return;
        }
        if let Some(event) = event
            && let Err(error) = service.journal.commit(Commit { event, body: None, delivery: None })
        {
            service.unrecorded(&error);
        }
        self.look();
    }

    fn leave_alone(&self, content: Digest, cause: Cause) {
        let mut state = lock(&self.state);
        if state.due.len() >= DUE_MAX {
            return;
        }
        let tries = state.due.get(&content).map_or(0, |(_, tries)| *tries);
        let pause = if cause.is_a_try() {
            AGAIN_FIRST.saturating_mul(4_u32.saturating_pow(tries))
        } else {
            AGAIN_UNSENT
        };
        let pause = if cause == Cause::CircuitOpen { self.circuit_pause().unwrap_or(pause) } else { pause };
        if let Some(due) = Instant::now().checked_add(pause) {
            state.due.insert(content, (due, tries.saturating_add(u32::from(cause.is_a_try()))));
        }
    }

    /// Whether the provider is left alone for a while.
    pub(super) fn is_left_alone(&self) -> bool {
        self.circuit_pause().is_some_and(|pause| !pause.is_zero())
    }

    /// Where a request is paid from; a person's own question belongs to no session.
    pub(super) const fn ledger<'a>(
        &'a self,
        service: &'a Service,
        key: EvidenceKey,
        session: Option<SessionId>,
    ) -> Ledger<'a> {
        Ledger { tier: self, service, key, session }
    }

    fn circuit_pause(&self) -> Option<Duration> {
        let until = self.strong.circuit().open_until()?;
        Some(until.saturating_duration_since(Instant::now()))
    }

    fn keep_offering(&self) {
        let mut state = lock(&self.state);
        while !state.stopped {
            if !state.changed {
                let look = state.next_look();
                let waited = self.occasion.wait_timeout(state, look);
                state = waited.map(|(state, _)| state).unwrap_or_else(|poisoned| poisoned.into_inner().0);
            }
            state.changed = false;
            drop(state);
            self.offer_owed();
            state = lock(&self.state);
        }
    }

    /// Offers what is owed and due, newest first, while the pool has room.
    ///
    /// INVARIANT (asked-once): what the pool does not hold is looked up again, in what is committed by then. An
    /// outcome is committed before the pool lets go of its content, so a verdict that landed meanwhile is seen.
    fn offer_owed(&self) {
        let queue = self.hot.load();
        let Ok(reader) = Reader::open(&self.database) else { return };
        for owed in queue.owed() {
            match lock(&self.pool).as_ref().map(|pool| pool.holds(&owed.content)) {
                None => return,
                Some(true) => continue,
                Some(false) => {}
            }
            let snapshot = self.hot.load();
            // A typed prompt is the user's own words: no verdict about it counts, so none is bought.
            let typed = snapshot.artifact(owed.artifact).is_none_or(|it| it.origin == Origin::UserPrompt);
            if typed || !snapshot.is_owed(&owed.content) || !self.is_due(&owed.content) {
                continue;
            }
            let Ok(body) = reader.body(owed.content) else { return };
            let priority = priority(&snapshot, owed.artifact);
            let bytes = body.unwrap_or_default().into();
            let task = Task { content: owed.content, bytes, priority };
            if lock(&self.pool).as_ref().is_none_or(|pool| pool.offer(task).is_err()) {
                return;
            }
        }
    }

    fn is_due(&self, content: &Digest) -> bool {
        lock(&self.state).due.get(content).is_none_or(|(due, _)| *due <= Instant::now())
    }
}

/// Without a provider nothing is pending for ever: what an earlier configuration had routed counts as failed.
pub(super) fn give_up_owed(service: &Service) {
    let snapshot = service.hot.load();
    let open = snapshot.owed().filter(|owed| snapshot.unanswered(&owed.content).is_none());
    for key in open.filter_map(|owed| snapshot.asked(&owed.content)) {
        let event = Event::Unanswered(Unanswered { key: key.clone(), cause: Cause::NotConfigured });
        if let Err(error) = service.journal.commit(Commit { event, body: None, delivery: None }) {
            service.unrecorded(&error);
        }
    }
}

/// What is locked here is valid between any two statements, so a panic elsewhere does not spoil it.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
