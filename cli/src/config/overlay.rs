//! Reads `commands.toml`: additions to the command table, which may only make it stricter.

use std::path::Path;
use std::sync::Arc;

use circinus_analyzer::overlay::Overlay;

use super::LoadConfigError;
use super::read::{Wrong, invalid, read, text};
use crate::ui::escape_untrusted;

/// The additions in force, and why the file is not, if it is not.
#[derive(Clone, Debug, Default)]
pub struct CommandOverlay {
    /// The rows; none when there is no file, or when it is refused.
    pub rows: Arc<Overlay>,
    /// Why the file is refused: it would loosen something, or it cannot be read. The built-in table holds.
    pub refused: Option<Arc<str>>,
}

impl CommandOverlay {
    /// The additions in `commands.toml` under `home`. A file that is refused takes nothing away, so there
    /// is no failure: whoever loads it says what `refused` holds.
    #[must_use]
    pub fn load(home: &Path) -> Self {
        match load(&home.join(super::places::COMMANDS_NAME)) {
            Ok(rows) => Self { rows: Arc::new(rows), refused: None },
            Err(error) => Self { rows: Arc::default(), refused: Some(error.to_string().into()) },
        }
    }

    /// What holds, in one line.
    #[must_use]
    pub fn describe(&self) -> String {
        let file = super::places::COMMANDS_NAME;
        match (&self.refused, self.rows.len()) {
            (Some(refused), _) => {
                let problem = refused.lines().next().unwrap_or_default();
                format!("the built-in table alone: {file} is refused: {problem}")
            }
            (None, 0) => "the built-in table".to_owned(),
            (None, 1) => format!("the built-in table, 1 program tightened by {file}"),
            (None, rows) => format!("the built-in table, {rows} programs tightened by {file}"),
        }
    }
}

fn load(path: &Path) -> Result<Overlay, LoadConfigError> {
    let Some(bytes) = read(path)? else { return Ok(Overlay::default()) };
    let text = text(path, &bytes)?;
    Overlay::parse(text).map_err(|error| {
        let problem = escape_untrusted(&error.problem);
        invalid(path, text, Wrong::new(problem, error.span, error.hint))
    })
}
