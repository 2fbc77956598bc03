//! Reads `[model]` and `[telemetry]`: what may leave the machine.

use std::ops::RangeInclusive;
use std::path::Path;

use circinus_analyzer::provider::{Endpoint, EndpointError, Kind};
use toml::Spanned;
use toml::de::DeValue;

use super::{Wrong, list, unknown, wrong_type};
use crate::config::TelemetryConfig;
use crate::config::model::{KeySource, ModelConfig};

/// Milliseconds that a request may take.
const DEADLINE_MS: RangeInclusive<u32> = 1_000..=120_000;

const KEYS: [&str; 13] = [
    "provider",
    "name",
    "endpoint",
    "key_env",
    "key_file",
    "key_command",
    "deadline_ms",
    "request_cents_per_mtok",
    "answer_cents_per_mtok",
    "day_requests_max",
    "day_tokens_max",
    "day_cents_max",
    "session_tokens_max",
];

/// A key that was written here by mistake is not shown with what is wrong.
pub(super) fn model(value: &Spanned<DeValue<'_>>) -> Result<ModelConfig, Wrong> {
    read(value).map_err(Wrong::hidden)
}

fn read(value: &Spanned<DeValue<'_>>) -> Result<ModelConfig, Wrong> {
    let Some(table) = value.get_ref().as_table() else {
        let hint = "write [model] on a line of its own, its keys below";
        return Err(wrong_type("model", "a table", value, hint.to_owned()));
    };
    let mut config = ModelConfig::default();
    for (key, value) in table {
        let any = 0..=u32::MAX;
        match key.get_ref().as_ref() {
            "provider" => config.provider = provider(value)?,
            "name" => config.name = text("name", value)?,
            "endpoint" => config.endpoint = text("endpoint", value)?,
            "key_env" => take_key(&mut config, environment(value)?, value)?,
            "key_file" => take_key(&mut config, file(value)?, value)?,
            "key_command" => take_key(&mut config, command(value)?, value)?,
            "deadline_ms" => config.deadline_ms = integer("deadline_ms", value, DEADLINE_MS)?,
            "request_cents_per_mtok" => config.request_cents_per_mtok = integer(key.get_ref(), value, any)?,
            "answer_cents_per_mtok" => config.answer_cents_per_mtok = integer(key.get_ref(), value, any)?,
            "day_requests_max" => config.day_requests_max = integer(key.get_ref(), value, any)?,
            "day_tokens_max" => config.day_tokens_max = integer(key.get_ref(), value, any)?,
            "day_cents_max" => config.day_cents_max = integer(key.get_ref(), value, any)?,
            "session_tokens_max" => config.session_tokens_max = integer(key.get_ref(), value, any)?,
            _ => return Err(unknown(key, &KEYS)),
        }
    }
    whole(&config, value)?;
    Ok(config)
}

pub(super) fn telemetry(value: &Spanned<DeValue<'_>>) -> Result<TelemetryConfig, Wrong> {
    let Some(table) = value.get_ref().as_table() else {
        let hint = "write [telemetry] on a line of its own, its keys below";
        return Err(wrong_type("telemetry", "a table", value, hint.to_owned()));
    };
    let mut config = TelemetryConfig::default();
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "endpoint" => config.endpoint = text("endpoint", value)?,
            _ => return Err(unknown(key, &["endpoint"])),
        }
        if !config.endpoint.is_empty() {
            Endpoint::parse(&config.endpoint).map_err(|error| at(value, &error))?;
        }
    }
    Ok(config)
}

fn at(value: &Spanned<DeValue<'_>>, error: &EndpointError) -> Wrong {
    let said = error.to_string();
    let (problem, hint) = crate::ui::split_hint(&said);
    Wrong::new(format!("endpoint: {problem}"), value.span(), hint.unwrap_or("give a URL"))
}

