//! Reads `config.toml`. A key that is not known, or a value that is not allowed, is an error that points at
//! it: a setting that is silently ignored is a guard that its owner believes in and that is not there.

mod model;

use std::borrow::Cow;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::ops::Range;
use std::path::{Path, PathBuf};

use circinus_analyzer::redact::redacted;
use circinus_core::policy::Profile;
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{ClaudeCodeConfig, Config, HOOK_TIMEOUT_S_MAX, HOOK_TIMEOUT_S_MIN};
use crate::ui::{SourceSpan, escape_untrusted};

/// Bytes of a configuration file; a real one has a few hundred.
const CONFIG_BYTES_MAX: u64 = 64 * 1024;

/// Why the configuration is not usable.
#[derive(Debug, Error)]
pub enum LoadConfigError {
    /// The file is there and cannot be read.
    #[error("cannot read {}: {source}; hint: make it readable for you, or remove it for the defaults", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The file is far larger than a configuration.
    #[error("{} has more than {CONFIG_BYTES_MAX} bytes; hint: is it the right file?", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
    },
    /// What the file says is not a configuration.
    #[error("{problem}\n --> {}:{}:{}\n{place}\nhint: {hint}", path.display(), place.line(), place.column())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong, in a sentence.
        problem: String,
        /// Where.
        place: Box<SourceSpan>,
        /// What would be right.
        hint: String,
    },
}

impl Config {
    /// The configuration in `config.toml` under `home`; the defaults when there is no such file.
    ///
    /// # Errors
    /// [`LoadConfigError`].
    pub fn load(home: &Path) -> Result<Self, LoadConfigError> {
        let path = home.join(super::places::CONFIG_NAME);
        match read(&path)? {
            Some(bytes) => Self::from_bytes(&path, &bytes),
            None => Ok(Self::default()),
        }
    }

    pub(super) fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Self, LoadConfigError> {
        let text = text(path, bytes)?;
        Self::parse(text).map_err(|wrong| invalid(path, text, wrong))
    }

    /// Reads the configuration from the text of a file.
    fn parse(text: &str) -> Result<Self, Wrong> {
        let table = DeTable::parse(text).map_err(|error| {
            let end = text.len()..text.len();
            Wrong::new(error.message().trim_end(), error.span().unwrap_or(end), "the file is TOML (toml.io)")
        })?;
        let mut config = Self::default();
        for (key, value) in table.get_ref() {
            match key.get_ref().as_ref() {
                "profile" => config.profile = profile(value)?,
                "claude_code" => config.claude_code = claude_code(value)?,
                "model" => config.model = model::model(value)?,
                "telemetry" => config.telemetry = model::telemetry(value)?,
                _ => return Err(unknown(key, &["profile", "claude_code", "model", "telemetry"])),
            }
        }
        Ok(config)
    }
}

/// The bytes of a file of the configuration; `None` when there is none.
pub(super) fn read(path: &Path) -> Result<Option<Vec<u8>>, LoadConfigError> {
    let mut bytes = Vec::new();
    let read = File::open(path).and_then(|file| file.take(CONFIG_BYTES_MAX + 1).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(Some(bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(LoadConfigError::Read { path: path.to_owned(), source }),
    }
}

/// The bytes as text.
pub(super) fn text<'b>(path: &Path, bytes: &'b [u8]) -> Result<&'b str, LoadConfigError> {
    if bytes.len() as u64 > CONFIG_BYTES_MAX {
        return Err(LoadConfigError::TooLarge { path: path.to_owned() });
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        let wrong = Wrong::new("not UTF-8", at..at, "save the file as UTF-8");
        invalid(path, &String::from_utf8_lossy(bytes), wrong)
    })
}

/// The error that points at what is wrong.
pub(super) fn invalid(path: &Path, text: &str, wrong: Wrong) -> LoadConfigError {
    let shown = shown(text, &wrong);
    LoadConfigError::Invalid {
        path: path.to_owned(),
        problem: wrong.problem,
        place: Box::new(SourceSpan::new(&shown, wrong.span)),
        hint: wrong.hint,
    }
}

