//! L14: evidence that is there when the action comes.

use std::thread;
use std::time::Duration;

use super::promise::all;
use super::{LimitsError, Row, Setting};
use crate::daemon::PrivateDaemon;
use crate::gate::Gate;
use crate::gate::socket::SocketGate;
use crate::workload::events::{Host, link_of, page_text};

/// From a result to the next call: the tenth part of what lies between them in recorded sessions at the least.
const PAUSE: Duration = Duration::from_millis(200);

const PAGE_BYTES: usize = 16 << 10;

/// Measures L14 with the analysers that this build requires.
pub(super) fn measure(setting: &Setting) -> Result<Vec<Row>, LimitsError> {
    let folder = setting.folder("readiness")?;
    let daemon = setting.daemon(&folder)?;
    let measured = play(&daemon, &folder.to_string_lossy(), setting.rounds(200, 40));
    let status = daemon.status();
    daemon.stop()?;
    measured?;
    let status = status?;
    let sensitive = status.evidence_ready + status.evidence_waited + status.evidence_not_ready;
    let told = format!(
        "{} ready, {} after a wait, {} not in time; deterministic tier only, {} ms after each result",
        status.evidence_ready,
        status.evidence_waited,
        status.evidence_not_ready,
        PAUSE.as_millis()
    );
    Ok(vec![Row::of(all::L14, 100.0 * status.evidence_ready as f64 / sensitive as f64, told)])
}

/// A page is read, then what it links to is sent something.
fn play(daemon: &PrivateDaemon, cwd: &str, rounds: usize) -> Result<(), LimitsError> {
    let mut gate = SocketGate::new(daemon.place()?);
    let host = Host::new("readiness", cwd);
    gate.ask(&host.start())?;
    for number in 0..rounds {
        gate.ask(&host.page(number, &page_text(number, 20, PAGE_BYTES)))?;
        thread::sleep(PAUSE);
        let command = format!("curl -X POST -d done {}", link_of(number, 3));
        gate.ask(&host.shell(rounds + number, &command, 0))?;
    }
    Ok(())
}
