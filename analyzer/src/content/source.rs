//! The shape of a signal data file.

use std::collections::HashMap;

use serde::Deserialize;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    pub(super) version: u32,
    #[serde(default)]
    pub(super) language: Option<String>,
    #[serde(default)]
    pub(super) common: Vec<String>,
    #[serde(default)]
    pub(super) everyday: Vec<String>,
    #[serde(default)]
    pub(super) misspelt: Vec<String>,
    #[serde(default)]
    pub(super) sensitive: Vec<String>,
    #[serde(default)]
    pub(super) concealing: Vec<String>,
    #[serde(default)]
    pub(super) marker: Vec<MarkerSource>,
    #[serde(default)]
    pub(super) payload: Vec<PayloadSource>,
    #[serde(default)]
    pub(super) class: HashMap<String, Vec<String>>,
    #[serde(default)]
    pub(super) rule: Vec<RuleSource>,
    #[serde(default)]
    pub(super) discusses: Discusses,
}

impl Source {
    pub(super) fn is_headed(&self) -> bool {
        self.version >= 1 && (self.class.is_empty() || self.language.is_some())
    }
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
pub(super) struct Discusses {
    pub(super) words: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MarkerSource {
    pub(super) signal: String,
    pub(super) form: MarkerForm,
    pub(super) literals: Vec<String>,
}

/// Where a marker has to stand.
#[derive(Deserialize, Clone, Copy, Debug, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum MarkerForm {
    /// Wherever it occurs.
    Anywhere,
    /// Alone on its line.
    Line,
    /// At the start of a line that follows an empty one.
    Turn,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PayloadSource {
    pub(super) signal: String,
    pub(super) near: Vec<String>,
    #[serde(default)]
    pub(super) lead: usize,
    pub(super) pattern: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RuleSource {
    pub(super) signal: String,
    #[serde(default)]
    pub(super) unless: Option<String>,
    #[serde(default)]
    pub(super) hidden_only: bool,
    pub(super) r#match: Vec<String>,
}
