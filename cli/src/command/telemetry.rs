//! `circinus telemetry show`: what the telemetry channel would send, and whether it is on.

use std::env;

use clap::{Args, Subcommand};

use super::Context;
use super::daemon::{AskError, ask, place};
use crate::config::Config;
use crate::daemon::{ControlReply, ControlRequest};
use crate::exit::Exit;
use crate::telemetry::{VARIABLE, payload};
use crate::ui::{Style, Ui, escape_untrusted};

/// Arguments of `circinus telemetry`.
#[derive(Debug, Args)]
pub struct TelemetryArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Print exactly what would be sent, and whether it is.
    Show,
}

/// Runs the command.
pub fn run(args: &TelemetryArgs, context: &Context, ui: &mut Ui) -> Exit {
    let What::Show = args.what;
    let config = match Config::load(context.places.home()) {
        Ok(config) => config,
        Err(error) => {
            ui.error(&error);
            return Exit::Refused;
        }
    };
    let status = match ask(&place(context), &ControlRequest::Status) {
        Ok(ControlReply::Status(status)) => status,
        Ok(_) => {
            ui.error_with_hint(&"the daemon answered something else", "run `circinus daemon stop`");
            return Exit::Internal;
        }
        Err(error) => {
            ui.error(&error);
            return if matches!(error, AskError::Call(_)) { Exit::NotRunning } else { Exit::Internal };
        }
    };
    let enabled = env::var_os(VARIABLE).is_some_and(|value| value == "true");
    let state = match (&status.telemetry, enabled, &*config.telemetry.endpoint) {
        (Some(to), ..) => format!("The daemon sends this every hour to {}.", escape_untrusted(to)),
        (None, true, "") => "Off: telemetry.endpoint is not set. Nothing is sent.".to_owned(),
        (None, ..) => format!("Off: {VARIABLE} is not true where the daemon was started. Nothing is sent."),
    };
    ui.paragraph(&state, Style::Plain);
    ui.line(payload(&status));
    Exit::Ok
}
