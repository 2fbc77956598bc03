//! The clients: each takes the next request of the plan, waits for its moment and asks.

use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use super::plan::{Kind, Planned};
use super::record::{Done, Outcome};
use crate::gate::Gate;
use crate::gate::socket::SocketGate;
use crate::interrupt::StopFlag;
use crate::process::Program;
use crate::workload::events::{Host, page_text};

/// Links of one page.
const LINKS: usize = 20;

/// The way to the daemon.
#[derive(Clone, Debug)]
pub enum Way {
    /// One connection per event.
    Socket(SocketGate),
    /// One hook process per event.
    Hook(Program),
}

/// What every client of a run shares.
#[derive(Debug)]
pub struct Clients {
    /// What is to be done.
    pub plan: Vec<Planned>,
    /// How.
    pub way: Way,
    /// What a process costs at the same moment.
    pub noop: Program,
    /// Where the sessions work.
    pub cwd: PathBuf,
    /// A wish to end early.
    pub stop: StopFlag,
    /// The next request of the plan.
    pub next: AtomicUsize,
}

impl Clients {
    /// Works until the plan is done; `seen` is called after each request.
    pub fn work(&self, number: usize, began: Instant, seen: &(dyn Fn() + Sync)) -> (Vec<Done>, Vec<String>) {
        let host = Host::new(&format!("load-{number}"), &self.cwd.to_string_lossy());
        let (mut done, mut errors) = (Vec::new(), Vec::new());
        if let Err(error) = self.ask(&host.start()) {
            errors.push(error);
        }
        while !self.stop.is_set() {
            let place = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(planned) = self.plan.get(place) else { break };
            let event = event(&host, planned, place);
            thread::sleep((began + planned.at).saturating_duration_since(Instant::now()));
            let started = Instant::now();
            let outcome = match planned.kind {
                Kind::Noop => self.noop.run(b"").map(|_| Outcome::Silent).map_err(|error| error.to_string()),
                _ => self.ask(&event),
            };
            let outcome = outcome.unwrap_or_else(|error| {
                errors.push(error);
                Outcome::Failed
            });
            let (latency, service) = (began.elapsed().saturating_sub(planned.at), started.elapsed());
            done.push(Done { kind: planned.kind, intended: planned.at, latency, service, outcome });
            seen();
        }
        (done, errors)
    }

    fn ask(&self, event: &[u8]) -> Result<Outcome, String> {
        let answer = match &self.way {
            Way::Socket(gate) => gate.clone().ask(event).map_err(|error| error.to_string()),
            Way::Hook(program) => program.run(event).map(|run| run.1).map_err(|error| error.to_string()),
        }?;
        match (answer.exit, answer.stdout.is_empty()) {
            (0, true) => Ok(Outcome::Silent),
            (0, false) | (2, _) => Ok(Outcome::Interrupted),
            (exit, _) => Err(format!("exit code {exit}")),
        }
    }
}

/// Made before its moment: what a client prepares is no part of what is measured.
fn event(host: &Host, planned: &Planned, place: usize) -> Vec<u8> {
    match planned.kind {
        Kind::Ask => host.shell(place, "cargo build --workspace", planned.bytes),
        Kind::Push => host.shell(place, "git push origin main", planned.bytes),
        Kind::Page => host.page(place, &page_text(place, LINKS, planned.bytes)),
        Kind::Noop => Vec::new(),
    }
}
