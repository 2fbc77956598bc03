//! The telemetry channel: counters without content, off unless the user asks for it twice.
//!
//! Something is sent only if the environment variable [`VARIABLE`] is `true` and the configuration names an
//! endpoint. `circinus telemetry show` prints exactly what would be sent.

use std::sync::{Arc, Weak};
use std::time::Duration;
use std::{env, io, thread};

use circinus_analyzer::provider::{Client, Endpoint, Request};
use serde_json::{Value, json};

use crate::daemon::Status;

/// The variable that must be `true` in the daemon's environment.
pub const VARIABLE: &str = "CIRCINUS_TELEMETRY_ENABLED";

/// Between two reports.
const INTERVAL: Duration = Duration::from_secs(60 * 60);

/// How long one report may take.
const DEADLINE: Duration = Duration::from_secs(10);

/// Where reports go; none while the channel is off.
pub fn endpoint(configured: &str) -> Option<Endpoint> {
    let enabled = env::var_os(VARIABLE).is_some_and(|value| value == "true");
    // The configuration was read, so an endpoint that stands in it is sound.
    Endpoint::parse(configured).ok().filter(|_| enabled)
}

/// A report: counters since the daemon's start. No content, operand, path, host name, id or time.
pub fn payload(status: &Status) -> Value {
    json!({
        "schema": 1,
        "version": status.version,
        "profile": status.profile,
        "model": status.model.is_some(),
        "sessions": status.sessions,
        "artifacts": status.artifacts,
        "operands": status.operands,
        "allowed": status.allowed,
        "flagged": status.flagged,
        "asked": status.asked,
        "refused": status.refused,
        "evidence_ready": status.evidence_ready,
        "evidence_waited": status.evidence_waited,
        "evidence_not_ready": status.evidence_not_ready,
        "malformed": status.malformed,
        "unrecorded": status.unrecorded,
    })
}

/// Reports at once and then every hour, on a thread of its own that ends with the process. A report that does not
/// arrive is not sent again.
///
/// # Errors
/// The system's, when the thread cannot be started.
pub fn start<S: Send + Sync + 'static>(
    endpoint: &Endpoint,
    of: &Arc<S>,
    status: fn(&S) -> Status,
) -> io::Result<()> {
    let (weak, url): (Weak<S>, String) = (Arc::downgrade(of), endpoint.to_string());
    thread::Builder::new().name("telemetry".into()).spawn(move || {
        let client = Client::new(DEADLINE);
        while let Some(of) = weak.upgrade() {
            let body = payload(&status(&of));
            drop(of);
            let request = Request { url: url.clone(), headers: Vec::new(), key_header: ("", ""), body };
            drop(client.send(&request, None));
            thread::sleep(INTERVAL);
        }
    })?;
    Ok(())
}
