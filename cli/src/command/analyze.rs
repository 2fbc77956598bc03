//! `circinus analyze`: what Circinus understands of something, without deciding anything about it.

pub mod command;
pub mod text;

use clap::{Args, Subcommand};

use super::Context;
use crate::exit::Exit;
use crate::ui::Ui;

/// Arguments of `circinus analyze`.
#[derive(Debug, Args)]
pub struct AnalyzeArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Show what a shell command would do: programs, slots, effects, flags, tier, and why.
    Command(command::CommandArgs),
    /// Judge a text: level, signals, and whether a model would be asked about it.
    Text(text::TextArgs),
}

/// Runs the command; without a home there are no additions to the command table.
pub fn run(args: &AnalyzeArgs, context: Option<&Context>, ui: &mut Ui) -> Exit {
    match &args.what {
        What::Command(args) => command::run(args, context, ui),
        What::Text(args) => text::run(args, context, ui),
    }
}
