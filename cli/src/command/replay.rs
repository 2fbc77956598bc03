//! `circinus replay`: what the gate would have said to one's own past sessions.
//!
//! Offline, and without touching the live store: a private daemon in a scratch folder decides, and goes with it.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use circinus_core::id::DecisionId;
use circinus_store::{OpenError, QueryError, Reader};
use clap::Args;
use serde::Serialize;
use thiserror::Error;

use super::Context;
use crate::clock;
use crate::exit::Exit;
use crate::reason;
use crate::replay::daemon::{DaemonError, PrivateDaemon};
use crate::replay::format::Verdict;
use crate::replay::gate::socket::SocketGate;
use crate::replay::interrupt::StopFlag;
use crate::replay::past::{self, Past, PastError};
use crate::replay::play::{Played, Speed, Stage, play};
use crate::replay::profile::Profile;
use crate::ui::{Cell, Progress, Style, Table, Ui, escape_untrusted};

/// Interruptions shown without `--all`.
const SHOWN_MAX: usize = 20;

/// Arguments of `circinus replay`.
#[derive(Debug, Args)]
pub struct ReplayArgs {
    /// Transcripts, or folders of them; those of Claude Code when absent.
    transcripts: Vec<PathBuf>,
    /// Only transcripts that changed within this time, for example 12h or 30d.
    #[arg(long, value_name = "AGE", default_value = "30d", value_parser = clock::age)]
    since: Duration,
    /// How strictly to judge.
    #[arg(long, value_enum, default_value = "balanced")]
    profile: Profile,
    /// Show every interruption, not only the first 20.
    #[arg(long)]
    all: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Why there is no replay.
#[derive(Debug, Error)]
enum ReplayError {
    #[error(
        "no transcript was found in {0} that changed so lately; hint: name one, or look further back with --since"
    )]
    NothingFound(String),
    #[error(transparent)]
    Past(#[from] PastError),
    #[error(transparent)]
    Daemon(#[from] DaemonError),
    #[error("cannot {operation}: {source}")]
    System { operation: &'static str, source: io::Error },
    #[error("cannot watch for signals: {0}")]
    Signals(#[from] ctrlc::Error),
    #[error(transparent)]
    Open(#[from] OpenError),
    #[error(transparent)]
    Query(#[from] QueryError),
}

/// What came of it. Schema 1: fields are only added.
#[derive(Debug, Default, Serialize)]
struct Report {
    schema: u32,
    profile: &'static str,
    sessions: usize,
    calls: usize,
    asked: usize,
    refused: usize,
    /// Interruptions by the rule that decided.
    rules: BTreeMap<String, usize>,
    interruptions: Vec<Interruption>,
    /// Sessions that could not be played to their end, with the reason.
    errors: Vec<String>,
}

/// A call that would not simply have run.
#[derive(Debug, Serialize)]
struct Interruption {
    session: String,
    call: String,
    text: String,
    verdict: Verdict,
    rule: String,
    reason: String,
}

/// Runs the command.
pub fn run(args: &ReplayArgs, context: &Context, ui: &mut Ui) -> Exit {
    match replay(args, context) {
        Ok(report) => {
            if args.json {
                ui.line(serde_json::json!(report))
            } else {
                show(&report, args.all, ui)
            }
            if report.errors.is_empty() { Exit::Ok } else { Exit::Findings }
        }
        Err(error) => {
            ui.error(&error);
            match error {
                ReplayError::NothingFound(_) | ReplayError::Past(_) => Exit::Refused,
                ReplayError::Open(_) | ReplayError::Query(_) => Exit::Internal,
                ReplayError::Daemon(_) | ReplayError::System { .. } | ReplayError::Signals(_) => {
                    Exit::CannotWrite
                }
            }
        }
    }
}

fn replay(args: &ReplayArgs, context: &Context) -> Result<Report, ReplayError> {
    let sessions = sessions(args, context)?;
    let stop = StopFlag::on_signals()?;
    let system = |operation| move |source| ReplayError::System { operation, source };
    let program = std::env::current_exe().map_err(system("find this program"))?;
    let scratch = tempfile::Builder::new().prefix("circinus-replay-").tempdir();
    let scratch = scratch.map_err(system("make a scratch folder"))?;
    let root = scratch.path().canonicalize().map_err(system("resolve the scratch folder"))?;
    let (home, state) = (root.join("home"), root.join("state"));
    let daemon = PrivateDaemon::start(&program, &state, &home, args.profile)?;
    let stage = Stage { workspaces: home.join("w"), home, speed: Speed::Max, keep: false };
    let mut gate = SocketGate::new(daemon.place()?);
    let progress = Progress::new("sessions");
    progress.start(sessions.len() as u64);
    let mut report = Report { schema: 1, profile: args.profile.word(), ..Report::default() };
    for (number, past) in sessions.iter().enumerate() {
        match past.read() {
            Ok(session) => {
                let played = play(session, number as u64, &stage, &mut gate, &stop);
                report.count(played, &Reader::open(&state.join("circinus.db"))?)?;
            }
            Err(error) => report.errors.push(error.to_string()),
        }
        progress.add(1);
        if stop.is_set() {
            break;
        }
    }
    progress.finish();
    daemon.stop()?;
    scratch.close().map_err(system("remove the scratch folder"))?;
    Ok(report)
}

fn sessions(args: &ReplayArgs, context: &Context) -> Result<Vec<Past>, ReplayError> {
    let own = || context.site.host_config_dirs.iter().map(|folder| Path::new(&**folder).join("projects"));
    let places = if args.transcripts.is_empty() { own().collect() } else { args.transcripts.clone() };
    let since = SystemTime::now().checked_sub(args.since);
    let mut files = Vec::new();
    for place in &places {
        // A person may name a file that is not there by mistake; of the host's own folders not all exist.
        if place.exists() || !args.transcripts.is_empty() {
            files.extend(past::transcripts(place, since)?);
        }
    }
    if files.is_empty() {
        let places: Vec<_> = places.iter().map(|place| place.display().to_string()).collect();
        return Err(ReplayError::NothingFound(places.join(", ")));
    }
    Ok(past::group(&files)?)
}

impl Report {
    fn count(&mut self, played: Played, reader: &Reader) -> Result<(), QueryError> {
        self.sessions += 1;
        self.calls += played.calls.len();
        for call in played.calls.into_iter().filter(|call| call.ruling.verdict.interrupts()) {
            match call.ruling.verdict {
                Verdict::Review => self.asked += 1,
                Verdict::Block | Verdict::Allow => self.refused += 1,
            }
            *self.rules.entry(call.ruling.rule.clone()).or_default() += 1;
            let id = call.ruling.decision.as_deref().and_then(|id| id.parse::<DecisionId>().ok());
            let decision = id.map(|id| reader.decision(id)).transpose()?.flatten();
            let reason = decision.map(|decision| {
                let explanation = &decision.record.explanation;
                reason::sentence(explanation, &decision.record.tool, |influence| {
                    influence.origin.describe().to_owned()
                })
            });
            let recorded =
                |reason: String| played.back.as_ref().and_then(|back| back.text(&reason)).unwrap_or(reason);
            self.interruptions.push(Interruption {
                session: played.id.clone(),
                call: call.id,
                text: call.text,
                verdict: call.ruling.verdict,
                rule: call.ruling.rule,
                reason: reason.map(recorded).unwrap_or_default(),
            });
        }
        if let Some(error) = played.error {
            self.errors.push(format!("session {}: {error}", played.id));
        }
        Ok(())
    }
}

fn show(report: &Report, all: bool, ui: &mut Ui) {
    let interrupted = report.asked + report.refused;
    let share = 100.0 * interrupted as f64 / report.calls.max(1) as f64;
    ui.paragraph(
        &format!(
            "{} sessions with {} calls, profile {}: {interrupted} calls ({share:.2} %) would have been interrupted, \
             {} asked about and {} refused.",
            report.sessions, report.calls, report.profile, report.asked, report.refused
        ),
        Style::Strong,
    );
    if !report.rules.is_empty() {
        let mut table = Table::new();
        for (rule, count) in &report.rules {
            let why = circinus_core::policy::RULES.iter().find(|known| known.name == rule);
            table.row([
                Cell::new(rule.clone(), Style::Strong),
                Cell::new(count.to_string(), Style::Plain),
                Cell::new(why.map_or("", |rule| rule.reason).to_owned(), Style::Plain),
            ]);
        }
        ui.table(&table);
    }
    let shown = if all { report.interruptions.len() } else { SHOWN_MAX };
    for interruption in report.interruptions.iter().take(shown) {
        let style = if interruption.verdict == Verdict::Block { Style::Bad } else { Style::Warning };
        let word = if interruption.verdict == Verdict::Block { "BLOCK" } else { "REVIEW" };
        ui.line("");
        ui.paragraph(&format!("{word} {}", interruption.text), style);
        ui.paragraph(&interruption.reason, Style::Plain);
        ui.paragraph(&format!("session {}", escape_untrusted(&interruption.session)), Style::Dim);
    }
    if report.interruptions.len() > shown {
        ui.line(format_args!("\n{} more; --all shows them.", report.interruptions.len() - shown));
    }
    for error in &report.errors {
        ui.warning(error);
    }
}
