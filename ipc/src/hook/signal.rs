//! A hook that is told to end says no.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag::register_conditional_shutdown;

use super::EXIT_REFUSED;

/// Makes the process end by the exit code of a refusal when it is told to end.
///
/// Hosts before `onFailure` let the call run when its hook ends by a signal. The exit code alone binds, so the
/// handler need not print, which it may not do safely.
///
/// # Errors
///
/// The system's, when a handler cannot be set.
pub fn refuse_on_signals() -> io::Result<()> {
    let always = Arc::new(AtomicBool::new(true));
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        register_conditional_shutdown(signal, i32::from(EXIT_REFUSED), Arc::clone(&always))?;
    }
    Ok(())
}
