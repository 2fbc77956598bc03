//! `circinus export`: the log for other tools.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use circinus_core::id::SessionId;
use circinus_core::time::UnixMillis;
use circinus_store::{OpenError, QueryError, Reader};
use clap::Args;
use thiserror::Error;

use super::Context;
use crate::clock;
use crate::exit::Exit;
use crate::export::{ExportError, Form, Log, Selection};
use crate::ui::{Progress, Ui};

/// Arguments of `circinus export`.
#[derive(Debug, Args)]
pub struct ExportArgs {
    /// The form.
    #[arg(long, short, value_enum, default_value = "jsonl")]
    format: Form,
    /// Where to write it, a new file; standard output when absent.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Only what belongs to this session.
    #[arg(long, value_name = "ID")]
    session: Option<String>,
    /// Only the newest, for example 12h or 30d.
    #[arg(long, value_name = "AGE", value_parser = clock::age)]
    since: Option<Duration>,
}

/// Why nothing was exported.
#[derive(Debug, Error)]
enum CommandError {
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Query(#[from] QueryError),
    #[error(transparent)]
    Export(#[from] ExportError),
    #[error("{} exists; hint: name another file, or remove it first", .0.display())]
    Exists(PathBuf),
    #[error("cannot {operation} {}: {source}", path.display())]
    File { operation: &'static str, path: PathBuf, source: io::Error },
}

/// Runs the command.
pub fn run(args: &ExportArgs, context: &Context, ui: &mut Ui) -> Exit {
    match export(args, context, ui) {
        Ok(()) => Exit::Ok,
        // The reader of a pipe has gone: that is no failure of ours.
        Err(CommandError::Export(ExportError::Write(error))) if error.kind() == io::ErrorKind::BrokenPipe => {
            Exit::Ok
        }
        Err(error) => {
            ui.error(&error);
            match error {
                CommandError::Open(_) | CommandError::Query(_) => Exit::Findings,
                CommandError::Exists(_) => Exit::Refused,
                CommandError::Export(_) | CommandError::File { .. } => Exit::CannotWrite,
            }
        }
    }
}

fn export(args: &ExportArgs, context: &Context, ui: &mut Ui) -> Result<(), CommandError> {
    let reader = Reader::open(&context.places.database)?;
    let selection = Selection {
        session: args.session.as_ref().map(SessionId::new),
        since: args.since.map(|age| {
            let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
            UnixMillis(clock::now().0.saturating_sub(age))
        }),
    };
    let progress = Progress::new("events");
    let log = Log::new(&reader, selection, |looked_at| progress.add(looked_at))?;
    // Only a file leaves the terminal free for a bar.
    match &args.output {
        None => args.format.write(&log, &mut ui.stream())?,
        Some(path) => {
            progress.start(log.events() * args.format.passes());
            to_file(args.format, &log, path)?;
        }
    }
    progress.finish();
    Ok(())
}

/// Writes beside the target and renames at the end, so that a half-written export never has the name of a whole one.
fn to_file(form: Form, log: &Log<'_>, path: &Path) -> Result<(), CommandError> {
    let failed = |operation| {
        let path = path.to_owned();
        move |source| CommandError::File { operation, path, source }
    };
    if path.exists() {
        return Err(CommandError::Exists(path.to_owned()));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::NamedTempFile::new_in(folder).map_err(failed("create a file beside"))?;
    let mut out: BufWriter<&File> = BufWriter::new(file.as_file());
    form.write(log, &mut out)?;
    out.flush().map_err(failed("write"))?;
    drop(out);
    match file.persist_noclobber(path) {
        Ok(_) => Ok(()),
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => {
            Err(CommandError::Exists(path.to_owned()))
        }
        Err(error) => Err(failed("name")(error.error)),
    }
}
