//! Being told to stop: by the command line or by a signal.

use std::io;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// A request to stop; clones share it.
#[derive(Clone, Debug, Default)]
pub(super) struct Stop(Arc<(Mutex<bool>, Condvar)>);

impl Stop {
    /// Asks for a stop.
    pub(super) fn request(&self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }

    /// Waits until a stop is asked for.
    pub(super) fn wait(&self) {
        let mut asked = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        while !*asked {
            asked = self.0.1.wait(asked).unwrap_or_else(PoisonError::into_inner);
        }
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
