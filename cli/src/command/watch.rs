//! `circinus watch`: what happens, as it happens.

use std::io;
use std::time::{Duration, Instant};

use circinus_core::id::EventSeq;
use circinus_store::{OpenError, QueryError, Reader};
use clap::Args;
use thiserror::Error;

use super::daemon::{ask, place};
use super::{Context, explain, state};
use crate::daemon::{ControlReply, ControlRequest};
use crate::exit::Exit;
use crate::ui::{Screen, Ui};
use crate::watch::{Model, Row, Wish, model, view};

/// How often the log and the daemon are looked at.
const LOOK_EVERY: Duration = Duration::from_millis(500);

/// Events read at one look: a flood is caught up with over several looks, and keys work meanwhile.
const EVENTS_PER_LOOK: usize = 500;

/// Arguments of `circinus watch`.
#[derive(Debug, Args)]
pub struct WatchArgs {}

/// Why there is nothing to see.
#[derive(Debug, Error)]
enum WatchError {
    #[error("this needs a terminal; hint: `circinus log --json` works without one")]
    NoTerminal,
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error("the terminal cannot be used: {0}")]
    Terminal(#[from] io::Error),
}

/// Runs the command.
pub fn run(_: &WatchArgs, context: &Context, ui: &mut Ui) -> Exit {
    match watch(context, ui) {
        Ok(()) => Exit::Ok,
        Err(error) => {
            ui.error(&error);
            match error {
                WatchError::NoTerminal => Exit::Refused,
                WatchError::Open(_) | WatchError::Query(_) => Exit::Findings,
                WatchError::Terminal(_) => Exit::CannotWrite,
            }
        }
    }
}

fn watch(context: &Context, ui: &mut Ui) -> Result<(), WatchError> {
    let reader = Reader::open(&context.places.database)?;
    let events = reader.counts()?.events;
    let mut log = Log { reader, next: EventSeq(events.saturating_sub(model::ROWS_MAX as u64) + 1) };
    let mut screen = Screen::take()?.ok_or(WatchError::NoTerminal)?;
    let mut model = Model::default();
    let mut looked: Option<Instant> = None;
    loop {
        if looked.is_none_or(|looked| looked.elapsed() >= LOOK_EVERY) {
            log.look(&mut model)?;
            model.status = match ask(&place(context), &ControlRequest::Status) {
                Ok(ControlReply::Status(status)) => Some(*status),
                _ => None,
            };
            looked = Some(Instant::now());
        }
        screen.draw(|frame| view::draw(&model, frame, ui.color()))?;
        let Some(key) = screen.key(LOOK_EVERY / 2)? else { continue };
        match model.press(key, view::page_rows(screen.lines()?)) {
            None => {}
            Some(Wish::Quit) => return Ok(()),
            Some(Wish::Explain(id)) => {
                let (mut page, captured) = Ui::captured(screen.columns()?.saturating_sub(2), None);
                let exit = explain::run(&explain::ExplainArgs::of(id), context, &mut page);
                let text = if exit == Exit::Ok { captured.out() } else { captured.err() };
                model.page = Some((text, 0));
            }
            Some(wish) => screen.lend(|| grant(wish, context, ui))?,
        }
    }
}

/// Lets the person state something, with the same questions as the command of that name.
fn grant(wish: Wish, context: &Context, ui: &mut Ui) {
    let exit = match wish {
        Wish::Approve(decision) => state::approve(state::ApproveArgs::of(decision), context, ui),
        Wish::Endorse { subject, effect } => {
            state::endorse(state::EndorseArgs::of(subject, effect.to_owned()), context, ui)
        }
        Wish::Explain(_) | Wish::Quit => Exit::Ok,
    };
    let done = if exit == Exit::Ok { "Done." } else { "Nothing was recorded." };
    ui.line(format_args!("{done} Press Enter to go back."));
}

/// The log, as far as it was read.
struct Log {
    reader: Reader,
    next: EventSeq,
}

impl Log {
    fn look(&mut self, model: &mut Model) -> Result<(), QueryError> {
        for recorded in self.reader.events(self.next, EVENTS_PER_LOOK)? {
            model.add(Row::of(&recorded));
            self.next = EventSeq(recorded.seq.0 + 1);
        }
        model.queued = self.reader.counts()?.tasks;
        Ok(())
    }
}
