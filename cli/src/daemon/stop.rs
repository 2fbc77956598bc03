//! Being told to stop: by the command line, by a signal, or by a store that failed.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// A request to stop; clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Stop(Arc<(Mutex<Asked>, Condvar)>);

#[derive(Debug, Default)]
struct Asked {
    asked: bool,
    /// What went wrong, if that is why; the first reason counts.
    because: Option<String>,
}

impl Stop {
    /// Asks for a stop.
    pub(super) fn request(&self) {
        self.ask(None);
    }

    /// Asks for a stop because something went wrong.
    pub(super) fn request_because(&self, reason: String) {
        self.ask(Some(reason));
    }

    fn ask(&self, reason: Option<String>) {
        let mut state = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.asked = true;
        state.because = state.because.take().or(reason);
        self.0.1.notify_all();
    }

    /// Waits until a stop is asked for.
    pub(super) fn wait(&self) {
        let mut state = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !state.asked {
            state = self.0.1.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// What went wrong, if a stop was asked for because of that.
    pub(super) fn because(&self) -> Option<String> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).because.clone()
    }

    /// Lets the usual signals ask for a stop.
    ///
    /// # Errors
    ///
    /// The system's, when handlers or the thread that waits for them cannot be set up.
    pub(super) fn on_signals(&self) -> io::Result<()> {
        let mut signals = Signals::new([SIGTERM, SIGINT, SIGHUP])?;
        let stop = self.clone();
        thread::Builder::new().name("signals".into()).spawn(move || {
            for _ in signals.forever() {
                stop.request();
            }
        })?;
        Ok(())
    }
}
