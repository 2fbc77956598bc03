//! `circinus analyze text`: what analysis says about a text, by which tier, and what would be sent to a model.

mod paid;

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use circinus_analyzer::provider::{EndpointError, Request};
use circinus_analyzer::strong::Strong;
use circinus_analyzer::{content, route};
use circinus_core::digest::Digest;
use circinus_core::enquiry::{Cause, RouteReason};
use circinus_core::evidence::Judgement;
use clap::{Args, ValueEnum};
use serde_json::{Map, Value, json};
use thiserror::Error;

use self::paid::Paid;
use super::super::Context;
use crate::config::{Config, KeyError, LoadConfigError};
use crate::exit::Exit;
use crate::ui::{Cell, Style, Table, Ui, escape_untrusted};

/// Columns of the text that is shown for a signal.
const EXCERPT_BYTES_MAX: usize = 80;

/// Arguments of `circinus analyze text`.
#[derive(Debug, Args)]
#[command(after_help = "\
The cheap tier needs no daemon and sends nothing. The strong tier asks your own
model, with the secrets in the text masked, within the budget of the day.

JSON (schema 1; fields are only added): schema, content, level, reason, findings
(signal, start, end in bytes), analyser, version, config, asks_a_model, routing;
with --tier strong also strong (the same of the model, or why there is none);
with --show-request also requests (url, headers, key_header, body).")]
pub struct TextArgs {
    /// The file, or `-` to read standard input.
    file: PathBuf,
    /// Who judges: cheap (deterministic) or strong (your model, too).
    #[arg(long, value_enum, default_value_t = Tier::Cheap, hide_possible_values = true)]
    tier: Tier,
    /// Print exactly what would be sent to the model, but for the key, and send nothing.
    #[arg(long, conflicts_with = "tier")]
    show_request: bool,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Who judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tier {
    /// The deterministic signals.
    Cheap,
    /// The user's model, too.
    Strong,
}

/// Why there is no analysis.
#[derive(Debug, Error)]
enum TextError {
    #[error("cannot read {}: {source}; hint: give a file that you can read, or - for standard input", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error("CIRCINUS_HOME is not known; hint: set HOME or CIRCINUS_HOME")]
    NoHome,
    #[error(transparent)]
    Config(#[from] LoadConfigError),
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    #[error("analysis is deterministic-only, no model is configured; hint: run `circinus config model`")]
    NoModel,
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("the text cannot be put to a model: {0}; hint: try a part of it")]
    NotSent(Cause),
    #[error("the daemon did not start: {0}; hint: run `circinus doctor`")]
    NoDaemon(io::Error),
}

/// What there is to show.
struct Analysed {
    text: Vec<u8>,
    cheap: Judgement,
    routing: RouteReason,
    requests: Option<Vec<Request>>,
    strong: Option<Result<Judgement, String>>,
}

/// Runs the command.
pub fn run(args: &TextArgs, context: Option<&Context>, ui: &mut Ui) -> Exit {
    match analyse(args, context) {
        Ok(analysed) => {
            let failed = matches!(analysed.strong, Some(Err(_)));
            if args.json {
                ui.line(as_json(&analysed));
            } else {
                show(&analysed, ui);
            }
            if failed { Exit::Findings } else { Exit::Ok }
        }
        Err(error) => {
            ui.error(&error);
            match error {
                TextError::NoDaemon(_) => Exit::NotRunning,
                _ => Exit::Refused,
            }
        }
    }
}

fn analyse(args: &TextArgs, context: Option<&Context>) -> Result<Analysed, TextError> {
    let text = read(&args.file)?;
    let cheap = content::judge(&text);
    let routing = route::reason(&cheap, &text);
    let (mut requests, mut strong) = (None, None);
    if args.show_request {
        requests = Some(model(context, false)?.requests(&text).map_err(TextError::NotSent)?);
    }
    if args.tier == Tier::Strong {
        let model = model(context, true)?;
        let context = context.ok_or(TextError::NoHome)?;
        super::super::daemon::ensure(context).map_err(TextError::NoDaemon)?;
        let key = model.key(Digest::of(&text));
        let paid = Paid::new(context, key);
        let judged = model.judge(Digest::of(&text), &text, &paid);
        strong = Some(judged.map_err(|cause| paid.why_not().unwrap_or_else(|| cause.to_string())));
    }
    Ok(Analysed { text, cheap, routing, requests, strong })
}

fn read(path: &PathBuf) -> Result<Vec<u8>, TextError> {
    // One byte more than is judged, so that what is longer is told to be.
    let most = u64::try_from(content::JUDGED_BYTES_MAX).unwrap_or(u64::MAX).saturating_add(1);
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|source| TextError::Read { path: path.clone(), source })?;
    Ok(bytes)
}