/// What only the keys together can get wrong.
fn whole(config: &ModelConfig, value: &Spanned<DeValue<'_>>) -> Result<(), Wrong> {
    let Some(kind) = config.provider else { return Ok(()) };
    if config.name.is_empty() {
        return Err(Wrong::new(
            "a provider without a model",
            value.span(),
            "say which model: name = \"...\"",
        ));
    }
    config.endpoint(kind).map(drop).map_err(|error| at(value, &error))
}

fn provider(value: &Spanned<DeValue<'_>>) -> Result<Option<Kind>, Wrong> {
    let names = || std::iter::once("none").chain(Kind::ALL.map(Kind::name));
    let hint = || {
        format!("provider is one of {}", list(&names().map(|name| format!("\"{name}\"")).collect::<Vec<_>>()))
    };
    let said = text("provider", value)?;
    if &*said == "none" {
        return Ok(None);
    }
    let kind = Kind::ALL.into_iter().find(|kind| kind.name() == &*said);
    kind.map(Some).ok_or_else(|| Wrong::new("unknown provider", value.span(), hint()))
}

/// An empty value says nothing, so that each key can stand in the file with its default.
fn take_key(
    config: &mut ModelConfig,
    key: Option<KeySource>,
    value: &Spanned<DeValue<'_>>,
) -> Result<(), Wrong> {
    match key {
        None => Ok(()),
        Some(key) if config.key == KeySource::Usual => {
            config.key = key;
            Ok(())
        }
        Some(_) => {
            let hint = "give one of key_env, key_file and key_command";
            Err(Wrong::new("the key has two places", value.span(), hint))
        }
    }
}

fn environment(value: &Spanned<DeValue<'_>>) -> Result<Option<KeySource>, Wrong> {
    let name = text("key_env", value)?;
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if !is_name {
        let hint = "key_env is the name of a variable; a key itself has no place in this file";
        return Err(Wrong::new("not the name of a variable", value.span(), hint));
    }
    Ok((!name.is_empty()).then_some(KeySource::Environment(name)))
}

fn file(value: &Spanned<DeValue<'_>>) -> Result<Option<KeySource>, Wrong> {
    let path = text("key_file", value)?;
    if path.is_empty() {
        return Ok(None);
    }
    if !Path::new(&*path).is_absolute() {
        return Err(Wrong::new("not an absolute path", value.span(), "key_file = \"/home/you/.config/key\""));
    }
    Ok(Some(KeySource::File(path.to_string().into())))
}

fn command(value: &Spanned<DeValue<'_>>) -> Result<Option<KeySource>, Wrong> {
    let hint = || "key_command = [\"program\", \"argument\"]".to_owned();
    let words =
        value.get_ref().as_array().ok_or_else(|| wrong_type("key_command", "an array", value, hint()))?;
    let words = words.iter().map(|word| word.get_ref().as_str().map(Box::from)).collect::<Option<Vec<_>>>();
    let words = words.ok_or_else(|| wrong_type("key_command", "an array of strings", value, hint()))?;
    Ok((!words.is_empty()).then_some(KeySource::Command(words)))
}

fn text(key: &str, value: &Spanned<DeValue<'_>>) -> Result<Box<str>, Wrong> {
    let hint = || format!("{key} = \"...\"");
    value.get_ref().as_str().map(Box::from).ok_or_else(|| wrong_type(key, "a string", value, hint()))
}

fn integer(key: &str, value: &Spanned<DeValue<'_>>, range: RangeInclusive<u32>) -> Result<u32, Wrong> {
    let hint = || format!("{} to {}", range.start(), range.end());
    let Some(integer) = value.get_ref().as_integer() else {
        return Err(wrong_type(key, "an integer", value, hint()));
    };
    u32::from_str_radix(integer.as_str(), integer.radix())
        .ok()
        .filter(|number| range.contains(number))
        .ok_or_else(|| Wrong::new(format!("{key} is out of range"), value.span(), hint()))
}
