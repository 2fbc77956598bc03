//! `circinus config get | set | explain`: the configuration file, one key at a time; `circinus config model | test`:
//! the user's own model.

mod model;

use clap::{Args, Subcommand};
use serde_json::{Map, Value, json};
use thiserror::Error;

use super::Context;
use crate::config::{
    Config, ConfigEdit, CreatePlacesError, EditConfigError, KEYS, Key, LoadConfigError, WriteConfigError,
};
use crate::exit::Exit;
use crate::ui::{Cell, Style, Table, Ui, escape_untrusted, wrap};

/// Columns of a comment in the text that `explain` prints.
const COMMENT_COLUMNS: usize = 76;

/// Arguments of `circinus config`.
#[derive(Debug, Args)]
pub struct ConfigArgs {
    #[command(subcommand)]
    command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
enum ConfigCommand {
    /// Print the value of a key, or all of them.
    #[command(
        after_help = "JSON (schema 1; fields are only added): schema, config (one field for each key)."
    )]
    Get {
        /// The key, such as claude_code.hook_timeout_s.
        key: Option<String>,
        /// Print one JSON object.
        #[arg(long)]
        json: bool,
    },
    /// Change a key; the rest of the file stays as it is, comments included.
    Set {
        /// The key.
        key: String,
        /// The value, with or without the quotes of a string.
        value: String,
        /// Show what would be written and write nothing.
        #[arg(long)]
        dry_run: bool,
    },
    /// Set your own model up, step by step, and ask it once.
    Model,
    /// Ask the configured model about a harmless text.
    Test,
    /// Say what a key means; without one, print all as a file that could be the configuration.
    Explain {
        /// The key.
        key: Option<String>,
    },
}

/// Why nothing was shown or changed.
#[derive(Debug, Error)]
enum ConfigError {
    #[error("there is no key `{}`; hint: the keys are {}", escape_untrusted(.0), names())]
    UnknownKey(String),
    #[error(transparent)]
    Load(#[from] LoadConfigError),
    #[error(transparent)]
    Edit(#[from] EditConfigError),
    #[error(transparent)]
    Places(#[from] CreatePlacesError),
    #[error(transparent)]
    Write(#[from] WriteConfigError),
    #[error(transparent)]
    Model(#[from] model::ModelError),
}

/// Runs the command.
pub fn run(args: &ConfigArgs, context: &Context, ui: &mut Ui) -> Exit {
    let done = match &args.command {
        ConfigCommand::Get { key, json } => get(key.as_deref(), *json, context, ui),
        ConfigCommand::Set { key, value, dry_run } => set(key, value, *dry_run, context, ui),
        ConfigCommand::Model => model::set_up(context, ui).map_err(ConfigError::from),
        ConfigCommand::Test => model::test(context, ui).map_err(ConfigError::from),
        ConfigCommand::Explain { key } => explain(key.as_deref(), context, ui),
    };
    match done {
        Ok(()) => Exit::Ok,
        Err(error) => {
            ui.error(&error);
            match error {
                ConfigError::Places(_)
                | ConfigError::Write(_)
                | ConfigError::Model(model::ModelError::Places(_) | model::ModelError::Write(_)) => {
                    Exit::CannotWrite
                }
                ConfigError::Model(model::ModelError::NoVerdict(_)) => Exit::Findings,
                ConfigError::UnknownKey(_)
                | ConfigError::Load(_)
                | ConfigError::Edit(_)
                | ConfigError::Model(_) => Exit::Refused,
            }
        }
    }
}

fn names() -> String {
    KEYS.iter().map(|key| key.name).collect::<Vec<_>>().join(", ")
}

fn find(name: &str) -> Result<&'static Key, ConfigError> {
    Key::by_name(name).ok_or_else(|| ConfigError::UnknownKey(name.to_owned()))
}

fn get(name: Option<&str>, json: bool, context: &Context, ui: &mut Ui) -> Result<(), ConfigError> {
    let chosen = match name {
        Some(name) => std::slice::from_ref(find(name)?),
        None => &KEYS,
    };
    let config = Config::load(context.places.home())?;
    if json {
        let values = chosen.iter().map(|key| (key.name.to_owned(), json_value(&(key.value)(&config))));
        ui.line(json!({ "schema": 1, "config": values.collect::<Map<_, _>>() }));
    } else if name.is_some() {
        // Without quotes, so that a script can take it as it is.
        chosen.iter().for_each(|key| ui.line((key.value)(&config).trim_matches('"')));
    } else {
        let mut table = Table::new();
        for key in chosen {
            let value = (key.value)(&config);
            let origin = if value == (key.value)(&Config::default()) { "the default" } else { "" };
            table.row([Cell::new(key.name, Style::Strong), Cell::from(value), Cell::new(origin, Style::Dim)]);
        }
        ui.table(&table);
    }
    Ok(())
}

/// Strings and integers are written alike in TOML and JSON.
fn json_value(toml: &str) -> Value {
    serde_json::from_str(toml).unwrap_or_else(|_| toml.into())
}

fn set(name: &str, value: &str, dry_run: bool, context: &Context, ui: &mut Ui) -> Result<(), ConfigError> {
    let key = find(name)?;
    let edit = ConfigEdit::new(context.places.home(), key, value)?;
    if edit.before == edit.after {
        ui.line(format_args!("{name} is {} already", (key.value)(&Config::load(context.places.home())?)));
        return Ok(());
    }
    ui.diff(&edit.path.display().to_string(), &edit.before, &edit.after);
    if dry_run {
        ui.line("dry run: nothing was written");
        return Ok(());
    }
    context.places.create()?;
    edit.write()?;
    ui.paragraph(&format!("Written. {}", key.takes_effect), Style::Plain);
    Ok(())
}

fn explain(name: Option<&str>, context: &Context, ui: &mut Ui) -> Result<(), ConfigError> {
    if let Some(name) = name {
        let key = find(name)?;
        let config = Config::load(context.places.home())?;
        ui.paragraph(key.meaning, Style::Plain);
        let mut table = Table::new();
        for (what, text) in [
            ("now", (key.value)(&config)),
            ("default", (key.value)(&Config::default())),
            ("allowed", (key.allowed)()),
            ("counts", key.takes_effect.to_owned()),
            ("file", context.places.config.display().to_string()),
        ] {
            table.row([Cell::new(what, Style::Strong), Cell::from(text)]);
        }
        ui.table(&table);
        return Ok(());
    }
    ui.raw(as_file(&Config::load(context.places.home())?));
    Ok(())
}

/// A configuration as a file that says so, with what each key means; what is the default is commented out.
#[must_use]
pub fn as_file(config: &Config) -> String {
    let mut file = String::new();
    let mut table = "";
    for key in &KEYS {
        let (of, own) = key.name.rsplit_once('.').unwrap_or(("", key.name));
        if of != table {
            file.push_str(&format!("\n[{of}]\n"));
            table = of;
        } else if !file.is_empty() {
            file.push('\n');
        }
        let said = format!("{} Allowed: {}. {}", key.meaning, (key.allowed)(), key.takes_effect);
        for line in wrap(&said, COMMENT_COLUMNS) {
            file.push_str(&format!("# {line}\n"));
        }
        let value = (key.value)(config);
        let off = if value == (key.value)(&Config::default()) { "# " } else { "" };
        file.push_str(&format!("{off}{own} = {value}\n"));
    }
    file
}
