//! `circinus erase`: removes recorded texts.

use std::sync::Arc;

use circinus_store::{OpenError, Store};
use clap::Args;

use super::Context;
use crate::clock::SystemClock;
use crate::exit::Exit;
use crate::ui::Ui;

const DAY_MS: u64 = 24 * 3_600 * 1_000;

/// Arguments of `circinus erase`.
#[derive(Debug, Args)]
pub struct EraseArgs {
    /// Only texts that were last seen so many days ago or earlier.
    #[arg(long, value_name = "DAYS", default_value_t = 0)]
    older_than: u32,
}

/// Runs the command; no daemon may run.
pub fn run(args: &EraseArgs, context: &Context, ui: &mut Ui) -> Exit {
    if !context.places.database.exists() {
        ui.line("Nothing is recorded.");
        return Exit::Ok;
    }
    let erased = Store::open(&context.places.database, Arc::new(SystemClock))
        .and_then(|(mut store, _)| store.forget(u64::from(args.older_than) * DAY_MS));
    match erased {
        Ok(count) => {
            ui.line(format_args!("{count} texts are erased. Hashes, operands and decisions stay."));
            Exit::Ok
        }
        Err(OpenError::Locked { .. }) => {
            ui.error_with_hint(&"the daemon runs", "run `circinus daemon stop` first");
            Exit::Refused
        }
        Err(error) => {
            ui.error(&error);
            Exit::CannotWrite
        }
    }
}
