//! `circinus config model`: sets the user's own model up and asks it once. `circinus config test` only asks.

use std::io;
use std::time::Duration;

use circinus_analyzer::provider::{EndpointError, Kind, Settings};
use circinus_analyzer::strong::{Ledger, Strong};
use circinus_core::digest::Digest;
use circinus_core::enquiry::{Cause, Cost};
use circinus_core::id::EventSeq;
use thiserror::Error;

use crate::command::Context;
use crate::config::{
    Config, ConfigEdit, CreatePlacesError, EditConfigError, Key, KeyError, LoadConfigError, WriteConfigError,
    usual_variable,
};
use crate::ui::{Style, Terminal, Ui};

/// The text that the model is asked about: harmless, and the same for everyone.
const SAMPLE: &str = "The library has forty modules and was first released in spring.";

/// Why no model was set up, or why it does not answer.
#[derive(Debug, Error)]
pub(super) enum ModelError {
    #[error(
        "this needs a terminal ({0}); hint: run it in a terminal of your own, or use `circinus config set`"
    )]
    Terminal(io::Error),
    #[error("`{0}` is no provider; hint: anthropic, openai, ollama or none")]
    UnknownProvider(String),
    #[error("analysis is deterministic-only, no model is configured; hint: run `circinus config model`")]
    NoModel,
    #[error(transparent)]
    Load(#[from] LoadConfigError),
    #[error(transparent)]
    Edit(#[from] EditConfigError),
    #[error(transparent)]
    Places(#[from] CreatePlacesError),
    #[error(transparent)]
    Write(#[from] WriteConfigError),
    #[error(transparent)]
    Endpoint(#[from] EndpointError),
    #[error(transparent)]
    Key(#[from] KeyError),
    #[error("no verdict: {0}; hint: check model.name, model.endpoint and the key")]
    NoVerdict(Cause),
}

/// Asks the questions, shows the change, writes it after a yes, and asks the model once.
pub(super) fn set_up(context: &Context, ui: &mut Ui) -> Result<(), ModelError> {
    let mut terminal = Terminal::open().map_err(ModelError::Terminal)?;
    let mut ask = |question: &str| terminal.ask(question).map_err(ModelError::Terminal);
    let said = ask("Provider (anthropic, openai, ollama; none to switch off) [none]:")?;
    let mut changes: Vec<(&str, String)> = Vec::new();
    match said.as_str() {
        "" | "none" => changes.push(("model.provider", "none".into())),
        said => {
            let kind = Kind::ALL.into_iter().find(|kind| kind.name() == said);
            let kind = kind.ok_or_else(|| ModelError::UnknownProvider(crate::ui::escape_untrusted(said)))?;
            changes.push(("model.name", ask("Model, as the provider names it:")?));
            changes.push(("model.endpoint", ask(&format!("Endpoint [{}]:", kind.endpoint()))?));
            changes.extend(key_change(kind, &mut ask)?);
            changes.push(("model.provider", kind.name().into()));
        }
    }
    let changes: Vec<_> =
        changes.iter().filter_map(|(name, value)| Some((Key::by_name(name)?, value.as_str()))).collect();
    let edit = ConfigEdit::of(context.places.home(), &changes)?;
    ui.diff(&edit.path.display().to_string(), &edit.before, &edit.after);
    if edit.before != edit.after {
        if !ask("Write this? [y/N]")?.eq_ignore_ascii_case("y") {
            ui.line("Nothing was written.");
            return Ok(());
        }
        context.places.create()?;
        edit.write()?;
    }
    ui.paragraph("Written. It counts when the daemon starts: run `circinus daemon stop`.", Style::Plain);
    if Config::load(context.places.home())?.model.provider.is_none() {
        ui.line("Analysis is deterministic-only; nothing leaves the machine.");
        return Ok(());
    }
    test(context, ui)
}

/// Where the key is. The key itself is never typed here, so it is in no history and on no screen.
fn key_change(
    kind: Kind,
    ask: &mut impl FnMut(&str) -> Result<String, ModelError>,
) -> Result<Vec<(&'static str, String)>, ModelError> {
    let Some(usual) = usual_variable(kind) else { return Ok(Vec::new()) };
    let said = ask(&format!("Key: a variable's name, or the path of a file of mode 0600 [{usual}]:"))?;
    let (variable, file) = if said.starts_with('/') { (String::new(), said) } else { (said, String::new()) };
    Ok(vec![("model.key_env", variable), ("model.key_file", file)])
}

/// Asks the configured model about a harmless text.
pub(super) fn test(context: &Context, ui: &mut Ui) -> Result<(), ModelError> {
    let config = Config::load(context.places.home())?;
    let (settings, missing) = config.model.settings()?.ok_or(ModelError::NoModel)?;
    if let Some(missing) = missing {
        return Err(missing.into());
    }
    let Settings { model, endpoint, .. } = &settings;
    ui.paragraph(&format!("Asking {model} at {endpoint} about a harmless text of our own."), Style::Plain);
    let judged = Strong::new(settings).judge(Digest::of(SAMPLE.as_bytes()), SAMPLE.as_bytes(), &Once);
    let judged = judged.map_err(ModelError::NoVerdict)?;
    ui.line(format_args!("It answers: {}.", judged.reason));
    Ok(())
}

/// A test is one small request of the person who sets the model up; no budget pays for it.
struct Once;

impl Ledger for Once {
    fn reserve(&self, _: Cost) -> Result<EventSeq, Cause> {
        Ok(EventSeq(0))
    }

    fn settle(&self, _: EventSeq, _: Cost) {}

    fn pause(&self, _: Duration) -> bool {
        false
    }
}
