//! `circinus backup` and `circinus restore`: whole copies of what is recorded.

use std::path::PathBuf;

use circinus_store::{CopyError, OpenError};
use clap::Args;

use super::Context;
use crate::exit::Exit;
use crate::ui::Ui;

/// Arguments of `circinus backup`.
#[derive(Debug, Args)]
pub struct BackupArgs {
    /// The new file.
    file: PathBuf,
}

/// Arguments of `circinus restore`.
#[derive(Debug, Args)]
pub struct RestoreArgs {
    /// A file that `circinus backup` made.
    file: PathBuf,
}

/// Runs `circinus backup`; the daemon may run.
pub fn backup(args: &BackupArgs, context: &Context, ui: &mut Ui) -> Exit {
    match circinus_store::backup(&context.places.database, &args.file) {
        Ok(()) => {
            ui.line(format_args!(
                "{} is whole. Known secrets are sealed in it with {}: keep both, apart from each other.",
                args.file.display(),
                context.places.key.display()
            ));
            Exit::Ok
        }
        Err(error) => fail(&error, ui),
    }
}

/// Runs `circinus restore`; no daemon may run.
pub fn restore(args: &RestoreArgs, context: &Context, ui: &mut Ui) -> Exit {
    if let Err(error) = context.places.create() {
        ui.error(&error);
        return Exit::CannotWrite;
    }
    if !context.places.key.exists() {
        // Under another key no secret of the copy would be known again.
        let hint = format!("put the key that was kept with the copy at {}", context.places.key.display());
        ui.error_with_hint(&"there is no key to the secrets of the copy", &hint);
        return Exit::Refused;
    }
    match circinus_store::restore(&args.file, &context.places.database) {
        Ok(former) => {
            ui.line(format_args!("Restored {}.", args.file.display()));
            if let Some(former) = former {
                ui.line(format_args!("What was recorded before is kept as {}.", former.display()));
            }
            Exit::Ok
        }
        Err(error) => fail(&error, ui),
    }
}

fn fail(error: &CopyError, ui: &mut Ui) -> Exit {
    match error {
        CopyError::Open(OpenError::Locked { .. }) => {
            ui.error_with_hint(&"the daemon runs", "run `circinus daemon stop` first");
        }
        _ => ui.error(error),
    }
    match error {
        CopyError::Io { .. } | CopyError::Sqlite { .. } => Exit::CannotWrite,
        CopyError::Damaged { .. } | CopyError::Verify { .. } => Exit::Findings,
        CopyError::Open(_) | CopyError::Exists { .. } => Exit::Refused,
    }
}
