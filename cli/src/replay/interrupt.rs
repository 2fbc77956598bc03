//! A person's wish to stop a run early.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A flag that says «stop»; set by the first interrupt or termination signal, or by the run itself.
#[derive(Clone, Debug, Default)]
pub struct StopFlag(Arc<AtomicBool>);

impl StopFlag {
    /// A flag that the process's interrupt and termination signals set, so that the private daemon is stopped and
    /// not orphaned.
    ///
    /// # Errors
    /// When the signal handler cannot be installed, or is installed already.
    pub fn on_signals() -> Result<StopFlag, ctrlc::Error> {
        let flag = StopFlag::default();
        let handler_flag = flag.clone();
        ctrlc::set_handler(move || handler_flag.set())?;
        Ok(flag)
    }

    /// Asks for the end.
    pub fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the end was asked for.
    #[must_use]
    pub fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
