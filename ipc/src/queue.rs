//! The hand-off between the reactor and the daemon's workers: bounded both ways.

use crate::peer::Peer;
use crate::wire::{ErrorCode, Reply, Request};
use crossbeam_channel::Sender;
use std::fmt;
use std::sync::Arc;

/// One connection of one server; never used twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ConnectionId(pub(crate) usize);

/// A complete request with the means to answer it.
#[derive(Debug)]
pub struct Job {
    /// Who asks.
    pub peer: Peer,
    /// What is asked.
    pub request: Request,
    /// Where the answer goes.
    pub responder: Responder,
}

/// A reply on its way back to the reactor.
#[derive(Debug)]
pub(crate) struct Completion {
    pub(crate) connection: ConnectionId,
    pub(crate) request_bytes: usize,
    pub(crate) reply: Reply,
}

/// Makes the reactor look at its completions.
pub(crate) trait Wake: Send + Sync {
    fn wake(&self);
}

/// The way back to the reactor, shared by all responders of a server.
pub(crate) struct Outbox {
    pub(crate) completions: Sender<Completion>,
    pub(crate) waker: Box<dyn Wake>,
}

/// Answers one request, from any thread.
///
/// INVARIANT (every-request-answered): a responder that is dropped without [`Responder::send`] (a worker that
/// panicked, an early return) answers `Internal`, so no client waits for an answer that cannot come.
pub struct Responder {
    connection: ConnectionId,
    request_bytes: usize,
    outbox: Option<Arc<Outbox>>,
}

impl Responder {
    pub(crate) fn new(connection: ConnectionId, request_bytes: usize, outbox: Arc<Outbox>) -> Self {
        Responder { connection, request_bytes, outbox: Some(outbox) }
    }

    /// Sends the reply. Never blocks. Where the client has gone meanwhile the reply is dropped.
    pub fn send(mut self, reply: Reply) {
        self.complete(reply);
    }

    /// Gives up a responder whose request never left the reactor, which answers by itself.
    pub(crate) fn disarm(mut self) {
        self.outbox = None;
    }

    fn complete(&mut self, reply: Reply) {
        let Some(outbox) = self.outbox.take() else { return };
        let completion = Completion { connection: self.connection, request_bytes: self.request_bytes, reply };
        // The channel has room for every request in flight, so it is never full; it is closed only when the server
        // has stopped and closed the connection, and then there is nobody left to answer.
        if outbox.completions.try_send(completion).is_ok() {
            outbox.waker.wake();
        }
    }
}

impl Drop for Responder {
    fn drop(&mut self) {
        self.complete(Reply::error(ErrorCode::Internal, "the request was given up without an answer"));
    }
}

impl fmt::Debug for Responder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Responder").field("connection", &self.connection).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};

    struct Count(Arc<AtomicUsize>);

    impl Wake for Count {
        fn wake(&self) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn responder() -> (Responder, crossbeam_channel::Receiver<Completion>, Arc<AtomicUsize>) {
        let (completions, received) = crossbeam_channel::bounded(1);
        let wakes = Arc::new(AtomicUsize::new(0));
        let outbox = Outbox { completions, waker: Box::new(Count(Arc::clone(&wakes))) };
        (Responder::new(ConnectionId(7), 3, Arc::new(outbox)), received, wakes)
    }

    #[test]
    fn a_sent_reply_arrives_once() {
        let (responder, received, wakes) = responder();
        responder.send(Reply::Control(b"1".to_vec()));
        let completion = received.try_recv().unwrap();
        assert_eq!(completion.connection, ConnectionId(7));
        assert_eq!(completion.request_bytes, 3);
        assert_eq!(completion.reply, Reply::Control(b"1".to_vec()));
        assert!(received.try_recv().is_err());
        assert_eq!(wakes.load(Ordering::Relaxed), 1);
    }

    /// INVARIANT (every-request-answered)
    #[test]
    fn a_dropped_responder_answers_internal() {
        let (responder, received, _) = responder();
        drop(responder);
        let reply = received.try_recv().unwrap().reply;
        assert!(matches!(reply, Reply::Error { code: ErrorCode::Internal, .. }));
    }

    /// INVARIANT (every-request-answered)
    #[test]
    fn a_panicking_worker_answers_internal() {
        let (responder, received, _) = responder();
        let worker = std::thread::spawn(move || {
            let _held = responder;
            panic!("worker down");
        });
        assert!(worker.join().is_err());
        assert!(matches!(received.try_recv().unwrap().reply, Reply::Error { code: ErrorCode::Internal, .. }));
    }

    #[test]
    fn a_disarmed_responder_says_nothing() {
        let (responder, received, wakes) = responder();
        responder.disarm();
        assert!(received.try_recv().is_err());
        assert_eq!(wakes.load(Ordering::Relaxed), 0);
    }
}