/// The text as it may be shown: without secrets, byte for byte.
fn shown<'t>(text: &'t str, wrong: &Wrong) -> Cow<'t, str> {
    let Some(mut shown) = redacted(text.as_bytes(), None) else { return Cow::Borrowed("") };
    if wrong.hidden {
        let line = text.get(..wrong.span.start).and_then(|head| head.rfind('\n')).map_or(0, |at| at + 1);
        let rest = shown.split_off(line.min(shown.len()));
        // From the sign of equality to the end of the line; characters keep their number of bytes.
        let (first, others) = rest.split_at(rest.find('\n').unwrap_or(rest.len()));
        let (name, value) = first.split_at(first.find('=').unwrap_or(first.len()));
        shown = [&shown, name, &"*".repeat(value.len()), others].concat();
    }
    Cow::Owned(shown)
}

/// What is wrong, where, and what would be right.
pub(super) struct Wrong {
    problem: String,
    span: Range<usize>,
    hint: String,
    /// Whether the value at that place is not shown.
    hidden: bool,
}

impl Wrong {
    pub(super) fn new(problem: impl Into<String>, span: Range<usize>, hint: impl Into<String>) -> Self {
        Self { problem: problem.into(), span, hint: hint.into(), hidden: false }
    }

    fn hidden(self) -> Self {
        Self { hidden: true, ..self }
    }
}

fn unknown(key: &Spanned<impl AsRef<str>>, known: &[&str]) -> Wrong {
    let name = escape_untrusted(key.get_ref().as_ref());
    Wrong::new(format!("unknown key `{name}`"), key.span(), format!("allowed here: {}", list(known)))
}

fn profile(value: &Spanned<DeValue<'_>>) -> Result<Profile, Wrong> {
    let names = Profile::ALL.map(Profile::name);
    let hint = || format!("profile is one of {}", list(&names.map(|name| format!("\"{name}\""))));
    let Some(text) = value.get_ref().as_str() else {
        return Err(wrong_type("profile", "a string", value, hint()));
    };
    Profile::ALL.into_iter().find(|profile| profile.name() == text).ok_or_else(|| {
        Wrong::new(format!("unknown profile \"{}\"", escape_untrusted(text)), value.span(), hint())
    })
}

fn claude_code(value: &Spanned<DeValue<'_>>) -> Result<ClaudeCodeConfig, Wrong> {
    let Some(table) = value.get_ref().as_table() else {
        let hint = "write [claude_code] on a line of its own, its keys below";
        return Err(wrong_type("claude_code", "a table", value, hint.to_owned()));
    };
    let mut config = ClaudeCodeConfig::default();
    for (key, value) in table {
        match key.get_ref().as_ref() {
            "hook_timeout_s" => config.hook_timeout_s = hook_timeout_s(value)?,
            _ => return Err(unknown(key, &["hook_timeout_s"])),
        }
    }
    Ok(config)
}

fn hook_timeout_s(value: &Spanned<DeValue<'_>>) -> Result<u32, Wrong> {
    let hint = || format!("seconds, {HOOK_TIMEOUT_S_MIN} to {HOOK_TIMEOUT_S_MAX}");
    let Some(integer) = value.get_ref().as_integer() else {
        return Err(wrong_type("hook_timeout_s", "an integer", value, hint()));
    };
    u32::from_str_radix(integer.as_str(), integer.radix())
        .ok()
        .filter(|seconds| (HOOK_TIMEOUT_S_MIN..=HOOK_TIMEOUT_S_MAX).contains(seconds))
        .ok_or_else(|| Wrong::new("hook_timeout_s is out of range", value.span(), hint()))
}

fn wrong_type(key: &str, wanted: &str, value: &Spanned<DeValue<'_>>, hint: String) -> Wrong {
    let found = value.get_ref().type_str();
    Wrong::new(format!("{key} must be {wanted}, found {found}"), value.span(), hint)
}

