//! Puts the daemon together, runs it until it is told to stop, and takes it apart in order.

use std::io;
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};

use circinus_analyzer::provider::EndpointError;
use circinus_analyzer::strong::Strong;
use circinus_core::event::Event;
use circinus_core::index::Hot;
use circinus_ipc::{BindError, Limits, Server, SocketPlace};
use circinus_store::{OpenError, ReplayError, Store, Watch, Writer};
use thiserror::Error;

use super::counters::Counters;
use super::evidence::Analysis;
use super::files::{Announced, Listings};
use super::journal::Journal;
use super::proposals::Proposals;
use super::questions::Questions;
use super::reconcile::Reconciler;
use super::reservations::Reservations;
use super::search::Searches;
use super::service::Service;
use super::site::Site;
use super::stop::Stop;
use super::strong::StrongTier;
use super::texts::Texts;
use super::waiting::Waiting;
use super::{control, rebuilt, seal, strong, unrecorded, wake};
use crate::clock::SystemClock;
use crate::config::{Config, CreatePlacesError, LoadConfigError, Places};
use crate::telemetry;

/// Threads that decide and record. None of them waits for evidence or for the disk, so few are enough.
const WORKERS: usize = 4;

/// Why the daemon does not run.
#[derive(Debug, Error)]
pub enum RunError {
    /// The folders.
    #[error(transparent)]
    Places(#[from] CreatePlacesError),
    /// The configuration.
    #[error(transparent)]
    Config(#[from] LoadConfigError),
    /// The socket, or another daemon.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// Where the model is.
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    /// The database.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The log.
    #[error("cannot rebuild the index: {0}")]
    Replay(#[from] ReplayError),
    /// The key that seals secrets.
    #[error("cannot read or make the key file: {0}; hint: it must be 32 bytes that only you can read")]
    Seal(io::Error),
    /// The store failed while the daemon ran.
    #[error("the store failed, so the daemon ended; the next hook starts it again: {0}")]
    Store(String),
    /// The system gave no thread, poll or signal.
    #[error("cannot start: {0}")]
    System(#[from] io::Error),
}

/// Runs the daemon in this process until a stop is asked for.
///
/// The lock comes first, so that two daemons never open one store; the socket answers last, when the index
/// is whole.
///
/// # Errors
///
/// See [`RunError`]; nothing is left running.
pub fn run(places: &Places, place: &SocketPlace, site: Site) -> Result<(), RunError> {
    run_watched(places, place, site, Box::new(|_| Ok(())))
}

/// As [`run`], with somebody told each step of the writer: crashes and I/O errors are tried with it.
///
/// # Errors
///
/// See [`RunError`]; nothing is left running.
pub fn run_watched(places: &Places, place: &SocketPlace, site: Site, watch: Watch) -> Result<(), RunError> {
    places.create()?;
    let config = Config::load(places.home())?;
    let seal = seal::load_or_make(&places.key).map_err(RunError::Seal)?;
    let server = Server::bind(place, Limits::default())?;
    let (store, _) = Store::open(&places.database, Arc::new(SystemClock))?;
    let model = config.model.settings()?;
    let strong = model.map(|(settings, missing)| (Strong::new(settings), missing));
    let index = rebuilt::of_store(&store, strong.as_ref().map(|(strong, _)| StrongTier::required(strong)));
    // A damaged file says more about itself than a log that cannot be read for it.
    let store = store.checked()?;
    let hot = Arc::new(Hot::new(index?));

    let texts = Texts::over(&places.database);
    texts.reload(&hot.load())?;

    let stop = Stop::default();
    stop.on_signals()?;
    let (waiting, ready, keeper) = Waiting::open()?;
    let analysis = Arc::new(Analysis::new(Arc::clone(&hot), places.database.clone()));
    let strong = strong.map(|(strong, missing)| {
        let caps = config.model.caps();
        Arc::new(StrongTier::new(strong, caps, missing, Arc::clone(&hot), places.database.clone()))
    });
    let writer = start_writer(store, (&hot, &waiting, &analysis), strong.clone(), watch)?;
    let (listings, lister) = Listings::open(places.git.clone())?;
    let service = Arc::new(Service {
        hot,
        journal: Journal::new(writer),
        waiting: Arc::clone(&waiting),
        profile: config.profile,
        seal,
        site,
        texts,
        reconciler: Reconciler::default(),
        analysis: Arc::clone(&analysis),
        strong: strong.clone(),
        listings: Arc::clone(&listings),
        announced: Announced::default(),
        searches: Searches::default(),
        counters: Counters::default(),
        reservations: Reservations::default(),
        questions: Questions::default(),
        proposals: Proposals::default(),
        database: places.database.clone(),
        telemetry: telemetry::endpoint(&config.telemetry.endpoint),
        comparing: Mutex::default(),
        stop: stop.clone(),
    });
    analysis.start(&service)?;
    match &strong {
        Some(strong) => strong.start(&service)?,
        None => strong::give_up_owed(&service),
    }
    if let Some(endpoint) = &service.telemetry {
        telemetry::start(endpoint, &service, control::status)?;
    }
    unrecorded::drain(&places.unrecorded, |payload| service.take_in(payload))?;

    let jobs = server.jobs();
    let mut handle = server.start().map_err(|error| io::Error::other(error.to_string()))?;
    let workers = (0..WORKERS)
        .map(|_| {
            let (service, jobs, ready) = (Arc::clone(&service), jobs.clone(), ready.clone());
            thread::Builder::new().name("worker".into()).spawn(move || wake::work(&service, &jobs, &ready))
        })
        .collect::<io::Result<Vec<_>>>()?;
    drop((jobs, ready));
    let transcripts = Reconciler::start(&service)?;

    stop.wait();
    // Waiting actions are decided with what is known, then the workers end with the server's last job.
    waiting.close();
    let stopped = handle.stop().map_err(|error| io::Error::other(error.to_string()));
    join(workers)?;
    join([keeper])?;
    service.reconciler.close();
    join([transcripts])?;
    // What still waits for a listing is recorded when it is there.
    listings.close();
    join([lister])?;
    analysis.stop();
    strong.iter().for_each(|strong| strong.stop());
    // What was accepted is committed and the store is closed; only then the lock is freed.
    service.journal.close();
    drop(handle);
    stopped.map_err(RunError::System)?;
    stop.because().map_or(Ok(()), |reason| Err(RunError::Store(reason)))
}

/// INVARIANT (visible-before-ack): the store calls the observer after COMMIT and before any acknowledgement.
fn start_writer(
    store: Store,
    (hot, waiting, analysis): (&Arc<Hot>, &Arc<Waiting<super::service::Postponed>>, &Arc<Analysis>),
    strong: Option<Arc<StrongTier>>,
    watch: Watch,
) -> Result<Writer, RunError> {
    let (hot, waiting, analysis) = (Arc::clone(hot), Arc::clone(waiting), Arc::clone(analysis));
    let observer = move |events: &[circinus_core::event::Recorded]| {
        hot.publish(events);
        for recorded in events {
            match &recorded.event {
                Event::Judged { judgement, routing } => {
                    waiting.judged(&judgement.key.content);
                    if routing.as_ref().is_some_and(|routing| routing.key.is_some()) {
                        strong.iter().for_each(|strong| strong.look());
                    }
                }
                Event::Unanswered(unanswered) => waiting.judged(&unanswered.key.content),
                Event::Ingested(artifact) if artifact.analysed => analysis.queue(recorded.seq, artifact),
                _ => {}
            }
        }
    };
    let writer = Writer::start_watched(store, Box::new(observer), watch);
    writer.map_err(|error| RunError::System(io::Error::other(error.to_string())))
}

fn join<T>(threads: impl IntoIterator<Item = JoinHandle<T>>) -> Result<(), RunError> {
    // All of them are joined before any failure is reported.
    let panicked = threads.into_iter().map(JoinHandle::join).filter(Result::is_err).count();
    match panicked {
        0 => Ok(()),
        count => Err(RunError::System(io::Error::other(format!("{count} threads had panicked")))),
    }
}