/// The configured model; what would be sent can be shown without its key.
fn model(context: Option<&Context>, with_key: bool) -> Result<Strong, TextError> {
    let config = Config::load(context.ok_or(TextError::NoHome)?.places.home())?;
    let (settings, missing) = config.model.settings()?.ok_or(TextError::NoModel)?;
    match missing {
        Some(missing) if with_key => Err(missing.into()),
        _ => Ok(Strong::new(settings)),
    }
}

fn show(analysed: &Analysed, ui: &mut Ui) {
    let Analysed { text, cheap, routing, requests, strong } = analysed;
    judgement(cheap, text, ui);
    let asked = if routing.asks() { "is asked" } else { "is not asked" };
    ui.paragraph(
        &format!("A model, where one is configured, {asked}: {}.", routing.describe()),
        Style::Plain,
    );
    match strong {
        None => {}
        Some(Ok(said)) => judgement(said, text, ui),
        Some(Err(why)) => {
            ui.paragraph(&format!("No verdict of the model: {}.", escape_untrusted(why)), Style::Warning)
        }
    }
    for request in requests.iter().flatten() {
        ui.line(format_args!("POST {}", request.url));
        ui.line("content-type: application/json");
        request.headers.iter().for_each(|(name, value)| ui.line(format_args!("{name}: {value}")));
        let (name, before) = request.key_header;
        ui.line(format_args!("{name}: {before}(your key, not shown)"));
        ui.line("");
        ui.line(escape_untrusted(&request.body.to_string()));
        ui.line("");
    }
}

fn judgement(judgement: &Judgement, text: &[u8], ui: &mut Ui) {
    let key = &judgement.key;
    ui.paragraph(&escape_untrusted(&judgement.reason), Style::Strong);
    let mut table = Table::new();
    for finding in &judgement.findings {
        let (start, end) = (finding.start as usize, finding.end as usize);
        let excerpt = text.get(start..end.min(start + EXCERPT_BYTES_MAX)).unwrap_or_default();
        table.row([
            Cell::new(&*finding.signal, Style::Strong),
            Cell::new(format!("{start}..{end}"), Style::Dim),
            Cell::from(escape_untrusted(&String::from_utf8_lossy(excerpt))),
        ]);
    }
    ui.table(&table);
    ui.paragraph(&format!("By {} v{} ({}).", key.analyser, key.version, key.config.short()), Style::Dim);
}

fn as_json(analysed: &Analysed) -> Value {
    let Analysed { cheap, routing, requests, strong, .. } = analysed;
    let mut json = of(cheap);
    json.insert("schema".into(), json!(1));
    json.insert("content".into(), json!(cheap.key.content.to_string()));
    json.insert("asks_a_model".into(), json!(routing.asks()));
    json.insert("routing".into(), json!(routing.describe()));
    if let Some(strong) = strong {
        let said = match strong {
            Ok(said) => of(said).into(),
            Err(why) => json!({ "level": "failed", "reason": why }),
        };
        json.insert("strong".into(), said);
    }
    if let Some(requests) = requests {
        let rows = requests.iter().map(|request| {
            json!({
                "url": request.url,
                "headers": request.headers,
                "key_header": request.key_header.0,
                "body": request.body,
            })
        });
        json.insert("requests".into(), rows.collect());
    }
    json.into()
}

fn of(judgement: &Judgement) -> Map<String, Value> {
    let findings = judgement.findings.iter();
    let findings = findings.map(|it| json!({ "signal": it.signal, "start": it.start, "end": it.end }));
    let fields = [
        ("level", json!(judgement.level.name())),
        ("reason", json!(judgement.reason)),
        ("findings", findings.collect()),
        ("analyser", json!(judgement.key.analyser)),
        ("version", json!(judgement.key.version)),
        ("config", json!(judgement.key.config.to_string())),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}