fn list(names: &[impl fmt::Display]) -> String {
    let names: Vec<String> = names.iter().map(ToString::to_string).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use circinus_analyzer::provider::Kind;

    use super::*;
    use crate::config::KeySource;

    fn read(text: &str) -> Result<Config, LoadConfigError> {
        Config::from_bytes(Path::new("config.toml"), text.as_bytes())
    }

    #[test]
    fn no_file_and_an_empty_file_are_the_defaults() {
        let home = tempfile::tempdir().unwrap();
        assert_eq!(Config::load(home.path()).unwrap(), Config::default());
        assert_eq!(read("# nothing\n").unwrap(), Config::default());
    }

    #[test]
    fn every_profile_by_its_name() {
        for profile in Profile::ALL {
            let config =
                read(&format!("profile = \"{profile}\"\n[claude_code]\nhook_timeout_s = 60")).unwrap();
            assert_eq!(config.profile, profile);
            assert_eq!(config.claude_code.hook_timeout_s, 60);
        }
    }

    #[test]
    fn every_key_that_is_told_of_is_read_and_every_key_that_is_read_is_told_of() {
        for key in &super::super::KEYS {
            let (tables, own) = key.path();
            let tables = tables.collect::<Vec<_>>().join(".");
            let table = if tables.is_empty() { tables } else { format!("[{tables}]\n") };
            let text = format!("{table}{own} = {}\n", (key.value)(&Config::default()));
            assert_eq!(read(&text).unwrap(), Config::default(), "{text}");
            let unknown = read(&format!("{table}no_such_key = 1\n")).unwrap_err().to_string();
            let hint = unknown.rsplit("hint: allowed here: ").next().unwrap();
            assert!(hint.split(", ").any(|allowed| allowed == own), "{own} is not in `{hint}`");
        }
        let unknown = read("no_such_key = 1\n").unwrap_err().to_string();
        for allowed in unknown.rsplit("hint: allowed here: ").next().unwrap().split(", ") {
            let told = super::super::KEYS.iter().any(|key| key.name.split('.').next() == Some(allowed));
            assert!(told, "{allowed} is not told of");
        }
    }

    #[test]
    fn a_model_is_read_and_off_by_default() {
        assert_eq!(read("[model]\nprovider = \"none\"").unwrap(), Config::default());
        let text =
            "[model]\nprovider = \"ollama\"\nname = \"small\"\nday_requests_max = 7\nkey_file = \"/k\"";
        let model = read(text).unwrap().model;
        assert_eq!(
            (model.provider, &*model.name, model.caps().day.requests),
            (Some(Kind::Ollama), "small", 7)
        );
        assert_eq!(model.key, KeySource::File("/k".into()));
        for wrong in [
            "provider = \"else\"",
            "provider = \"openai\"",
            "provider = \"openai\"\nname = \"m\"\nendpoint = \"http://example.org\"",
            "key_env = \"A\"\nkey_file = \"/k\"",
            "key_file = \"relative\"",
            "key_command = \"one string\"",
            "deadline_ms = 10",
            "day_requests_max = -1",
        ] {
            assert!(read(&format!("[model]\n{wrong}\n")).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_key_in_the_file_is_refused_and_not_shown() {
        let key = "kq9-Zx77-made-up-4411";
        for line in
            [format!("key_env = \"{key}\""), format!("key = \"{key}\""), format!("key_file = \"{key}\"")]
        {
            let said = read(&format!("[model]\n{line}\n")).unwrap_err().to_string();
            assert!(!said.contains("Zx77"), "{said}");
        }
        let said = read("[model]\nprovider = sk-ant-api03-Qw8zLm4TtYv2-Rb61\n").unwrap_err().to_string();
        assert!(!said.contains("Qw8zLm4TtYv2"), "{said}");
    }

    #[test]
    fn the_longest_wait_fits_the_shortest_timeout() {
        let longest = Profile::ALL.into_iter().map(Profile::wait_ms_max).max().unwrap();
        assert!(longest * 3 <= HOOK_TIMEOUT_S_MIN * 1_000);
    }

    #[test]
    fn an_unreadable_file_is_an_error() {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("config.toml")).unwrap();
        assert!(matches!(Config::load(home.path()), Err(LoadConfigError::Read { .. })));
    }

    #[test]
    fn a_huge_file_is_an_error() {
        let text = "#".repeat(CONFIG_BYTES_MAX as usize + 1);
        assert!(matches!(read(&text), Err(LoadConfigError::TooLarge { .. })));
    }
}
