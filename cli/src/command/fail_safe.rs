//! `circinus fail-safe`: answers a hook when no daemon does. Run by `circinus-hook`, not by people.
//!
//! The call is understood as always and decided with the fact that nothing can be recorded: T0 and T1 pass,
//! T2 and above are asked about or refused. The raw event is kept for the daemon's next start; a call that cannot
//! even be kept is refused, unless it only reads.

use std::io::{self, Read};

use circinus_core::index::Snapshot;
use circinus_ipc::hook::READING_TOOLS;

use crate::adapter::claude_code::event;
use crate::adapter::claude_code::response::HookOutput;
use crate::config::{Config, Places};
use crate::daemon::files::workspace_of;
use crate::daemon::gatekeeper::Asked;
use crate::daemon::texts::Texts;
use crate::daemon::{Site, settings, unrecorded};
use crate::host::{HostEvent, HostEventKind};

/// Bytes read from standard input; the hook forwards no more.
const PAYLOAD_BYTES_MAX: u64 = 64 << 20;

/// Nothing is looked up without an index, so nothing needs the key that it is sealed with.
const NO_KEY: [u8; 32] = [0; 32];

/// Reads the event from standard input and answers it.
pub fn run(places: &Places, site: &Site) -> HookOutput {
    let mut payload = Vec::new();
    if let Err(error) = io::stdin().lock().take(PAYLOAD_BYTES_MAX + 1).read_to_end(&mut payload) {
        return HookOutput::refuse(&format!("cannot read the event: {error}"));
    }
    if payload.len() as u64 > PAYLOAD_BYTES_MAX {
        return HookOutput::refuse("the event is longer than 64 MiB; hint: split the call");
    }
    answer(&payload, places, site)
}

/// Answers one event without a daemon.
pub fn answer(payload: &[u8], places: &Places, site: &Site) -> HookOutput {
    let event = match event::parse(payload) {
        Ok(event) => event,
        Err(error) => return HookOutput::refuse(&error.to_string()),
    };
    let kept = unrecorded::append(&places.unrecorded, payload);
    match (&event.kind, &kept) {
        // INVARIANT (no-silent-pass): what cannot even be kept passes only where it reads.
        (HostEventKind::BeforeCall(call), Err(error)) if !READING_TOOLS.contains(&&*call.tool) => {
            HookOutput::refuse(&format!(
                "no daemon runs and {} cannot be kept: {error}; hint: run `circinus doctor`",
                event.name
            ))
        }
        (HostEventKind::BeforeCall(call), _) => {
            let workspace = workspace_of(&event.cwd, &site.home);
            let around = site.around(&event.cwd, &workspace);
            let asked = Asked::new(&event, call, &around, &Snapshot::default(), &Texts::default(), &NO_KEY);
            gate(&asked, places)
        }
        (HostEventKind::SettingsChange { path }, _) => settings::change(path.as_deref(), &event.cwd, site),
        _ => observed(&event, kept),
    }
}

fn gate(asked: &Asked, places: &Places) -> HookOutput {
    // A configuration that cannot be read must not stop the fail-safe: the default profile holds.
    let profile = Config::load(places.home()).map(|config| config.profile).unwrap_or_default();
    asked.answer_unrecorded(&Snapshot::default(), profile)
}

/// An event that is only recorded: the session goes on either way, and a failure is said.
fn observed(event: &HostEvent, kept: io::Result<()>) -> HookOutput {
    match kept {
        Ok(()) => HookOutput::silent(),
        Err(error) => HookOutput {
            exit: 1,
            stdout: String::new(),
            stderr: format!("circinus: {} not recorded: {error}; hint: run `circinus doctor`\n", event.name),
        },
    }
}
